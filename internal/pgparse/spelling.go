package pgparse

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// Likeness is what comparing two texts by their grammar alone can tell.
type Likeness int

// Where they are neither, what the types are decides: PostgreSQL writes constants in its own way.
const (
	Different Likeness = iota
	Unclear
	Same
)

// spelling is what several spellings of an expression have in common: casts are left out, IN is "= ANY", AND in AND is one
// AND. Constants stand apart, in their order.
type spelling struct {
	form      string
	constants []typedConstant
}

// typedConstant is a constant, and the type that it is compared as, "" where that is not said.
type typedConstant struct{ text, cast string }

// LikeIndex compares a CREATE INDEX as somebody wrote it with one as PostgreSQL prints it: what is indexed, and nothing of how
// it is stored. What cannot be read is unclear.
func LikeIndex(wanted, printed string) Likeness {
	first, err := indexSpelling(wanted)
	second, wrong := indexSpelling(printed)
	if err != nil || wrong != nil {
		return Unclear
	}
	return first.like(second)
}

func indexSpelling(sql string) (*spelling, error) {
	n, err := first(sql, "CREATE INDEX", (*query.Node).GetIndexStmt)
	if err != nil {
		return nil, err
	}
	s := &spelling{}
	s.form = fmt.Sprintf("%q %q %s %t", n.Relation.Schemaname, n.Relation.Relname, n.AccessMethod, n.Unique)
	for _, param := range n.IndexParams {
		e := param.GetIndexElem()
		descending := e.Ordering == query.SortByDir_SORTBY_DESC
		nullsFirst := e.NullsOrdering == query.SortByNulls_SORTBY_NULLS_FIRST || e.NullsOrdering != query.SortByNulls_SORTBY_NULLS_LAST && descending
		of := fmt.Sprintf("%q", e.Name)
		if e.Name == "" {
			of = s.read(e.Expr, "")
		}
		s.form += fmt.Sprintf(", %s %t %t %s %s", of, descending, nullsFirst, dotted(e.Opclass), dotted(e.Collation))
	}
	for _, param := range n.IndexIncludingParams {
		s.form += fmt.Sprintf(", including %q", param.GetIndexElem().GetName())
	}
	if n.WhereClause != nil {
		s.form += " where " + s.read(n.WhereClause, "")
	}
	return s, nil
}

// LikeDefault compares the default of a column as somebody wrote it with the one that PostgreSQL prints: only from a constant
// or a function that is called the grammar can tell something else. Where both are constants that only their type can compare,
// it returns these. "" is NULL. The error is an *Error.
func LikeDefault(wanted, printed string) (likeness Likeness, constants []string, err error) {
	var sides [2]spelling
	for i, sql := range []string{wanted, printed} {
		read, err := readOnce(cmp.Or(sql, "NULL"))
		if err != nil {
			return Unclear, nil, err
		}
		sides[i].form = sides[i].read(read.node, "")
	}
	a, b := &sides[0], &sides[1]
	likeness = a.like(b)
	switch {
	case (a.form == "null") != (b.form == "null"):
		likeness = Different
	case likeness == Different && (a.opaque() || b.opaque() || !a.plain() && !b.plain()):
		likeness = Unclear
	case likeness == Unclear && a.form == "?" && b.form == "?":
		constants = []string{a.constants[0].text, b.constants[0].text}
	}
	return likeness, constants, nil
}

func (s *spelling) plain() bool  { return s.form == "?" || strings.HasPrefix(s.form, "(call ") }
func (s *spelling) opaque() bool { return strings.HasPrefix(s.form, "other ") }

// list reads parts of a whole.
func (s *spelling) list(what string, nodes ...*query.Node) string {
	for _, node := range nodes {
		what += " " + s.read(node, "")
	}
	return "(" + what + ")"
}

// read is the form of a part, which is cast to a type.
func (s *spelling) read(node *query.Node, cast string) string {
	switch n := node.GetNode().(type) {
	case *query.Node_TypeCast:
		name := strings.TrimPrefix(dotted(n.TypeCast.TypeName.Names), "pg_catalog.")
		return s.read(n.TypeCast.Arg, cmp.Or(cast, name))
	case *query.Node_AConst:
		return s.constant(node, cast)
	case *query.Node_ColumnRef:
		return fmt.Sprintf("%q", dotted(n.ColumnRef.Fields))
	case *query.Node_BoolExpr:
		return s.list(n.BoolExpr.Boolop.String(), operands(n.BoolExpr)...)
	case *query.Node_AExpr:
		return s.operator(n.AExpr)
	case *query.Node_NullTest:
		return s.list(n.NullTest.Nulltesttype.String(), n.NullTest.Arg)
	case *query.Node_BooleanTest:
		return s.list(n.BooleanTest.Booltesttype.String(), n.BooleanTest.Arg)
	case *query.Node_CoalesceExpr:
		return s.list("coalesce", n.CoalesceExpr.Args...)
	case *query.Node_MinMaxExpr:
		return s.list(n.MinMaxExpr.Op.String(), n.MinMaxExpr.Args...)
	case *query.Node_AArrayExpr:
		return s.list("array", n.AArrayExpr.Elements...)
	case *query.Node_FuncCall:
		return s.list("call "+strings.Replace(lastName(n.FuncCall.Funcname), "transaction_timestamp", "now", 1), n.FuncCall.Args...)
	case *query.Node_SqlvalueFunction:
		if n.SqlvalueFunction.Op == query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP {
			return "(call now)"
		}
	}
	return "other " + text(node)
}

func (s *spelling) constant(node *query.Node, cast string) string {
	value, ok := literal(node)
	switch {
	case !ok:
		return "other " + text(node)
	case value.Kind == NullConstant:
		return "null"
	}
	own := map[ConstantKind]string{NumberConstant: "number", BooleanConstant: "bool"}[value.Kind]
	s.constants = append(s.constants, typedConstant{value.Text, cmp.Or(cast, own)})
	return "?"
}

// operands of AND within AND, and of OR within OR, are its own.
func operands(e *query.BoolExpr) []*query.Node {
	var list []*query.Node
	for _, arg := range e.Args {
		if inner := arg.GetBoolExpr(); inner != nil && inner.Boolop == e.Boolop && e.Boolop != query.BoolExprType_NOT_EXPR {
			list = append(list, operands(inner)...)
		} else {
			list = append(list, arg)
		}
	}
	return list
}

// operator has of IN what PostgreSQL makes of it: a comparison with an array, or with the only value.
func (s *spelling) operator(n *query.A_Expr) string {
	const not = "NOT_EXPR"
	name, left, right := dotted(n.Name), n.Lexpr, n.Rexpr
	switch n.Kind {
	case query.A_Expr_Kind_AEXPR_OP:
		return s.list(name, left, right)
	case query.A_Expr_Kind_AEXPR_OP_ANY:
		return s.list(name+" any", left, right)
	case query.A_Expr_Kind_AEXPR_OP_ALL:
		return s.list(name+" all", left, right)
	case query.A_Expr_Kind_AEXPR_IN:
		values := right.GetList().GetItems()
		quantifier := map[bool]string{true: " all", false: " any"}[name == "<>"]
		if len(values) == 1 {
			return s.list(name, left, values[0])
		}
		return "(" + name + quantifier + " " + s.read(left, "") + " " + s.list("array", values...) + ")"
	case query.A_Expr_Kind_AEXPR_DISTINCT, query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		same := n.Kind == query.A_Expr_Kind_AEXPR_NOT_DISTINCT
		if left.GetAConst().GetIsnull() {
			left, right = right, left
		}
		switch {
		case right.GetAConst().GetIsnull() && same:
			return s.list(query.NullTestType_IS_NULL.String(), left)
		case right.GetAConst().GetIsnull():
			return s.list(query.NullTestType_IS_NOT_NULL.String(), left)
		case same:
			return "(" + not + " " + s.list("distinct", left, right) + ")"
		}
		return s.list("distinct", left, right)
	}
	return "other " + text(n)
}

// like compares what somebody wrote with what PostgreSQL printed.
func (s *spelling) like(printed *spelling) Likeness {
	if s.form != printed.form {
		return Different
	}
	likeness := Same
	for i, c := range s.constants {
		likeness = min(likeness, c.like(printed.constants[i]))
	}
	return likeness
}

var (
	textTypes   = []string{"text", "varchar", "bpchar", "name", "char"}
	numberTypes = []string{"number", "int2", "int4", "int8", "numeric", "float4", "float8"}
)

// like compares values as their type does, where that is known.
func (c typedConstant) like(printed typedConstant) Likeness {
	same := map[bool]Likeness{true: Same, false: Different}
	switch {
	case c.text == printed.text:
		return Same
	case printed.cast == "bool":
		isTrue := slices.Contains(strings.Fields("t tr tru true y ye yes on 1"), strings.ToLower(strings.TrimSpace(c.text)))
		return same[isTrue == (printed.text == "true")]
	case slices.Contains(textTypes, printed.cast):
		return Different
	case slices.Contains(numberTypes, printed.cast):
		wanted, ok := new(big.Rat).SetString(c.text)
		if live, known := new(big.Rat).SetString(printed.text); ok && known { // else it is infinity
			return same[wanted.Cmp(live) == 0]
		}
	}
	return Unclear
}
