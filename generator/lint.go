package generator

import (
	"cmp"
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// Check is an EXPLAIN that a server accepts if and only if it accepts an expression of the policy.
type Check struct {
	Expr policy.Expr
	SQL  string
}

// Checks returns one statement for each expression of a file that compiles. With these statements a
// server finds errors that a snapshot does not show, for example a missing operator. The check of a
// join comes before the checks of the expressions that read the join.
func Checks(file *policy.File, snapshot *catalog.Snapshot) []Check {
	c := newCompiler(file, snapshot, nil)
	var checks []Check
	for _, p := range file.Policies {
		// Checks leaves out a policy for each schema, because the schema in its SQL is a
		// placeholder. It also leaves out a policy that uses another table to which a migration has
		// yet to add columns, because the server lacks these columns.
		if table := c.rowsTable(p); table != nil && file.EachOf(p) == nil &&
			!slices.ContainsFunc(p.Uses(), c.addsColumnsLater(p)) {
			checks = append(checks, c.checks(p, table)...)
		}
	}
	return checks
}

// addsColumnsLater returns a function that reports whether a policy uses another table to which a
// migration has yet to add columns.
func (c *compiler) addsColumnsLater(p *policy.Policy) func(policy.Effect) bool {
	return func(use policy.Effect) bool {
		name := use.Table.String()
		now, then := c.snapshot.Table(name), c.tables[name]
		return name != p.Table.String() && now != nil && then != nil && len(now.Columns) < len(then.Columns)
	}
}

func (c *compiler) checks(p *policy.Policy, table *catalog.Table) []Check {
	w := c.newPolicyCompiler(p, table, outsideRun("now()"))
	if c.diags.HasErrors() {
		return nil
	}
	w.binder.batch = fragment("batch in parentheses", batchRows{From: fragment("table as t", w.rowsRelation())})
	var checks []Check
	for i, j := range p.Joins {
		checks = append(checks, Check{*cmp.Or(j.Query, j.Where), w.checkText("1", w.joins[:i+1], nil)})
	}
	marks := map[policy.Expr]sqlText{} // maps the condition of a watermark to the other tables that it reads
	for _, k := range p.DueClocks() {
		if m := k.Watermark; m != nil && m.Where != nil {
			marks[*m.Where] = fragment("watermark", w.watermark(m, ""))
		}
	}
	for _, part := range (&policy.Policy{Where: p.Where, Due: p.Due, Keep: p.Keep}).Fragments() {
		if mark := marks[part.Expr]; mark != "" {
			checks = append(checks, Check{part.Expr, w.checkText(mark, nil, nil)})
		} else if part.Kind == policy.IsExpression {
			checks = append(checks, w.check(part, nil))
		}
	}
	for _, s := range w.steps {
		checks = append(checks, w.stepChecks(s)...)
	}
	return checks
}

func (w *policyCompiler) check(part policy.SQLFragment, others []sqlText) Check {
	value := enclosed(w.bind(part.Expr))
	if part.Condition {
		value = fragment("is not true", value)
	}
	return Check{part.Expr, w.checkText(value, w.joins, others)}
}

// checkText returns an EXPLAIN of a value over the policy's rows and its joins.
func (w *policyCompiler) checkText(value sqlText, joins []join, others []sqlText) string {
	return layout(execute("check.sql.tmpl",
		checkData{selected{fromClause{w.rowsWithEnsuredColumns(), joins, nil}, value}, others}))
}

// checkData is the data of the template "check". Others are further relations.
type checkData struct {
	selected
	Others []sqlText
}

// widerTable is a table with further columns.
type widerTable struct {
	Table   sqlText
	Columns []columnText
}

// rowsWithEnsuredColumns returns rowsRelation with the columns that "ensure" will add.
func (w *policyCompiler) rowsWithEnsuredColumns() sqlText {
	table, missing, live := w.rowsRelation(), []columnText{}, w.snapshot.Table(tableName(w.table))
	for _, column := range w.table.Columns {
		if !w.policy.Partitions && live.Column(column.Name) == nil {
			missing = append(missing, columnText{sqlText(ident(column.Name).String()), sqlText(column.Type)})
		}
	}
	if len(missing) > 0 {
		table = fragment("with columns to come", widerTable{table, missing})
	}
	return table
}

// stepChecks returns the checks of a step, with its related table and the headers of earlier steps.
func (w *policyCompiler) stepChecks(s step) []Check {
	if s.SQL != nil {
		return nil // checked together with the functions
	}
	var others []sqlText
	var joins []policy.Join // joins of the statement itself, whose names are unknown outside it
	other := func(t policy.Table, as string) {
		others = append(others, fragment("table as", join{Name: ident(as), Source: quotedTable(t)}))
	}
	for _, h := range s.headers {
		other(h.Insert.Into, h.Insert.As)
	}
	w = w.inStep(s)
	if s.Related != nil {
		other(s.Related.Table, s.Related.As)
		joins = s.Related.Joins
	}
	var checks []Check
	for _, part := range s.expressions {
		ofJoin := slices.ContainsFunc(joins, func(j policy.Join) bool {
			return j.Where != nil && *j.Where == part.Expr
		})
		if part.Kind == policy.IsExpression && !ofJoin {
			checks = append(checks, w.check(part, others))
		}
	}
	return checks
}

// Notes returns warnings about foreign keys, triggers and missing indexes of the tables from which
// the policies of a valid file delete. They are warnings and not errors, because the design of a
// database may intend them.
func Notes(file *policy.File, snapshot *catalog.Snapshot) diag.List {
	c, access := newCompiler(file, snapshot, nil), file.AccessIndex()
	guarded, built := map[string][]*policy.Policy{}, map[string]bool{}
	for _, p := range file.Policies {
		if table := p.Table.String(); firstCondition(p) != "" && c.tables[table] != nil {
			guarded[c.tables.Root(table)] = append(guarded[c.tables.Root(table)], p)
		}
	}
	for _, p := range file.Policies {
		for _, d := range p.Deletes() {
			c.noteDelete(p, d, access, guarded)
		}
		c.noteIndexes(p, built)
		c.noteArchives(p)
		for _, use := range p.Uses() {
			if into := c.tables[use.Table.String()]; use.Access.Insert && into != nil && into.Kind == "foreign" {
				c.warn(messages.WritesForeignTable(use.Table.String()), use.Table.Position)
			}
		}
	}
	c.diags.Sort()
	return c.diags.Unique()
}

// noteDelete adds warnings about one step that deletes, and about the tables that its cascades
// reach.
func (c *compiler) noteDelete(p *policy.Policy, d policy.Effect, access *policy.AccessIndex,
	guarded map[string][]*policy.Policy) {
	taken := c.tables.Cascade(d.Table.String(), func(string) bool { return true })
	above := func(t *catalog.Table) []string { return append(slices.Clone(t.Inherits), t.PartitionOf) }
	for i, name := range taken {
		t := c.tables[name]
		if t == nil {
			continue // refused elsewhere
		}
		c.noteTriggers(p, t)
		if i > 0 {
			c.notePastGuards(p, d.Table, guarded[c.tables.Root(name)])
		}
		for _, key := range t.Referenced {
			refuses := key.OnDelete == "no action" || key.OnDelete == "restrict"
			if refuses && !slices.Contains(taken, key.Table) &&
				!access.AffectsReferring(c.tables.Closure(key.Table, above), p, d.Step, key.Deferrable) {
				c.warn(messages.KeyKeepsRows(p.Name, foreignKey(key), key.RefTable), p.Position)
			}
		}
	}
}

// noteTriggers warns of BEFORE row triggers, which can keep a row by returning NULL.
func (c *compiler) noteTriggers(p *policy.Policy, table *catalog.Table) {
	for _, t := range table.Triggers {
		accepted := slices.ContainsFunc(p.Triggers, func(n policy.Name) bool { return n.Text == t.Name })
		if !accepted && t.Before() {
			c.warn(messages.TriggerKeepsRows(p.Name, t.Name, tableName(table)), p.Position)
		}
	}
}

// notePastGuards warns if cascades of deletes from a table take rows that a guard of another policy
// keeps. It does not warn if that policy reads the table, because the delete then removes the
// reason to keep the rows.
func (c *compiler) notePastGuards(p *policy.Policy, from policy.Table, guarded []*policy.Policy) {
	for _, other := range guarded {
		name := other.Table.String()
		if other == p || c.readsTable(p, name) || c.readsTable(other, from.String()) {
			continue
		}
		c.warn(messages.CascadesPastGuard(p.Name, name, other.Name, firstCondition(other)), p.Position)
	}
}

// noteIndexes warns of a foreign key that a delete must check without an index, unless a migration
// builds such an index. It does not repeat a warning of an earlier policy.
func (c *compiler) noteIndexes(p *policy.Policy, reported map[string]bool) {
	var missing []string
	for _, d := range p.Deletes() {
		for _, name := range c.tables.Cascade(d.Table.String(), func(string) bool { return true }) {
			if c.tables[name] == nil {
				continue // refused elsewhere
			}
			for _, key := range c.tables[name].Referenced {
				table := c.tables[key.Table]
				if table == nil || c.findsRows(table, key) || c.buildsFor(table, key) {
					continue
				}
				index := fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s);", qualified(table),
					quote.Idents(key.Columns))
				if !reported[index] {
					reported[index], missing = true, append(missing, index)
				}
			}
		}
	}
	if missing != nil {
		c.warn(messages.NoReferencingIndex(p.Name, missing), p.Position)
	}
}

// buildsFor reports whether a migration builds an index on a table that finds rows by a foreign
// key. A snapshot lacks indexes of migrations that are not applied.
func (c *compiler) buildsFor(table *catalog.Table, key catalog.ForeignKey) bool {
	return slices.ContainsFunc(c.file.Policies, func(p *policy.Policy) bool {
		helps := func(i passIndex) bool {
			return slices.Contains(key.Columns, i.items[0].column) &&
				(i.predicate == "" || p.Where.Parsed().OnlyNotNull())
		}
		return !p.Partitions && p.Table.String() == tableName(table) &&
			slices.ContainsFunc(c.newPolicyCompiler(p, c.findTable(p), inRun).wantedIndexes(), helps)
	})
}

// findsRows reports whether an index of the table, or an index of each of its partitions, begins
// with a column of the key.
func (c *compiler) findsRows(table *catalog.Table, key catalog.ForeignKey) bool {
	return slices.ContainsFunc(table.Indexes, func(i catalog.Index) bool {
		return i.Valid && i.Method != "brin" && len(i.Columns) > 0 && mayFind(i, key)
	}) || table.Kind == "partitioned" && len(table.Children) > 0 &&
		!slices.ContainsFunc(table.Children, func(name string) bool {
			child := c.tables[name]
			return child != nil && !c.findsRows(child, key)
		})
}

// mayFind reports whether an index may help to find rows of a key. It returns false only if the
// index certainly does not help.
func mayFind(index catalog.Index, key catalog.ForeignKey) bool {
	if !slices.Contains(key.Columns, index.Columns[0]) {
		return false
	}
	if index.Predicate == "" {
		return true
	}
	predicate, err := pgparse.Expression(index.Predicate)
	return err == nil && predicate.OnlyNotNull()
}
