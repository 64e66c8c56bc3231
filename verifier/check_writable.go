package verifier

import (
	"fmt"
	"strings"
)

var codeWritable = register("V071", Privileges, "a role can change the runtime's tables by hand")

func (v *inspection) writable(r writer) {
	v.add(Finding{Code: codeWritable, Object: r.Role, Position: v.install.Position,
		Message: fmt.Sprintf("role %q has %s on %s", r.Role, r.Privileges, strings.Join(r.Tables, ", ")),
		Detail:  "It could change by hand what only the runtime's functions may change. Where a membership gives it that, end the membership.",
		Hint:    fmt.Sprintf("REVOKE %s ON %s FROM %s;", r.Privileges, commas(r.Tables, own), ident(r.Role))})
}
