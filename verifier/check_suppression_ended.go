package verifier

import "pgretain/internal/suppress"

var codeSuppressionEnded = register("V095", Suppressions, "a suppression is past its end, or not yet in force")

// suppressionEnded changes no verdict: what the suppression was for counts again, if it is still there.
func (v *inspection) suppressionEnded(e *suppress.Entry, message, detail string) {
	v.add(Finding{Code: codeSuppressionEnded, Severity: Info, Policy: e.Policy, Object: e.Object, Position: e.Position, Message: message,
		Detail: detail, Hint: `Take it out of "suppress", or give it a day within a year and a reason that still holds.`})
}
