package generator

import (
	"fmt"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// statement is a step in the policy's own words, over the relation "batch".
func (w *work) statement(s step, b batchData) sqlText {
	parsed, err := pgparse.ParseStatement(s.SQL.SQL)
	if err != nil {
		w.refuse(s.SQL.Position, codeExpression, err.Error(), "")
		return ""
	}
	w.onOneLine(*s.SQL)
	d := struct {
		Statement sqlText
		Select    bool
		Batch     bool // it reads the batch
		Name      literal
	}{Select: parsed.Select, Batch: namesBatch(parsed.Tables)}
	batch := fragment("batch relation", w.rowsOf(s, b, false))
	edits := w.statementEdits(*s.SQL, parsed)
	if parsed.CTEs > 0 {
		edits = append(edits, pgparse.Edit{Offset: parsed.CTEs, Text: string(batch) + ", "})
		d.Statement = hung(smooth(pgparse.Splice(flat(s.SQL.SQL), edits)))
	} else {
		d.Statement = hung("WITH " + string(batch) + "\n" + smooth(pgparse.Splice(flat(s.SQL.SQL), edits)))
	}
	if n := len(parsed.Writes); n > 0 && !parsed.Select {
		d.Name = literal(w.writtenName(parsed.Writes[n-1].Table))
	}
	return stepText("step_sql", d)
}

func (w *work) statementEdits(e policy.Expr, parsed *pgparse.Statement) []pgparse.Edit {
	edits := w.schemaEdits(&parsed.Expr)
	for _, ref := range parsed.Columns {
		switch {
		case len(ref.Fields) == 1 && ref.Fields[0] == "as_of" && !ref.Star:
			edits = append(edits, pgparse.Edit{Offset: ref.Offset, Length: nameLength(e.SQL[ref.Offset:]), Text: string(w.asOf)})
		case len(ref.Fields) == 2 && ref.Fields[0] == "run" && !named(parsed.Tables, "run"):
			if edit, ok := w.runEdit(e, ref); ok {
				edits = append(edits, edit)
			}
		}
	}
	return edits
}

// writtenName is the table that a statement writes, as the snapshot knows it.
func (w *work) writtenName(ref pgparse.TableRef) string {
	if table := w.lookUp(ref); table != nil {
		return tableName(table)
	}
	return ref.Name
}

// unguarded are the tables that statements of the policy's own words update or delete from: no guard
// can stand before them, so that a hold there stops the run.
func (w *work) unguarded() []string {
	list := []string{}
	for _, s := range w.policy.Then {
		if s.SQL == nil {
			continue
		}
		parsed, err := pgparse.ParseStatement(s.SQL.SQL)
		if err != nil {
			continue // reported where it is rendered
		}
		for _, write := range parsed.Writes {
			if write.Update || write.Delete {
				list = append(list, w.root(w.writtenName(write.Table)))
			}
		}
	}
	return list
}

// statementRights notes what a statement of the policy's own words does with tables.
func (w *work) statementRights(e policy.Expr) {
	parsed, err := pgparse.ParseStatement(e.SQL)
	if err != nil {
		return // reported where it is rendered
	}
	w.noteNames(parsed.Columns, parsed.Schemas)
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
