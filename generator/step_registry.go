package generator

import (
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// stepEntry is a step as the registry has it, for retention._step_query: SQL over the policy's table as t, its joins,
// the related table as As, and a slice as $1. A table that earlier steps delete from is read as "rest of <table>".
type stepEntry struct {
	Step    int      `json:"step"`
	Verb    string   `json:"verb"`
	Table   string   `json:"table"`             // what is done to which table
	From    string   `json:"from,omitempty"`    // with joins; "": the policy's table as t
	Related string   `json:"related,omitempty"` // the other table whose rows it acts on
	As      string   `json:"as,omitempty"`
	On      string   `json:"on,omitempty"`      // ties those to the policy's rows
	Where   string   `json:"where,omitempty"`   // which of the rows; "": all
	Differs string   `json:"differs,omitempty"` // whether an update changes a row
	Name    string   `json:"name,omitempty"`    // of the table that is dropped
	Key     []string `json:"key,omitempty"`     // of an archive, where it is copied and must not be there yet
	Notes   []string `json:"notes,omitempty"`   // why numbers are not what a run does; of step 0: all numbers
	Blind   bool     `json:"blind,omitempty"`   // only a batch can tell its rows
}

// stepEntries is what the registry says of the steps, in their order, for blast_radius and for holds.
func (w *work) stepEntries() []stepEntry {
	var list []stepEntry
	if notes := w.conditionNotes(); len(notes) > 0 {
		list = append(list, stepEntry{Verb: "note", Table: tableName(w.table), Notes: notes})
	}
	for _, s := range w.steps() {
		list = append(list, w.stepEntry(s))
	}
	for _, k := range w.clocks {
		if k != nil && k.mark != "" {
			list = append(list, stepEntry{Step: len(w.policy.Then) + 1, Verb: "update", Table: k.source.Watermark.Table.String(),
				Blind: true, Notes: []string{"it says how far a run has come"}})
		}
	}
	return list
}

func (w *work) stepEntry(s step) stepEntry {
	saved := w.binder
	defer func() { w.binder = saved }()
	w.binder.inStep, w.binder.blank, w.binder.instead = true, true, w.rest(s)
	e := stepEntry{Step: s.number, Verb: verbOf(s), Table: w.targetOf(s), Notes: w.stepNotes(s)}
	e.Notes = append(e.Notes, w.insertNotes(s, &e)...)
	conditions := step{policy.Step{Where: s.Where, Related: s.Related, Update: s.Update, DropTable: s.DropTable}, s.number, false}
	switch {
	case s.SQL != nil:
		e.Blind = true
		e.Notes = append(e.Notes, "a statement in the policy's own words")
	case w.readsRelation(conditions), len(w.headersRead(conditions)) > 0, w.policy.Partitions && len(conditions.expressions()) > 0:
		e.Blind = true
		e.Notes = append(e.Notes, "its condition reads what only a batch knows")
	case s.Related == nil:
		w.ownEntry(s, &e)
	case w.enterRelated(s):
		w.relatedEntry(s, &e)
	}
	return e
}

func verbOf(s step) string {
	switch {
	case s.Delete != nil:
		return "delete"
	case s.Update != nil:
		return "update"
	case s.Archive != nil:
		return "archive"
	case s.Detach != nil:
		return "detach"
	case s.Drop != nil:
		return "drop"
	case s.DropTable != nil:
		return "drop table"
	case s.SQL != nil:
		return "sql"
	}
	return "insert"
}

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

// ownEntry is about the policy's own rows.
func (w *work) ownEntry(s step, e *stepEntry) {
	if s.Update != nil {
		e.Differs = plainText(fragment("any differs", w.setTexts(s, s.Update.Set, w.table, "t", false)))
	}
	if s.DropTable != nil {
		e.Name = plainText(w.bind(*s.DropTable))
	}
	w.entryRows(s, e)
}

// relatedEntry is about rows of another table.
func (w *work) relatedEntry(s step, e *stepEntry) {
	table := w.relation(s.Related.Table)
	if table.Kind != "table" && table.Kind != "partitioned" {
		e.Blind = true // rows of a view have no place
		e.Notes = append(e.Notes, "its rows are those of a view")
		return
	}
	e.Related, e.As, e.On = s.Related.Table.String(), s.Related.As, plainText(w.bind(s.Related.Where))
	if s.Update != nil {
		e.Differs = plainText(fragment("any differs", w.setTexts(s, s.Update.Set, table, s.Related.As, false)))
	}
	w.entryRows(s, e)
}

func (w *work) entryRows(s step, e *stepEntry) {
	if len(w.joins)+len(w.columns) > 0 {
		e.From = plainText(w.fromRows())
	}
	if s.Where != nil {
		e.Where = plainText(w.bind(*s.Where))
	}
}

// insertNotes says what only the rows of a table that is inserted into decide.
func (w *work) insertNotes(s step, e *stepEntry) []string {
	const most = "so many at most, since "
	switch {
	case s.Insert != nil && len(s.Insert.Key)+len(s.Insert.Per) > 0:
		return []string{most + "rows of one group become one, or change one that is there"}
	case s.Insert != nil && w.keyGiven(s):
		return []string{"a row is refused whose key is there already"}
	case s.Archive == nil:
		return nil
	case s.Archive.Existing == "keep" || s.Archive.Existing == "replace":
		return []string{most + "rows may be there already"}
	}
	from := w.table
	if s.Related != nil {
		from = w.relation(s.Related.Table)
	}
	into := w.archiveTable(s.Step, from)
	if into == nil || s.Archive.Document != "" || w.policy.Partitions {
		return nil
	}
	var key []string
	for _, name := range into.PrimaryKey {
		column, target := from.Column(name), into.Column(name)
		if column == nil || target == nil || column.Type != target.Type || assigned(s.Archive.Set, name) {
			return nil // not that of what is copied
		}
		key = append(key, name)
	}
	e.Key = key
	return nil
}

// keyGiven says whether an insert gives all values of a unique key.
func (w *work) keyGiven(s step) bool {
	into := w.intoTable(s.Insert.Into)
	given := func(columns []string) bool {
		return len(columns) > 0 && !slices.ContainsFunc(columns, func(name string) bool { return !assigned(s.Insert.Set, name) })
	}
	if into == nil || given(into.PrimaryKey) {
		return into != nil
	}
	for _, i := range into.Indexes {
		if i.Unique && given(i.Columns) {
			return true
		}
	}
	return false
}

// rest gives a table that steps before delete from its other name.
func (w *work) rest(s step) func(pgparse.TableRef) sqlText {
	return func(ref pgparse.TableRef) sqlText {
		table := w.lookUp(ref)
		if table == nil || !slices.ContainsFunc(w.steps()[:s.number-1], func(b step) bool { return b.Delete != nil && w.targetOf(b) == tableName(table) }) {
			return ""
		}
		return sqlText(ident("rest of " + tableName(table)).String())
	}
}
