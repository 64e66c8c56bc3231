package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeTakeRights = register("V076", Privileges, "tables that a policy drops belong to somebody else")

func (v *inspection) takeRights(o generator.Object, r foreignTables) {
	v.about(o, Finding{Code: codeTakeRights,
		Message: fmt.Sprintf("policy %q cannot detach or drop tables of role %q, who owns %q", o.Policy, r.Owner, r.Table),
		Detail:  fmt.Sprintf("Function %q belongs to role %q, which is no member of it. This is so for %s. Make it a member, or give the tables one owner.", o.Name, r.Function, plural(r.Count, "table")),
		Hint:    fmt.Sprintf("GRANT %s TO %s;", ident(r.Owner), ident(r.Function))})
}
