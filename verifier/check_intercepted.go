package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
	verifysql "pgretain/sql/verify"
)

var codeIntercepted = register("V016", Installed, "something else acts on a table of the runtime")

// interceptors are kinds of facts that no table of the runtime has.
var interceptors = []string{"trigger", "rule", "row security", "reference", "parent", "child"}

// intercepted is about what makes statements of the runtime's functions do something else, or nothing.
func (v *inspection) intercepted(o generator.Object, f verifysql.Fact) {
	about, table := fmt.Sprintf("table %q", o.Name), own(o.Name)
	referring, _, _ := strings.Cut(f.Text, ": ")
	finding := map[string]Finding{
		"trigger": {Message: fmt.Sprintf("trigger %q acts on %s", f.Name, about),
			Detail: f.Text + ". It runs with the rights of whoever writes there, and can change or keep back what the runtime writes.",
			Hint:   fmt.Sprintf("DROP TRIGGER %s ON %s;", sqlName(f.Name), table)},
		"rule": {Message: fmt.Sprintf("rule %q acts on %s", f.Name, about),
			Detail: f.Text + ": statements of the runtime do something else as well, or instead.",
			Hint:   fmt.Sprintf("DROP RULE %s ON %s;", sqlName(f.Name), table)},
		"row security": {Message: "row security is on for " + about,
			Detail: "Runs fail, and who looks may be shown a part of the rows, such as no pause and no hold.",
			Hint:   fmt.Sprintf("ALTER TABLE %s DISABLE ROW LEVEL SECURITY;", table)},
		"reference": {Message: fmt.Sprintf("foreign key %q refers to %s", f.Name, about),
			Detail: fmt.Sprintf("Of table %s. The runtime cannot purge rows that it refers to. With ON DELETE CASCADE or SET NULL it could.", f.Text),
			Hint:   fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s;", referring, sqlName(f.Name))},
		"parent": {Message: fmt.Sprintf("%s inherits from %s", about, f.Name),
			Detail: "Statements on that table change the runtime's rows too.",
			Hint:   fmt.Sprintf("ALTER TABLE %s NO INHERIT %s;", table, f.Name)},
		"child": {Message: fmt.Sprintf("%s inherits from %s", f.Name, about),
			Detail: "The runtime reads and changes the rows of that table too.",
			Hint:   fmt.Sprintf("ALTER TABLE %s NO INHERIT %s;", f.Name, table)},
	}[f.Kind]
	finding.Code = codeIntercepted
	v.about(o, finding)
}
