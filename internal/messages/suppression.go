package messages

import (
	"fmt"

	"pgretain/internal/diag"
)

// SuppressionFaults has the codes of suppressions without effect in one command, and what may have
// become of the findings of a suppression that matches nothing.
type SuppressionFaults struct {
	ended, idle diag.Code
	gone        string
}

// The faults of suppressions in lint and in verify.
var (
	LintSuppressions = SuppressionFaults{
		ended: diag.Declare("L095", "", "suppression has ended or is not yet in force"),
		idle:  diag.Declare("L096", "", "suppression matches no finding"),
	}
	VerifySuppressions = SuppressionFaults{
		ended: CodeSuppressionEnded,
		idle:  CodeSuppressionIdle,
		gone:  "The finding does not exist any more, or it is about another object.",
	}
)

// NotInForce takes why the suppression of a check is not in force, whether it matches a finding,
// and whether all checks were made.
func (s SuppressionFaults) NotInForce(check, because string, met, complete bool) diag.Diagnostic {
	d := diag.Diagnostic{Code: s.ended, Message: fmt.Sprintf("the suppression of %s%s", check, because),
		Hint: `Remove it from "suppress", or set "until" to a day within a year, if the reason is still valid.`}
	if met {
		d.Detail = "The findings that it matches count again."
	} else if complete {
		d.Detail = "It matches nothing."
	}
	return d
}

// MatchesNothing takes whether the program has the check.
func (s SuppressionFaults) MatchesNothing(check string, known bool) diag.Diagnostic {
	d := diag.Diagnostic{Code: s.idle, Message: fmt.Sprintf("the suppression of %s matches nothing", check),
		Detail: s.gone, Hint: `Remove it from "suppress".`}
	if !known {
		d.Detail = "This program has no such check."
	}
	return d
}
