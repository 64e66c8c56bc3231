package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

var codeIndexDiffers = register("V022", Indexes, "an index is not the one that was built")

// indexDiffers gives no statements where the table has another name: they would drop an index that is right.
func (v *inspection) indexDiffers(o generator.Object, live index) {
	f := Finding{Code: codeIndexDiffers, Message: live.on(o) + " is not the one that was built", Want: *live.Recorded, Got: *live.Definition,
		Hint: v.rebuildHint(o)}
	if live.Table != o.Table {
		f.Hint = "Correct the name of the table first, there or in the policy file."
	}
	v.about(o, f)
}

func (v *inspection) indexUnrecorded(o generator.Object, live index) {
	schema, name, _ := strings.Cut(o.Name, ".")
	v.about(o, Finding{Code: codeIndexDiffers, Severity: diag.Unknown, Message: "no migration wrote down how " + live.on(o) + " was built",
		Detail: "There is nothing to compare its definition with. Look at it; if it is right, have it written down.",
		Hint:   as(v.owner(), fmt.Sprintf("SELECT %s(%s, %s);", v.runtime("_record_index"), quote.Literal(schema), quote.Literal(name)))})
}
