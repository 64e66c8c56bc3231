package verifier

import "fmt"

var codeSearchPath = register("V073", Privileges, "everybody can create objects in the search path")

func (v *inspection) searchPathOpen(o openSchema) {
	v.add(Finding{Code: codeSearchPath, Object: o.Schema, Position: v.install.Position,
		Message: fmt.Sprintf("PUBLIC can create objects in schema %q of the search path", o.Schema),
		Detail:  "A function or operator of the same name could change what a policy means.", Hint: o.revoke()})
}
