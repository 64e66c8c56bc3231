package verifier

import "pgretain/generator"

var codeRowMissing = register("V008", Installed, "a registry row is missing")

func (v *inspection) rowMissing(o generator.Object) {
	v.about(o, Finding{Code: codeRowMissing, Message: registryRow(o) + " is not in the registry", Hint: repairHint})
}
