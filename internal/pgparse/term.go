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
	switch {
	case node.GetTypeCast() != nil:
		return castTerm(node.GetTypeCast())
	case node.GetAConst() != nil:
		return constantTerm(node)
	case node.GetColumnRef() != nil:
		return &term{is: "column", text: dotted(node.GetColumnRef().Fields)}
	case node.GetBoolExpr() != nil:
		return boolTerm(node.GetBoolExpr())
	case node.GetAExpr() != nil:
		return operatorTerm(node.GetAExpr())
	case node.GetNullTest() != nil:
		return &term{is: node.GetNullTest().Nulltesttype.String(), parts: []*term{termOf(node.GetNullTest().Arg)}}
	case node.GetBooleanTest() != nil:
		return &term{is: node.GetBooleanTest().Booltesttype.String(), parts: []*term{termOf(node.GetBooleanTest().Arg)}}
	case node.GetCoalesceExpr() != nil:
		return &term{is: "coalesce", parts: termsOf(node.GetCoalesceExpr().Args)}
	case node.GetMinMaxExpr() != nil:
		return &term{is: node.GetMinMaxExpr().Op.String(), parts: termsOf(node.GetMinMaxExpr().Args)}
	case node.GetAArrayExpr() != nil:
		return &term{is: "array", parts: termsOf(node.GetAArrayExpr().Elements)}
	}
	return &term{is: "other", text: text(node)}
}

func termsOf(nodes []*query.Node) []*term {
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
	for _, arg := range termsOf(n.Args) {
		if arg.is == t.is && n.Boolop != query.BoolExprType_NOT_EXPR && arg.cast == "" {
			t.parts = append(t.parts, arg.parts...)
		} else {
			t.parts = append(t.parts, arg)
		}
	}
	return t
}

func operatorTerm(n *query.A_Expr) *term {
	name := dotted(n.Name)
	left := termOf(n.Lexpr)
	switch n.Kind {
	case query.A_Expr_Kind_AEXPR_OP:
		return &term{is: name, parts: []*term{left, termOf(n.Rexpr)}}
	case query.A_Expr_Kind_AEXPR_OP_ANY:
		return &term{is: name + " any", parts: []*term{left, termOf(n.Rexpr)}}
	case query.A_Expr_Kind_AEXPR_OP_ALL:
		return &term{is: name + " all", parts: []*term{left, termOf(n.Rexpr)}}
	case query.A_Expr_Kind_AEXPR_IN:
		return inTerm(name, left, termsOf(n.Rexpr.GetList().GetItems()))
	case query.A_Expr_Kind_AEXPR_DISTINCT:
		return distinctTerm(left, termOf(n.Rexpr))
	case query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return negated(distinctTerm(left, termOf(n.Rexpr)))
	}
	return &term{is: "other", text: text(n)}
}

// inTerm is what PostgreSQL makes of IN: a comparison with an array, or with the only value.
func inTerm(operator string, left *term, values []*term) *term {
	if len(values) == 1 {
		return &term{is: operator, parts: []*term{left, values[0]}}
	}
	quantifier := " any"
	if operator == "<>" {
		quantifier = " all"
	}
	return &term{is: operator + quantifier, parts: []*term{left, {is: "array", parts: values}}}
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

func negated(t *term) *term {
	if t.is == query.NullTestType_IS_NOT_NULL.String() {
		return &term{is: query.NullTestType_IS_NULL.String(), parts: t.parts}
	}
	return &term{is: query.BoolExprType_NOT_EXPR.String(), parts: []*term{t}}
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
		return same(truth(t.text) == printed.text)
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

// truth is a boolean as PostgreSQL reads it.
func truth(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "t", "tr", "tru", "true", "y", "ye", "yes", "on", "1":
		return "true"
	}
	return "false"
}
