package generator

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/pgparse"
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

	// A file's name is prefix, number, separator, a word, suffix. Where Down has a file of its
	// own, downPrefix and downSuffix tell its name, else they are those of Up.
	prefix, separator, suffix string
	downPrefix, downSuffix    string

	// downLine stands between Up and Down in a file that holds both, "" where each has its own.
	downLine string
	// framed says that each statement stands between two lines of its own, as goose has it.
	framed bool

	// frame writes a step's files around Up and Down, each from its first setting to its last reset. Together they can
	// have many megabytes, so that their pieces are joined once.
	frame func(l tool, p part, up, down pieces) []File
	// refusal says why the tool would not execute a text as it stands, "" when it would.
	refusal func(text string, noTransaction bool) string
	// escape and unescape protect a file from the tool's own substitutions, nil where there are none.
	escape, unescape *strings.Replacer
	// beside is the content of the file that configures another one, "" when that one needs none; nil
	// where no tool reads such files.
	beside func(name, content string) string
}

// tools by format.
var tools = map[Format]tool{Goose: gooseTool, Tern: ternTool, Flyway: flywayTool, Psql: psqlTool}

// separate says whether Down has a file of its own.
func (l tool) separate() bool { return l.downLine == "" }

// name writes the name of the file that goes up.
func (l tool) name(version int64, width int, word string) string {
	return fmt.Sprintf("%s%0*d%s%s%s", l.prefix, width, version, l.separator, word, l.suffix)
}

// downName is the file with Down of the file name.
func (l tool) downName(name string) string {
	return l.downPrefix + strings.TrimSuffix(strings.TrimPrefix(name, l.prefix), l.suffix) + l.downSuffix
}

// leadingDigits is the number of a version; flyway's may go on with dots or underscores.
var leadingDigits = regexp.MustCompile(`^[0-9]+`)

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
		// It compares versions by their numbers: 01_2 is 1.2.
		parts := strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '_' })
		exact = strings.Join(each(parts, func(part string) string { return strings.TrimLeft(part, "0") }), ".")
	}
	value, err := strconv.ParseInt(digits, 10, 64)
	if exact == "" {
		exact = strconv.FormatInt(value, 10)
	}
	return numbered{name: name, version: value, digits: len(digits), exact: exact}, err == nil && value > 0
}

// Suggest is the tool that the user's own files of dir look written for, with one of them; "" where that
// is goose, or nobody can tell.
func Suggest(dir fs.FS) (Format, string) {
	paths, err := sqlFilesOf(dir)
	if err != nil {
		return "", ""
	}
	for _, path := range paths {
		if _, ok := flywayTool.number(path); ok {
			return Flyway, path
		}
		content, err := fs.ReadFile(dir, path)
		if _, ok := ternTool.number(path); ok && err == nil && strings.Contains(string(content), ternDownLine) {
			return Tern, path
		}
	}
	return "", ""
}

// gooseTool writes one file for Up and Down, each statement between two lines.
// https://pressly.github.io/goose/documentation/annotations/
var gooseTool = tool{
	format: Goose, width: 5, separator: "_", suffix: ".sql",
	downLine: "-- +goose Down", framed: true,
	frame: gooseFrame, refusal: gooseRefusal,
}

func gooseFrame(l tool, p part, up, down pieces) []File {
	head := l.head(p, p.forward("Down"))
	if p.noTransaction {
		head += "\n-- +goose NO TRANSACTION\n"
	}
	return []File{{p.Name, p.sealed(pieces{head, "\n-- +goose Up\n"}, up, pieces{"\n" + l.downLine + "\n"}, down)}}
}

// gooseRefusal: goose takes every comment with +goose in it for an annotation, wherever it stands.
func gooseRefusal(text string, _ bool) string {
	if !strings.Contains(text, "+goose") {
		return ""
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "--") && strings.Contains(trimmed, "+goose") {
			return fmt.Sprintf("line %q would be an annotation of the migration tool", trimmed)
		}
	}
	return ""
}

// What tern looks for in a file: a line between Up and Down, and a line in one that runs without a
// transaction. Each way is a template first, then split at the semicolons where there is no transaction.
// https://github.com/jackc/tern#migrations
const (
	ternDownLine  = "---- create above / drop below ----"
	ternNoTxLine  = "---- tern: disable-tx ----"
	ternBraces    = `{{ "{{" }}`
	ternDashes    = `{{ "----" }}`
	ternSeparator = " create above / drop below ----"
)

// ternTool writes one file for Up and Down. Numbers begin with 1 and have no gaps.
var ternTool = tool{
	format: Tern, width: 3, gapless: true, separator: "_", suffix: ".sql",
	downLine: ternDownLine, frame: ternFrame, refusal: ternRefusal,
	escape:   strings.NewReplacer("{{", ternBraces, ternDownLine, ternDashes+ternSeparator),
	unescape: strings.NewReplacer(ternBraces, "{{", ternDashes, "----"),
}

func ternFrame(l tool, p part, up, down pieces) []File {
	noTx := ""
	if p.noTransaction {
		noTx = ternNoTxLine + "\n\n"
	}
	above := l.escape.Replace(l.head(p, p.forward("the part below the dashes")) + "\n" + noTx + up.String())
	below := l.escape.Replace("\n" + noTx + down.String())
	return []File{{p.Name, p.sealed(pieces{above, "\n" + l.downLine + "\n", below})}}
}

// refusedToken is what refusal says of the first token of a text that it does not let pass.
func refusedToken(text string, refusal func(t pgparse.Token) string) string {
	tokens, err := pgparse.Tokens(text)
	if err != nil {
		return "text cannot be split into statements: " + err.Error()
	}
	for _, t := range tokens {
		if message := refusal(t); message != "" {
			return message
		}
	}
	return ""
}

// ternRefusal: a line that would take Up or Down out of its transaction, and what tern splits wrongly.
func ternRefusal(text string, noTransaction bool) string {
	if slices.Contains(strings.Split(text, "\n"), ternNoTxLine) {
		return "a line is exactly " + ternNoTxLine + ", by which tern leaves the transaction"
	}
	if !noTransaction {
		return ""
	}
	// Where tern takes a quote for what it is not: a dollar inside a dollar quote may hide its end, a backslash escapes in
	// comments, too, and an E may end the word before.
	return refusedToken(text, func(t pgparse.Token) string {
		before := strings.ToLower(text[max(t.Offset-1, 0):t.Offset])
		switch {
		case t.Comment && strings.HasSuffix(t.Text, `\`):
			return "tern would not see the end of a comment that ends with a backslash"
		case t.Comment:
		case !t.Quoted() && strings.Contains(t.Text, "$") && !dollarQuoted.MatchString(t.Text):
			return "tern would not find the end of " + t.Text
		case t.Text[0] == '\'' && strings.Contains(t.Text, `\`) && before == "e":
			return "tern would read " + t.Text + " as a string with escapes"
		}
		return ""
	})
}

// dollarQuoted is a dollar quote that has no dollar inside.
var dollarQuoted = regexp.MustCompile(`(?s)^\$[^$]*\$[^$]*\$[^$]*\$$`)

// flywayTool writes V and U files, and beside them a script configuration where the tool's defaults
// do not do: outside a transaction, or with a text that looks like a placeholder.
// https://documentation.red-gate.com/fd/script-configuration-277578905.html
var flywayTool = tool{
	format: Flyway, width: 1, prefix: "V", separator: "__", suffix: ".sql", downPrefix: "U", downSuffix: ".sql",
	frame: flywayFrame, refusal: flywayRefusal, beside: flywayConfiguration,
}

// The settings of a script that a configuration file may hold; a generated file names those it needs.
const (
	flywayNoTransaction  = "executeInTransaction=false"
	flywayNoPlaceholders = "placeholderReplacement=false"
)

var flywayNeeds = regexp.MustCompile(`(?m)^-- pgretain: needs (.+)\.conf with (.+)$`)

func flywayFrame(l tool, p part, up, down pieces) []File {
	name := l.downName(p.Name)
	return append(flywayFile(p.Name, p, l.head(p, p.forward(name)), up.String()),
		flywayFile(name, p, l.head(p, p.backward(p.Name)), down.String())...)
}

// flywayFile is one way, and its configuration where it needs one.
func flywayFile(name string, p part, head, text string) []File {
	var settings []string
	if p.noTransaction {
		settings = append(settings, flywayNoTransaction)
		head += "-- CONCURRENTLY waits for flyway's own lock for ever, unless postgresql.transactional.lock=false.\n"
	}
	if strings.Contains(head+text, "${") {
		settings = append(settings, flywayNoPlaceholders)
	}
	if len(settings) > 0 {
		head += fmt.Sprintf("-- pgretain: needs %s.conf with %s\n", name, strings.Join(settings, ", "))
	}
	files := []File{{name, p.sealed(pieces{head, "\n", text})}}
	if configuration := flywayConfiguration(name, files[0].Content()); configuration != "" {
		files = append(files, File{name + ".conf", []string{configuration}})
	}
	return files
}

// flywayConfiguration is what must stand beside a file with this content.
func flywayConfiguration(name, content string) string {
	m := flywayNeeds.FindStringSubmatch(content)
	if m == nil {
		return ""
	}
	return "# Code generated by pgretain; DO NOT EDIT. Belongs to " + name + ".\n" +
		strings.ReplaceAll(m[2], ", ", "\n") + "\n"
}

// flywayRefusal: flyway takes every unquoted dollar for the start of a dollar quote, and knows a string
// with escapes by a capital E only.
func flywayRefusal(text string, _ bool) string {
	return refusedToken(text, func(t pgparse.Token) string {
		switch {
		case t.Comment || strings.HasPrefix(t.Text, "$") && strings.HasSuffix(t.Text, "$"):
		case !t.Quoted() && strings.Contains(t.Text, "$"):
			return "flyway would take the dollar in " + t.Text + " for a quote"
		case strings.HasPrefix(t.Text, "e'") && strings.Contains(t.Text, `\`):
			return "flyway would not see the escapes in " + t.Text + "; begin it with a capital E"
		}
		return ""
	})
}

// psqlTool writes scripts that psql runs as they stand: the transaction is in them, and an error ends
// them. psql remembers nothing: whoever runs a script knows which one is next.
// https://www.postgresql.org/docs/current/app-psql.html
var psqlTool = tool{
	format: Psql, width: 5, separator: "_", suffix: ".up.sql", downSuffix: ".down.sql",
	frame: psqlFrame, refusal: psqlRefusal,
}

func psqlFrame(l tool, p part, up, down pieces) []File {
	name := l.downName(p.Name)
	return []File{
		{p.Name, p.sealed(pieces{l.head(p, p.forward(name)), "\n", psqlScript(up.String(), p.noTransaction)})},
		{name, p.sealed(pieces{l.head(p, p.backward(p.Name)), "\n", psqlScript(down.String(), p.noTransaction)})},
	}
}

// psqlScript is Up or Down with what other tools do for their files.
func psqlScript(text string, noTransaction bool) string {
	return execute("psql.sql.tmpl", fields{"Text": sqlText(text), "Transaction": !noTransaction})
}

// psqlVariable is what psql may replace. A number could be a name, and is none: slices have them.
var psqlVariable = regexp.MustCompile(`^:(['"{]|[0-9]*[A-Za-z_\x{80}-\x{10FFFF}])[^ \n\])]*`)

// psqlRefusal: outside of quotes psql puts a variable in the place of :name. Which variables there are
// only the session knows, so that none may be named.
func psqlRefusal(text string, _ bool) string {
	return refusedToken(text, func(t pgparse.Token) string {
		if t.Text == `\` {
			return "psql would take what follows a backslash for a command of its own"
		}
		if t.Text == ":" {
			if name := psqlVariable.FindString(text[t.Offset:]); name != "" {
				return "psql would put a variable in the place of " + name + "; write a space after the colon"
			}
		}
		return ""
	})
}
