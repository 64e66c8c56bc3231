package pgparse

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Likeness is what comparing two texts by their grammar alone can tell.
type Likeness int

// Where they are neither, what the types are decides: PostgreSQL writes constants in its own way.
const (
	Different Likeness = iota
	Unclear
	Same
)

// spelling is what several spellings of a part have in common: casts are left out, and schemas of functions, operators and
// collations; IN is "= ANY", AND in AND is one AND. Constants stand apart, in their order.
type spelling struct {
	form      string
	constants []typedConstant
}

// typedConstant is a constant, and the type that it is compared as, "" where that is not said.
type typedConstant struct{ text, cast string }

func spell(m proto.Message) *spelling {
	s := &spelling{}
	s.normal(m.ProtoReflect())
	s.form = text(m)
	return s
}

// LikeIndex compares a CREATE INDEX as somebody wrote it with one as PostgreSQL prints it: what is indexed, and nothing
// of how it is stored. What cannot be read is unclear.
func LikeIndex(wanted, printed string) Likeness {
	var sides [2]*spelling
	for i, sql := range []string{wanted, printed} {
		n, err := first(sql, "CREATE INDEX", (*query.Node).GetIndexStmt)
		if err != nil {
			return Unclear
		}
		n.Relation.Inh = true // ONLY, as it is printed of a partitioned table's, says how it is built
		n.Idxname, n.IfNotExists, n.Concurrent, n.Options, n.TableSpace = "", false, false, nil, ""
		sides[i] = spell(n)
	}
	return sides[0].like(sides[1])
}

// LikeDefault compares the default of a column as somebody wrote it with the one that PostgreSQL prints: only from a
// constant or a function that is called the grammar can tell something else. Where both are constants that only their
// type can compare, it returns these. "" is NULL. The error is an *Error.
func LikeDefault(wanted, printed string) (likeness Likeness, constants []string, err error) {
	var sides [2]*spelling
	var nodes [2]*query.Node
	for i, sql := range []string{wanted, printed} {
		read, err := readOnce(cmp.Or(sql, "NULL"))
		if err != nil {
			return Unclear, nil, err
		}
		nodes[i] = proto.CloneOf(read.node)
		sides[i] = spell(nodes[i])
	}
	a, b := nodes[0], nodes[1]
	likeness = sides[0].like(sides[1])
	switch {
	case a.GetAConst().GetIsnull() != b.GetAConst().GetIsnull():
		likeness = Different
	case likeness == Different && !(plain(a) && known(b) || known(a) && plain(b)):
		likeness = Unclear
	case likeness == Unclear && a.GetParamRef() != nil:
		constants = []string{sides[0].constants[0].text, sides[1].constants[0].text}
	}
	return likeness, constants, nil
}

// plain is a constant or a function that is called.
func plain(n *query.Node) bool { return n.GetParamRef() != nil || n.GetFuncCall() != nil }

// known is of a form of which the grammar says enough to tell it from others.
func known(n *query.Node) bool {
	switch n.Node.(type) {
	case *query.Node_ParamRef, *query.Node_FuncCall, *query.Node_AExpr, *query.Node_BoolExpr, *query.Node_NullTest,
		*query.Node_BooleanTest, *query.Node_CoalesceExpr, *query.Node_MinMaxExpr, *query.Node_AArrayExpr:
		return true
	}
	return false
}

// normal puts each part of a tree in the one form that its spellings have, and a parameter in the place of each
// constant.
func (s *spelling) normal(m protoreflect.Message) {
	switch n := m.Interface().(type) {
	case *query.Node:
		s.node(n)
	case *query.BoolExpr:
		n.Args = operands(n)
	case *query.FuncCall:
		n.Funcname, n.Funcformat = n.Funcname[len(n.Funcname)-1:], 0
		if name := n.Funcname[0].GetString_(); name.GetSval() == "transaction_timestamp" {
			name.Sval = "now"
		}
	case *query.A_Expr:
		n.Name = n.Name[len(n.Name)-1:]
	case *query.CollateClause:
		n.Collname = n.Collname[len(n.Collname)-1:]
	case *query.IndexElem:
		n.Collation = n.Collation[max(0, len(n.Collation)-1):]
		if n.NullsOrdering == query.SortByNulls_SORTBY_NULLS_DEFAULT {
			n.NullsOrdering = query.SortByNulls_SORTBY_NULLS_LAST
			if n.Ordering == query.SortByDir_SORTBY_DESC {
				n.NullsOrdering = query.SortByNulls_SORTBY_NULLS_FIRST
			}
		}
		if n.Ordering == query.SortByDir_SORTBY_DEFAULT {
			n.Ordering = query.SortByDir_SORTBY_ASC
		}
	}
	visit(m, s.normal)
}

// node replaces what has another kind of node in its one form.
func (s *spelling) node(n *query.Node) {
	cast := ""
	for c := n.GetTypeCast(); c != nil; c = n.GetTypeCast() {
		cast = cmp.Or(cast, strings.TrimPrefix(dotted(c.TypeName.Names), "pg_catalog."))
		n.Node = c.Arg.Node
	}
	switch e := n.Node.(type) {
	case *query.Node_AConst:
		value, ok := literal(n)
		if bits := e.AConst.GetBsval().GetBsval(); bits != "" { // after its B or X
			value, ok = Constant{TextConstant, bits[1:]}, true
		}
		if ok && value.Kind != NullConstant {
			own := map[ConstantKind]string{NumberConstant: "number", BooleanConstant: "bool"}[value.Kind]
			s.constants = append(s.constants, typedConstant{value.Text, cmp.Or(cast, own)})
			n.Node = query.MakeParamRefNode(0, 0).Node
		}
	case *query.Node_SqlvalueFunction:
		if e.SqlvalueFunction.Op == query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP {
			n.Node = query.MakeFuncCallNode([]*query.Node{query.MakeStrNode("now")}, nil, 0).Node
		}
	case *query.Node_AExpr:
		operator(n, e.AExpr)
	}
}

// operator makes of IN what PostgreSQL does, a comparison with an array or with the only value; of IS DISTINCT FROM
// NULL the test for NULL, and of IS NOT DISTINCT FROM the contrary of the other.
func operator(n *query.Node, e *query.A_Expr) {
	switch e.Kind {
	case query.A_Expr_Kind_AEXPR_IN:
		items := e.Rexpr.GetList().Items
		e.Kind, e.Rexpr = query.A_Expr_Kind_AEXPR_OP, items[0]
		if len(items) > 1 {
			e.Rexpr = &query.Node{Node: &query.Node_AArrayExpr{AArrayExpr: &query.A_ArrayExpr{Elements: items}}}
			if e.Kind = query.A_Expr_Kind_AEXPR_OP_ANY; sign(e) == "<>" {
				e.Kind = query.A_Expr_Kind_AEXPR_OP_ALL
			}
		}
	case query.A_Expr_Kind_AEXPR_DISTINCT, query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		same := e.Kind == query.A_Expr_Kind_AEXPR_NOT_DISTINCT
		if e.Lexpr.GetAConst().GetIsnull() {
			e.Lexpr, e.Rexpr = e.Rexpr, e.Lexpr
		}
		if e.Rexpr.GetAConst().GetIsnull() {
			is := query.NullTestType_IS_NOT_NULL
			if same {
				is = query.NullTestType_IS_NULL
			}
			n.Node = &query.Node_NullTest{NullTest: &query.NullTest{Arg: e.Lexpr, Nulltesttype: is}}
		} else if same {
			e.Kind = query.A_Expr_Kind_AEXPR_DISTINCT
			n.Node = query.MakeBoolExprNode(query.BoolExprType_NOT_EXPR, []*query.Node{{Node: n.Node}}, 0).Node
		}
	}
}

// operands of AND within AND, and of OR within OR, are its own.
func operands(e *query.BoolExpr) []*query.Node {
	var list []*query.Node
	for _, arg := range e.Args {
		inner := arg.GetBoolExpr()
		if inner != nil && inner.Boolop == e.Boolop && e.Boolop != query.BoolExprType_NOT_EXPR {
			list = append(list, operands(inner)...)
		} else {
			list = append(list, arg)
		}
	}
	return list
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
	trueTexts   = strings.Fields("t tr tru true y ye yes on 1")
	numberTypes = []string{"number", "int2", "int4", "int8", "numeric", "float4", "float8"}
)

// like compares values as their type does, where that is known.
func (c typedConstant) like(printed typedConstant) Likeness {
	same := map[bool]Likeness{true: Same, false: Different}
	switch {
	case c.text == printed.text:
		return Same
	case printed.cast == "bool":
		value := strings.ToLower(strings.TrimSpace(c.text))
		return same[slices.Contains(trueTexts, value) == (printed.text == "true")]
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
