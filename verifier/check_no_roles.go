package verifier

import (
	"fmt"
	"strings"
)

var codeNoRoles = register("V075", Privileges, "one role does everything")

func (v *inspection) noRoles() {
	v.add(Finding{Code: codeNoRoles, Severity: Info, Position: v.install.Position, Message: "one role does everything (roles: none)",
		Detail: fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", v.server.SchemaOwner)})
}

// sharedOwner: the owner is also "shared", as "runner".
func (v *inspection) sharedOwner(shared []string) {
	v.add(Finding{Code: codeNoRoles, Severity: Info, Position: v.install.Position,
		Message: fmt.Sprintf("role %q is the owner and also the %s", v.owner(), strings.Join(shared, ", the ")),
		Detail:  fmt.Sprintf("Whoever becomes %q can delete by hand and change the run log.", v.owner())})
}
