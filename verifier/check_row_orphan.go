package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeRowOrphan = register("V010", Installed, "a registry row that nobody wants")

func (v *inspection) rowOrphan(row rowName) {
	v.add(Finding{Code: codeRowOrphan, Kind: generator.Kind(row.Kind), Object: row.Name,
		Message: fmt.Sprintf("%s %q is in the registry, and nobody wants it", row.Kind, row.Name),
		Detail:  "It can be run as long as it is there.",
		Hint:    `If it was taken out of the policy file, "pgretain generate" and "pgretain migrate up" remove it; otherwise delete the row as the owner.`})
}
