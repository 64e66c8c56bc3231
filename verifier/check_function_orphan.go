package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeOrphan = register("V007", Installed, "a function that no policy wants")

func (v *inspection) functionOrphan(live routine) {
	name := v.install.Schema + "." + live.Name
	v.add(Finding{Code: codeOrphan, Kind: generator.KindFunction, Object: name, Message: fmt.Sprintf("function %q is wanted by no policy", name),
		Detail: "Functions in this schema come from migrations only: one of your own belongs into another schema.",
		Hint:   fmt.Sprintf("DROP ROUTINE %s;", *live.SQL)})
}
