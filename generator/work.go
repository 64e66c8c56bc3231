package generator

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// work is the compilation of one policy: its conditions as SQL on the alias t.
type work struct {
	binder
	*compiler
	form

	where       *filter // nil: all rows
	counted     sqlText // "where" for ranks, with joins as sub-selects
	scalarJoins []scalarJoin
	known       []reliance              // what steps rely on of tables
	named       map[string]bool         // names that may mean a column, in the policy's own SQL
	star        bool                    // there is a star among them
	expected    map[string]*expectation // what a report reads
	schemas     []string                // where its expressions look names up, besides the search path
	numbered    bool                    // a step needs the order of the batch's rows
	columns     []windowColumn          // windows that joins give, for the FROM clause
	clocks      []*clock                // by entry of due, nil where an entry has none
	beyonds     []*ranked
	joins       []join
	guards      []guard
}

// form is the function that a policy is compiled for.
type form struct {
	stored    bool    // in a run, joins read once per run come from what the run stored, and so does up_to
	now       sqlText // what as_of is called
	olderThan sqlText // a window set at run time
	scope     sqlText // what narrows the policy, "" for nothing
}

// applicationForm is that of functions for applications, which have variables.
func applicationForm() form { return form{now: "v_as_of", olderThan: "NULL"} }

// filter is one condition with what may be known of it.
type filter struct {
	sql    sqlText
	own    bool    // reads the row's own columns only
	simple bool    // may stand in an index predicate
	always bool    // reads no column: the same for all rows
	plain  sqlText // without an alias, for an index predicate
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
	name   string
	cond   sqlText
	scalar sqlText // the condition for ranks, with joins as sub-selects
	rank   *ranked
}

func (c *compiler) work(p *policy.Policy, table *catalog.Table, f form) *work {
	w := &work{compiler: c, form: f, named: map[string]bool{}}
	w.binder = binder{policy: p, table: table, diags: &c.diags, asOf: f.now, content: c.partitionContent(p), schema: c.schemaOf}
	w.where = w.filter(p.Where)
	w.compileJoins()
	w.scalarJoins = w.asScalars(p.Joins, nil)
	w.withScalars(func() {
		if p.Where != nil {
			w.counted = enclosed(w.bind(*p.Where))
		}
	})
	w.compileGuards()
	w.compileDue()
	return w
}

func (w *work) schema() string { return w.file.Install.Schema }

func (w *work) filter(e *policy.Expr) *filter {
	if e == nil {
		return nil
	}
	parsed, ok := w.parse(*e)
	if !ok {
		return nil
	}
	return &filter{
		sql:    enclosed(w.bind(*e)),
		own:    ownColumnsOnly(parsed.parsed),
		simple: parsed.parsed.Simple && !mentionsName(parsed.parsed, "as_of") && ownColumnsOnly(parsed.parsed) && w.indexable(parsed.parsed) && !w.zoned(parsed),
		always: len(parsed.parsed.Columns) == 0,
		plain:  enclosed(sqlText(w.unaliased(*e, parsed.parsed))),
	}
}

// unaliased is an expression without "t." before its columns, as an index predicate needs it.
func (w *work) unaliased(e policy.Expr, parsed *pgparse.Expr) string {
	var edits []pgparse.Edit
	for _, ref := range parsed.Columns {
		if len(ref.Fields) == 2 && ref.Fields[0] == "t" {
			edits = append(edits, pgparse.Edit{Offset: ref.Offset, Length: qualifiedLength(e.SQL[ref.Offset:]),
				Text: quote.Ident(ref.Fields[1])})
		}
	}
	return smooth(pgparse.Splice(flat(e.SQL), edits))
}

// mentionsName says whether an expression has a column reference of that single name.
func mentionsName(e *pgparse.Expr, name string) bool {
	return slices.ContainsFunc(e.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) == 1 && ref.Fields[0] == name
	})
}

func (w *work) compileJoins() {
	for _, j := range w.policy.Joins {
		compiled := join{Name: ident(j.Name), Condition: "true"}
		if j.Table != nil {
			w.binder.aliases = withAlias(w.binder.aliases, j.Name, w.relation(*j.Table))
		}
		compiled.Lateral = j.Table == nil && !j.OncePerRun()
		compiled.Source = w.joinSource(j)
		if j.Where != nil {
			compiled.Condition = enclosed(w.bind(*j.Where))
		}
		w.joins = append(w.joins, compiled)
	}
}

// bindQuery replaces as_of in a query; its other names are its own or t's.
func (w *work) bindQuery(e policy.Expr) sqlText {
	parsed, err := pgparse.Query(e.SQL)
	if err != nil {
		w.refuse(e.Position, codeExpression, err.Error(), "")
		return "SELECT"
	}
	w.onOneLine(e)
	edits := append(w.partitionEdits(e, parsed), w.schemaEdits(parsed)...)
	for _, ref := range parsed.Columns {
		if len(ref.Fields) == 1 && ref.Fields[0] == "as_of" {
			edits = append(edits, pgparse.Edit{Offset: ref.Offset, Length: nameLength(e.SQL[ref.Offset:]), Text: string(w.asOf)})
		} else if len(ref.Fields) == 2 && !ref.Star && !named(parsed.Tables, ref.Fields[0]) {
			if edit, ok := w.scalarEdit(e, ref); ok {
				edits = append(edits, edit)
			}
		}
	}
	return sqlText(smooth(pgparse.Splice(flat(e.SQL), edits)))
}

// compileGuards compiles conditions first, because ranks may read them.
func (w *work) compileGuards() {
	for _, g := range w.policy.Keep {
		compiled := guard{name: g.Name}
		if g.Condition != nil {
			compiled.cond = enclosed(w.bind(*g.Condition))
			w.withScalars(func() { compiled.scalar = enclosed(w.bind(*g.Condition)) })
		}
		w.guards = append(w.guards, compiled)
	}
	w.binder.verdict = w.guardVerdict
	for i, g := range w.policy.Keep {
		if g.Rank != nil {
			w.guards[i].rank = w.rankOf(g.Rank, placesName(g.Name))
		}
	}
}

func (w *work) compileDue() {
	if w.policy.Due == nil {
		return
	}
	for i, entry := range w.policy.Due.Entries {
		var k *clock
		var r *ranked
		if entry.Clock != nil {
			k = w.clockOf(entry.Clock, i+1)
		}
		if entry.Beyond != nil {
			r = w.rankOf(entry.Beyond, beyondName(i))
		}
		w.clocks = append(w.clocks, k)
		w.beyonds = append(w.beyonds, r)
	}
	w.binder.verdict = nil
}

func (w *work) refuse(at diag.Position, code, message, hint string) {
	w.compiler.refuse(at, code, message, hint)
}
