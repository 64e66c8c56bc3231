package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeMissing = register("V002", Installed, "an object is missing")

func (v *inspection) missing(o generator.Object) {
	kind := o.Kind
	if kind == generator.KindStored { // a table to those who read it
		kind = generator.KindTable
	}
	v.about(o, Finding{Code: codeMissing, Message: fmt.Sprintf("%s %q is missing", kind, o.Name), Hint: repairHint})
}
