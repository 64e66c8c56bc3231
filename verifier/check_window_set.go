package verifier

import (
	"fmt"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

var codeWindowSet = register("V014", Installed, "a window was set at run time")

// windowWasSet is for information where the window holds.
func (v *inspection) windowWasSet(w windowSet) {
	f := Finding{Code: codeWindowSet, Severity: Info, Policy: w.Policy, Position: v.position(w.Policy), Want: w.Own, Got: w.Value,
		Message: fmt.Sprintf("the window of policy %q was set at run time", w.Policy),
		Detail:  fmt.Sprintf("By %q at %s%s. NULL takes it back.", w.By, w.At, reason(w.Reason)),
		Hint:    fmt.Sprintf("SELECT %s(%s, NULL, 'why');", v.runtime("set_window"), quote.Literal(w.Policy))}
	if !w.Holds {
		f.Severity = diag.Drift
		f.Message = fmt.Sprintf("the window that was set for policy %q does not hold", w.Policy)
		f.Detail += " Its runs go by the policy's own."
	}
	v.add(f)
}
