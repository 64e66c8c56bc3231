package verifier

import (
	"fmt"

	"pgretain/generator"
	"pgretain/internal/diag"
)

var codeChanging = register("V092", Sight, "an object changed while it was looked at")

// changing: what it is, as "index", was looked at twice.
func (v *inspection) changing(o generator.Object) {
	v.about(o, Finding{Code: codeChanging, Severity: diag.Unknown, Message: fmt.Sprintf("%s %q changed while it was looked at", o.Kind, o.Name), Hint: "Verify again."})
}

// changingMeanwhile is about a group of checks.
func (v *inspection) changingMeanwhile(g group, err error) {
	v.add(Finding{Code: codeChanging, Severity: diag.Unknown, Message: fmt.Sprintf("could not check %s: something changed while it was looked at", g.about),
		Detail: fmt.Sprintf("The last look ended with: %v.", err) + g.unchecked(), Hint: "Verify again."})
}
