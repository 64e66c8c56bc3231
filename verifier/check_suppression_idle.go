package verifier

import "pgretain/internal/suppress"

var codeSuppressionIdle = register("V096", Suppressions, "a suppression matches nothing")

// suppressionIdle is said only where everything was looked at.
func (v *inspection) suppressionIdle(e *suppress.Entry, message string) {
	f := Finding{Code: codeSuppressionIdle, Severity: Info, Policy: e.Policy, Object: e.Object, Position: e.Position, Message: message,
		Detail: "What it is for has gone, or is about something else.", Hint: `Take it out of "suppress".`}
	if _, known := checks[e.Check]; !known {
		f.Detail = "This program has no such check."
	}
	v.add(f)
}
