// Package diag holds positions and messages. It imports no other package of the project, so every
// package can report in the same form.
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

// Position is a place in a file. Lines and columns start at 1. Columns count characters, not bytes.
// Width is the number of characters to underline, or 0 for none.
type Position struct {
	File   string
	Line   int
	Column int
	Width  int
}

// Severity is the severity of a Diagnostic.
type Severity string

// The severities. Error and Warning are for policies; Drift, Unknown, Undecided and
// Info come from the verifier. Undecided is for tables about which the policy file says nothing.
// Suppressed marks findings that the policy file suppresses.
const (
	Error      Severity = "error"
	Warning    Severity = "warning"
	Drift      Severity = "drift"
	Unknown    Severity = "unknown"
	Undecided  Severity = "undecided"
	Info       Severity = "info"
	Suppressed Severity = "suppressed"
)

// Diagnostic is one message. Message is short and factual, in lower case without a full stop.
// Detail consists of whole sentences. Hint says what to do: statements that end in ";", a command,
// or whole sentences. Code is stable and has a page in docs/checks.
type Diagnostic struct {
	Position Position
	Severity Severity
	Code     string
	Message  string
	Want     string // wanted value, if it is short
	Got      string
	Detail   string
	Hint     string

	// The next fields name the subject, for suppressions in the policy file. Each is "" if there is
	// no such subject.
	Policy string // name of a policy or report
	Table  string // "schema.name"
	Object string // name in the database
}

// List is a list of diagnostics.
type List []Diagnostic

// Add appends d. An empty severity becomes Error.
func (l *List) Add(d Diagnostic) {
	if d.Severity == "" {
		d.Severity = Error
	}
	*l = append(*l, d)
}

// HasErrors reports whether any entry is an Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort sorts l in the order of Compare.
func (l List) Sort() { slices.SortStableFunc(l, Compare) }

// Compare orders by file, line and column, then by code and texts.
func Compare(a, b Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line),
		cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Detail, b.Detail))
}

// Unique returns l sorted and without duplicates. YAML aliases and shared defaults cause
// duplicates.
func (l List) Unique() List {
	unique := slices.Clone(l)
	unique.Sort()
	return slices.Compact(unique)
}

// codes maps the code of every kind of diagnostic to its title: one line in lower case. Each code
// has a page in docs/checks.
var codes = map[string]string{}

// Register adds a code such as "P014" and returns it. Call it only to initialize package variables.
// It panics if the code exists, because a code never changes its meaning. P001 to P049 belong to
// policy, P050 to P099 to the generator, L0xx to internal/lint, V0xx to the verifier.
func Register(name, title string) string {
	if _, ok := codes[name]; ok {
		panic(fmt.Sprintf("diag: code %s is registered twice", name))
	}
	codes[name] = title
	return name
}

// Codes returns all registered codes, sorted.
func Codes() []string { return slices.Sorted(maps.Keys(codes)) }

// Title returns the title of a code, or "" for an unknown code.
func Title(code string) string { return codes[code] }

// Sentences are the texts of a package's diagnostics, as a template. Each part of the template is
// named after a fault, and the name begins with the fault's code. A part contains "says: " with the
// message, then optionally "detail: " and "hint: ". A line break of the template becomes a space.
// If the name of a part is only a code, the part begins with the title of the code.
type Sentences struct{ parsed func() *template.Template }

var (
	titled    = regexp.MustCompile(`(?m)define "([A-Z]\d+)"}}(.*?)(?:{{end}})?$`)
	labelled  = regexp.MustCompile(`(?m)(^|}})(says|detail|hint):\s`)
	lineBreak = regexp.MustCompile(`\n\s*`)
)

// mark stands before each label, so that the same word inside a quoted text is not read as a label.
const mark = "\x01"

// ReadSentences registers the codes of a template and returns its sentences. Call it only to
// initialize package variables. It panics if a code is already registered.
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

// Say sets the code and the texts of a diagnostic to those of a fault. The parameter "about" is the
// data for the template.
func (s Sentences) Say(fault string, d Diagnostic, about any) Diagnostic {
	var text strings.Builder
	if err := s.parsed().ExecuteTemplate(&text, fault, about); err != nil {
		panic(err) // an error in the template is a bug
	}
	d.Code, _, _ = strings.Cut(fault, " ")
	_, texts, _ := strings.Cut(text.String(), mark+"says:")
	texts, hint, _ := strings.Cut(texts, mark+"hint:")
	message, detail, _ := strings.Cut(texts, mark+"detail:")
	d.Message, d.Detail, d.Hint = strings.TrimSpace(message), strings.TrimSpace(detail), strings.TrimSpace(hint)
	return d
}
