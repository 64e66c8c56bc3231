package pgretain

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// Severity says what a diagnostic means.
type Severity string

// These are the severities. Of these, Unknown, Drift, Undecided and Info occur only in a [Report].
const (
	Error     Severity = "error"
	Warning   Severity = "warning"
	Drift     Severity = "drift"     // the database differs from the policy
	Unknown   Severity = "unknown"   // something could not be seen
	Undecided Severity = "undecided" // a table without a policy; it does not change the verdict
	Info      Severity = "info"      // it does not change the verdict
)

// Diagnostic is one message about a policy file, a migration or a database.
type Diagnostic struct {
	File         string // "" if the message is not about a file
	Line, Column int    // from 1; columns count characters
	Severity     Severity
	Code         string // for example "P052", with a page in docs/checks; "" if there is none
	Message      string
	Detail       string // whole sentences, or ""
	Hint         string // what to do, or ""
}

// String returns the message in the form file:line:column, with its detail and its hint on lines of
// their own.
func (d Diagnostic) String() string {
	var text strings.Builder
	if d.File != "" {
		fmt.Fprintf(&text, "%s:%d:%d: ", d.File, d.Line, d.Column)
	}
	fmt.Fprintf(&text, "%s: %s", d.Severity, d.Message)
	if d.Code != "" {
		fmt.Fprintf(&text, " [%s]", d.Code)
	}
	if d.Detail != "" {
		fmt.Fprintf(&text, "\ndetail: %s", d.Detail)
	}
	if d.Hint != "" {
		fmt.Fprintf(&text, "\nhint: %s", d.Hint)
	}
	return text.String()
}

// Diagnostics are messages, sorted by position. As an error, they have at least one error among
// them.
type Diagnostics []Diagnostic

func (d Diagnostics) Error() string {
	return strings.Join(lists.Map(d, Diagnostic.String), "\n")
}

func diagnostics(list diag.List) Diagnostics {
	var all Diagnostics
	for _, d := range list.Unique() {
		all = append(all, diagnostic(d))
	}
	return all
}

func diagnostic(d diag.Diagnostic) Diagnostic {
	return Diagnostic{File: d.Position.File, Line: d.Position.Line, Column: d.Position.Column,
		Severity: Severity(d.Severity), Code: d.Code.String(), Message: d.Message, Detail: d.Detail, Hint: d.Hint}
}
