package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

func (w *work) archive(s step, b batchData) sqlText {
	from := w.table
	if s.Related != nil {
		from = w.relation(s.Related.Table)
	}
	into := w.archiveTable(s.Step, from)
	if into == nil {
		return ""
	}
	d := w.sourceOf(s, b, false, values(s.Archive.Set))
	d.Into, d.Name = quotedTable(s.Archive.Into), literal(s.Archive.Into.String())
	if s.Archive.Document != "" {
		w.documentValue(&d, s)
	} else {
		w.copiedColumns(&d, s, from, into)
	}
	w.plainValues(&d, s.Archive.Set)
	w.checkArchive(s.Step, d.Columns, into)
	d.Conflict = w.existing(s.Step, into, d.Columns)
	d.Copied = w.copyCounter(s)
	w.relyOnColumns(s, from)
	d.Override = slices.ContainsFunc(d.Columns, func(name ident) bool {
		column := into.Column(string(name))
		return column != nil && column.Identity == "always"
	})
	return w.written("step_insert", "plain insert", d, b)
}

// reliance is a table whose rows a step finds again by their key, or copies by their columns.
type reliance struct {
	table string
	whole bool
}

// relyOnColumns notes a table that must have no column but those that a step copies; one that copies the rows as they
// are takes columns that come later along.
func (w *work) relyOnColumns(s step, from *catalog.Table) {
	if s.Archive.Document == "" || !s.untouched && s.Related == nil {
		w.known = append(w.known, reliance{tableName(from), true})
	}
}

// alias is the row that a step copies.
func (s step) alias() ident {
	if s.Related != nil {
		return ident(s.Related.As)
	}
	return "t"
}

// documentValue puts the whole row into one column, unless "set" does.
func (w *work) documentValue(d *insertData, s step) {
	name := s.Archive.Document
	if assigned(s.Archive.Set, name) {
		return
	}
	d.Columns = append(d.Columns, ident(name))
	d.Values = append(d.Values, fragment("whole row", s.alias()))
}

func assigned(list []policy.Assignment, column string) bool {
	return slices.ContainsFunc(list, func(a policy.Assignment) bool { return a.Column == column })
}

// copiedColumns are the columns of equal names. One that the archive lacks is refused, not left
// behind.
func (w *work) copiedColumns(d *insertData, s step, from, into *catalog.Table) {
	for _, column := range from.Columns {
		target := into.Column(column.Name)
		switch {
		case assigned(s.Archive.Set, column.Name), target != nil && target.Generated:
		case target == nil:
			w.refuse(s.Position, codeStep, fmt.Sprintf("archive %q has no column %q for what table %q has", s.Archive.Into, column.Name, tableName(from)),
				"Add the column there, or keep the whole row as a document: archive: {document: ...}.")
		case narrows(column.Type, target.Type):
			w.refuse(s.Position, codeNarrow, fmt.Sprintf("column %q of archive %q has type %s, and does not hold all values of type %s", column.Name, s.Archive.Into, target.Type, column.Type),
				fmt.Sprintf("Give the archive's column the type %s, or round on purpose, as in set: {%s: \"%s::%s\"}.", column.Type, column.Name, column.Name, target.Type))
		default:
			d.Columns = append(d.Columns, ident(column.Name))
			d.Values = append(d.Values, fragment("aliased column", struct{ Alias, Column ident }{s.alias(), ident(column.Name)}))
		}
	}
}

func (w *work) checkArchive(s policy.Step, columns []ident, into *catalog.Table) {
	var given []string
	for _, name := range columns {
		given = append(given, string(name))
	}
	for _, a := range s.Archive.Set {
		if into.Column(a.Column) == nil {
			w.refuse(a.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(into), a.Column), didYouMean(a.Column, columnNames(into)))
		}
	}
	if name := s.Archive.Document; name != "" && into.Column(name) == nil {
		w.refuse(s.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q for the document", tableName(into), name), didYouMean(name, columnNames(into)))
	}
	w.checkMissing(s, given, into)
}

// existing says what becomes of a row that the archive holds already.
func (w *work) existing(s policy.Step, into *catalog.Table, columns []ident) conflictText {
	switch s.Archive.Existing {
	case "keep":
		return conflictText{Do: "nothing"}
	case "replace":
		c := conflictText{Do: "update", Target: identifiers(into.PrimaryKey)}
		for _, name := range columns {
			if !slices.Contains(into.PrimaryKey, string(name)) {
				c.Set = append(c.Set, name)
			}
		}
		if len(c.Target) == 0 || len(c.Set) == 0 || into.Temporal() {
			w.refuse(s.Position, codeStep, fmt.Sprintf("archive %q has no primary key to find the row that it replaces", s.Archive.Into), "Add one that goes by equality, or choose another value for \"existing\".")
		}
		return c
	}
	return conflictText{}
}

// copyCounter is the variable that counts the copies of own rows which must be as many as are
// deleted: those under the same condition as the delete.
func (w *work) copyCounter(s step) sqlText {
	if s.Related != nil || s.Archive.Existing == "keep" || !w.deletes() || !sameCondition(s.Where, w.ownDelete().Where) {
		return ""
	}
	return "v_copied"
}

func sameCondition(a, b *policy.Expr) bool {
	return a == nil && b == nil || a != nil && b != nil && a.SQL == b.SQL
}

// copies says whether copied rows are compared with deleted ones.
func (w *work) copies() bool {
	return slices.ContainsFunc(w.steps(), func(s step) bool { return s.Archive != nil && w.copyCounter(s) != "" })
}

// emit is an insert into the runtime's own table of events.
func (w *work) emit(s step, b batchData) sqlText {
	d := w.sourceOf(s, b, false, values(s.Emit.Payload))
	d.Into = fragment("event table", w.schema())
	d.Name = literal(w.schema() + ".event")
	d.Columns = []ident{"run_id", "policy", "event", "payload"}
	d.Values = []sqlText{"($1).run_id", sqlText(literal(w.policy.Name).String()), sqlText(literal(s.Emit.Event).String()),
		fragment("payload", w.payload(s.Emit.Payload))}
	return w.written("step_insert", "plain insert", d, b)
}

type payloadItem struct {
	Key   literal
	Value sqlText
}

func (w *work) payload(list []policy.Assignment) []payloadItem {
	items := make([]payloadItem, len(list))
	for i, a := range list {
		items[i] = payloadItem{literal(a.Column), enclosed(w.bind(a.Value))}
	}
	return items
}
