package pgparse

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Level is one query, or the expression around all queries.
//
//	Tables   the tables of the FROM clause; none for an expression
//	Names    the names of all items of the FROM clause; they hide the same names outside the query
//	Equal    pairs of columns ("alias.column" or "column") that are equal in all rows that pass
//	         the WHERE clause and inner joins; for an expression, equal where it is true
//	Inside   the index of the enclosing level, or -1
//	Derived  an item of the FROM clause is no table, or renames columns
type Level struct {
	Tables []TableRef
	Names  []string
	Equal  [][2]string
	Inside int

	Derived bool
}

// from adds an item of a FROM clause. It ignores the conditions of outer joins, because an outer
// join also returns rows for which they are false. A sub-select gets a level of its own.
func (l *Level) from(w *walker, item protoreflect.Message) {
	switch n := item.Interface().(type) {
	case *query.SelectStmt:
		l.Derived = true
		return
	case *query.RangeFunction, *query.RangeTableFunc:
		l.Derived = true
	case *query.Alias:
		l.Derived = l.Derived || len(n.Colnames) > 0
		l.Names = append(l.Names, n.Aliasname)
	case *query.RangeVar:
		l.Tables = append(l.Tables, w.tableRef(n))
		l.Names = append(l.Names, n.Relname)
	case *query.JoinExpr:
		if n.Jointype == query.JoinType_JOIN_INNER {
			l.Equal = append(l.Equal, equalities(n.Quals)...)
		}
	}
	visit(item, func(part protoreflect.Message) { l.from(w, part) })
}

// equalities lists the pairs of columns that are equal where a condition is true.
func equalities(node *query.Node) [][2]string {
	var list [][2]string
	if and := node.GetBoolExpr(); and.GetBoolop() == query.BoolExprType_AND_EXPR {
		for _, arg := range and.Args {
			list = append(list, equalities(arg)...)
		}
	}
	if e := node.GetAExpr(); e != nil && e.Kind == query.A_Expr_Kind_AEXPR_OP && sign(e) == "=" {
		lefts, rights := []*query.Node{e.Lexpr}, []*query.Node{e.Rexpr}
		left, right := e.Lexpr.GetRowExpr().GetArgs(), e.Rexpr.GetRowExpr().GetArgs()
		if left != nil && len(left) == len(right) {
			lefts, rights = left, right
		}
		for i := range lefts {
			if left, right := columnName(lefts[i]), columnName(rights[i]); left != "" && right != "" {
				list = append(list, [2]string{left, right})
			}
		}
	}
	return list
}

// columnName returns "alias.column" or "column", and "" if the node is no column.
func columnName(node *query.Node) string { return dotted(node.GetColumnRef().GetFields()) }

// Qualifier returns the name that qualifies columns of the table: its alias, or its own name.
func (t TableRef) Qualifier() string { return cmp.Or(t.Alias, t.Name) }

// EqualTo returns one set of columns ("alias.column") for each of the expression's Levels. In every
// row that passes the level's WHERE clause and inner joins, the columns of the set are equal to the
// outer column, such as "t.id". The set includes the outer column. EqualTo adds the tables in
// "named" to the outermost level.
func (e *Expr) EqualTo(outer string, named ...TableRef) []map[string]bool {
	list := make([]map[string]bool, len(e.Levels))
	for i, level := range e.Levels {
		equal := map[string]bool{outer: true}
		if level.Inside >= 0 {
			equal = maps.Clone(list[level.Inside])
		} else {
			level.Tables = slices.Concat(level.Tables, named)
		}
		maps.DeleteFunc(equal, func(column string, _ bool) bool {
			table, _, _ := strings.Cut(column, ".")
			return slices.Contains(level.Names, table)
		})
		level.spread(equal)
		list[i] = equal
	}
	return list
}

// spread adds the columns of the level's own tables that are equal to a column of the set. An
// unqualified column belongs to the level's only table.
func (l *Level) spread(equal map[string]bool) {
	full := func(name string) string {
		if len(l.Tables) == 1 && !strings.Contains(name, ".") {
			return l.Tables[0].Qualifier() + "." + name
		}
		return name
	}
	for range l.Tables {
		for _, pair := range l.Equal {
			for i, name := range pair {
				other, name := full(pair[1-i]), full(name)
				table, _, _ := strings.Cut(name, ".")
				own := slices.ContainsFunc(l.Tables, func(ref TableRef) bool { return ref.Qualifier() == table })
				equal[name] = equal[name] || own && equal[other]
			}
		}
	}
}
