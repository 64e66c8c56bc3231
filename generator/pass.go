package generator

import (
	"slices"

	"pgretain/policy"
)

// pass is one walk of a run over the table, with its own cursor: one per entry of "due", and one
// more where a NULL clock is due.
type pass struct {
	number int
	entry  int // of Due.Entries, -1 without due
	clock  *clock
	beyond *ranked
	nulls  bool // the rows whose clock is NULL
	byKey  bool // shape KEY: a step rewrites the clock, so that only the key tells what was seen
}

// passes lists what a run walks. Entries with a rank come first: a row that another entry takes must not
// free its place.
func (w *work) passes() []pass {
	if w.policy.Due == nil {
		return []pass{{number: 1, entry: -1}}
	}
	var ranks, clocks []pass
	for i := range w.policy.Due.Entries {
		p := pass{entry: i, clock: w.clocks[i], beyond: w.beyonds[i]}
		to := &clocks
		if p.beyond != nil {
			to = &ranks
		}
		*to = append(*to, p)
		if p.clock != nil && p.clock.source.NullsDue {
			p.nulls = true
			*to = append(*to, p)
		}
	}
	all := append(ranks, clocks...)
	for i := range all {
		all[i].number = i + 1
		all[i].byKey = all[i].clock != nil && w.rewrites(all[i].clock)
	}
	return all
}

// rewrites says whether a step writes a column that a clock reads.
func (w *work) rewrites(k *clock) bool {
	for _, s := range w.policy.Then {
		if s.Update == nil || s.Related != nil {
			continue
		}
		if slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool { return slices.Contains(w.clockColumns(k), a.Column) }) {
			return true
		}
	}
	return false
}

// clockColumns are the columns that a clock reads.
func (w *work) clockColumns(k *clock) []string {
	if k.source.Expression == nil {
		return []string{k.column}
	}
	parsed, ok := w.parse(*k.source.Expression)
	if !ok {
		return nil
	}
	return w.columnsRead(parsed.parsed, "")
}

// cursorColumn is one column of the cursor, on t.
type cursorColumn struct {
	Number int
	Expr   sqlText
	Type   string
}

// cursor is what a pass goes by: the clock and the primary key, or the primary key alone.
func (w *work) cursor(p pass) []cursorColumn {
	var columns []cursorColumn
	if p.clock != nil && !p.nulls && w.byClock(p) {
		columns = append(columns, cursorColumn{1, p.clock.expr, p.clock.typ})
	}
	if p.clock != nil && p.clock.mark != "" {
		return columns // a batch ends on a whole value
	}
	for _, name := range w.table.PrimaryKey {
		if p.clock != nil && p.clock.column == name && len(columns) > 0 {
			continue // the clock is part of the key
		}
		columns = append(columns, cursorColumn{len(columns) + 1, fragment("t column", ident(name)), w.table.Column(name).Type})
	}
	return columns
}

// byClock says whether a pass can follow its clock: there is or will be an index on it.
func (w *work) byClock(p pass) bool { return p.clock.own && p.clock.indexed != "" && !p.byKey }

// dueOf is the whole condition of a pass, guards and holds left out.
func (w *work) dueOf(p pass) []sqlText { return w.around(w.entryOf(p)) }

// around is what all rows of the policy meet, around what a pass asks.
func (w *work) around(entry []sqlText) []sqlText {
	var due []sqlText
	if w.where != nil {
		due = append(due, w.where.sql)
	}
	due = slices.Concat(due, entry, w.scopeConditions())
	if len(due) == 0 {
		due = append(due, "true")
	}
	return due
}

// entryOf is what a pass asks of a row.
func (w *work) entryOf(p pass) []sqlText {
	var due []sqlText
	switch {
	case p.clock != nil && p.nulls:
		due = append(due, p.clock.none())
	case p.clock != nil:
		due = append(due, p.clock.exact()...)
	}
	if p.beyond != nil {
		due = append(due, p.beyond.Rows...)
		due = append(due, fragment("not among places", p.beyond))
	}
	return due
}

// rowsDue is what the rows of any pass meet, or those of the pass that is asked for.
func (w *work) rowsDue() []sqlText {
	passes := w.passes()
	if len(passes) == 1 {
		return w.dueOf(passes[0])
	}
	any := make([]sqlText, len(passes))
	for i, p := range passes {
		any[i] = every(append(w.entryOf(p), fragment("of pass", p.number)))
	}
	return w.around([]sqlText{either(any)})
}
