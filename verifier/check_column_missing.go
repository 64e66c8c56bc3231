package verifier

import "fmt"

var codeNoColumn = register("V031", Tables, "a column that the policy file names does not exist")

func (v *inspection) columnMissing(n namedTable, c namedColumn) {
	v.add(Finding{Code: codeNoColumn, Object: n.table.String() + "." + c.name, Policy: n.policy, Position: c.position,
		Message: fmt.Sprintf("column %q of table %q%s does not exist", c.name, n.table, n.ofPolicy()),
		Hint:    `Rename it in the policy file, then run "pgretain snapshot" and "pgretain generate"; a column that the policy makes sure of comes back with the ALTER TABLE of its migration.`})
}
