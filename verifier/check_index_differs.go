package verifier

import (
	"fmt"

	"pgretain/generator"
	"pgretain/internal/diag"
)

var codeIndexDiffers = register("V022", Indexes, "an index is not the one that was built")

func (v *inspection) indexDiffers(o generator.Object, live index) {
	v.about(o, Finding{Code: codeIndexDiffers, Message: live.on(o) + " is not the one that was built", Want: *live.Recorded, Got: *live.Definition,
		Hint: rebuildHint(o)})
}

func (v *inspection) indexUnrecorded(o generator.Object, live index) {
	v.about(o, Finding{Code: codeIndexDiffers, Severity: diag.Unknown, Message: "no migration wrote down how " + live.on(o) + " was built",
		Detail: "There is nothing to compare its definition with.", Hint: fmt.Sprintf("Look at it, then call %s._record_index as the owner.", v.install.Schema)})
}
