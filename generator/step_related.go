package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
)

// relatedData is what the templates of steps on related rows read.
type relatedData struct {
	Comment     sqlText
	Table, As   sqlText
	Where       sqlText // ties a related row to the batch's
	Rows        rows
	Held        []sqlText
	HeldMessage literal
	Name        literal // under which rows are counted
	Key         []ident
	Set         []setText
	From        bool
	Many        bool        // its rows lie in several tables
	Locks       bool        // the step locks the rows before it acts on them
	Locked      *lockedText // the rows that are locked; nil where nothing can be
	LockBelow   sqlText     // see lockBelow
	Unique      *knownText  // the key, where rows are found again by it
}

// lockedText names the variables that hold the related rows which a step has locked.
type lockedText struct {
	Rels sqlText // "" where all are of one table
	Tids sqlText
}

func (w *work) relatedOf(s step, b batchData, numbered bool, verb string) (relatedData, *catalog.Table) {
	table := w.relation(s.Related.Table)
	as := sqlText(ident(s.Related.As).String())
	d := relatedData{
		Comment: sqlText(comment(tableName(table))), Table: quotedTable(s.Related.Table), As: as,
		Where: enclosed(w.bind(s.Related.Where)), Rows: w.rowsOf(s, b, numbered),
		Held:        w.holdsOn(table, as, s.Delete != nil),
		HeldMessage: literal(fmt.Sprintf("a held row of %q, or one that it cascades to, would be %s", tableName(table), verb)),
		Name:        literal(tableName(table)), Key: identifiers(table.PrimaryKey), Many: several(table),
	}
	if holder := w.lockedBy(s); holder != nil {
		locked := w.lockedText(*holder)
		d.Locks, d.Locked = holder.number == s.number, &locked
	}
	return d, table
}

func (w *work) deleteRelated(s step, b batchData) sqlText {
	d, table := w.relatedOf(s, b, false, "deleted")
	if d.Locked != nil {
		d.LockBelow = w.lockBelow(table, d.As, []sqlText{fragment("locked related", d)})
	}
	return stepText("step_delete_related", d)
}

func (w *work) updateRelated(s step, b batchData) sqlText {
	from := w.setsFromBatch(s)
	d, table := w.relatedOf(s, b, from, "changed")
	if from && len(table.PrimaryKey) == 0 {
		w.refuse(s.Position, codeNoKey, fmt.Sprintf("table %q has no primary key", tableName(table)), "Values that come from the policy's rows are brought to related rows by their key.")
	}
	d.Set = w.setTexts(s, s.Update.Set, table, s.Related.As, from)
	if d.From = slices.ContainsFunc(d.Set, func(t setText) bool { return t.Inner != "" }); d.From {
		d.Unique = w.foundByKey(table)
	}
	return stepText("step_update_related", d)
}

// relatedHolds lists the conditions under which a step on related rows would meet a held one: a run refuses the
// row that leads there. A condition that reads what only the batch knows is left out.
func (w *work) relatedHolds() []sqlText {
	var list []sqlText
	saved := w.binder
	defer func() { w.binder = saved }()
	for _, s := range w.steps() {
		if w.policy.Partitions || s.Related == nil || s.Delete == nil && s.Update == nil || w.readsRelation(s) || len(w.headersRead(s)) > 0 {
			continue
		}
		w.binder = saved
		w.binder.inStep, w.binder.blank = true, true
		if !w.enterRelated(s) {
			continue
		}
		as := sqlText(ident(s.Related.As).String())
		list = append(list, fragment("held related", struct {
			Table, As, Where sqlText
			Held             []sqlText
		}{quotedTable(s.Related.Table), as, enclosed(w.bind(s.Related.Where)),
			w.holdsOn(w.relation(s.Related.Table), as, s.Delete != nil)}))
	}
	return list
}
