package pgparse

import (
	query "github.com/pganalyze/pg_query_go/v6"
)

// simple says whether node is made only of the row's columns, constants, comparisons, AND, OR,
// NOT, IN of constants and NULL tests. All of it is immutable for types that compare with
// themselves, which an index predicate demands.
// https://www.postgresql.org/docs/current/sql-createindex.html
func simple(node *query.Node) bool {
	switch {
	case node.GetBoolExpr() != nil:
		return every(node.GetBoolExpr().Args, simple)
	case node.GetNullTest() != nil:
		return rowColumn(node.GetNullTest().Arg)
	case node.GetBooleanTest() != nil:
		return simple(node.GetBooleanTest().Arg)
	case node.GetAExpr() != nil:
		return comparison(node.GetAExpr())
	}
	return operand(node)
}

func every(nodes []*query.Node, is func(*query.Node) bool) bool {
	for _, node := range nodes {
		if !is(node) {
			return false
		}
	}
	return true
}

var comparisons = map[string]bool{"=": true, "<>": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

func comparison(e *query.A_Expr) bool {
	if len(e.Name) != 1 || !comparisons[e.Name[0].GetString_().GetSval()] {
		return false
	}
	switch e.Kind {
	case query.A_Expr_Kind_AEXPR_OP, query.A_Expr_Kind_AEXPR_DISTINCT, query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return operand(e.Lexpr) && operand(e.Rexpr)
	case query.A_Expr_Kind_AEXPR_IN:
		return operand(e.Lexpr) && every(e.Rexpr.GetList().GetItems(), constant)
	}
	return false
}

func operand(node *query.Node) bool { return constant(node) || rowColumn(node) }

// constant also takes 'x'::type: PostgreSQL folds a quoted literal with a cast into one constant
// of that type when it reads the statement. Times are left out, they depend on the session.
func constant(node *query.Node) bool {
	if cast := node.GetTypeCast(); cast != nil {
		text := cast.Arg.GetAConst().GetSval() != nil
		return text && !timeTypes[lastName(cast.GetTypeName().GetNames())]
	}
	return node.GetAConst() != nil
}

// rowColumn is a column of the row: as_of, joins, run and keep are none.
func rowColumn(node *query.Node) bool {
	fields := node.GetColumnRef().GetFields()
	switch len(fields) {
	case 1:
		name := fields[0].GetString_()
		return name != nil && name.Sval != "as_of"
	case 2:
		return fields[0].GetString_().GetSval() == "t" && fields[1].GetString_() != nil
	}
	return false
}
