package generator

import (
	"maps"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// policyCompiler compiles one policy to its objects. The binder says what expressions mean, and the
// compiled parts are shared: a copy with another binder is another scope of the same policy.
type policyCompiler struct {
	binder
	*compiled
}

// compiled contains the parts of a policy that are compiled so far.
type compiled struct {
	conditions
	effects
	dependencies
	grants

	steps []step
}

// with returns a scope in which expressions get other inputs.
func (w *policyCompiler) with(in inputs) *policyCompiler {
	inner := *w
	inner.inputs = in
	return &inner
}

// conditions are the compiled rules of a policy. They say which rows the policy has, which of these
// rows are due, and which are kept.
type conditions struct {
	where     sqlText // "where" of the policy; "" for all rows
	whereOwn  bool    // "where" reads only columns of the row
	predicate sqlText // "where" without an alias, as an index predicate; "" if it cannot be one
	joins     []join
	columns   []namedValue // windows that are computed once per row, for the FROM clause
	guards    []guard
	clocks    []*clock  // one per entry of "due"; nil if the entry has no clock
	ranks     []*ranked // ranks of guards and of "due"
	scans     []pass
	inRange   bool // one statement checks and takes the rows of a batch
	// locksFirst is true if guards read tables, so a batch locks its rows before this statement
	locksFirst bool
}

// dependencies are the tables and names on which the script of a policy depends.
type dependencies struct {
	wholes []string // tables whose rows a step copies column by column
	keys   []string // tables in which a step finds rows by the primary key
	// rankedBy are the columns by which ranks group and order rows. The SQL relies on their NOT
	// NULL constraints.
	rankedBy []string
	types    map[string]string // types that a server gave the expressions, by Question.Key
	named    map[string]bool   // names that may mean a column, in the policy's own SQL
	star     bool              // the policy's own SQL contains a star
	schemas  []string          // schemas besides the search path that the expressions name
}

type join struct {
	Name      ident
	Lateral   bool
	Source    sqlText // the table, or the query in parentheses
	Condition sqlText // join condition; "" if there is none
}

// guard is one compiled guard of "keep": a condition or a rank.
type guard struct {
	Name      literal
	Condition sqlText
	NeverNull bool
	Rank      *ranked
}

// Unknown returns the name under which the guard keeps a row if the condition is NULL.
func (g guard) Unknown() literal { return g.Name + "?" }

func (c *compiler) newPolicyCompiler(p *policy.Policy, table *catalog.Table, in inputs) *policyCompiler {
	w := &policyCompiler{compiled: &compiled{dependencies: dependencies{named: map[string]bool{},
		types: map[string]string{}}}}
	w.binder = binder{compiler: c, policy: p, table: table, inputs: in, aliases: map[string]*catalog.Table{},
		partitioned: c.partitionedOf(p), runtime: c.schema()}
	if w.partitioned != nil {
		w.content = fragment("partition content", w.partitioned.texts())
	}
	w.compileSteps()
	w.compileWhere()
	for _, j := range p.Joins {
		if j.Table != nil {
			w.addAlias(j.Name, w.relation(*j.Table))
		}
		w.joins = append(w.joins, w.joinOf(j))
	}
	w.compileGuards()
	w.compileDue()
	w.inRange, w.locksFirst = w.takesInOneStatement()
	return w
}

func (w *policyCompiler) compileWhere() {
	e := w.policy.Where
	if w.whereOwn = e == nil; w.whereOwn {
		return
	}
	parsed := e.Parsed()
	w.where, w.whereOwn = w.optional(e), ownColumnsOnly(parsed)
	if parsed.Simple && w.whereOwn && len(parsed.Columns) > 0 && !slices.ContainsFunc(parsed.Columns, isAsOf) &&
		w.indexable(parsed) && !w.dependsOnZone(parsed) {
		columns := w.columnEdits(parsed, func(ref pgparse.ColumnRef) (sqlText, bool) {
			return sqlText(quote.Ident(ref.Fields[len(ref.Fields)-1])), len(ref.Fields) == 2 && ref.Fields[0] == "t"
		})
		w.predicate = enclosed(w.spliced(*e, policy.IsExpression, columns))
	}
}

func (w *policyCompiler) joinOf(j policy.Join) join {
	compiled := join{Name: ident(j.Name), Lateral: j.Table == nil && !j.OncePerRun()}
	if j.Table != nil {
		compiled.Source = quotedTable(*j.Table)
	} else if compiled.Source = enclosed(w.bindQuery(*j.Query, compiled.Lateral)); j.OncePerRun() && w.ofRun {
		compiled.Source = fragment("stored rows", namedValue{w.storedTable(j), compiled.Source})
	}
	if j.Where != nil {
		compiled.Condition = w.bind(*j.Where)
	}
	return compiled
}

// storedTable returns the table that stores the rows of a join during a run.
func (w *policyCompiler) storedTable(j policy.Join) sqlText {
	return sqlText(quote.Qualified(w.schema(), w.storedTableName(j)))
}

// asScalars compiles joins for use as sub-selects. Each join may read the joins before it.
func (w *policyCompiler) asScalars(joins []policy.Join, before []join) []join {
	inner := *w
	inner.scalars = slices.Clone(before)
	for _, j := range joins {
		inner.scalars = append(inner.scalars, inner.joinOf(j))
	}
	return inner.scalars
}

// addAlias adds an alias for a table, so that expressions can name its columns. Other copies of the
// binder do not get the alias.
func (b *binder) addAlias(name string, table *catalog.Table) {
	b.aliases = maps.Clone(b.aliases)
	b.aliases[name] = table
}

// compileGuards compiles the guards in their order, because a rank may read the guards before it.
func (w *policyCompiler) compileGuards() {
	w.verdict = w.guardVerdict
	for _, g := range w.policy.Keep {
		compiled := guard{Name: literal(g.Name), NeverNull: true}
		if g.Rank != nil {
			compiled.Rank = w.rankOf(g.Rank, sqlText("places_"+g.Name))
		} else {
			compiled.Condition, compiled.NeverNull = enclosed(w.bind(*g.Condition)), g.Condition.Parsed().NeverNull
		}
		w.guards = append(w.guards, compiled)
	}
}

// heldRows is the data of the template "held".
type heldRows struct {
	Schema sqlText
	Policy literal
	AsOf   sqlText
}

// guardVerdict returns the SQL of keep.<name> in a rank: whether the guard keeps the row.
func (w *policyCompiler) guardVerdict(name string) sqlText {
	if name == "hold" {
		return fragment("held", heldRows{sqlText(w.schema()), literal(w.policy.Name), w.asOf})
	}
	i := slices.IndexFunc(w.policy.Keep, func(g policy.Guard) bool { return g.Name == name })
	if rank := w.guards[i].Rank; rank != nil {
		return fragment("ranked within", rank)
	}
	return fragment("not false", w.bind(*w.policy.Keep[i].Condition))
}

func (w *policyCompiler) clockColumns(k *clock) []string {
	if k.source.Expression == nil {
		return []string{k.column}
	}
	return w.columnsRead(k.source.Expression.Parsed(), "")
}

// columnsRead returns the columns of t that an expression may read. They include unqualified names
// in a sub-select. Such a name means a column of t if no table of the sub-select has that column.
func (w *policyCompiler) columnsRead(e *pgparse.Expr, alias string) []string {
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

// dueOf returns the conditions under which a row is due in one of passes, without guards and holds.
// They include "where" and, in a run, the scope of the job.
func (w *policyCompiler) dueOf(passes ...pass) []sqlText {
	var due []sqlText
	if w.where != "" {
		due = append(due, w.where)
	}
	if len(passes) == 1 {
		for _, condition := range w.entryOf(passes[0]) {
			due = lists.AppendUnique(due, condition)
		}
	} else {
		due = append(due, either(lists.Map(passes, func(p pass) sqlText {
			entry := w.entryOf(p)
			if !w.policy.Partitions {
				entry = append(append(entry, w.otherPasses(p)...), fragment("of pass", p.number))
			}
			return every(entry)
		})))
	}
	for _, name := range w.policy.Scope {
		if column := w.knownColumn(w.table, name.Text, name.Position); column != nil && w.ofRun {
			w.checkOperators(column, name.Position)
			due = append(due, fragment("in scope", typedColumn{ident(name.Text), sqlText(castType(column.Plain()))}))
		}
	}
	if len(due) == 0 {
		due = append(due, "true")
	}
	return due
}

// typedColumn is a column with its type.
type typedColumn struct {
	Column ident
	Type   sqlText
}

// otherPasses returns conditions that exclude rows of other passes, so a run reads each row in one
// pass only. A pass with a rank excludes rows that are due by a clock alone, because that check is
// cheaper. If a row is due in several of the other passes, the first of them takes the row.
func (w *policyCompiler) otherPasses(p pass) []sqlText {
	var conditions []sqlText
	for _, other := range w.scans {
		// two passes of one entry differ only in whether the clock is NULL
		sameEntry := other.clock == p.clock && other.beyond == p.beyond
		if other.beyond == nil && !sameEntry && (p.beyond != nil || other.number < p.number) {
			conditions = append(conditions, fragment("is not true", every(w.entryOf(other))))
		}
	}
	return conditions
}

// entryOf returns the conditions of the entry of "due" to which a pass belongs.
func (w *policyCompiler) entryOf(p pass) []sqlText {
	var due []sqlText
	if p.clock != nil && p.nulls {
		due = p.clock.withoutInstant()
	} else if p.clock != nil {
		due = p.clock.exact()
	}
	if p.beyond != nil {
		due = append(slices.Concat(due, p.beyond.Rows), fragment("not among places", p.beyond))
	}
	return due
}

// rows returns the function <policy>_rows. It returns all rows of the policy and what keeps each of
// them, in one statement.
func (w *policyCompiler) rows() draft {
	if w.policy.Partitions {
		return w.forOperatorsAndViewers(w.partitionRows())
	}
	row := sqlText("t")
	if w.table.Column("t") != nil { // a column name hides the name of the row
		row = "t.*::" + qualified(w.table)
	}
	// If only one step takes the rows, passed is the condition of that step. It is "" if the step
	// takes all rows, or if only a batch can evaluate the condition.
	passed := sqlText("")
	own := slices.DeleteFunc(slices.Clone(w.steps), func(s step) bool {
		return s.Related != nil || s.Delete == nil && (s.Update == nil || w.ownDelete != nil)
	})
	if len(own) == 1 && len(own[0].headers) == 0 {
		passed = w.optional(own[0].Where)
	}
	declared := function{suffix: "rows", parameters: w.batchRange("batch"), returns: "SETOF record", language: "sql",
		clauses: []string{"STABLE"}}
	return w.forOperatorsAndViewers(w.function(declared, "rows", &rowsData{
		fromClause: fromClause{qualified(w.table), w.joins, w.columns},
		Row:        row,
		Places:     w.ranks,
		Due:        w.dueOf(w.scans...),
		Guards:     w.guards,
		Passed:     passed,
	}))
}

// rowsData is the data of the template "rows".
type rowsData struct {
	functionHead
	fromClause
	Row    sqlText // the row as a value
	Places []*ranked
	Due    []sqlText
	Guards []guard
	Passed sqlText // condition of the only step; "" if it takes all rows
}

// Plain reports whether nothing keeps a row.
func (d rowsData) Plain() bool { return len(d.Guards) == 0 && d.Passed == "" }

// fromClause is a FROM clause with rows as t, and with their joins.
type fromClause struct {
	Table   sqlText
	Joins   []join
	Columns []namedValue
}

// withJoins returns the FROM clause with the policy's table and its joins, for facts of the
// registry and for effects of steps. It returns "" if no clock, step or "where" reads a join,
// because then the table alone is enough. A join has at most one row per row of the table.
func (w *policyCompiler) withJoins() sqlText {
	list := (&policy.Policy{Where: w.policy.Where}).Fragments()
	for _, s := range w.steps {
		list = append(list, s.expressions...)
	}
	ofJoin := func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) == 0 || slices.ContainsFunc(w.joins,
			func(j join) bool { return string(j.Name) == ref.Fields[0] })
	}
	reads := w.policy.Partitions || slices.ContainsFunc(w.clocks, func(k *clock) bool { return k != nil && !k.own }) ||
		anyReads(list, func(e *pgparse.Expr) bool { return slices.ContainsFunc(e.Columns, ofJoin) })
	if len(w.joins)+len(w.columns) == 0 || !reads {
		return ""
	}
	return fragment("from", fromClause{qualified(w.table), w.joins, w.columns})
}
