package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

func init() {
	stepKinds = append(stepKinds,
		stepKind{verb: "sql", is: func(s policy.Step) bool { return s.SQL != nil }, target: statementTarget, render: (*pageWriter).statement},
		stepKind{verb: "drop table", is: func(s policy.Step) bool { return s.DropTable != nil }, render: (*pageWriter).dropTable})
}

// statementTarget is the first table that a statement changes, or that of the policy.
func statementTarget(w *pageWriter, s policy.Step) string {
	if uses := statementUses(s); len(uses) > 0 {
		return uses[0].Table.String()
	}
	return tableName(w.table)
}

// statement is a step in the policy's own words, over the relation "batch".
func (w *pageWriter) statement(s step, b batch) sqlText {
	parsed, err := pgparse.ParseStatement(s.SQL.SQL)
	if err != nil {
		w.refuse(s.SQL.Position, codeExpression, err.Error(), "")
		return ""
	}
	w.onOneLine(*s.SQL)
	relation := fragment("batch relation", w.rowsOf(s, b, false))
	edits := append(w.tableEdits(*s.SQL, &parsed.Expr, policy.IsStatement),
		w.columnEdits(&parsed.Expr, func(ref pgparse.ColumnRef) (sqlText, bool) {
			if len(ref.Fields) != 2 || ref.Fields[0] != "run" || named(parsed.Tables, "run") {
				return "", false
			}
			return w.run(*s.SQL, ref)
		})...)
	var text sqlText
	if parsed.CTEs > 0 {
		text = spliced(*s.SQL, append(edits, pgparse.Edit{Offset: parsed.CTEs, Text: string(relation) + ", "}))
	} else {
		text = "WITH " + relation + "\n" + spliced(*s.SQL, edits)
	}
	name := literal("")
	if n := len(parsed.Writes); n > 0 && !parsed.Select {
		name = literal(w.writtenName(parsed.Writes[n-1].Table))
	}
	return stepText("step_sql", fields{"Statement": indented(string(text)), "Select": parsed.Select, "Name": name,
		"Batch": namesBatch(parsed.Tables)})
}

// writtenName is the table that a statement writes, as the snapshot knows it.
func (w *pageWriter) writtenName(ref pgparse.TableRef) string {
	if table := w.lookUp(ref); table != nil {
		return tableName(table)
	}
	return ref.Name
}

// statementChanges are the tables that a statement updates or deletes from, as holds name them.
func (w *pageWriter) statementChanges(e policy.Expr) []string {
	parsed, err := pgparse.ParseStatement(e.SQL)
	if err != nil {
		return nil // reported where it is rendered
	}
	var list []string
	for _, write := range parsed.Writes {
		if write.Update || write.Delete {
			list = append(list, w.root(w.writtenName(write.Table)))
		}
	}
	return list
}

// statementRights notes what a statement of the policy's own words does with tables.
func (w *pageWriter) statementRights(e policy.Expr) {
	parsed, err := pgparse.ParseStatement(e.SQL)
	if err != nil {
		return // reported where it is rendered
	}
	w.noteNames(&parsed.Expr)
	for _, ref := range parsed.Tables {
		if ref.Schema != "" || ref.Name != "batch" {
			w.addRead(e, ref)
		}
	}
	for _, write := range parsed.Writes {
		table := w.lookUp(write.Table)
		if table == nil {
			w.refuse(e.At(write.Table.Offset), codeNoTable, fmt.Sprintf("table %q is not in the catalog snapshot", write.Table.Name), `Run "pgretain snapshot" after the table was created.`)
			continue
		}
		w.addRight(policy.Table{Schema: table.Schema, Name: table.Name}, policy.Access{Insert: write.Insert, Update: write.Update, Delete: write.Delete})
	}
}

// dropTable is the step that drops the tables which the batch's rows name.
func (w *pageWriter) dropTable(s step, b batch) sqlText {
	return stepText("step_drop_table", fields{"Schema": sqlText(w.schema()), "Drop": sqlText(w.policy.Name + "_drop_table"),
		"Policy": literal(w.policy.Name), "Name": w.bind(*s.DropTable), "Rows": w.rowsOf(s, b, false)})
}

// dropFunctions is the function that may drop tables, none where no step asks for it. As that of
// partitions, it belongs to the migrating role, which acts for the tables' owner.
func (w *pageWriter) dropFunctions() []Object {
	if !w.dropsTables() {
		return nil
	}
	relation := literal(quote.Qualified(w.table.Schema, w.table.Name))
	return []Object{w.asMigrator(w.function("drop_table", "oid", "drop_table", fields{"Relation": relation}))}
}

func (w *pageWriter) dropsTables() bool {
	return slices.ContainsFunc(w.policy.Then, func(s policy.Step) bool { return s.DropTable != nil })
}
