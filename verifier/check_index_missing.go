package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeIndexMissing = register("V020", Indexes, "an index is missing")

func (v *inspection) indexMissing(o generator.Object) {
	v.about(o, Finding{Code: codeIndexMissing, Message: fmt.Sprintf("index %q is missing", o.Name),
		Detail: "Runs of the policy read the whole table.", Hint: v.buildHint(o)})
}
