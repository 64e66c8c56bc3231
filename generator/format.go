package generator

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Format names the migration tool whose files are written and read. Objects, their markers and the
// chain of states are the same in all formats; file names and frames differ.
type Format string

// The formats. Goose is the default.
const (
	Goose  Format = "goose"
	Tern   Format = "tern"
	Flyway Format = "flyway"
	Psql   Format = "psql"
)

// Formats are all of them, the default first.
var Formats = []Format{Goose, Tern, Flyway, Psql}

// tool is what a format has of its own.
type tool struct {
	format Format
	width  int // digits of a number in a new directory
	// gapless: the tool refuses a directory in which a number is missing.
	gapless bool

	// A file's name is prefix, number, separator, a word, suffix. Where a way back has a file of its
	// own, downPrefix and downSuffix tell its name, else they are those of the way up.
	prefix, separator, suffix string
	downPrefix, downSuffix    string

	// downLine stands between the two ways in a file that holds both, "" where each has its own.
	downLine string
	// framed says that each statement stands between two lines of its own, as goose has it.
	framed bool

	// frame writes a step's file around the two ways, which are whole sections.
	frame func(l tool, p part, w ways) []File
	// refusal says why the tool would not execute a text as it stands, "" when it would.
	refusal func(text string, noTransaction bool) string
	// escape and unescape protect a file from the tool's own substitutions, nil where there are none.
	escape, unescape *strings.Replacer
	// beside is the content of the file that configures another one, "" when that one needs none; nil
	// where no tool reads such files.
	beside func(name, content string) string
}

// ways are the two directions of a file, each from its first setting to its last reset. Together they can
// have many megabytes, so that their pieces are joined once.
type ways struct{ up, down pieces }

type pieces []string

func (p pieces) String() string { return strings.Join(p, "") }

// tools by format.
var tools = map[Format]tool{Goose: gooseTool, Tern: ternTool, Flyway: flywayTool, Psql: psqlTool}

// separate says whether the way back has a file of its own.
func (l tool) separate() bool { return l.downLine == "" }

// name writes the name of the file that goes up.
func (l tool) name(version int64, width int, word string) string {
	return fmt.Sprintf("%s%0*d%s%s%s", l.prefix, width, version, l.separator, word, l.suffix)
}

// downName is the file with the way back of the file name.
func (l tool) downName(name string) string {
	return l.downPrefix + strings.TrimSuffix(strings.TrimPrefix(name, l.prefix), l.suffix) + l.downSuffix
}

// leadingDigits is the number of a version; flyway's may go on with dots or underscores.
var leadingDigits = regexp.MustCompile(`^[0-9]+`)

// flywayVersion writes a version as flyway compares it: 01_2 is 1.2.
func flywayVersion(version string) string {
	parts := strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '_' })
	for i, part := range parts {
		parts[i] = strings.TrimLeft(part, "0")
	}
	return strings.Join(parts, ".")
}

// number reads the number of a file that the tool would apply upwards, ours or the user's.
func (l tool) number(name string) (n numbered, ok bool) {
	rest, ok := strings.CutPrefix(name, l.prefix)
	version, _, found := strings.Cut(rest, l.separator)
	if !ok || !found || !strings.HasSuffix(name, ".sql") || (l.suffix != ".sql" && strings.HasSuffix(name, l.downSuffix)) {
		return numbered{}, false
	}
	digits, exact := version, ""
	if l.format == Flyway {
		digits = leadingDigits.FindString(version)
		exact = flywayVersion(version)
	}
	value, err := strconv.ParseInt(digits, 10, 64)
	if exact == "" {
		exact = strconv.FormatInt(value, 10)
	}
	return numbered{name: name, version: value, digits: len(digits), exact: exact}, err == nil && value > 0
}

// formatLine is the fourth line of a generated file; goose's have none.
var formatLine = regexp.MustCompile(`^-- pgretain: format ([a-z]+)$`)

// formatOf is the format that a generated file was written for.
func formatOf(content string) Format {
	lines := strings.SplitN(content, "\n", 5)
	if len(lines) > 3 {
		if m := formatLine.FindStringSubmatch(lines[3]); m != nil {
			return Format(m[1])
		}
	}
	return Goose
}
