package verifier

import "fmt"

var codeNoTable = register("V030", Tables, "a table that the policy file names does not exist")

func (v *inspection) tableMissing(n namedTable) {
	hint := `Rename it in the policy file, or take its policy out; then run "pgretain snapshot" and "pgretain generate".`
	if n.created {
		hint = "A migration made it: look for its rows in a backup, and run the statements of that migration again."
	}
	v.add(Finding{Code: codeNoTable, Object: n.table.String(), Policy: n.policy, Position: n.table.Position,
		Message: fmt.Sprintf("table %q%s does not exist", n.table, n.ofPolicy()), Hint: hint})
}
