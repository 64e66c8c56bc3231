package generator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/pgparse"
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

// batchData is what the templates of the batch shapes read.
type batchData struct {
	Schema, Function, Signature, Policy, What, Locked string
	Shape                                             sqlText
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
	Until                                             []sqlText // the clock's ends, on the boundary x
	Probe                                             []sqlText // what a row that is due meets, for an index
	Joins                                             []join
	Columns                                           []windowColumn
	Holds                                             []sqlText
	HoldTables                                        sqlText
	Guards                                            []guardText
	Places                                            []places
	Saved                                             []saved
	Ordered                                           []sqlText // the order of the batch's rows, where a step needs it
	Headers                                           []headerVariables
	Copies                                            bool
	TakesAll                                          bool
	Steps                                             []sqlText
	Scopes                                            []scopeText
	Watermark                                         *markText
	Set                                               []setText // shape RANGE: an update
	InRange                                           bool      // shape RANGE: steps are parts of one statement
	Also                                              []alsoText
	// of a pass by rank
	First     int64
	Count     *countText
	WithTies  bool
	Pass      int
	GroupRows []sqlText
	Order     []orderItem
	RankOrder []orderItem
}

// alsoText is what shape RANGE writes beside the delete.
type alsoText struct {
	Name, Variable, Statement sqlText
	Counted                   literal // under which rows are counted
	Copies                    bool    // as many rows as are deleted
}

// headerVariables holds the header rows that a step inserted.
type headerVariables struct {
	Name sqlText
	Type sqlText
}

// scopeText is a column that may narrow the policy.
type scopeText struct {
	Variable, Value, Type sqlText
}

// markText is a watermark with the values that it may take.
type markText struct {
	watermarkData
	UpTo sqlText // "" for none
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

// rangeShape says whether a pass may judge and act in one statement: everything it reads is the
// row's own, and nothing but the rows themselves is deleted or updated.
func (w *work) rangeShape(p pass) bool {
	if p.beyond != nil || len(w.guards) > 0 || len(w.joins) > 0 || p.byKey {
		return false
	}
	if w.where != nil && !w.where.own || p.clock != nil && p.clock.mark != "" {
		return false
	}
	return w.oneStatement() && (p.clock == nil || p.clock.own && p.clock.tiersOwn)
}

// oneStatement says whether all steps fit into the statement that judges: an update or delete of
// the batch's own rows, and beside a delete what is written from them, each into a table of its own.
func (w *work) oneStatement() bool {
	if len(w.policy.Then) == 1 {
		return w.plainStep(w.policy.Then[0])
	}
	deletes := 0
	into := []string{tableName(w.table)}
	for _, s := range w.policy.Then {
		target := ""
		switch {
		case !w.plainStep(s) && !w.plainWrite(s) || s.Update != nil:
			return false
		case s.Delete != nil:
			deletes++
			continue
		case s.Insert != nil:
			target = s.Insert.Into.String()
		case s.Archive != nil:
			target = s.Archive.Into.String()
		case s.Emit != nil:
			target = w.schema() + ".event"
		}
		if slices.Contains(into, target) {
			return false
		}
		into = append(into, target)
	}
	return deletes == 1
}

// plainWrite says whether a step writes from the batch's rows what their own columns say.
func (w *work) plainWrite(s policy.Step) bool {
	if s.Related != nil || s.Insert == nil && s.Archive == nil && s.Emit == nil || s.Insert != nil && s.Insert.As != "" {
		return false
	}
	return !slices.ContainsFunc((&policy.Policy{Then: []policy.Step{s}}).Parts(), func(part policy.Part) bool { return !w.readsRowOnly(part.Expr) })
}

// readsRowOnly says whether a value reads the row, the run and as_of, and no table.
func (w *work) readsRowOnly(e policy.Expr) bool {
	parsed, ok := w.parse(e)
	if !ok || parsed.parsed.Subquery {
		return false
	}
	return !slices.ContainsFunc(parsed.parsed.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) > 1 && ref.Fields[0] != "t" && ref.Fields[0] != "run"
	})
}

// plainStep says whether a step deletes or updates the batch's own rows, and reads nothing else.
func (w *work) plainStep(s policy.Step) bool {
	switch {
	case s.Where != nil || s.Related != nil:
		return false
	case s.Update != nil:
		return len(s.Update.Undo) == 0 && !slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool { return !w.readsOwnColumns(a.Value) })
	}
	return s.Delete != nil
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

// rangeOf is what bounds a pass and what an index serves, filterOf what else can be said of a row
// before it is locked.
func (w *work) rangeOf(p pass) (bounds, filters []sqlText) {
	switch {
	case p.clock == nil || !p.clock.own:
	case p.nulls:
		bounds = append(bounds, fragment("is null", p.clock.expr))
	case w.byClock(p):
		bounds = append(bounds, p.clock.bounds()...)
		if p.clock.tiered != "" && p.clock.tiersOwn {
			filters = append(filters, fragment("older", p.clock.comparison(p.clock.tiered)))
		}
	case p.clock.tiersOwn:
		filters = append(filters, p.clock.exact()...)
	}
	filters = append(filters, w.scopeConditions()...)
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
		due = append(due, p.clock.exact()...)
	}
	if p.beyond != nil {
		due = append(due, p.beyond.Rows...)
		due = append(due, fragment("not among places", p.beyond))
	}
	due = append(due, w.scopeConditions()...)
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
		TableMessage: messageName(w.table),
		SearchPath:   w.searchPath(), Zone: literal(w.file.Install.TimeZone),
		Table: qualified(w.table), Many: w.table.Kind == "partitioned",
		Cursor: w.cursor(p), Range: bounds, Filter: filters, Due: w.dueOf(p),
		Joins: w.joins, Columns: w.columns, Holds: w.holds, HoldTables: textArray(w.holdTables()),
		Guards: w.guardTexts("among places"), Places: w.placesOf(p), Saved: w.saved(), Pass: p.number,
	}
	d.Several = len(d.Cursor) > 1
	if p.clock != nil && !p.nulls && w.byClock(p) {
		d.Along, d.Until = bounds[len(p.clock.ends()):], p.clock.until()
	}
	d.Probe = bounds
	if p.byKey && !p.nulls {
		d.Probe = append(p.clock.bounds(), bounds...)
	}
	if p.clock != nil {
		d.Cutoffs = p.clock.cutoffs
	}
	d.Scopes = w.scopeTexts()
	w.addSteps(&d, p)
	if p.beyond != nil {
		// Batches skip the rows that they passed by: ties must not change places between them.
		d.First, d.Order = p.beyond.First, w.withKey(p.beyond.Order)
		d.Count, d.WithTies, d.RankOrder = p.beyond.Count, p.beyond.WithTies, p.beyond.Order
		d.GroupRows = p.beyond.rowsOfGroup(groupKey.stored)
	}
	d.Tag = dollarTag(fmt.Sprintf("%+v", d))
	return d
}

// addSteps renders the steps, and what they ask of the statements before them.
func (w *work) addSteps(d *batchData, p pass) {
	w.numbered = false
	for _, s := range w.steps() {
		d.Steps = append(d.Steps, w.render(s, *d))
		if s.Insert != nil && s.Insert.As != "" {
			d.Headers = append(d.Headers, headerVariables{headerVariable(s), quotedTable(s.Insert.Into)})
		}
	}
	if w.numbered {
		for _, c := range d.Cursor {
			d.Ordered = append(d.Ordered, c.Expr)
		}
	}
	d.Copies = w.copies()
	d.TakesAll = !w.deletes() && !w.updates()
	if w.rangeShape(p) {
		d.Also = w.alsoTexts(*d)
	}
	if s := w.policy.Then[0]; s.Update != nil && w.rangeShape(p) {
		d.Set = w.setTexts(w.steps()[0], s.Update.Set, w.table, "t", false)
	}
	if p.clock != nil && p.clock.mark != "" {
		d.Watermark = &markText{w.watermark(p.clock.source.Watermark), p.clock.upTo}
	}
}

// alsoTexts are the inserts of shape RANGE.
func (w *work) alsoTexts(d batchData) []alsoText {
	d.InRange = true
	var list []alsoText
	for _, s := range w.steps() {
		also := alsoText{Name: sqlText(fmt.Sprintf("step_%d", s.number)), Variable: sqlText(fmt.Sprintf("v_written_%d", s.number))}
		switch {
		case s.Insert != nil:
			also.Counted = literal(s.Insert.Into.String())
		case s.Archive != nil:
			also.Counted, also.Copies = literal(s.Archive.Into.String()), w.copyCounter(s) != ""
		case s.Emit != nil:
			also.Counted = literal(w.schema() + ".event")
		default:
			continue
		}
		also.Statement = w.render(s, d)
		list = append(list, also)
	}
	return list
}

// scopeTexts are the variables that hold the values which narrow a run.
func (w *work) scopeTexts() []scopeText {
	if w.scope == "" {
		return nil
	}
	var list []scopeText
	for i, name := range w.policy.Scope {
		column := w.table.Column(name.Text)
		if column == nil {
			w.refuse(name.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(w.table), name.Text), didYouMean(name.Text, columnNames(w.table)))
			continue
		}
		list = append(list, scopeText{sqlText(fmt.Sprintf("v_scope_%d", i+1)),
			fragment("scope value", struct {
				Scope sqlText
				Name  literal
			}{w.scope, literal(name.Text)}), sqlText(column.Type)})
	}
	return list
}

// scopeConditions hold for the rows that a run with a scope may take.
func (w *work) scopeConditions() []sqlText {
	var list []sqlText
	for i, s := range w.scopeTexts() {
		list = append(list, fragment("in scope", struct {
			Variable sqlText
			Column   ident
		}{s.Variable, ident(w.policy.Scope[i].Text)}))
	}
	return list
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

// verb says what a policy does with its rows.
func (w *work) verb() string {
	switch {
	case w.policy.Partitions:
		return w.takes()
	case w.deletes():
		return "Deletes rows of"
	case w.updates():
		return "Updates rows of"
	}
	return "Works off rows of"
}

// what says in a few words what a pass takes.
func (w *work) what(p pass) string {
	text := w.verb() + " " + tableName(w.table)
	if p.clock != nil && p.nulls {
		text += " whose clock is NULL"
	} else if p.clock != nil {
		text += " " + describeClock(p.clock.source)
	}
	if p.beyond != nil {
		text += " past the first " + firstText(p.beyond)
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
		windows = append(windows, windowText(t))
	}
	verb := "older than"
	switch c.Kind {
	case "expires":
		verb = "past by"
	case "position":
		return fmt.Sprintf("by their %s", name)
	}
	return fmt.Sprintf("whose %s is %s %s", name, verb, strings.Join(windows, " / "))
}

// windowText is a tier in the words of the file.
func windowText(t policy.Tier) string {
	switch {
	case t.Data == nil:
		return t.Interval.Text
	case t.Data.Value == nil:
		return t.Data.Else.Text
	}
	return t.Data.Unit + " of " + t.Data.Value.SQL
}

func firstText(r *ranked) string {
	if r.source.Count != nil {
		return r.source.Count.Value.SQL
	}
	return strconv.FormatInt(r.First, 10)
}
