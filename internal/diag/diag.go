// Package diag holds positions and messages. It imports no other package of the project, so every
// package can report in the same form.
package diag

import (
	"cmp"
	"slices"
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
// or whole sentences.
type Diagnostic struct {
	Position Position
	Severity Severity
	Code     Code
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
	d.Severity = cmp.Or(d.Severity, Error)
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
		cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Code.name, b.Code.name),
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Detail, b.Detail))
}

// Unique returns l sorted and without duplicates. YAML aliases and shared defaults cause
// duplicates.
func (l List) Unique() List {
	unique := slices.Clone(l)
	unique.Sort()
	return slices.Compact(unique)
}
