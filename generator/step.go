package generator

import (
	"cmp"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// step is one compiled step of a policy.
type step struct {
	policy.Step
	number int // number of the step, from 1
	verb   policy.Verb
	target string // the table that the step writes
	// the step copies rows of the batch, or related rows, into another table
	copies  bool
	render  func(*policyCompiler, step) sqlText // renders the SQL of the step in a batch
	from    *catalog.Table                      // the table whose rows the step reads or changes
	into    *catalog.Table                      // target of an insert or an archive
	as      ident                               // alias of the rows of from
	headers []step                              // earlier steps that insert header rows which this step reads
	// expressions of the step, and values that join header rows to the batch
	expressions []policy.SQLFragment
	untouched   bool // no earlier step can have written rows of the policy's table
	// number of the step that locks the related rows first; 0 if no step does
	locked int
}

// compileSteps compiles the steps of the policy and their effects.
func (w *policyCompiler) compileSteps() {
	untouched := !w.policy.Partitions // rows of a policy on partitions are not rows of a table
	for i, s := range w.policy.Then {
		c := w.stepOf(s)
		c.number, c.untouched = i+1, untouched
		for _, h := range w.steps {
			if h.Insert != nil && h.Insert.As != "" && mentions(expressionsOf(s), h.Insert.As) {
				c.headers, c.expressions = append(c.headers, h), append(c.expressions, values(h.Insert.Per)...)
			}
		}
		w.steps = append(w.steps, c)
		untouched = untouched && !w.mayWrite(c)
	}
	w.effects = w.findEffects()
	for i := range w.steps {
		w.steps[i].locked = w.lockedBy(w.steps[i])
	}
}

// stepOf compiles a step by its kind. A new kind needs a template, a case here, and a file that
// renders it.
func (w *policyCompiler) stepOf(of policy.Step) step {
	s := step{Step: of, from: w.table, as: "t", target: tableName(w.table), expressions: expressionsOf(of)}
	if of.Related != nil {
		find := w.relation
		if of.Delete != nil || of.Update != nil {
			find = w.tableWithRows
		}
		s.from, s.as = existing(find, of.Related.Table), ident(of.Related.As)
	}
	alone := policy.Policy{Table: w.policy.Table, Then: []policy.Step{of}}
	if effects := alone.Effects(1); len(effects) > 0 {
		s.target = effects[0].Table.String()
	}
	switch {
	case of.Delete != nil:
		s.verb, s.render = policy.VerbDelete, (*policyCompiler).deleteRows
	case of.Update != nil:
		s.verb, s.render = policy.VerbUpdate, (*policyCompiler).updateRows
	case of.Insert != nil:
		s.verb, s.render, s.copies = policy.VerbInsert, (*policyCompiler).insert, true
		s.into = existing(w.relation, of.Insert.Into)
	case of.Emit != nil:
		s.verb, s.render, s.copies, s.target = policy.VerbInsert, (*policyCompiler).emit, true, w.schema()+".event"
	case of.Archive != nil:
		s.verb, s.render, s.copies, s.into = "archive", (*policyCompiler).archive, true, w.archiveTable(s)
	case of.SQL != nil:
		s.verb, s.render = policy.VerbSQL, (*policyCompiler).statement
	case of.DropTable != nil:
		s.verb, s.render = policy.VerbDropTable, (*policyCompiler).dropTable
	case of.Detach != nil:
		s.verb, s.render = policy.VerbDetach, (*policyCompiler).removePartition
	case of.Drop != nil:
		s.verb, s.render = policy.VerbDrop, (*policyCompiler).removePartition
	}
	return s
}

// mayWrite reports whether a step may write rows of the policy's own table, directly or by a
// trigger of the application. The snapshot contains only triggers on DELETE. Other triggers are
// known only if the policy names them under "triggers".
func (w *policyCompiler) mayWrite(s step) bool {
	ofOther := func(n policy.Name) bool {
		return !slices.ContainsFunc(w.table.Triggers, func(t catalog.Trigger) bool { return t.Name == n.Text })
	}
	if s.SQL != nil || s.DropTable != nil || s.Emit == nil && slices.ContainsFunc(w.policy.Triggers, ofOther) {
		return true
	}
	var changed []string
	if s.Delete != nil {
		changed = append(tableNames(s.Delete.Cascades), s.target)
	} else if s.Update != nil {
		changed = []string{s.target}
	}
	hasTrigger := func(name string) bool { return w.tables[name] != nil && len(w.tables[name].Triggers) > 0 }
	return slices.Contains(changed, tableName(w.table)) || s.Delete != nil &&
		slices.ContainsFunc(changed, func(name string) bool {
			return slices.ContainsFunc(w.tables.Descendants(name), hasTrigger)
		})
}

func (w *policyCompiler) rendered(s step) sqlText {
	inner := w.inStep(s)
	if readBatch(s.expressions) {
		inner.batch = fragment("batch in parentheses", w.rowsOf(s, false))
	}
	return s.render(inner, s)
}

// inStep returns the scope of a step. In it, expressions may also use the aliases of header rows
// and of related rows.
func (w *policyCompiler) inStep(s step) *policyCompiler {
	inner := *w
	for _, h := range s.headers {
		inner.addAlias(h.Insert.As, h.into)
	}
	if s.Related != nil {
		inner.addAlias(s.Related.As, s.from)
		inner.scalars = inner.asScalars(s.Related.Joins, inner.scalars)
	}
	return &inner
}

// existing returns the table that the function "find" finds. If "find" refuses the table, existing
// returns a table without columns, and the compiled result is discarded later.
func existing(find func(policy.Table) *catalog.Table, t policy.Table) *catalog.Table {
	return cmp.Or(find(t), &catalog.Table{Schema: t.Schema, Name: t.Name})
}

// tableWithRows returns a table that stores its rows itself. For any other relation, it reports an
// error and returns nil.
func (c *compiler) tableWithRows(t policy.Table) *catalog.Table {
	table := c.relation(t)
	if table != nil && !storesRows(table) {
		c.fail(messages.StoresNoRows(t.String(), table.Kind), t.Position)
		return nil
	}
	return table
}

// storesRows reports whether the rows of a table have a ctid by which they can be locked.
func storesRows(table *catalog.Table) bool {
	return table.Kind == "table" || table.Kind == "partitioned"
}

func expressionsOf(s policy.Step) []policy.SQLFragment {
	return (&policy.Policy{Then: []policy.Step{s}}).Fragments()
}

// anyReads reports whether the function "found" returns true for any of the expressions.
func anyReads(list []policy.SQLFragment, found func(*pgparse.Expr) bool) bool {
	return slices.ContainsFunc(list, func(part policy.SQLFragment) bool { return found(part.Expr.Parsed()) })
}

// readBatch reports whether any expression reads the relation "batch".
func readBatch(list []policy.SQLFragment) bool {
	return anyReads(list, func(parsed *pgparse.Expr) bool { return namesBatch(parsed.Tables) })
}

// mentions reports whether any expression reads a column of a relation with one of these names.
func mentions(list []policy.SQLFragment, names ...string) bool {
	return anyReads(list, func(parsed *pgparse.Expr) bool {
		return slices.ContainsFunc(parsed.Columns, func(ref pgparse.ColumnRef) bool {
			return len(ref.Fields) > 1 && slices.Contains(names, ref.Fields[0]) &&
				!(ref.Depth > 0 && inFrom(parsed.Tables, ref.Fields[0]))
		})
	})
}

func (s step) headerNames() []string {
	return lists.Map(s.headers, func(h step) string { return h.Insert.As })
}

// readsBatch reports whether values of a step read rows of the batch, of joins or of headers.
func (w *policyCompiler) readsBatch(s step, list []policy.Assignment) bool {
	joins := lists.Map(w.policy.Joins, func(j policy.Join) string { return j.Name })
	return s.Related != nil && len(s.Related.Joins) > 0 ||
		mentions(values(list), slices.Concat(joins, s.headerNames(), []string{"t"})...) ||
		anyReads(values(list), func(parsed *pgparse.Expr) bool { return len(w.columnsRead(parsed, "")) > 0 })
}

// effects are the tables that the steps of a policy write.
type effects struct {
	deletes []string // tables from which steps delete
	related []string // tables whose related rows steps change, named as in holds
	reach   []string // tables of all "cascades", named as in holds
	// unguarded are the tables that the policy's own SQL statements update or delete from, and
	// archives whose rows are replaced. No guard can protect their rows, so a hold on such a table
	// stops the run.
	unguarded []string
	ownDelete *policy.Step // the step that deletes the rows of the batch; nil if there is none
	ownUpdate bool         // a step updates the rows of the batch
}

func (w *policyCompiler) findEffects() effects {
	e := effects{deletes: []string{}, related: []string{}, reach: []string{}, unguarded: []string{}}
	for _, d := range w.policy.Effects(len(w.steps)) {
		verb, root, step := d.Verb(), w.tables.Root(d.Table.String()), &w.policy.Then[d.Step]
		switch {
		case verb == policy.VerbCascade:
			e.reach = lists.AppendUnique(e.reach, root)
		case verb == policy.VerbSQL && (d.Access.Update || d.Access.Delete),
			verb == policy.VerbInsert && d.Access.Update && step.Archive != nil:
			e.unguarded = lists.AppendUnique(e.unguarded, root)
		case verb != policy.VerbDelete && verb != policy.VerbUpdate:
		case !d.Own:
			e.related = lists.AppendUnique(e.related, root)
		case verb == policy.VerbDelete:
			e.ownDelete = step
		default:
			e.ownUpdate = true
		}
		if verb == policy.VerbDelete {
			e.deletes = append(e.deletes, d.Table.String())
		}
	}
	return e
}

// lockedBy returns the number of the step that locks the related rows of s before s reads or
// changes them. Rows are locked if s changes them, or if s copies them and another step changes or
// deletes them. The locking step is s, or an earlier step that has copied the same rows. So the
// steps delete exactly the rows that were copied. lockedBy returns 0 if no step locks the rows.
func (w *policyCompiler) lockedBy(s step) int {
	if s.Related == nil || !storesRows(s.from) {
		return 0
	}
	name := tableName(s.from)
	own := name == tableName(w.table) && (w.ownDelete != nil || w.ownUpdate)
	if !own && !slices.Contains(slices.Concat(w.related, w.reach, w.unguarded), w.tables.Root(name)) {
		return 0
	}
	for _, before := range slices.Backward(w.steps[:s.number-1]) {
		if !before.copies {
			break // this step may have moved the rows
		}
		a, b := before.Related, s.Related
		if a != nil && a.Table.String() == b.Table.String() && a.As == b.As && a.Where.SQL == b.Where.SQL &&
			len(a.Joins)+len(b.Joins) == 0 {
			return before.locked
		}
	}
	return s.number
}

// inSeveralTables reports whether the rows of a table are stored in several tables. Then a ctid is
// not unique.
func inSeveralTables(table *catalog.Table) bool {
	return table.Kind == "partitioned" || len(table.Children) > 0
}

// stepRows are the rows of a step as templates read them: related rows, or rows of the batch.
type stepRows struct {
	Schema, Policy sqlText
	Number         int
	Name           literal // the table that the step changes
	Deletes        bool
	Table          sqlText
	As             ident
	Key            []ident // see rowKey
	Comment        sqlText // the table, for a comment
	Many           bool    // the rows are in several tables
	Rows           batchRows
	// Direct is true if the rows of the batch still have the ctid under which the batch locked
	// them. Otherwise the step finds the rows by their key.
	Direct  bool
	Where   []sqlText // conditions on the rows of the batch
	Passes  bool      // the step has a condition
	Related bool
	On      sqlText // condition that joins related rows to the batch
	Locks   bool    // the step locks its related rows
	Locked  int     // number of the step that locks them; 0 if none does
}

func (w *policyCompiler) stepRows(s step) stepRows {
	rows := w.rowsOf(s, w.numbersRows(s))
	d := stepRows{Schema: sqlText(w.schema()), Policy: sqlText(w.policy.Name), Number: s.number,
		Name: literal(s.target), Deletes: s.Delete != nil, Table: w.rowsFrom(), As: s.as,
		Key: identifiers(rowKey(s.from)), Comment: tableComment(s.from), Many: inSeveralTables(s.from), Rows: rows,
		Direct: rows.plain, Where: rows.Where, Passes: s.Where != nil, Related: s.Related != nil,
		Locks: s.locked == s.number, Locked: s.locked}
	if s.Related == nil && (s.Delete != nil || s.Update != nil) && !rows.plain {
		w.keys = append(w.keys, tableName(s.from))
	}
	if s.Where != nil {
		d.Where = append(slices.Clone(rows.Where), enclosed(w.bind(*s.Where)))
	}
	if s.Related != nil {
		d.Table, d.On = qualified(s.from), enclosed(w.bind(s.Related.Where))
	}
	return d
}

// rowsFrom returns the relation from which the rows of the batch are read.
func (w *policyCompiler) rowsFrom() sqlText {
	if w.policy.Partitions {
		return "part"
	}
	return qualified(w.table)
}
