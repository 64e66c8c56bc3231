package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// previewStep is the relation of what a step would do.
type previewStep struct {
	Name   sqlText
	Number int
	Target literal // the table
	Rows   sqlText
	Sets   sqlText // the columns of an update, "" for none
	Nulls  sqlText // those of them that become NULL
}

// previewNote says why numbers are not what a run would do: of one step, or with number 0 of all.
type previewNote struct {
	Number int
	Text   literal
	Held   bool // only while a hold is in force
}

// preview is the function that says what the steps would do to all that is due.
func (w *work) preview() Object {
	name := w.policy.Name + "_preview"
	d := w.judgedData(name, name+"(timestamp with time zone, bigint, jsonb, interval)")
	if w.policy.Partitions {
		p := w.partitionData(name, d.Signature)
		p.Saved = w.savedJoins()
		d.Partitions = &p
		d.Cutoffs = p.Cutoffs
	}
	d.Comment = literal(fmt.Sprintf("pgretain: what the steps of policy %s would do at an instant", w.policy.Name))
	d.Saved = w.savedJoins()
	d.Notes = w.conditionNotes()
	w.previewSteps(&d)
	return w.function(d.Signature, "preview", d)
}

// savedJoins are the columns of joins that steps read, as the rows were judged.
func (w *work) savedJoins() []saved {
	var list []saved
	for _, s := range w.steps() {
		for _, e := range w.allExpressions(s) {
			w.joinColumns(e, func(join int, column string) {
				v := w.savedJoin(join, column)
				if !slices.ContainsFunc(list, func(o saved) bool { return o.Field == v.Field }) {
					list = append(list, v)
				}
			})
		}
	}
	return list
}

func (w *work) previewSteps(d *countData) {
	for _, s := range w.steps() {
		step := previewStep{Name: stepName(s), Number: s.number, Target: literal(w.targetOf(s))}
		step.Rows = w.previewStep(s, d)
		if s.Update != nil {
			step.Sets, step.Nulls = textArray(columnsOf(s.Update.Set)), textArray(nullsOf(s.Update.Set))
		}
		d.Steps = append(d.Steps, step)
		d.Notes = append(d.Notes, w.stepNotes(s)...)
	}
	for i, k := range w.clocks {
		if k != nil && k.mark != "" {
			d.Steps = append(d.Steps, w.previewWatermark(k, len(d.Steps)+1, i))
		}
	}
}

func stepName(s step) sqlText { return sqlText(fmt.Sprintf("step_%d", s.number)) }

// targetOf is the table that a step writes.
func (w *work) targetOf(s step) string {
	switch {
	case s.Insert != nil:
		return s.Insert.Into.String()
	case s.Archive != nil:
		return s.Archive.Into.String()
	case s.Emit != nil:
		return w.schema() + ".event"
	case s.Related != nil:
		return s.Related.Table.String()
	case s.SQL != nil:
		for _, u := range (&policy.Policy{Then: []policy.Step{s.Step}}).Uses()[1:] {
			return u.Table.String()
		}
	}
	return tableName(w.table)
}

// previewStep is what one step would do, read beside what the steps before it would have taken away.
func (w *work) previewStep(s step, d *countData) sqlText {
	saved := w.binder
	defer func() { w.binder = saved }()
	w.binder.inStep, w.binder.blank = true, true
	w.binder.instead = w.remaining(s)
	w.enterHeaders(s)
	v := w.previewRows(s, d)
	if w.readsRelation(s) {
		w.binder.batch = fragment("preview batch", v)
	}
	if s.Related != nil && !w.enterRelated(s) {
		return ""
	}
	v.Where = w.condition(s)
	if s.Related != nil {
		v.As, v.Table = sqlText(ident(s.Related.As).String()), quotedTable(s.Related.Table)
		v.Tie = enclosed(w.bind(s.Related.Where))
		v.Where = append(v.Where, w.notGone(s, s.Related.Table.String(), v.As)...)
	} else if s.Delete != nil || s.Update != nil {
		v.Where = append(v.Where, w.notGone(s, tableName(w.table), "t")...)
	}
	return w.previewVerb(s, v)
}

// previewVerb is a case for each verb.
func (w *work) previewVerb(s step, v previewRows) sqlText {
	switch {
	case s.Delete != nil:
		return w.previewChange(s, v, "delete", nil)
	case s.Update != nil && s.Related == nil:
		set := w.setTexts(s, s.Update.Set, w.table, "t", false)
		return w.previewChange(s, v, "update", set)
	case s.Update != nil:
		set := w.setTexts(s, s.Update.Set, w.relation(s.Related.Table), s.Related.As, false)
		return w.previewChange(s, v, "update", set)
	case s.Insert != nil || s.Archive != nil || s.Emit != nil:
		return fragment("preview insert", w.previewInsert(s, v))
	case s.Detach != nil:
		return fragment("preview partition", struct{ Verb literal }{"detach"})
	case s.Drop != nil:
		return fragment("preview partition", struct{ Verb literal }{"drop"})
	case s.DropTable != nil:
		return fragment("preview drop table", struct {
			Name, From sqlText
			Where      []sqlText
		}{w.bind(*s.DropTable), v.From, v.Where})
	}
	return fragment("preview statement", nil)
}

// previewChange is the rows that a delete or an update would write.
func (w *work) previewChange(s step, v previewRows, verb literal, set []setText) sqlText {
	v.Verb, v.Set = verb, set
	if s.Related == nil {
		if len(set) > 0 {
			v.Where = append(v.Where, fragment("any differs", set))
		}
		if len(v.Where) == 0 && !w.policy.Partitions {
			return fragment("preview taken", v)
		}
		return fragment("preview own", v)
	}
	if len(set) > 0 && w.setsFromBatch(s) {
		return fragment("preview related from rows", v)
	}
	if len(set) > 0 {
		v.Where = append(v.Where, fragment("any differs", set))
	}
	return fragment("preview related", v)
}

// previewRows is where a step of a preview finds its rows.
type previewRows struct {
	From      sqlText // the due rows
	Table, As sqlText // related rows
	Tie       sqlText // a related row to a due one
	Where     []sqlText
	Verb      literal
	Set       []setText
}

func (w *work) previewRows(s step, d *countData) previewRows {
	data := struct {
		Partitions bool
		Table      sqlText
		Joins      []savedAlias
		Headers    []previewHeader
	}{Partitions: w.policy.Partitions, Table: d.Table, Joins: w.joinsOf(s, d.Saved)}
	for _, h := range w.headersRead(s) {
		data.Headers = append(data.Headers, previewHeader{ident(h.Insert.As), w.headerColumns(h)})
	}
	return previewRows{From: fragment("preview rows", data)}
}

// previewHeader is a header row that is not there yet: what it would hold is not known.
type previewHeader struct {
	Name    ident
	Columns []previewColumn
}

type previewColumn struct {
	Column ident
	Type   sqlText
}

func (w *work) headerColumns(h step) []previewColumn {
	var list []previewColumn
	if table := w.relation(h.Insert.Into); table != nil {
		for _, c := range table.Columns {
			list = append(list, previewColumn{ident(c.Name), sqlText(c.Type)})
		}
	}
	return list
}

// previewWatermark is the row that says how far the policy has come.
func (w *work) previewWatermark(k *clock, number, entry int) previewStep {
	d := struct {
		watermarkData
		UpTo, Clock, Rows sqlText
		Range             []sqlText
	}{watermarkData: w.watermark(k.source.Watermark), UpTo: k.upTo, Clock: k.expr, Rows: qualified(w.table)}
	if d.UpTo == "" {
		d.Range = w.around(k.bounds())
	}
	name := sqlText(fmt.Sprintf("step_%d", number))
	return previewStep{Name: name, Number: number, Target: literal(k.source.Watermark.Table.String()), Rows: fragment("preview watermark", d)}
}

// notGone leaves out the rows of a table that earlier steps would have deleted.
func (w *work) notGone(s step, table string, alias sqlText) []sqlText {
	var list []sqlText
	for _, name := range w.goneBefore(s, table) {
		list = append(list, fragment("preview not gone", struct{ Step, Alias sqlText }{name, alias}))
	}
	return list
}

// goneBefore are the steps before s that delete from a table.
func (w *work) goneBefore(s step, table string) []sqlText {
	var list []sqlText
	for _, b := range w.steps()[:s.number-1] {
		if b.Delete != nil && w.targetOf(b) == table {
			list = append(list, stepName(b))
		}
	}
	return list
}

// remaining puts what earlier steps leave of a table in the place of its name.
func (w *work) remaining(s step) func(pgparse.TableRef) sqlText {
	return func(ref pgparse.TableRef) sqlText {
		table := w.lookUp(ref)
		if table == nil {
			return ""
		}
		gone := w.goneBefore(s, tableName(table))
		if len(gone) == 0 {
			return ""
		}
		return fragment("preview remaining", struct {
			Table sqlText
			Gone  []sqlText
		}{qualified(table), gone})
	}
}
