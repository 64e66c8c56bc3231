package generator

import (
	"pgretain/internal/catalog"
	"pgretain/policy"
)

// Check is an EXPLAIN that a server answers exactly when it can plan an expression of the policy.
type Check struct {
	Expr policy.Expr
	SQL  string
}

// Checks lists one statement for each expression of a file that compiles: with them a server finds
// what no catalog snapshot tells, the operator that two types lack for example. A join stands
// before what reads it.
func Checks(file *policy.File, snapshot *catalog.Snapshot) []Check {
	c := newCompiler(file, snapshot, nil)
	var checks []Check
	for _, p := range file.Policies {
		if table := c.rowsTable(p); table != nil {
			checks = append(checks, c.checks(p, table)...)
		}
	}
	return checks
}

func (c *compiler) checks(p *policy.Policy, table *catalog.Table) []Check {
	w := c.work(p, table, form{now: "now()", olderThan: "NULL"})
	if c.diags.HasErrors() {
		return nil
	}
	w.binder.inStep, w.binder.blank, w.binder.asOf = true, true, "now()"
	w.binder.verdict = w.guardVerdict // of ranks; the file's reader has refused it elsewhere
	w.binder.batch = fragment("batch in parentheses", rows{From: fragment("table as t", w.rowsRelation())})
	var checks []Check
	for i := range p.Joins {
		checks = append(checks, w.joinCheck(i))
	}
	for _, e := range w.conditions() {
		checks = append(checks, w.check(e, w.joins, nil))
	}
	for _, s := range w.steps() {
		checks = append(checks, w.stepChecks(s)...)
	}
	return checks
}

// joinCheck reads a join and what stands before it.
func (w *work) joinCheck(i int) Check {
	e := w.policy.Joins[i].Query
	if e == nil {
		e = w.policy.Joins[i].Where
	}
	return Check{*e, w.checkText("1", w.joins[:i+1], nil)}
}

// conditions are the expressions that judge a row.
func (w *work) conditions() []policy.Expr {
	judged := *w.policy
	judged.Joins, judged.Then, judged.Claim, judged.Touch = nil, nil, nil, nil
	var list []policy.Expr
	for _, part := range judged.Parts() {
		if part.Kind == policy.IsExpression {
			list = append(list, part.Expr)
		}
	}
	return list
}

func (w *work) check(e policy.Expr, joins []join, others []sqlText) Check {
	return Check{e, w.checkText(enclosed(w.bind(e)), joins, others)}
}

func (w *work) checkText(value sqlText, joins []join, others []sqlText) string {
	return layout(execute("check.sql.tmpl", struct {
		Value, Table sqlText
		Joins        []join
		Columns      []windowColumn
		Others       []sqlText
	}{value, w.tableToCheck(), joins, nil, others}))
}

// tableToCheck is the policy's table, with the columns that "ensure" will add where the server does not
// have them yet.
func (w *work) tableToCheck() sqlText {
	if w.policy.Partitions {
		return w.rowsRelation()
	}
	live := w.tableNamed(w.policy.Table.String())
	type toCome struct {
		Name ident
		Type string
	}
	var missing []toCome
	for _, column := range w.table.Columns {
		if live.Column(column.Name) == nil {
			missing = append(missing, toCome{ident(column.Name), column.Type})
		}
	}
	if len(missing) == 0 {
		return w.rowsRelation()
	}
	return fragment("with columns to come", struct {
		Table   sqlText
		Columns []toCome
	}{qualified(w.table), missing})
}

// stepChecks are those of a step, beside its related table and the headers of earlier steps.
func (w *work) stepChecks(s step) []Check {
	if s.SQL != nil {
		return nil // proven with the functions
	}
	saved := w.binder
	defer func() { w.binder = saved }()
	var others []sqlText
	for _, h := range w.headersRead(s) {
		others = append(others, fragment("table as", headerText{Name: ident(h.Insert.As), Variable: quotedTable(h.Insert.Into)}))
	}
	w.enterHeaders(s)
	if s.Related != nil {
		if !w.enterRelated(s) {
			return nil
		}
		others = append(others, fragment("table as", headerText{Name: ident(s.Related.As), Variable: quotedTable(s.Related.Table)}))
	}
	var checks []Check
	for _, part := range (&policy.Policy{Then: []policy.Step{s.Step}}).Parts() {
		if part.Kind == policy.IsExpression && !w.ofJoin(s, part.Expr) {
			checks = append(checks, w.check(part.Expr, w.joins, others))
		}
	}
	return checks
}

// ofJoin says whether an expression belongs to a join of a step's own, whose name is not known
// outside it.
func (w *work) ofJoin(s step, e policy.Expr) bool {
	if s.Related == nil {
		return false
	}
	for _, j := range s.Related.Joins {
		if j.Where != nil && *j.Where == e {
			return true
		}
	}
	return false
}
