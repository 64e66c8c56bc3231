package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeOwner = register("V005", Installed, "an object has another owner")

func (v *inspection) ownerDiffers(o generator.Object, want, got string) {
	v.about(o, Finding{Code: codeOwner, Message: fmt.Sprintf("%s %q has another owner", o.Kind, o.Name),
		Want: quoted(want), Got: quoted(got), Hint: repairHint})
}
