package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
)

var codeTableRights = register("V074", Privileges, "the owner lacks a privilege on a table")

// tableRights: needed are all privileges that the owner should have, as in a GRANT.
func (v *inspection) tableRights(o generator.Object, needed string, missing []string) {
	v.about(o, Finding{Code: codeTableRights, Message: fmt.Sprintf("role %q lacks %s on table %q", v.owner(), strings.Join(missing, ", "), o.Name),
		Detail: "Runs of the policies that need it fail.", Hint: fmt.Sprintf("GRANT %s ON %s TO %s, and USAGE on its schema.", needed, o.Name, v.owner())})
}
