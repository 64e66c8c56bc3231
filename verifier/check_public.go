package verifier

import (
	"fmt"
	"strings"
)

var codePublic = register("V070", Privileges, "everybody has a privilege in the runtime's schema")

func (v *inspection) schemaPublic(o openSchema) {
	v.add(Finding{Code: codePublic, Object: o.Schema, Position: v.install.Position,
		Message: fmt.Sprintf("PUBLIC has %s on schema %q", o.Privilege, o.Schema), Hint: o.revoke()})
}

func (v *inspection) relationPublic(r relation) {
	name := v.install.Schema + "." + r.Name
	v.add(Finding{Code: codePublic, Object: name, Message: fmt.Sprintf("PUBLIC has %s on %q", strings.Join(r.Open, ", "), name),
		Hint: fmt.Sprintf("REVOKE ALL ON %s FROM PUBLIC;", own(name))})
}
