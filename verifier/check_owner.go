package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
)

var codeOwner = register("V005", Installed, "an object has another owner")

func (v *inspection) ownerDiffers(o generator.Object, want, got string) {
	v.about(o, Finding{Code: codeOwner, Message: fmt.Sprintf("%s %q has another owner", o.Kind, o.Name),
		Want: quoted(want), Got: quoted(got), Hint: fmt.Sprintf("ALTER %s %s OWNER TO %s;", sqlKind(o.Kind), objectSQL(o), ident(want))})
}

// sqlKind is the word of SQL for a kind.
func sqlKind(kind generator.Kind) string {
	if kind == generator.KindStored {
		kind = generator.KindTable
	}
	return strings.ToUpper(string(kind))
}
