package generator

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// Question asks a server for the type of an expression.
type Question struct {
	Expr policy.Expr
	Key  string // a SELECT of one column; identifies the answer in the snapshot; a migration executes it again
	SQL  string // the same query for a table that lacks the columns of "ensure"
}

// Questions returns questions about expressions whose types neither the grammar nor the snapshot
// knows. An answer may lead to further questions.
func Questions(file *policy.File, snapshot *catalog.Snapshot) []Question {
	c := newCompiler(file, snapshot, nil)
	for _, p := range file.Policies {
		if table := c.rowsTable(p); table != nil {
			c.newPolicyCompiler(p, table, outsideRun("now()")).createdTables()
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(c.questions, func(q Question) bool {
		again := seen[q.Key]
		seen[q.Key] = true
		return again
	})
}

// typeOf returns the type of an expression with its length and precision, from the grammar or from
// the snapshot. If neither knows the type, it refuses the expression and returns "". The parameter
// "usual" is the type that the hint proposes.
func (w *policyCompiler) typeOf(e policy.Expr, usual string) string {
	if typ := e.Parsed().Type(w.columnType); typ != "" {
		return typ
	}
	q := w.question(e)
	if typ := w.snapshot.Types[q.Key]; typ != "" {
		w.types[q.Key] = castType(typ)
		return typ
	}
	w.questions = append(w.questions, q)
	w.fail(messages.UnknownType(usual), e.Position)
	return ""
}

// columnType returns the type of a column of the row or of a joined table; "" for any other name.
func (w *policyCompiler) columnType(name []string) string {
	table, column := w.table, name[len(name)-1]
	switch {
	case len(name) == 1 && column == "as_of":
		return "timestamp with time zone"
	case len(name) == 2 && name[0] != "t":
		table = w.aliases[name[0]]
	case len(name) > 2:
		return ""
	}
	if table == nil || table.Column(column) == nil {
		return ""
	}
	return table.Column(column).Plain()
}

// question returns the question about an expression. The query contains the joins that the
// expression reads and the joins before them. It has the form that the expression has outside a
// run.
func (w *policyCompiler) question(e policy.Expr) Question {
	w = w.with(outsideRun("now()"))
	w.scalars, w.runtime = nil, w.runtimeName // the same question in a trial
	last := -1
	for i, j := range w.policy.Joins {
		if mentions([]policy.SQLFragment{{Expr: e, Kind: policy.IsExpression}}, j.Name) {
			last = i
		}
	}
	d := selected{fromClause{Table: w.rowsRelation(), Joins: lists.Map(w.policy.Joins[:last+1], w.joinOf)}, w.bind(e)}
	key := plainText(fragment("type of expression", d))
	d.Table = w.rowsWithEnsuredColumns()
	return Question{e, key, plainText(fragment("type of expression", d))}
}

// selected is a SELECT of one expression.
type selected struct {
	fromClause
	Value sqlText
}

// LocalClock is a clock without a time zone. A run reads its local times in the time zone of the
// install.
type LocalClock struct {
	Policy, Clock string // Clock is the column or the expression
	Position      diag.Position
}

// LocalClocks returns the clocks without a time zone in a file that compiles.
func LocalClocks(file *policy.File, snapshot *catalog.Snapshot) (list []LocalClock) {
	c := newCompiler(file, snapshot, nil)
	for _, p := range file.Policies {
		table := c.rowsTable(p)
		if table == nil {
			continue
		}
		for _, k := range c.newPolicyCompiler(p, table, outsideRun("now()")).clocks {
			if k == nil || k.conversion != "as timestamp" && k.conversion != "as date" {
				continue
			}
			clock := LocalClock{p.Name, k.source.Column, k.source.ColumnPos}
			if e := k.source.Expression; e != nil {
				clock.Clock, clock.Position = strings.TrimSpace(e.SQL), e.Position
			}
			list = append(list, clock)
		}
	}
	return list
}
