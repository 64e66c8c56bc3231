package pgparse

import (
	"math/big"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// term is an expression of an index in the one form that several spellings have in common: casts are
// noted apart from what they stand around, IN is "= ANY", AND in AND is one AND.
type term struct {
	is    string // "column", "constant", "null", an operator, "and", ...
	text  string // the column's name, the constant's value
	cast  string // to which type, "" for none
	parts []*term
}

func termOf(node *query.Node) *term {
	switch n := node.GetNode().(type) {
	case *query.Node_TypeCast:
		return castTerm(n.TypeCast)
	case *query.Node_AConst:
		return constantTerm(node)
	case *query.Node_ColumnRef:
		return &term{is: "column", text: dotted(n.ColumnRef.Fields)}
	case *query.Node_BoolExpr:
		return boolTerm(n.BoolExpr)
	case *query.Node_AExpr:
		return operatorTerm(n.AExpr)
	case *query.Node_NullTest:
		return &term{is: n.NullTest.Nulltesttype.String(), parts: termsOf(n.NullTest.Arg)}
	case *query.Node_BooleanTest:
		return &term{is: n.BooleanTest.Booltesttype.String(), parts: termsOf(n.BooleanTest.Arg)}
	case *query.Node_CoalesceExpr:
		return &term{is: "coalesce", parts: termsOf(n.CoalesceExpr.Args...)}
	case *query.Node_MinMaxExpr:
		return &term{is: n.MinMaxExpr.Op.String(), parts: termsOf(n.MinMaxExpr.Args...)}
	case *query.Node_AArrayExpr:
		return &term{is: "array", parts: termsOf(n.AArrayExpr.Elements...)}
	}
	return &term{is: "other", text: text(node)}
}

func termsOf(nodes ...*query.Node) []*term {
	terms := make([]*term, len(nodes))
	for i, node := range nodes {
		terms[i] = termOf(node)
	}
	return terms
}

// castTerm notes the type; of a constant the last one, which is the one that it is compared as.
func castTerm(n *query.TypeCast) *term {
	t := termOf(n.Arg)
	name := strings.TrimPrefix(dotted(n.TypeName.Names), "pg_catalog.")
	if len(n.TypeName.Typmods) > 0 {
		name += " of a length"
	}
	if t.cast != "" && t.is != "constant" {
		name = t.cast + ", " + name
	}
	t.cast = name
	return t
}

func constantTerm(node *query.Node) *term {
	value, ok := literal(node)
	switch {
	case !ok:
		return &term{is: "other", text: text(node)}
	case value.Kind == NullConstant:
		return &term{is: "null"}
	}
	return &term{is: "constant", text: value.Text, cast: map[ConstantKind]string{NumberConstant: "number", BooleanConstant: "bool"}[value.Kind]}
}

func boolTerm(n *query.BoolExpr) *term {
	t := &term{is: n.Boolop.String()}
	for _, arg := range termsOf(n.Args...) {
		if arg.is == t.is && n.Boolop != query.BoolExprType_NOT_EXPR && arg.cast == "" {
			t.parts = append(t.parts, arg.parts...)
		} else {
			t.parts = append(t.parts, arg)
		}
	}
	return t
}

// operatorTerm has of IN what PostgreSQL makes of it: a comparison with an array, or with the only value.
func operatorTerm(n *query.A_Expr) *term {
	name := dotted(n.Name)
	switch n.Kind {
	case query.A_Expr_Kind_AEXPR_OP:
		return &term{is: name, parts: termsOf(n.Lexpr, n.Rexpr)}
	case query.A_Expr_Kind_AEXPR_OP_ANY:
		return &term{is: name + " any", parts: termsOf(n.Lexpr, n.Rexpr)}
	case query.A_Expr_Kind_AEXPR_OP_ALL:
		return &term{is: name + " all", parts: termsOf(n.Lexpr, n.Rexpr)}
	case query.A_Expr_Kind_AEXPR_IN:
		values := n.Rexpr.GetList().GetItems()
		switch {
		case len(values) == 1:
			return &term{is: name, parts: termsOf(n.Lexpr, values[0])}
		case name == "<>":
			name += " all"
		default:
			name += " any"
		}
		return &term{is: name, parts: []*term{termOf(n.Lexpr), {is: "array", parts: termsOf(values...)}}}
	case query.A_Expr_Kind_AEXPR_DISTINCT:
		return distinctTerm(termOf(n.Lexpr), termOf(n.Rexpr))
	case query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		t := distinctTerm(termOf(n.Lexpr), termOf(n.Rexpr))
		if t.is == query.NullTestType_IS_NOT_NULL.String() {
			t.is = query.NullTestType_IS_NULL.String()
			return t
		}
		return &term{is: query.BoolExprType_NOT_EXPR.String(), parts: []*term{t}}
	}
	return &term{is: "other", text: text(n)}
}

// distinctTerm: IS DISTINCT FROM NULL becomes IS NOT NULL.
func distinctTerm(left, right *term) *term {
	if left.is == "null" {
		left, right = right, left
	}
	if right.is == "null" {
		return &term{is: query.NullTestType_IS_NOT_NULL.String(), parts: []*term{left}}
	}
	return &term{is: "distinct", parts: []*term{left, right}}
}

var (
	textTypes   = []string{"text", "varchar", "bpchar", "name", "char"}
	numberTypes = []string{"number", "int2", "int4", "int8", "numeric", "float4", "float8"}
	// Casts of a column that lose nothing: PostgreSQL adds them, where a type has no comparison of its own.
	wideningTypes = []string{"text", "bpchar", "numeric", "float8"}
)

// like compares a term that somebody wrote with one that PostgreSQL printed.
func (t *term) like(printed *term) Likeness {
	if t.is == "constant" && printed.is == "constant" {
		return t.likeConstant(printed)
	}
	if t.is != printed.is || t.text != printed.text || len(t.parts) != len(printed.parts) {
		return Different
	}
	likeness := Same
	if t.cast != printed.cast && t.is != "null" && t.is != "array" && !(t.cast == "" && slices.Contains(wideningTypes, printed.cast)) {
		likeness = Unclear
	}
	for i, part := range t.parts {
		likeness = min(likeness, part.like(printed.parts[i]))
	}
	return likeness
}

// likeConstant compares values as their type does, where that is known.
func (t *term) likeConstant(printed *term) Likeness {
	switch {
	case t.text == printed.text:
		return Same
	case printed.cast == "bool":
		return same(boolean(t.text) == printed.text)
	case slices.Contains(textTypes, printed.cast):
		return Different
	case slices.Contains(numberTypes, printed.cast):
		wanted, ok := new(big.Rat).SetString(t.text)
		live, known := new(big.Rat).SetString(printed.text)
		if !ok || !known {
			return Unclear // infinity
		}
		return same(wanted.Cmp(live) == 0)
	}
	return Unclear
}

func same(yes bool) Likeness {
	if yes {
		return Same
	}
	return Different
}

// boolean is a boolean as PostgreSQL reads it.
func boolean(text string) string {
	if slices.Contains(strings.Fields("t tr tru true y ye yes on 1"), strings.ToLower(strings.TrimSpace(text))) {
		return "true"
	}
	return "false"
}
