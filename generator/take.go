package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// pass is one scan of the table by a run, with a cursor of its own. There is one pass per entry of
// "due". If rows with a NULL clock are due, there is another pass for them.
type pass struct {
	number int
	clock  *clock
	beyond *ranked
	nulls  bool // the pass reads the rows whose clock is NULL
	byKey  bool // a step changes the clock, so only the key can order the rows
}

// compileDue compiles the entries of "due" and the passes of a run. Entries with a rank come first.
// Otherwise a row that another entry takes would free its place for the next row of the group.
func (w *policyCompiler) compileDue() {
	var ranks, clocks []pass
	for i, entry := range w.policy.DueEntries() {
		p, to := pass{}, &clocks
		if entry.Clock != nil {
			p.clock = w.clockOf(entry.Clock, i+1)
		}
		if entry.Beyond != nil {
			p.beyond, to = w.rankOf(entry.Beyond, sqlText(fmt.Sprintf("places_beyond_%d", i+1))), &ranks
		}
		w.clocks, *to = append(w.clocks, p.clock), append(*to, p)
		if p.clock != nil && p.clock.source.NullsDue {
			p.nulls = true
			*to = append(*to, p)
		}
	}
	if w.scans = append(ranks, clocks...); w.policy.Due == nil {
		w.scans = []pass{{}}
	}
	for i := range w.scans {
		p := &w.scans[i]
		p.number = i + 1
		p.byKey = p.clock != nil && slices.ContainsFunc(w.clockColumns(p.clock), func(name string) bool {
			return slices.ContainsFunc(w.steps, func(s step) bool {
				return s.Update != nil && s.Related == nil && assigned(s.Update.Set, name)
			})
		})
	}
}

// byClock reports whether a pass can follow its clock: an index on the clock exists or will be
// built.
func (p pass) byClock() bool {
	return p.clock != nil && p.clock.own && p.clock.indexed != "" && !p.byKey
}

// cursor returns the columns of t that order a pass: the clock and the key of the rows, or the key
// alone.
func (w *policyCompiler) cursor(p pass) []columnText {
	var columns []columnText
	if !p.nulls && p.byClock() {
		columns = append(columns, columnText{p.clock.expr, sqlText(p.clock.typ)})
	}
	if p.clock != nil && p.clock.mark != "" {
		return columns // a batch ends at the end of a value
	}
	return w.keyed(p, columns)
}

// keyed appends the columns of the rows' key that are missing in columns.
func (w *policyCompiler) keyed(p pass, columns []columnText) []columnText {
	for _, name := range rowKey(w.table) {
		if p.clock != nil && p.clock.column == name && len(columns) > 0 {
			continue // the clock is part of the key
		}
		typ := placeTypes[name]
		if column := w.table.Column(name); column != nil {
			w.checkOperators(column, w.policy.Table.Position)
			typ = sqlText(column.Plain())
		}
		columns = append(columns, columnText{aliased("t", ident(name)), typ})
	}
	return columns
}

// passEntry is one element of policy.passes in the registry. It says how a run scans the rows of an
// entry of "due".
type passEntry struct {
	Cursor [][2]string `json:"cursor,omitempty"` // expressions on t, with their types
	Range  bool        `json:"range,omitempty"`  // one statement can take the rows between two positions
	Placed bool        `json:"placed,omitempty"` // the cursor ends with the place of a row
	Ranked bool        `json:"ranked,omitempty"`
	Groups bool        `json:"groups,omitempty"`  // a rank alone: uses <policy>_groups and _beyond
	Index  bool        `json:"indexed,omitempty"` // an index provides the order of a rank
	Bound  string      `json:"bound,omitempty"`   // condition that ends the pass; "" if there is none
	Guards bool        `json:"guarded,omitempty"` // the policy has guards
	Lock   bool        `json:"lock,omitempty"`    // a batch locks its rows first, because guards read tables
	Due    string      `json:"due,omitempty"`     // condition on t by which one statement finds and locks the rows
	Whole  bool        `json:"whole,omitempty"`   // no row may be skipped, because a watermark moves past it
	Undone bool        `json:"undone,omitempty"`  // an error that a row causes undoes the batch
	// steps copy rows that the delete reaches along several foreign keys, so a batch locks all rows
	// on these paths
	Below bool `json:"below,omitempty"`
	// no expression of the policy decides which partitions are taken, so a batch checks several at
	// once
	Together bool `json:"together,omitempty"`
}

// alterPartitionData is the data of the template "alter_partition".
type alterPartitionData struct {
	functionHead
	Relation     literal
	TableComment sqlText
}

// groupsData is the data of the templates "groups" and "beyond".
type groupsData struct {
	functionHead
	Table sqlText
	Rank  *ranked
}

// functions returns the functions with which a run takes rows. They contain the steps. For a rank
// alone, two more functions find the groups with too many rows, and the surplus rows.
func (w *policyCompiler) functions() ([]draft, []passEntry) {
	if w.policy.Partitions {
		data := &alterPartitionData{Relation: literal(qualified(w.table)), TableComment: tableComment(w.table)}
		alter := function{suffix: "partition", returns: "void", language: "plpgsql",
			clauses:    []string{"SECURITY DEFINER"},
			parameters: []pgparse.Parameter{in("p_partition", "oid"), in("p_action", "text")},
			settings:   append(slices.Clone(settingsOfRuntime), setting{Name: "row_security", Value: "off"}),
			recreated:  true}
		return []draft{w.migratorFunction(alter, "alter_partition", data), w.take()},
			[]passEntry{{Undone: w.policy.Batch.Whole, Together: w.where == "" && len(w.joins) == 0 &&
				!slices.ContainsFunc(w.guards, func(g guard) bool { return g.Rank == nil })}}
	}
	var objects []draft
	var entries []passEntry
	for _, p := range w.scans {
		entry := passEntry{Range: w.inRange, Ranked: p.beyond != nil, Whole: p.clock != nil && p.clock.mark != "",
			Undone: w.policy.Batch.Whole, Below: w.copiesBelow()}
		if p.clock == nil && p.beyond != nil {
			entry.Groups, entry.Index = true, p.beyond.columns && p.beyond.Count == nil &&
				!slices.ContainsFunc(p.beyond.Keys, func(k groupKey) bool { return !k.NotNull })
			data := groupsData{Table: qualified(w.table), Rank: p.beyond.later()}
			ofGroups := data
			groups := function{suffix: "groups", returns: "TABLE", language: "sql", clauses: []string{"STABLE"},
				parameters: append(w.batchRange("batch"), column("key", "text[]"), column("surplus", "bigint"))}
			beyond := function{suffix: "beyond", returns: "TABLE", language: "sql", clauses: []string{"STABLE"},
				parameters: append(w.batchRange("batch"), column("n", "bigint"), column("rel", "oid"),
					column("tid", "tid"))}
			objects = append(objects, w.function(groups, "groups", &ofGroups), w.function(beyond, "beyond", &data))
		} else {
			entry.Cursor = lists.Map(w.cursor(p), func(c columnText) [2]string {
				return [2]string{plainText(c.Name), string(c.Type)}
			})
			entry.Placed = len(w.table.PrimaryKey) == 0 && !entry.Whole
			if !p.nulls && p.byClock() {
				entry.Bound = plainText(sqlText(joined(p.clock.bounds(), " AND ")))
			}
		}
		entry.Guards, entry.Lock = len(w.guards) > 0, w.locksFirst
		if entry.Lock && !entry.Placed {
			entry.Due = plainText(sqlText(joined(w.dueOf(p), " AND ")))
		}
		entries = append(entries, entry)
	}
	return append(objects, w.take()), entries
}

// copiesBelow reports whether a step copies rows that the batch's delete reaches along more than
// one foreign key. In that case the batch first locks all rows on these paths. So no session can
// add a row that would be deleted without a copy.
func (w *policyCompiler) copiesBelow() bool {
	return w.ownDelete != nil && slices.ContainsFunc(w.tables.CascadePaths(tableName(w.table)),
		func(path []catalog.ForeignKey) bool {
			return len(path) > 1 && slices.ContainsFunc(w.steps, func(s step) bool {
				return s.copies && s.Related != nil &&
					w.tables.Root(tableName(s.from)) == w.tables.Root(path[len(path)-1].Table)
			})
		})
}

// takeData is the data of the template "take".
type takeData struct {
	functionHead
	fromClause      // joins only if saved values read them
	Many       bool // the rows are in several tables
	Saved      []savedColumn
	Ordered    []sqlText // order of the rows of a batch; nil if no step needs it
	Plain      bool      // the batch is one DELETE of rows by their ctid
	Partitions *duePartitions
	Watermark  *movedMark
	Steps      []takeStep
	Copies     bool // some step's copies are counted
	TakesAll   bool // no step deletes or updates the rows
	InRange    bool // one statement checks and takes the rows; it has the fields below
	Threshold  *ranked
	Cursor     []columnText
	Conditions []sqlText
	Set        []assignedText
}

// takeStep is a step in the template "take".
type takeStep struct {
	Number int
	Name   literal
	Header sqlText // the table whose new rows later steps read; "" if none does
	Copies bool    // its copies are counted
	Locks  bool    // the step locks its related rows
	Many   bool    // these are in several tables
	SQL    sqlText
}

// take returns <policy>_take, the function that executes the steps on the rows of a batch_range.
func (w *policyCompiler) take() draft {
	saved, many := w.saved(), inSeveralTables(w.table)
	d := &takeData{fromClause: fromClause{Table: w.rowsFrom()}, Many: many, Saved: saved, InRange: w.inRange}
	if w.policy.Partitions {
		d.Partitions = w.duePartitions()
		d.Partitions.Saved = saved
	}
	if slices.ContainsFunc(saved, func(s savedColumn) bool { return s.alias != "t" }) {
		d.Joins, d.Columns = w.joins, w.columns
	}
	if w.inRange {
		w.takeInRange(d)
	}
	for _, s := range w.steps {
		if w.inRange && !s.copies {
			continue // the step is the statement itself
		}
		locks := s.locked == s.number
		step := takeStep{Number: s.number, Name: literal(s.target), Copies: w.countsCopies(s), Locks: locks,
			Many: locks && inSeveralTables(s.from), SQL: w.rendered(s)}
		if s.Insert != nil && s.Insert.As != "" {
			step.Header = quotedTable(s.Insert.Into)
		}
		d.Steps = append(d.Steps, step)
	}
	d.Copies = slices.ContainsFunc(w.steps, w.countsCopies)
	d.TakesAll = !w.policy.Partitions && w.ownDelete == nil && !w.ownUpdate
	if !w.inRange && !w.policy.Partitions {
		w.takeLocked(d, len(saved) == 0 && !many)
	}
	take := function{suffix: "take", parameters: append(w.batchRange(""), output("v_out", w.schema()+".take_result")),
		language: "plpgsql"}
	return w.function(take, "take", d)
}

// takeInRange sets the fields of one statement for all rows between two positions, or for the
// surplus rows of some groups.
func (w *policyCompiler) takeInRange(d *takeData) {
	if p := w.scans[0]; p.beyond != nil {
		d.Threshold, d.Conditions = p.beyond, p.beyond.Arms[0].Rows
	} else {
		d.Cursor, d.Conditions = w.cursor(p), w.dueOf(p)
	}
	d.Conditions = append(d.Conditions, lists.Map(w.guards,
		func(g guard) sqlText { return fragment("is false", g.Condition) })...)
	if s := w.steps[0]; s.Update != nil {
		d.Set = w.setTexts(s, false)
	}
}

// movedMark is a watermark that a batch moves. UpTo is "" if the policy has no up_to.
type movedMark struct {
	watermarkText
	UpTo, Type sqlText
}

// takeLocked sets the fields for a batch that locks its rows before the steps: the order of the
// rows and the watermark.
func (w *policyCompiler) takeLocked(d *takeData, byPlace bool) {
	p := w.scans[0]
	marked := p.clock != nil && p.clock.mark != ""
	// The batch is one DELETE of a table's rows by their ctid, and nothing else.
	d.Plain = len(w.steps) == 1 && w.ownDelete != nil && w.ownDelete.Where == nil && !marked && byPlace &&
		w.rowsOf(w.steps[0], false).plain
	if slices.ContainsFunc(w.steps, w.numbersRows) {
		d.Ordered = w.rowOrder(p)
	}
	if marked {
		d.Watermark = &movedMark{w.watermark(p.clock.source.Watermark, p.clock.typ), p.clock.upTo,
			sqlText(p.clock.typ)}
	}
}

// columnText is a column, an expression or a variable with its type.
type columnText struct{ Name, Type sqlText }

func (c columnText) name() sqlText { return c.Name }

// batchMethod returns how a batch takes its rows, in words.
func (w *policyCompiler) batchMethod() string {
	switch {
	case w.policy.Partitions:
		return "partitions are locked against writes, rechecked, then taken"
	case !w.inRange:
		return "row by row: rows are locked, rechecked, then taken"
	case w.locksFirst:
		return "rows are locked, then one statement rechecks and takes them"
	}
	return "one statement per batch; row by row if rows are locked, refused or held"
}

// takesInOneStatement reports whether one statement can check and take all rows of a batch. The
// statement may read columns of the row, and other tables in guards. It may delete or update
// nothing but the rows. A guard must not read the policy's own table, a relation that is not a
// table, or a function that may read tables.
//
// locksFirst is true if guards read tables. The batch then locks its rows before the statement, so
// that the statement sees what was committed until then.
func (w *policyCompiler) takesInOneStatement() (inRange, locksFirst bool) {
	p := w.scans[0]
	if w.policy.Partitions || len(w.scans) != 1 || len(w.joins) > 0 || !w.whereOwn || !w.oneStatement() || p.byKey ||
		p.beyond != nil && (p.clock != nil || !w.byThreshold(p.beyond)) ||
		p.clock != nil && (p.clock.mark != "" || !p.clock.own || !p.clock.tiersOwn) {
		return false, false
	}
	for i, g := range w.guards {
		if g.Rank != nil || !harmlessOnly(w.policy.Keep[i].Condition.Parsed()) {
			return false, false
		}
		for _, ref := range w.policy.Keep[i].Condition.Parsed().Tables {
			table := w.lookUp(ref)
			if table == nil || !storesRows(table) || w.tables.Root(tableName(table)) == tableName(w.table) {
				return false, false
			}
			locksFirst = true
		}
	}
	return true, locksFirst
}

// oneStatement reports whether all steps fit into the statement that checks the rows. It allows an
// update or a delete of the batch's own rows. Beside a delete it allows inserts from these rows,
// each into a table of its own.
func (w *policyCompiler) oneStatement() bool {
	changes := 0
	written := []string{tableName(w.table)}
	for _, s := range w.steps {
		foreign := func(a policy.Assignment) bool { return !w.readsOwnColumns(a.Value) }
		others := func(e *pgparse.Expr) bool { return !readsOnly(e, "t", "run") }
		updates := s.Update != nil && len(w.steps) == 1 && len(s.Update.Undo) == 0 &&
			!slices.ContainsFunc(s.Update.Set, foreign)
		switch {
		case s.Related != nil:
			return false
		case s.Where == nil && (s.Delete != nil || updates):
			changes++
		case !s.copies || s.Insert != nil && s.Insert.As != "" || anyReads(s.expressions, others) ||
			slices.Contains(written, s.target):
			return false
		default:
			written = append(written, s.target)
		}
	}
	return changes == 1
}

// rowOrder returns the order of the rows of a batch. Mostly it is the order of the cursor. With
// "nulls: due", keys that encode no instant are due. Then rows are ordered by the instant, which is
// NULL for such keys, and by primary key. Under a watermark, rows of equal positions are in the
// order of their keys.
func (w *policyCompiler) rowOrder(p pass) []sqlText {
	if p.clock != nil && p.clock.mark != "" {
		return lists.Map(w.keyed(p, w.cursor(p)), columnText.name)
	}
	if p.clock == nil || p.clock.key == "" || !p.clock.source.NullsDue || !p.byClock() {
		return lists.Map(w.cursor(p), columnText.name)
	}
	instant := fragment("case", []tier{{p.clock.key, p.clock.expr}})
	p.nulls = true
	return append([]sqlText{instant}, lists.Map(w.cursor(p), columnText.name)...)
}
