package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// ownData is what the templates of steps on the batch's own rows read.
type ownData struct {
	Schema     sqlText
	Policy     literal
	Table      sqlText
	Key        []ident
	Rows       rows
	Where      []sqlText // of the rows
	Direct     bool      // the rows are still where they were locked
	Passes     bool      // there is a "where"
	All        bool      // every row must go, since other steps write of them
	Set        []setText
	From       bool // some values are computed from the rows
	Undo       bool
	Number     int  // of the step
	OnlyUpdate bool // no step deletes: what was updated was taken
}

// setText is one column that an update writes.
type setText struct {
	Column ident
	Name   literal
	Value  sqlText // as it stands in SET
	Inner  sqlText // computed in the sub-select, "" when Value is all
	Number int
	AsText bool // its type has no equality of its own that tells all values apart
	Target sqlText
}

func (w *work) deleteOwn(s step, b batchData) sqlText {
	d := w.ownRows(s, b)
	if !d.Direct {
		w.relyOnKey(w.table)
	}
	d.All = s.Where == nil && len(w.policy.Then) > 1 && !w.copies()
	return stepText("step_delete", d)
}

func (w *work) ownRows(s step, b batchData) ownData {
	d := ownData{Schema: sqlText(w.schema()), Policy: literal(w.policy.Name), Table: b.Table, Rows: w.rowsOf(s, b, false),
		Key: identifiers(w.table.PrimaryKey), Passes: s.Where != nil, OnlyUpdate: !w.deletes()}
	d.Direct = d.Rows.plain
	d.Where = append(slices.Clone(d.Rows.Where), w.condition(s)...)
	return d
}

// relyOnKey notes a table whose rows a step finds again by their key.
func (w *work) relyOnKey(table *catalog.Table) {
	w.known = append(w.known, reliance{table: tableName(table)})
}

func identifiers(names []string) []ident {
	list := make([]ident, len(names))
	for i, name := range names {
		list[i] = ident(name)
	}
	return list
}

// deletes says whether a step deletes the batch's own rows.
func (w *work) deletes() bool {
	return slices.ContainsFunc(w.policy.Then, func(s policy.Step) bool { return s.Delete != nil && s.Related == nil })
}

// updates says whether a step updates the batch's own rows.
func (w *work) updates() bool {
	return slices.ContainsFunc(w.policy.Then, func(s policy.Step) bool { return s.Update != nil && s.Related == nil })
}

func (w *work) updateOwn(s step, b batchData) sqlText {
	d := w.ownRows(s, b)
	d.Undo, d.Number = len(s.Update.Undo) > 0, s.number
	d.Set = w.setTexts(s, s.Update.Set, w.table, "t", !d.Direct)
	d.From = slices.ContainsFunc(d.Set, func(t setText) bool { return t.Inner != "" }) || !d.Direct
	if d.From {
		w.relyOnKey(w.table)
	}
	w.checkAssignments(s.Update.Undo, w.table)
	return stepText("step_update", d)
}

// setTexts compiles the assignments of an update of the rows called target. Apart says that values
// which read the batch are computed beside the rows.
func (w *work) setTexts(s step, list []policy.Assignment, table *catalog.Table, target string, apart bool) []setText {
	w.checkAssignments(list, table)
	var texts []setText
	for i, a := range list {
		t := setText{Column: ident(a.Column), Name: literal(a.Column), Number: i + 1, Value: enclosed(w.bind(a.Value))}
		t.Target = fragment("aliased column", struct{ Alias, Column ident }{ident(target), ident(a.Column)})
		if apart && (w.readsBatch(s, a.Value) || target != "t" && w.mentions(a.Value, target) && w.setsFromBatch(s)) {
			t.Inner = t.Value
			t.Value = sqlText(fmt.Sprintf("batch.v%d", i+1))
		}
		if column := table.Column(a.Column); column != nil {
			t.AsText = !exactEquality(column.Type)
		}
		texts = append(texts, t)
	}
	return texts
}

// setsFromBatch says whether any value of an update reads the batch.
func (w *work) setsFromBatch(s step) bool {
	return slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool { return w.readsBatch(s, a.Value) })
}

// exactEquality says whether = of a type tells all its values apart, as far as is known.
func exactEquality(typ string) bool {
	return scalarTypes.MatchString(typ) && typ != "json" && typ != "citext"
}

// checkAssignments refuses columns that do not exist or that an update must not write.
func (w *work) checkAssignments(list []policy.Assignment, table *catalog.Table) {
	for _, a := range list {
		column := table.Column(a.Column)
		switch {
		case column == nil:
			w.refuse(a.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(table), a.Column), didYouMean(a.Column, columnNames(table)))
		case column.Generated:
			w.refuse(a.Position, codeStep, fmt.Sprintf("column %q of table %q is generated", a.Column, tableName(table)), "Set the columns that it is computed from.")
		case slices.Contains(table.PrimaryKey, a.Column):
			w.refuse(a.Position, codeStep, fmt.Sprintf("column %q is in the primary key of table %q", a.Column, tableName(table)), "A row keeps its key: batches, holds and the log name it by that.")
		case referenced(table, a.Column):
			w.refuse(a.Position, codeStep, fmt.Sprintf("foreign keys refer to column %q of table %q", a.Column, tableName(table)), "Changing it would reach other tables.")
		}
	}
}

func referenced(table *catalog.Table, column string) bool {
	return slices.ContainsFunc(table.Referenced, func(k catalog.ForeignKey) bool { return slices.Contains(k.RefColumns, column) })
}
