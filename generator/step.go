package generator

import (
	"cmp"
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// step is one effect of a policy, with what its kind and the steps before it say of it.
type step struct {
	policy.Step
	number    int                                 // from 1
	verb      string                              // in the registry
	target    string                              // the table that it writes
	copies    bool                                // it writes rows of the batch, or of related rows, into another table
	render    func(*policyCompiler, step) sqlText // its SQL in a batch
	from      *catalog.Table                      // whose rows it acts on
	into      *catalog.Table                      // of an insert or an archive: the target
	as        ident                               // what these are called
	headers   []step                              // those before it that insert header rows which it reads
	parts     []policy.Part                       // its pieces of SQL, and what ties header rows to the batch
	untouched bool                                // no step before it can have written rows of the policy's table
	locked    int                                 // the step that has locked its related rows before it acts on them, 0 for none
}

// compileSteps lists the policy's steps, and what they do in all.
func (w *policyCompiler) compileSteps() {
	untouched := !w.policy.Partitions // whose rows are no table's
	for i, s := range w.policy.Then {
		c := w.stepOf(s)
		c.number, c.untouched = i+1, untouched
		for _, h := range w.steps {
			if h.Insert != nil && h.Insert.As != "" && mentions(parts(s), h.Insert.As) {
				c.headers, c.parts = append(c.headers, h), append(c.parts, values(h.Insert.Per)...)
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

// stepOf is a step as its kind has it. A new kind is a template, a case here, and a file that renders it.
func (w *policyCompiler) stepOf(of policy.Step) step {
	s := step{Step: of, from: w.table, as: "t", target: tableName(w.table), parts: parts(of)}
	if of.Related != nil {
		find := w.relation
		if of.Delete != nil || of.Update != nil {
			find = w.holder
		}
		s.from, s.as = existing(find, of.Related.Table), ident(of.Related.As)
	}
	alone := policy.Policy{Table: w.policy.Table, Then: []policy.Step{of}}
	if effects := alone.Effects(1); len(effects) > 0 {
		s.target = effects[0].Table.String()
	}
	switch {
	case of.Delete != nil:
		s.verb, s.render = "delete", (*policyCompiler).deleteRows
	case of.Update != nil:
		s.verb, s.render = "update", (*policyCompiler).updateRows
	case of.Insert != nil:
		s.verb, s.render, s.copies, s.into = "insert", (*policyCompiler).insert, true, existing(w.relation, of.Insert.Into)
	case of.Emit != nil:
		s.verb, s.render, s.copies, s.target = "insert", (*policyCompiler).emit, true, w.schema()+".event"
	case of.Archive != nil:
		s.verb, s.render, s.copies, s.into = "archive", (*policyCompiler).archive, true, w.archiveTable(s)
	case of.SQL != nil:
		s.verb, s.render = "sql", (*policyCompiler).statement
	case of.DropTable != nil:
		s.verb, s.render = "drop table", (*policyCompiler).dropTable
	case of.Detach != nil:
		s.verb, s.render = "detach", (*policyCompiler).removePartition
	case of.Drop != nil:
		s.verb, s.render = "drop", (*policyCompiler).removePartition
	}
	return s
}

// mayWrite says whether a step may write rows of the policy's own table, by itself or through a trigger of the application
// on another one. The snapshot has those on DELETE; of others it is known where the policy names one.
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
	return slices.Contains(changed, tableName(w.table)) || s.Delete != nil && slices.ContainsFunc(changed, func(name string) bool {
		return slices.ContainsFunc(w.tables.Descendants(name), hasTrigger)
	})
}

func (w *policyCompiler) rendered(s step) sqlText {
	defer w.restored()()
	if readBatch(s.parts) {
		w.batch = fragment("batch in parentheses", w.rowsOf(s, false))
	}
	w.enter(s)
	return s.render(w, s)
}

// enter makes the names that a step knows besides the row's known: those of header rows, and of related rows.
func (w *policyCompiler) enter(s step) {
	for _, h := range s.headers {
		w.addAlias(h.Insert.As, h.into)
	}
	if s.Related != nil {
		w.addAlias(s.Related.As, s.from)
		w.scalars = w.asScalars(s.Related.Joins, w.scalars)
	}
}

// existing is a table, or what stands in for one that is refused, until what is made of it is dropped.
func existing(find func(policy.Table) *catalog.Table, t policy.Table) *catalog.Table {
	return cmp.Or(find(t), &catalog.Table{Schema: t.Schema, Name: t.Name})
}

// holder is a table that holds its rows itself; another one is refused.
func (c *compiler) holder(t policy.Table) *catalog.Table {
	table := c.relation(t)
	if table != nil && !holdsRows(table) {
		c.refuse(t.Position, codeTableKind, fmt.Sprintf("%q %s", t, wrongKind(table)), "Name the table that holds the rows.")
		return nil
	}
	return table
}

// holdsRows says whether rows have a place in a table, where they can be locked.
func holdsRows(table *catalog.Table) bool {
	return table.Kind == "table" || table.Kind == "partitioned"
}

func parts(s policy.Step) []policy.Part { return (&policy.Policy{Then: []policy.Step{s}}).Parts() }

// anyReads says whether any piece reads what found looks for.
func anyReads(list []policy.Part, found func(*pgparse.Expr) bool) bool {
	return slices.ContainsFunc(list, func(part policy.Part) bool { return found(part.Parsed()) })
}

// readBatch says whether any piece reads the relation "batch".
func readBatch(list []policy.Part) bool {
	return anyReads(list, func(parsed *pgparse.Expr) bool { return namesBatch(parsed.Tables) })
}

// mentions reports whether any piece reads a column of a relation with one of some names.
func mentions(list []policy.Part, names ...string) bool {
	return anyReads(list, func(parsed *pgparse.Expr) bool {
		return slices.ContainsFunc(parsed.Columns, func(ref pgparse.ColumnRef) bool {
			return len(ref.Fields) > 1 && slices.Contains(names, ref.Fields[0]) && !(ref.Depth > 0 && named(parsed.Tables, ref.Fields[0]))
		})
	})
}

func (s step) headerNames() []string {
	return each(s.headers, func(h step) string { return h.Insert.As })
}

// readsBatch says whether values of a step read the batch's rows, joins or headers.
func (w *policyCompiler) readsBatch(s step, list []policy.Assignment) bool {
	joins := each(w.policy.Joins, func(j policy.Join) string { return j.Name })
	return s.Related != nil && len(s.Related.Joins) > 0 || mentions(values(list), slices.Concat(joins, s.headerNames(), []string{"t"})...) ||
		anyReads(values(list), func(parsed *pgparse.Expr) bool { return len(w.columnsRead(parsed, "")) > 0 })
}

// effects are the tables that a policy's steps act on.
type effects struct {
	deletes []string // from which steps delete
	related []string // of steps that change related rows, as holds name them
	reach   []string // of every "cascades", as holds name them
	// unguarded are those that statements of the policy's own words update or delete from, and archives whose rows are
	// replaced: no guard can stand before them, so that a hold there stops the run.
	unguarded []string
	ownDelete *policy.Step // the step that deletes the batch's own rows, nil for none
	ownUpdate bool         // a step updates them
}

func (w *policyCompiler) findEffects() effects {
	e := effects{deletes: []string{}, related: []string{}, reach: []string{}, unguarded: []string{}}
	for _, d := range w.policy.Effects(len(w.steps)) {
		verb, root, step := d.Verb(), w.tables.Root(d.Table.String()), &w.policy.Then[d.Step]
		switch {
		case verb == "cascade":
			e.reach = appendUnique(e.reach, root)
		case verb == "sql" && (d.Access.Update || d.Access.Delete), verb == "insert" && d.Access.Update && step.Archive != nil:
			e.unguarded = appendUnique(e.unguarded, root)
		case verb != "delete" && verb != "update":
		case !d.Own:
			e.related = appendUnique(e.related, root)
		case verb == "delete":
			e.ownDelete = step
		default:
			e.ownUpdate = true
		}
		if verb == "delete" {
			e.deletes = append(e.deletes, d.Table.String())
		}
	}
	return e
}

// lockedBy is the step that locks the related rows of s before it acts on them, those that it changes and those that it
// copies while another step of the policy changes or deletes them: itself, or one before it that has copied the same
// rows, so that what goes is what was copied. 0 where they are not locked.
func (w *policyCompiler) lockedBy(s step) int {
	if s.Related == nil || !holdsRows(s.from) {
		return 0
	}
	name := tableName(s.from)
	own := name == tableName(w.table) && (w.ownDelete != nil || w.ownUpdate)
	if !own && !slices.Contains(slices.Concat(w.related, w.reach, w.unguarded), w.tables.Root(name)) {
		return 0
	}
	for _, before := range slices.Backward(w.steps[:s.number-1]) {
		if !before.copies {
			break // it may have moved the rows
		}
		a, b := before.Related, s.Related
		if a != nil && a.Table.String() == b.Table.String() && a.As == b.As && a.Where.SQL == b.Where.SQL && len(a.Joins)+len(b.Joins) == 0 {
			return before.locked
		}
	}
	return s.number
}

// several says whether rows of a table lie in several tables, in each of which a place may be the same.
func several(table *catalog.Table) bool {
	return table.Kind == "partitioned" || len(table.Children) > 0
}

// stepFields are what templates of steps read of the rows that a step acts on: related rows, or those of the batch. Direct are
// rows of the batch that are still where they were locked; others are found by their key.
func (w *policyCompiler) stepFields(s step, numbered bool) fields {
	rows := w.rowsOf(s, numbered)
	d := fields{"Schema": sqlText(w.schema()), "Policy": sqlText(w.policy.Name), "Name": literal(s.target), "Deletes": s.Delete != nil,
		"Table": w.rowsFrom(), "As": s.as, "Key": identifiers(s.from.PrimaryKey), "Comment": tableComment(s.from), "Many": several(s.from),
		"Rows": rows, "Direct": rows.plain, "Where": rows.Where, "Passes": s.Where != nil, "Related": s.Related != nil,
		"Locks": s.locked == s.number, "Locked": s.locked}
	if s.Related == nil && (s.Delete != nil || s.Update != nil) && !rows.plain {
		w.keys = append(w.keys, tableName(s.from))
	}
	if s.Where != nil {
		d["Where"] = append(slices.Clone(rows.Where), enclosed(w.bind(*s.Where)))
	}
	if s.Related != nil {
		d["Table"], d["On"] = qualified(s.from), enclosed(w.bind(s.Related.Where))
	}
	return d
}

// rowsFrom is what the rows of the batch are read from.
func (w *policyCompiler) rowsFrom() sqlText {
	if w.policy.Partitions {
		return "part"
	}
	return qualified(w.table)
}
