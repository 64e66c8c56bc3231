package generator

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// Check is an EXPLAIN that a server answers exactly when it can plan an expression of the policy.
type Check struct {
	Expr policy.Expr
	SQL  string
}

// Checks lists one statement for each expression of a file that compiles: with them a server finds what no catalog
// snapshot tells, the operator that two types lack for example. A join stands before what reads it.
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
	w := c.writer(p, table, checkInputs)
	if c.diags.HasErrors() {
		return nil
	}
	w.binder.inStep, w.binder.blank = true, true
	w.binder.verdict = w.guardVerdict // of ranks; the file's reader has refused it elsewhere
	w.binder.batch = fragment("batch in parentheses", batchRows{From: fragment("table as t", w.rowsRelation())})
	var checks []Check
	for i, j := range p.Joins {
		e := j.Query
		if e == nil {
			e = j.Where
		}
		checks = append(checks, Check{*e, w.checkText("1", w.joins[:i+1], nil)})
	}
	judging := *p
	judging.Joins, judging.Then, judging.Claim, judging.Touch = nil, nil, nil, nil
	for _, part := range judging.Parts() {
		if part.Kind == policy.IsExpression {
			checks = append(checks, w.check(part.Expr, nil))
		}
	}
	for _, s := range w.steps() {
		checks = append(checks, w.stepChecks(s)...)
	}
	return checks
}

func (w *pageWriter) check(e policy.Expr, others []sqlText) Check {
	return Check{e, w.checkText(enclosed(w.bind(e)), w.joins, others)}
}

func (w *pageWriter) checkText(value sqlText, joins []join, others []sqlText) string {
	return layout(execute("check.sql.tmpl",
		fields{"Value": value, "Table": w.tableToCheck(), "Joins": joins, "Columns": nil, "Others": others}))
}

// tableToCheck is the policy's table, with the columns that "ensure" will add where the server does not
// have them yet.
func (w *pageWriter) tableToCheck() sqlText {
	live := w.tables[w.policy.Table.String()]
	var missing []columnText
	for _, column := range w.table.Columns {
		if !w.policy.Partitions && live.Column(column.Name) == nil {
			missing = append(missing, columnText{sqlText(ident(column.Name).String()), sqlText(column.Type)})
		}
	}
	if len(missing) == 0 {
		return w.rowsRelation()
	}
	return fragment("with columns to come", fields{"Table": qualified(w.table), "Columns": missing})
}

// stepChecks are those of a step, beside its related table and the headers of earlier steps.
func (w *pageWriter) stepChecks(s step) []Check {
	if s.SQL != nil {
		return nil // proven with the functions
	}
	defer w.restored()()
	var others []sqlText
	other := func(t policy.Table, as string) {
		others = append(others, fragment("table as", headerText{Name: ident(as), Variable: quotedTable(t)}))
	}
	for _, h := range w.headersRead(s) {
		other(h.Insert.Into, h.Insert.As)
	}
	w.enterHeaders(s)
	if s.Related != nil {
		if !w.enterRelated(s) {
			return nil
		}
		other(s.Related.Table, s.Related.As)
	}
	var checks []Check
	for _, part := range parts(s.Step) {
		// A join of the step's own has a name that is not known outside it.
		ofJoin := s.Related != nil && slices.ContainsFunc(s.Related.Joins, func(j policy.Join) bool { return j.Where != nil && *j.Where == part.Expr })
		if part.Kind == policy.IsExpression && !ofJoin {
			checks = append(checks, w.check(part.Expr, others))
		}
	}
	return checks
}
