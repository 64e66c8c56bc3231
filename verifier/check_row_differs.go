package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
)

var codeRowDiffers = register("V009", Installed, "a registry row differs")

func (v *inspection) rowDiffers(o generator.Object, columns []rowColumn) {
	var names, want, got []string
	for _, c := range columns {
		names, want, got = append(names, c.Name), append(want, c.Name+" = "+c.Want), append(got, c.Name+" = "+c.Got)
	}
	v.about(o, Finding{Code: codeRowDiffers, Message: fmt.Sprintf("%s differs in the registry: %s", registryRow(o), strings.Join(names, ", ")),
		Want: strings.Join(want, "; "), Got: strings.Join(got, "; "), Hint: repairHint})
}
