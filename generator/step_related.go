package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
)

// relatedData is what the templates of steps on related rows read.
type relatedData struct {
	Comment       sqlText
	Table, As     sqlText
	Where         sqlText // ties a related row to the batch's
	Rows          rows
	Deletes       bool
	Schema        string
	PolicyLiteral literal
	Name          literal // under which rows are counted
	Key           []ident
	Set           []setText
	From          bool
	Many          bool        // its rows lie in several tables
	Locks         bool        // the step locks the rows before it acts on them
	Locked        *lockedText // the rows that are locked; nil where nothing can be
}

// lockedText names the variables that hold the related rows which a step has locked.
type lockedText struct {
	Rels sqlText // "" where all are of one table
	Tids sqlText
}

func (w *work) relatedOf(s step, b batchData, numbered bool) (relatedData, *catalog.Table) {
	table := w.relation(s.Related.Table)
	as := sqlText(ident(s.Related.As).String())
	d := relatedData{
		Comment: sqlText(comment(tableName(table))), Table: quotedTable(s.Related.Table), As: as,
		Where: enclosed(w.bind(s.Related.Where)), Rows: w.rowsOf(s, b, numbered),
		Deletes: s.Delete != nil, Schema: w.schema(), PolicyLiteral: literal(w.policy.Name),
		Name: literal(tableName(table)), Key: identifiers(table.PrimaryKey), Many: several(table),
	}
	if holder := w.lockedBy(s); holder != nil {
		locked := w.lockedText(*holder)
		d.Locks, d.Locked = holder.number == s.number, &locked
	}
	return d, table
}

func (w *work) deleteRelated(s step, b batchData) sqlText {
	d, _ := w.relatedOf(s, b, false)
	return stepText("step_delete_related", d)
}

func (w *work) updateRelated(s step, b batchData) sqlText {
	from := w.setsFromBatch(s)
	d, table := w.relatedOf(s, b, from)
	if from && len(table.PrimaryKey) == 0 {
		w.refuse(s.Position, codeNoKey, fmt.Sprintf("table %q has no primary key", tableName(table)), "Values that come from the policy's rows are brought to related rows by their key.")
	}
	d.Set = w.setTexts(s, s.Update.Set, table, s.Related.As, from)
	if d.From = slices.ContainsFunc(d.Set, func(t setText) bool { return t.Inner != "" }); d.From {
		w.relyOnKey(table)
	}
	return stepText("step_update_related", d)
}
