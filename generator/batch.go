package generator

import (
	"fmt"
	"strings"

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
}

// passes lists what a run walks. Entries that go by rank come first.
func (w *work) passes() []pass {
	if w.policy.Due == nil {
		return []pass{{number: 1, entry: -1}}
	}
	var ranks, clocks []pass
	for i := range w.policy.Due.Entries {
		p := pass{entry: i, clock: w.clocks[i], beyond: w.beyonds[i]}
		if p.clock == nil {
			ranks = append(ranks, p)
			continue
		}
		clocks = append(clocks, p)
		if p.clock.source.NullsDue {
			p.nulls = true
			clocks = append(clocks, p)
		}
	}
	all := append(ranks, clocks...)
	for i := range all {
		all[i].number = i + 1
	}
	return all
}

// batchData is what the templates of the batch shapes read.
type batchData struct {
	Schema, Function, Signature, Policy, What, Locked string
	PolicyLiteral, Comment                            literal
	TableMessage                                      string
	Tag                                               string
	SearchPath                                        []ident
	Zone                                              literal
	Table                                             sqlText
	Many                                              bool
	Cutoffs                                           []cutoff
	Cursor                                            []cursorColumn
	Several                                           bool
	Started                                           bool // the run has a position already
	Range, Filter, Due                                []sqlText
	Along                                             []sqlText // Range without the clock
	Until                                             sqlText   // the clock's bound, on the boundary x
	Joins                                             []join
	Holds                                             []sqlText
	HoldTables                                        sqlText
	Guards                                            []guardText
	Places                                            []places
	Saved                                             []saved
	Steps                                             []sqlText
	// of a pass by rank
	First     int64
	Pass      int
	GroupRows []sqlText
	Order     []orderItem
}

// cursorColumn is one column of the cursor, on t.
type cursorColumn struct {
	Number int
	Expr   sqlText
	Type   string
}

// guardText is one guard in a CASE.
type guardText struct {
	Kept sqlText
	Name literal
}

// places is the relation of rows that a rank spares or takes, for the groups of a batch.
type places struct {
	Name   sqlText
	Keys   []groupKey
	Places sqlText
}

// saved is one column of t that later steps read, kept in an array.
type saved struct {
	Expr     sqlText
	Name     sqlText // in the judging statement
	Variable sqlText
	Type     string // of one element in the variable
	Column   ident
	Cast     string // back to the column's type, "" when the element has it
}

// rangeShape says whether a pass may judge and delete in one statement: everything it reads is the
// row's own, and nothing but the rows themselves is deleted.
func (w *work) rangeShape(p pass) bool {
	if p.beyond != nil || len(w.guards) > 0 || len(w.joins) > 0 || len(w.policy.Then) != 1 {
		return false
	}
	if w.ownDelete().Where != nil || w.where != nil && !w.where.own {
		return false
	}
	return p.clock == nil || p.clock.own && p.clock.tiersOwn
}

// cursor is what a pass goes by: the clock and the primary key, or the primary key alone.
func (w *work) cursor(p pass) []cursorColumn {
	var columns []cursorColumn
	if p.clock != nil && !p.nulls && w.byClock(p) {
		columns = append(columns, cursorColumn{1, p.clock.expr, p.clock.typ})
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
func (w *work) byClock(p pass) bool { return p.clock.own && p.clock.indexed != "" }

// rangeOf is what bounds a pass and what an index serves, filterOf what else can be said of a row
// before it is locked.
func (w *work) rangeOf(p pass) (bounds, filters []sqlText) {
	switch {
	case p.clock == nil || !p.clock.own:
	case p.nulls:
		bounds = append(bounds, fragment("is null", p.clock.expr))
	case w.byClock(p):
		bounds = append(bounds, p.clock.bounds())
		if p.clock.tiered != "" && p.clock.tiersOwn {
			filters = append(filters, fragment("older", p.clock.comparison(p.clock.tiered)))
		}
	case p.clock.tiersOwn:
		filters = append(filters, p.clock.exact())
	}
	if w.where != nil && w.where.simple {
		bounds = append(bounds, w.where.sql)
	} else if w.where != nil && w.where.own {
		filters = append(filters, w.where.sql)
	}
	return bounds, filters
}

// dueOf is the whole condition of a pass, guards and holds left out.
func (w *work) dueOf(p pass) []sqlText {
	var due []sqlText
	if w.where != nil {
		due = append(due, w.where.sql)
	}
	if p.clock != nil && p.nulls {
		due = append(due, fragment("is null", p.clock.expr))
	} else if p.clock != nil {
		due = append(due, p.clock.exact())
	}
	if p.beyond != nil {
		due = append(due, p.beyond.Rows...)
		due = append(due, fragment("not among places", p.beyond))
	}
	if len(due) == 0 {
		due = append(due, "true")
	}
	return due
}

func (w *work) batch(p pass, function string) batchData {
	bounds, filters := w.rangeOf(p)
	d := batchData{
		Schema: w.schema(), Function: function, Signature: function + "(bigint)",
		Policy: w.policy.Name, PolicyLiteral: literal(w.policy.Name), What: w.what(p),
		TableMessage: strings.ReplaceAll(comment(tableName(w.table)), "'", "''"),
		SearchPath:   w.searchPath(), Zone: literal(w.file.Install.TimeZone),
		Table: qualified(w.table), Many: w.table.Kind == "partitioned",
		Cursor: w.cursor(p), Range: bounds, Filter: filters, Due: w.dueOf(p),
		Joins: w.joins, Holds: w.holds, HoldTables: textArray(w.holdTables()),
		Guards: w.guardTexts("among places"), Places: w.placesOf(p), Saved: w.saved(), Pass: p.number,
	}
	d.Several = len(d.Cursor) > 1
	if p.clock != nil && !p.nulls && w.byClock(p) {
		d.Along, d.Until = bounds[1:], p.clock.until()
	}
	if p.clock != nil {
		d.Cutoffs = p.clock.cutoffs
	}
	for _, step := range w.policy.Then {
		d.Steps = append(d.Steps, w.step(step, d))
	}
	if p.beyond != nil {
		// Batches skip the rows that they passed by: ties must not change places between them.
		d.First, d.Order = p.beyond.First, w.withKey(p.beyond.Order)
		d.GroupRows = p.beyond.rowsOfGroup(groupKey.stored)
	}
	d.Tag = dollarTag(fmt.Sprintf("%+v", d))
	return d
}

// guardTexts lists the guards in YAML order; rank is the fragment that says a rank spares a row.
func (w *work) guardTexts(rank string) []guardText {
	var texts []guardText
	for _, g := range w.guards {
		text := guardText{Name: literal(g.name)}
		if g.rank != nil {
			text.Kept = fragment(rank, g.rank)
		} else {
			text.Kept = fragment("not false", g.cond)
		}
		texts = append(texts, text)
	}
	return texts
}

func (w *work) placesOf(p pass) []places {
	var list []places
	add := func(r *ranked) {
		list = append(list, places{r.Name, r.Keys, r.firstPlaces(func(k groupKey) sqlText {
			return sqlText(fmt.Sprintf("g.k%d", k.Number))
		})})
	}
	for _, g := range w.guards {
		if g.rank != nil {
			add(g.rank)
		}
	}
	if p.beyond != nil {
		add(p.beyond)
	}
	return list
}

// what says in a few words what a pass takes.
func (w *work) what(p pass) string {
	text := "Deletes rows of " + tableName(w.table)
	if p.clock != nil && p.nulls {
		text += " whose clock is NULL"
	} else if p.clock != nil {
		text += " " + describeClock(p.clock.source)
	}
	if p.beyond != nil {
		text += fmt.Sprintf(" past the first %d", p.beyond.First)
		if len(p.beyond.source.Per) > 0 {
			var per []string
			for _, e := range p.beyond.source.Per {
				per = append(per, e.SQL)
			}
			text += " per " + strings.Join(per, ", ")
		}
	}
	return comment(text) + "."
}

func describeClock(c *policy.Clock) string {
	name := c.Column
	if c.Expression != nil {
		name = c.Expression.SQL
	}
	var windows []string
	for _, t := range c.Window.Tiers {
		if t.Never {
			windows = append(windows, "never")
			continue
		}
		windows = append(windows, t.Interval.Text)
	}
	verb := "older than"
	if c.Kind == "expires" {
		verb = "past by"
	}
	return fmt.Sprintf("whose %s is %s %s", name, verb, strings.Join(windows, " / "))
}
