package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeRowOrphan = register("V010", Installed, "a registry row that nobody wants")

func (v *inspection) rowOrphan(row rowName) {
	v.add(Finding{Code: codeRowOrphan, Kind: generator.Kind(row.Kind), Object: row.Name,
		Message: fmt.Sprintf("%s %q is in the registry, and nobody wants it", row.Kind, row.Name),
		Detail:  "It can be run as long as it is there. If no migration wrote the row, delete it as the owner of the runtime.",
		Hint:    "pgretain generate && pgretain migrate up"})
}
