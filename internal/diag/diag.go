// Package diag holds positions and messages. It imports nothing of the project, so that every
// package may report in the same form.
package diag

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"
)

// Position is a place in a file. Lines and columns start at 1 and columns count characters, not
// bytes. Width is the number of characters to underline, 0 when there is nothing to show.
type Position struct {
	File   string
	Line   int
	Column int
	Width  int
}

// Severity says what a Diagnostic means for the reader.
type Severity string

// The severities: the first two come from reading a policy, the next three from the verifier, the last
// from a suppression in the policy file.
const (
	Error      Severity = "error"
	Warning    Severity = "warning"
	Drift      Severity = "drift"
	Unknown    Severity = "unknown"
	Info       Severity = "info"
	Suppressed Severity = "suppressed"
)

// Diagnostic is one message: Message is short and factual, lower case and without a full stop; Detail is
// whole sentences. Hint is what to do: statements that end in ";", a command, or whole sentences. Code
// is stable and has a page in docs/checks.
type Diagnostic struct {
	Position Position
	Severity Severity
	Code     string
	Message  string
	Want     string // the wanted value, where there is a short one
	Got      string
	Detail   string
	Hint     string

	// What it is about, for suppressions in the policy file; "" where that is nothing of the kind.
	Policy string // a policy or report
	Table  string // "schema.name"
	Object string // a name in the database
}

// List collects diagnostics.
type List []Diagnostic

// Add appends d; an empty severity means Error.
func (l *List) Add(d Diagnostic) {
	if d.Severity == "" {
		d.Severity = Error
	}
	*l = append(*l, d)
}

// HasErrors says whether any entry is an Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort orders l as Compare does.
func (l List) Sort() { slices.SortStableFunc(l, Compare) }

// Compare orders by file, line and column; at one place by code and words.
func Compare(a, b Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line),
		cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Detail, b.Detail))
}

// Unique is l sorted and without repetitions, which YAML aliases and shared defaults cause.
func (l List) Unique() List {
	unique := slices.Clone(l)
	unique.Sort()
	return slices.Compact(unique)
}

// codes are the stable names of kinds of diagnostics, with their titles: one line, lower case. Each has a page in
// docs/checks.
var codes = map[string]string{}

// Register makes a code, as "P014", known and returns it; it is called from package variables only. It
// panics when the code exists, because a code has one meaning for ever. P001 to P049 belong to
// policy, P050 to P099 to the generator, L0xx to internal/lint, V0xx to the verifier.
func Register(name, title string) string {
	if _, ok := codes[name]; ok {
		panic(fmt.Sprintf("diag: code %s is registered twice", name))
	}
	codes[name] = title
	return name
}

// Codes lists what the packages of this program registered, sorted.
func Codes() []string { return slices.Sorted(maps.Keys(codes)) }

// Title is what a code stands for, "" for one that nobody registered.
func Title(code string) string { return codes[code] }

// Sentences are what the diagnostics of a package say, in a template: by the name of a fault, which begins with its
// code, "says: " and a message, "detail: " and "hint: ", which may be missing. A line break of the template is a space.
// The template that has the code itself for a name begins with its title.
type Sentences struct{ parsed func() *template.Template }

var (
	titled    = regexp.MustCompile(`(?m)define "([A-Z]\d+)"}}(.*?)(?:{{end}})?$`)
	labelled  = regexp.MustCompile(`(?m)(^|}})(says|detail|hint):\s`)
	lineBreak = regexp.MustCompile(`\n\s*`)
)

// mark stands before a label: a text that is quoted may have the word.
const mark = "\x01"

// ReadSentences registers the codes of a template. It is called from package variables only, and panics as Register
// does.
func ReadSentences(source string, functions map[string]any) Sentences {
	for _, code := range titled.FindAllStringSubmatch(source, -1) {
		Register(code[1], code[2])
	}
	return Sentences{sync.OnceValue(func() *template.Template {
		source := lineBreak.ReplaceAllString(labelled.ReplaceAllString(source, "${1}"+mark+"${2}:"), " ")
		own := template.FuncMap{"join": strings.Join, "in": strings.Contains,
			"q": func(what any) string { return fmt.Sprintf("%q", what) }}
		return template.Must(template.New("").Funcs(own).Funcs(functions).Parse(source))
	})}
}

// Say gives a diagnostic the code and the words of a fault; about is what the template reads.
func (s Sentences) Say(fault string, d Diagnostic, about any) Diagnostic {
	var text strings.Builder
	if err := s.parsed().ExecuteTemplate(&text, fault, about); err != nil {
		panic(err) // of our own template
	}
	d.Code, _, _ = strings.Cut(fault, " ")
	_, said, _ := strings.Cut(text.String(), mark+"says:")
	said, hint, _ := strings.Cut(said, mark+"hint:")
	message, detail, _ := strings.Cut(said, mark+"detail:")
	d.Message, d.Detail, d.Hint = strings.TrimSpace(message), strings.TrimSpace(detail), strings.TrimSpace(hint)
	return d
}
