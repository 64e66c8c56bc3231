package generator

import (
	"fmt"
	"io/fs"
	"regexp"
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

// tool is what a format has of its own. What stands around Up and Down is the template "<format> migration".
type tool struct {
	format  Format
	width   int  // digits of a number in a new directory
	gapless bool // the tool refuses a directory in which a number is missing

	// A file's name is prefix, number, separator, a word, suffix. Where Down has a file of its
	// own, downPrefix and downSuffix tell its name, else they are those of Up.
	prefix, separator, suffix string
	downPrefix, downSuffix    string

	// downLine stands between Up and Down in a file that holds both, and back is what the head calls what is below it; ""
	// where each has its own.
	downLine, back string
	// framed says that each statement stands between two lines of its own, as goose has it.
	framed bool
	// misread says why the tool would not execute a token of a text as it stands, "" when it would.
	misread func(text string, t pgparse.Token) string
	// escape and unescape protect a file from the tool's own substitutions.
	escape, unescape *strings.Replacer
}

var asItIs = strings.NewReplacer()

// tools by format:
// https://pressly.github.io/goose/documentation/annotations/
// https://github.com/jackc/tern#migrations (a template first, then split at semicolons where there is no transaction)
// https://documentation.red-gate.com/fd/script-configuration-277578905.html
// https://www.postgresql.org/docs/current/app-psql.html (it remembers nothing: who runs a script knows which is next)
var tools = map[Format]tool{
	Goose: {format: Goose, width: 5, separator: "_", suffix: ".sql", downLine: "-- +goose Down", back: "Down",
		framed: true, escape: asItIs, unescape: asItIs},
	Tern: {format: Tern, width: 3, gapless: true, separator: "_", suffix: ".sql",
		downLine: ternDownLine, back: "the part below the dashes", misread: ternMisread,
		escape:   strings.NewReplacer("{{", ternBraces, ternDownLine, ternDashes+ternDownLine[4:]),
		unescape: strings.NewReplacer(ternBraces, "{{", ternDashes, "----")},
	Flyway: {format: Flyway, width: 1, prefix: "V", separator: "__", suffix: ".sql", downPrefix: "U", downSuffix: ".sql",
		misread: flywayMisread, escape: asItIs, unescape: asItIs},
	Psql: {format: Psql, width: 5, separator: "_", suffix: ".up.sql", downSuffix: ".down.sql",
		misread: psqlMisread, escape: asItIs, unescape: asItIs},
}

// What tern looks for in a file, and how it is written where it is a text.
const (
	ternDownLine = "---- create above / drop below ----"
	ternNoTxLine = "---- tern: disable-tx ----"
	ternBraces   = `{{ "{{" }}`
	ternDashes   = `{{ "----" }}`
)

// separate says whether Down has a file of its own.
func (l tool) separate() bool { return l.downLine == "" }

// downName is the file with Down of the file name.
func (l tool) downName(name string) string {
	return l.downPrefix + strings.TrimSuffix(strings.TrimPrefix(name, l.prefix), l.suffix) + l.downSuffix
}

// numbered is a file that a migration tool would apply. Exact tells versions apart that begin with the same number.
type numbered struct {
	name    string
	version int64
	digits  int
	exact   string
}

// leadingDigits is the number of a version; flyway's may go on with dots or underscores.
var leadingDigits = regexp.MustCompile(`^[0-9]+`)

// number reads the number of a file that the tool would apply upwards, ours or the user's. Goose numbers migrations in
// Go together with those in SQL. https://pressly.github.io/goose/documentation/cli-commands/#create
func (l tool) number(name string) (n numbered, ok bool) {
	rest, ok := strings.CutPrefix(name, l.prefix)
	version, rest, found := strings.Cut(rest, l.separator)
	program := l.format == Goose && strings.HasSuffix(rest, ".go") && !strings.HasSuffix(rest, "_test.go")
	if !ok || !found || !strings.HasSuffix(rest, ".sql") && !program ||
		l.suffix != ".sql" && strings.HasSuffix(rest, l.downSuffix) {
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
	return numbered{name, value, len(digits), exact}, err == nil && value > 0
}

// Suggest is the tool that the user's own files of dir look written for, with one of them; "" where that
// is goose, or nobody can tell.
func Suggest(dir fs.FS) (Format, string) {
	paths, _ := filesOf(dir) // where it cannot be read, that was said
	for _, path := range paths {
		if _, ok := tools[Flyway].number(path); ok {
			return Flyway, path
		}
		content, err := fs.ReadFile(dir, path)
		if _, ok := tools[Tern].number(path); ok && err == nil && strings.Contains(string(content), ternDownLine) {
			return Tern, path
		}
	}
	return "", ""
}

// refusal says why the tool would not execute a text as it stands, "" when it would.
func (l tool) refusal(text string, noTransaction bool) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		comment := strings.TrimSpace(line)
		switch { // goose takes every comment with +goose in it for an annotation, wherever it stands
		case l.format == Goose && strings.HasPrefix(comment, "--") && strings.Contains(comment, "+goose"):
			return fmt.Sprintf("line %q would be an annotation of the migration tool", comment)
		case l.format == Tern && line == ternNoTxLine:
			return "a line is exactly " + ternNoTxLine + ", by which tern leaves the transaction"
		}
	}
	if l.misread == nil || l.format == Tern && !noTransaction { // then tern splits nothing
		return ""
	}
	tokens, err := pgparse.Tokens(text)
	if err != nil {
		return "text cannot be split into statements: " + err.Error()
	}
	for _, t := range tokens {
		if message := l.misread(text, t); message != "" {
			return message
		}
	}
	return ""
}

// ternMisread: tern takes some quotes for what they are not. A dollar inside a dollar quote may hide its end, a backslash
// escapes in comments, too, and an E may end the word before.
func ternMisread(text string, t pgparse.Token) string {
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
}

// dollarQuoted is a dollar quote that has no dollar inside.
var dollarQuoted = regexp.MustCompile(`(?s)^\$[^$]*\$[^$]*\$[^$]*\$$`)

// flywayNeeds is the line by which a file says how its configuration has to be: in a file beside it, where flyway's
// defaults do not do, outside a transaction, or with a text that looks like a placeholder.
var flywayNeeds = regexp.MustCompile(`(?m)^-- pgretain: needs (.+)\.conf with (.+)$`)

func flywayHead(name, text string, noTransaction bool) (head string) {
	var settings []string
	if noTransaction {
		settings = append(settings, "executeInTransaction=false")
		head = "-- CONCURRENTLY waits for flyway's own lock for ever, unless postgresql.transactional.lock=false.\n"
	}
	if strings.Contains(text, "${") {
		settings = append(settings, "placeholderReplacement=false")
	}
	if len(settings) > 0 {
		head += fmt.Sprintf("-- pgretain: needs %s.conf with %s\n", name, strings.Join(settings, ", "))
	}
	return head
}

// configuration is what must stand beside a file with this content, "" for nothing.
func (l tool) configuration(name, content string) string {
	if l.format != Flyway {
		return ""
	}
	m := flywayNeeds.FindStringSubmatch(content)
	if m == nil {
		return ""
	}
	return "# Code generated by pgretain; DO NOT EDIT. Belongs to " + name + ".\n" +
		strings.ReplaceAll(m[2], ", ", "\n") + "\n"
}

// flywayMisread: flyway takes every unquoted dollar for the start of a dollar quote, and knows a string
// with escapes by a capital E only.
func flywayMisread(_ string, t pgparse.Token) string {
	switch {
	case t.Comment || strings.HasPrefix(t.Text, "$") && strings.HasSuffix(t.Text, "$"):
	case !t.Quoted() && strings.Contains(t.Text, "$"):
		return "flyway would take the dollar in " + t.Text + " for a quote"
	case strings.HasPrefix(t.Text, "e'") && strings.Contains(t.Text, `\`):
		return "flyway would not see the escapes in " + t.Text + "; begin it with a capital E"
	}
	return ""
}

// psqlVariable is what psql may replace. A number could be a name, and is none: slices have them.
var psqlVariable = regexp.MustCompile(`^:(['"{]|[0-9]*[A-Za-z_\x{80}-\x{10FFFF}])[^ \n\])]*`)

// psqlMisread: outside of quotes psql puts a variable in the place of :name. Which variables there are
// only the session knows, so that none may be named.
func psqlMisread(text string, t pgparse.Token) string {
	if t.Text == `\` {
		return "psql would take what follows a backslash for a command of its own"
	}
	if name := psqlVariable.FindString(text[t.Offset:]); t.Text == ":" && name != "" {
		return "psql would put a variable in the place of " + name + "; write a space after the colon"
	}
	return ""
}
