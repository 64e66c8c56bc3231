package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
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
	Unique        *knownText  // the key, where rows are found again by it
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
		d.Unique = w.foundByKey(table)
	}
	return stepText("step_update_related", d)
}

// relatedStep is what the template related reads of a step.
type relatedStep struct {
	Number           int
	Table, As, Where sqlText
	Deletes          bool
}

// related is <policy>_related, none where no step acts on related rows. Where a condition reads rows that steps before
// delete, it is asked as if they had gone: an orphan is one only then. One that reads what only the batch knows is left out.
func (w *work) related() []Object {
	name := w.policy.Name + "_related"
	d := struct {
		countData
		Related []relatedStep
	}{countData: w.countData(name, name+"(oid[], tid[], timestamp with time zone)")}
	d.Comment = literal(fmt.Sprintf("pgretain: rows of other tables that policy %s would act on", w.policy.Name))
	saved := w.binder
	defer func() { w.binder = saved }()
	for _, s := range w.steps() {
		if s.Related == nil || s.Delete == nil && s.Update == nil || w.readsRelation(s) || len(w.headersRead(s)) > 0 {
			continue
		}
		w.binder = saved
		w.binder.inStep, w.binder.blank, w.binder.instead = true, true, w.without(s)
		if w.enterRelated(s) {
			d.Related = append(d.Related, relatedStep{s.number, quotedTable(s.Related.Table),
				sqlText(ident(s.Related.As).String()), enclosed(w.bind(s.Related.Where)), s.Delete != nil})
		}
	}
	if len(d.Related) == 0 {
		return nil
	}
	return []Object{w.function(d.Signature, "related", d)}
}

// without reads tables that steps delete from as if they were empty.
func (w *work) without(s step) func(pgparse.TableRef) sqlText {
	return func(ref pgparse.TableRef) sqlText {
		table := w.lookUp(ref)
		if table == nil || !slices.Contains(w.deletedTables(), tableName(table)) || tableName(table) == s.Related.Table.String() {
			return ""
		}
		return fragment("no rows of", qualified(table))
	}
}
