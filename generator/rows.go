package generator

import (
	"fmt"
	"maps"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// pageWriter compiles one policy to its page.
type pageWriter struct {
	binder
	inputs
	conditions
	effects
	reliances

	steps    []step
	report   bool // the page is of a report, which has no rows
	numbered bool // a step needs the order of the batch's rows
}

// inputs is where a function has what a run gives it.
type inputs struct {
	stored    bool    // joins read once per run come from what the run stored, and so does up_to
	now       sqlText // what as_of is called
	olderThan sqlText // a window set at run time
	scope     sqlText // what narrows the policy, "" for nothing
}

var (
	// sliceInputs are those of <policy>_rows and <policy>_take, whose only argument is a slice. It is named by its number,
	// which no column of the policy's tables can stand before.
	sliceInputs = inputs{stored: true, now: "($1).as_of", olderThan: "($1).older_than", scope: "($1).scope"}
	// applicationInputs are those of functions for applications, which have variables.
	applicationInputs = inputs{now: "v_as_of", olderThan: "NULL"}
	// checkInputs are those of a statement that is planned and not run.
	checkInputs  = inputs{now: "now()", olderThan: "NULL"}
	reportInputs = inputs{now: "p_as_of"}
)

// conditions say which rows a policy is about, which of them are due, and what keeps them.
type conditions struct {
	where       sqlText // "" for all rows
	whereOwn    bool    // it reads the row's own columns only
	predicate   sqlText // "where" without an alias, as an index predicate; "" where it can be none
	joins       []join
	scalarJoins []scalarJoin
	columns     []namedValue // windows that joins give, for the FROM clause
	guards      []guard
	clocks      []*clock // by entry of due, nil where an entry has none
	beyonds     []*ranked
	ranks       []*ranked // of guards and of due
	passes      []pass
	inRange     bool        // a batch is one statement
	locks       []tableLock // that way RANGE takes
}

// reliances are what a page takes for granted.
type reliances struct {
	wholes  []string        // tables whose rows a step copies by their columns
	keys    []string        // tables whose rows a step finds again by their key
	named   map[string]bool // names that may mean a column, in the policy's own SQL
	star    bool            // there is a star among them
	schemas []string        // where its expressions look names up, besides the search path
}

// join is one left join.
type join struct {
	Lateral   bool
	Source    sqlText
	Name      ident
	Condition sqlText
}

// guard is one guard of "keep". Exactly one of a condition and a rank is behind it.
type guard struct {
	name      string
	cond      sqlText
	neverNull bool
	rank      *ranked
}

func (c *compiler) writer(p *policy.Policy, table *catalog.Table, in inputs) *pageWriter {
	w := &pageWriter{inputs: in, reliances: reliances{named: map[string]bool{}}}
	w.binder = binder{compiler: c, policy: p, table: table, asOf: in.now, partitioned: c.partitionedOf(p), qualify: true}
	w.content = w.partitioned.content()
	w.compileSteps()
	w.compileWhere()
	w.compileJoins()
	w.scalarJoins = w.asScalars(p.Joins, nil)
	w.compileGuards()
	w.compileDue()
	w.compilePasses()
	w.locks, w.inRange = w.compileLocks()
	return w
}

func (w *pageWriter) compileWhere() {
	e := w.policy.Where
	if w.whereOwn = e == nil; w.whereOwn {
		return
	}
	parsed := w.parse(*e)
	w.where, w.whereOwn = enclosed(w.bind(*e)), ownColumnsOnly(parsed)
	if parsed.Simple && w.whereOwn && len(parsed.Columns) > 0 && !slices.ContainsFunc(parsed.Columns, isAsOf) && w.indexable(parsed) && !w.zoned(parsed) {
		w.predicate = enclosed(spliced(*e, w.columnEdits(parsed, func(ref pgparse.ColumnRef) (sqlText, bool) {
			return sqlText(quote.Ident(ref.Fields[len(ref.Fields)-1])), len(ref.Fields) == 2 && ref.Fields[0] == "t"
		})))
	}
}

func (w *pageWriter) compileJoins() {
	for _, j := range w.policy.Joins {
		compiled := join{Name: ident(j.Name), Condition: "true", Lateral: j.Table == nil && !j.OncePerRun()}
		if j.Table != nil {
			w.binder.aliases = withAlias(w.binder.aliases, j.Name, w.relation(*j.Table))
		}
		compiled.Source = w.joinSource(j)
		if j.Where != nil {
			compiled.Condition = enclosed(w.bind(*j.Where))
		}
		w.joins = append(w.joins, compiled)
	}
}

// joinSource is what a join reads.
func (w *pageWriter) joinSource(j policy.Join) sqlText {
	if j.Table != nil {
		return quotedTable(*j.Table)
	}
	query := enclosed(w.bindQuery(*j.Query, !j.OncePerRun()))
	if j.OncePerRun() && w.stored {
		return fragment("stored rows", fields{"Table": w.storedTable(j), "Query": query})
	}
	return query
}

// storedTable is the table that holds a join's rows during a run.
func (w *pageWriter) storedTable(j policy.Join) sqlText {
	return sqlText(quote.Qualified(w.schema(), w.storedName(j)))
}

// asScalars makes sub-selects of joins; each may read those before it.
func (w *pageWriter) asScalars(joins []policy.Join, before []scalarJoin) []scalarJoin {
	defer w.restored()()
	list := slices.Clone(before)
	for _, j := range joins {
		w.binder.scalars = list
		s := scalarJoin{name: j.Name, source: w.joinSource(j)}
		if j.Where != nil { // it names the join that it belongs to
			w.binder.scalars = slices.DeleteFunc(slices.Clone(list), func(s scalarJoin) bool { return s.name == j.Name })
			s.where = w.bind(*j.Where)
		}
		list = append(list, s)
	}
	return list
}

// withAlias is a copy of aliases in which name is a table.
func withAlias(aliases map[string]*catalog.Table, name string, table *catalog.Table) map[string]*catalog.Table {
	copied := map[string]*catalog.Table{}
	maps.Copy(copied, aliases)
	copied[name] = table
	return copied
}

// compileGuards compiles them in their order: ranks may read those before.
func (w *pageWriter) compileGuards() {
	w.binder.verdict = w.guardVerdict
	for _, g := range w.policy.Keep {
		compiled := guard{name: g.Name}
		if g.Rank != nil {
			compiled.rank = w.rankOf(g.Rank, sqlText("places_"+g.Name))
		} else {
			compiled.cond, compiled.neverNull = enclosed(w.bind(*g.Condition)), w.parse(*g.Condition).NeverNull
		}
		w.guards = append(w.guards, compiled)
	}
}

// guardVerdict is what keep.<name> means in a rank: whether the guard keeps the row.
func (w *pageWriter) guardVerdict(name string) sqlText {
	if name == "hold" {
		return fragment("held", fields{"Schema": sqlText(w.schema()), "Policy": literal(w.policy.Name), "AsOf": w.asOf})
	}
	i := slices.IndexFunc(w.guards, func(g guard) bool { return g.name == name })
	if rank := w.guards[i].rank; rank != nil {
		return fragment("ranked within", rank)
	}
	return fragment("not false", w.bindInRank(*w.policy.Keep[i].Condition))
}

func (w *pageWriter) compileDue() {
	for i, entry := range w.policy.DueEntries() {
		var k *clock
		var r *ranked
		if entry.Clock != nil {
			k = w.clockOf(entry.Clock, i+1)
		}
		if entry.Beyond != nil {
			r = w.rankOf(entry.Beyond, sqlText(fmt.Sprintf("places_beyond_%d", i+1)))
		}
		w.clocks, w.beyonds = append(w.clocks, k), append(w.beyonds, r)
	}
}

// clockColumns are the columns that a clock reads.
func (w *pageWriter) clockColumns(k *clock) []string {
	if k.source.Expression == nil {
		return []string{k.column}
	}
	return w.columnsRead(w.parse(*k.source.Expression), "")
}

// columnsRead lists the columns of t that an expression may read: a bare name inside a sub-select
// counts too, since it means t's column where the sub-select has none of that name.
func (w *pageWriter) columnsRead(e *pgparse.Expr, alias string) []string {
	var names []string
	if w.content != "" && slices.ContainsFunc(e.Tables, isPartition) {
		names = []string{"lower", "upper", "value"}
	}
	for _, ref := range e.Columns {
		switch {
		case len(ref.Fields) == 1 && ref.Fields[0] == "t":
			names = append(names, columnNames(w.table)...)
		case len(ref.Fields) == 2 && ref.Fields[0] == "t":
			names = append(names, ref.Fields[1])
		case len(ref.Fields) == 1 && ref.Fields[0] != alias:
			names = append(names, ref.Fields[0])
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return w.table.Column(name) == nil })
}

// dueOf is the whole condition of a pass, guards and holds left out.
func (w *pageWriter) dueOf(p pass) []sqlText { return w.around(w.entryOf(p)) }

// around is what all rows of the policy meet, around what a pass asks.
func (w *pageWriter) around(entry []sqlText) []sqlText {
	var due []sqlText
	if w.where != "" {
		due = append(due, w.where)
	}
	due = slices.Concat(due, entry, w.scopeConditions())
	if len(due) == 0 {
		due = append(due, "true")
	}
	return due
}

// scopeConditions hold for the rows that a run with a scope may take.
func (w *pageWriter) scopeConditions() []sqlText {
	var list []sqlText
	for _, name := range w.policy.Scope {
		if w.scope == "" {
			continue
		}
		if column := w.knownColumn(w.table, name.Text, name.Position); column != nil {
			w.needOperators(column, name.Position)
			list = append(list, fragment("in scope", fields{"Scope": w.scope, "Type": sqlText(castType(column.Plain())), "Column": ident(name.Text)}))
		}
	}
	return list
}

// entryOf is what a pass asks of a row.
func (w *pageWriter) entryOf(p pass) []sqlText {
	var due []sqlText
	switch {
	case p.clock != nil && p.nulls:
		due = append(due, p.clock.none()...)
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
func (w *pageWriter) rowsDue() []sqlText {
	if len(w.passes) == 1 {
		return w.dueOf(w.passes[0])
	}
	return w.around([]sqlText{either(each(w.passes, func(p pass) sqlText { return every(append(w.entryOf(p), fragment("of pass", p.number))) }))})
}

// keptBy is what a guard says of a row.
type keptBy struct {
	Kept    sqlText
	Name    literal
	Unknown literal // the name with "?", where the guard may be NULL
}

// rows is <policy>_rows: which rows there are, and what keeps each of them, in one statement for all.
func (w *pageWriter) rows() Object {
	guards := each(w.guards, func(g guard) keptBy {
		if g.rank != nil {
			return keptBy{Kept: fragment("among places", g.rank), Name: literal(g.name)}
		}
		kept := keptBy{Kept: g.cond, Name: literal(g.name)}
		if !g.neverNull {
			kept.Unknown = literal(g.name + "?")
		}
		return kept
	})
	row := sqlText("t")
	if w.table.Column("t") != nil { // a column comes before the row
		row = "t.*::" + qualified(w.table)
	}
	// The condition under which the own step takes a row, "" when it takes them all, or only a step can tell.
	passed := sqlText("")
	if own := w.ownStep(); own != nil && own.Where != nil && len(own.headers) == 0 {
		passed = enclosed(w.bind(*own.Where))
	}
	return w.forPeople(w.function("rows", w.slice(), "rows", fields{"Row": row, "Joins": w.joins, "Columns": w.columns,
		"Places": w.ranks, "Due": w.rowsDue(), "Guards": guards, "Passed": passed, "Plain": len(guards) == 0 && passed == ""}))
}

// ownStep is the only step that takes the batch's own rows; nil when there are several or none.
func (w *pageWriter) ownStep() *step {
	own := slices.DeleteFunc(slices.Clone(w.steps), func(s step) bool {
		return s.Related != nil || s.Delete == nil && (s.Update == nil || w.ownDelete != nil)
	})
	if len(own) != 1 {
		return nil
	}
	return &own[0]
}

// readsJoins says whether "where", a clock or a step may read a join.
func (w *pageWriter) readsJoins() bool {
	list := (&policy.Policy{Where: w.policy.Where}).Parts()
	for _, s := range w.steps {
		list = append(list, s.reads...)
	}
	mayRead := func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) == 0 || slices.ContainsFunc(w.policy.Joins, func(j policy.Join) bool { return j.Name == ref.Fields[0] })
	}
	return slices.ContainsFunc(w.clocks, func(k *clock) bool { return k != nil && !k.own }) ||
		anyReads(list, func(e *pgparse.Expr) bool { return slices.ContainsFunc(e.Columns, mayRead) })
}

// fromRows is the policy's table with what it joins, as the runtime reads it for facts and steps; "" where these read the
// table alone: a join has one row at most for a row of it.
func (w *pageWriter) fromRows() string {
	if len(w.joins)+len(w.columns) == 0 || !w.policy.Partitions && !w.readsJoins() {
		return ""
	}
	return plainText(fragment("from", fields{"Table": qualified(w.table), "Joins": w.joins, "Columns": w.columns}))
}
