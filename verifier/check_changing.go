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
