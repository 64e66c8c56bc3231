package generator

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
)

// Format names the migration tool whose files are read and written. Objects, their markers and the
// chain of states are the same in all formats. File names and frames differ.
type Format string

// These are the formats. The default is Goose.
const (
	Goose  Format = "goose"
	Tern   Format = "tern"
	Flyway Format = "flyway"
	Psql   Format = "psql"
	Plain  Format = "plain" // for any tool that executes a file in one transaction
)

// Formats are all formats, the default first.
var Formats = []Format{Goose, Tern, Flyway, Psql, Plain}

// tool describes the properties of one format. The template "<format> migration" puts text around
// Up and Down.
type tool struct {
	format  Format
	width   int  // digits of a number in a new directory
	gapless bool // the tool refuses a directory in which a number is missing
	// inTransaction is true if indexes are built inside a transaction, which blocks writes.
	inTransaction bool

	// A file name consists of prefix, number, separator, a word and suffix. If Down has a file of
	// its own, the name of that file has downPrefix and downSuffix instead.
	prefix, separator, suffix string
	downPrefix, downSuffix    string

	// downLine separates Up and Down in a file that has both. back describes in the file's head
	// what is below downLine. Both are "" if Down has a file of its own.
	downLine, back string
	// framed is true if each statement needs a line before and a line after it, as in goose.
	framed bool
	// misread returns why the tool would not execute a token of a text unchanged; "" if it would.
	misread func(text string, t pgparse.Token) string
	// escape and unescape protect a file from the tool's own substitutions.
	escape, unescape *strings.Replacer
}

var asItIs = strings.NewReplacer()

// tools are the properties by format.
// https://pressly.github.io/goose/documentation/annotations/
// https://github.com/jackc/tern#migrations (expands a template first; without a transaction
// it then splits at semicolons)
// https://documentation.red-gate.com/fd/script-configuration-277578905.html
// https://www.postgresql.org/docs/current/app-psql.html (records nothing: the person who
// runs a script must know which one is next)
// https://github.com/golang-migrate/migrate/blob/master/MIGRATIONS.md (the names of plain files)
var tools = map[Format]tool{
	Goose: {format: Goose, width: 5, separator: "_", suffix: ".sql", downLine: "-- +goose Down", back: "Down",
		framed: true, escape: asItIs, unescape: asItIs},
	Tern: {format: Tern, width: 3, gapless: true, separator: "_", suffix: ".sql",
		downLine: ternDownLine, back: "the part below the dashes", misread: ternMisread,
		escape:   strings.NewReplacer("{{", ternBraces, ternDownLine, ternDashes+ternDownLine[4:]),
		unescape: strings.NewReplacer(ternBraces, "{{", ternDashes, "----")},
	Flyway: {format: Flyway, width: 1, prefix: "V", separator: "__", suffix: ".sql", downPrefix: "U",
		downSuffix: ".sql",
		misread:    flywayMisread, escape: asItIs, unescape: asItIs},
	Psql: {format: Psql, width: 5, separator: "_", suffix: ".up.sql", downSuffix: ".down.sql",
		misread: psqlMisread, escape: asItIs, unescape: asItIs},
	Plain: {format: Plain, width: 5, separator: "_", suffix: ".up.sql", downSuffix: ".down.sql",
		inTransaction: true, misread: plainMisread, escape: asItIs, unescape: asItIs},
}

// tern gives a meaning to the first two strings. The last two replace braces and dashes in a file
// that must contain them as plain text.
const (
	ternDownLine = "---- create above / drop below ----"
	ternNoTxLine = "---- tern: disable-tx ----"
	ternBraces   = `{{ "{{" }}`
	ternDashes   = `{{ "----" }}`
)

// separate reports whether Down has a file of its own.
func (l tool) separate() bool { return l.downLine == "" }

// downName returns the name of the Down file that belongs to a file.
func (l tool) downName(name string) string {
	return l.downPrefix + strings.TrimSuffix(strings.TrimPrefix(name, l.prefix), l.suffix) + l.downSuffix
}

// numbered is a file that a migration tool would apply. Exact distinguishes versions that begin
// with the same number.
type numbered struct {
	name    string
	version int64
	digits  int
	exact   string
}

// leadingDigits matches the number of a version. A version of flyway may continue with dots or
// underscores.
var leadingDigits = regexp.MustCompile(`^[0-9]+`)

// number parses the name of a file that the tool would apply upwards, generated or not. Goose
// numbers migrations in Go together with those in SQL.
// https://pressly.github.io/goose/documentation/cli-commands/#create
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
		// Flyway compares versions number by number: 01_2 is 1.2.
		parts := strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '_' })
		exact = strings.Join(lists.Map(parts, func(part string) string { return strings.TrimLeft(part, "0") }), ".")
	}
	value, err := strconv.ParseInt(digits, 10, 64)
	exact = cmp.Or(exact, strconv.FormatInt(value, 10))
	return numbered{name, value, len(digits), exact}, err == nil && value > 0
}

// Suggest returns the format of the user's own files of dir, and one such file. It returns "" for
// goose, and if the files do not show the format.
func Suggest(dir fs.FS) (Format, string) {
	paths, _ := filesOf(dir) // another function has reported an unreadable directory
	for _, path := range paths {
		if _, ok := tools[Flyway].number(path); ok {
			return Flyway, path
		}
		if _, ok := tools[Plain].number(path); ok && strings.HasSuffix(path, tools[Plain].suffix) {
			return Plain, path
		}
		content, err := fs.ReadFile(dir, path)
		if _, ok := tools[Tern].number(path); ok && err == nil && strings.Contains(string(content), ternDownLine) {
			return Tern, path
		}
	}
	return "", ""
}

// refusal returns why the tool would not execute a text unchanged; "" if it would.
func (l tool) refusal(text string, noTransaction bool) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		comment := strings.TrimSpace(line)
		switch { // goose reads every comment that contains +goose as an annotation
		case l.format == Goose && strings.HasPrefix(comment, "--") && strings.Contains(comment, "+goose"):
			return fmt.Sprintf("line %q would be an annotation of the migration tool", comment)
		case l.format == Tern && line == ternNoTxLine:
			return "a line is exactly " + ternNoTxLine + ", by which tern leaves the transaction"
		}
	}
	if l.misread == nil || l.format == Tern && !noTransaction { // in a transaction, tern does not split the file
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

// ternMisread returns why tern would misread a token; "" if it would not. tern misreads a dollar
// inside a dollar quote, a backslash at the end of a comment, and a quote after a word that ends
// with e.
func ternMisread(text string, t pgparse.Token) string {
	before := strings.ToLower(text[max(t.Offset-1, 0):t.Offset])
	switch {
	case t.Comment && strings.HasSuffix(t.Text, `\`):
		return "tern would not see the end of a comment that ends with a backslash"
	case t.Comment:
	case !t.Quoted() && strings.Contains(t.Text, "$") && !(isDollarQuoted(t.Text) && strings.Count(t.Text, "$") == 4):
		return "tern would not find the end of " + t.Text
	case t.Text[0] == '\'' && strings.Contains(t.Text, `\`) && before == "e":
		return "tern would read " + t.Text + " as a string with escapes"
	}
	return ""
}

// flywayNeeds matches a line of a migration that names its configuration file and the settings in
// it. A migration needs a configuration file if it runs outside a transaction, or if a text looks
// like a placeholder.
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

// configuration returns the text of the configuration file that must be beside a file with this
// content; "" if none is needed.
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

// flywayMisread returns why flyway would misread a token; "" if it would not. Flyway reads every
// unquoted dollar as the start of a dollar quote. It recognises an escape string only by a capital
// E.
func flywayMisread(_ string, t pgparse.Token) string {
	switch {
	case t.Comment || isDollarQuoted(t.Text):
	case !t.Quoted() && strings.Contains(t.Text, "$"):
		return "flyway would take the dollar in " + t.Text + " for a quote"
	case strings.HasPrefix(t.Text, "e'") && strings.Contains(t.Text, `\`):
		return "flyway would not see the escapes in " + t.Text + "; begin it with a capital E"
	}
	return ""
}

// psqlVariable matches text that psql may replace by the value of a variable. It does not match a
// colon with a number, as in the slice of an array.
var psqlVariable = regexp.MustCompile(`^:(['"{]|[0-9]*[A-Za-z_\x{80}-\x{10FFFF}])[^ \n\])]*`)

// psqlMisread returns why psql would misread a token; "" if it would not. Outside quotes, psql
// replaces :name by a variable. Only the session knows its variables, so all such names are
// refused.
func psqlMisread(text string, t pgparse.Token) string {
	if t.Text == `\` {
		return "psql would take what follows a backslash for a command of its own"
	}
	if name := psqlVariable.FindString(text[t.Offset:]); t.Text == ":" && name != "" {
		return "psql would put a variable in the place of " + name + "; write a space after the colon"
	}
	return ""
}

// plainMisread returns why some tools would misread a token; "" if none would. Outside quotes, many
// tools take :name and a question mark for parameters. A backslash begins a command of psql.
func plainMisread(text string, t pgparse.Token) string {
	if !t.Comment && !t.Quoted() && t.Text[0] != '$' && strings.Contains(t.Text, "?") {
		return "some tools would put a parameter in the place of the question mark in " + t.Text +
			"; call a function in the place of the operator, such as jsonb_exists()"
	}
	return psqlMisread(text, t)
}
