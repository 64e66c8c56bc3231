package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
)

var codeTableRights = register("V074", Privileges, "the owner lacks a privilege on a table")

// tableRights: needed are all privileges that the owner should have, as in a GRANT.
func (v *inspection) tableRights(o generator.Object, needed string, missing []string) {
	schema, _ := v.tableParts(o.Name)
	v.about(o, Finding{Code: codeTableRights, Message: fmt.Sprintf("role %q lacks %s on table %q", v.owner(), strings.Join(missing, ", "), o.Name),
		Detail: "Runs of the policies that need it fail.",
		Hint:   fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s; GRANT %s ON %s TO %s;", ident(schema), ident(v.owner()), needed, v.table(o.Name), ident(v.owner()))})
}
