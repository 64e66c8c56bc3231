package generator

import (
	"slices"

	"pgretain/internal/quote"
	"pgretain/policy"
)

// dropTable is the step that drops the tables which the batch's rows name.
func (w *work) dropTable(s step, d batchData) sqlText {
	return stepText("step_drop_table", struct {
		Schema, Drop string
		Policy       literal
		Name         sqlText
		Rows         rows
	}{w.schema(), w.dropName(), literal(w.policy.Name), w.bind(*s.DropTable), w.rowsOf(s, d, false)})
}

func (w *work) dropName() string { return w.policy.Name + "_drop_table" }

// dropFunctions is the function that may drop tables, none where no step asks for it. As that of
// partitions, it belongs to the migrating role, which acts for the tables' owner.
func (w *work) dropFunctions() []Object {
	if !w.dropsTables() {
		return nil
	}
	d := struct {
		Schema, Function, Signature, Policy string
		Relation                            literal
	}{Schema: w.schema(), Function: w.dropName(), Signature: w.dropName() + "(oid)", Policy: w.policy.Name,
		Relation: literal(quote.Qualified(w.table.Schema, w.table.Name)),
	}
	return []Object{w.asMigrator(w.function(d.Signature, "drop_table", d))}
}

func (w *work) dropsTables() bool {
	return slices.ContainsFunc(w.policy.Then, func(s policy.Step) bool { return s.DropTable != nil })
}
