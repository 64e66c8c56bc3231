package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Same reports whether two expressions on the row mean the same. PostgreSQL prints an expression in
// another form than it was written: it adds casts and parentheses, and writes IN as = ANY. Same
// ignores these differences, the types of constants, the alias t, and the schema pg_catalog. The
// parameter "column" is a function as of the method Type. If Same returns false, the expressions
// may still mean the same.
func (e *Expr) Same(other *Expr, column func(name []string) string) bool {
	return canonical(e.node, column) == canonical(other.node, column)
}

// canonical returns a key for a node. Nodes with equal keys mean the same.
func canonical(node *query.Node, column func(name []string) string) string {
	root := proto.CloneOf(&query.ResTarget{Val: node})
	visitAll(root.ProtoReflect(), func(m protoreflect.Message) {
		if n, ok := m.Interface().(*query.Node); ok {
			simplify(n, column)
		}
	})
	return text(root)
}

// simplify replaces a node by a simpler one that means the same. visitAll visits the new parts of
// the node after it.
func simplify(n *query.Node, column func(name []string) string) {
	for isAddedCast(n, column) {
		n.Node = n.GetTypeCast().Arg.Node
	}
	if value, ok := literal(n); ok && value.Kind != NullConstant {
		n.Node = query.MakeAConstStrNode(value.Text, 0).Node
	}
	switch part := n.GetNode().(type) {
	case *query.Node_ColumnRef:
		if name := part.ColumnRef.Fields; len(name) == 2 && name[0].GetString_().GetSval() == "t" {
			part.ColumnRef.Fields = name[1:]
		}
	case *query.Node_FuncCall:
		part.FuncCall.Funcname = withoutCatalog(part.FuncCall.Funcname)
	case *query.Node_TypeCast:
		part.TypeCast.TypeName.Names = withoutCatalog(part.TypeCast.TypeName.Names)
	case *query.Node_BoolExpr:
		part.BoolExpr.Args = flattened(part.BoolExpr)
	case *query.Node_AExpr:
		part.AExpr.Name = withoutCatalog(part.AExpr.Name)
		inAsAny(part.AExpr)
	}
}

// isAddedCast reports whether a node is a cast that PostgreSQL may have added: of a constant, to
// the type that a value has anyway, or of a varchar to text.
func isAddedCast(n *query.Node, column func(name []string) string) bool {
	cast := n.GetTypeCast()
	if cast == nil {
		return false
	}
	from, to := typeOf(cast.Arg, column), formatType(cast.TypeName)
	isVarchar := strings.HasPrefix(from, "character varying")
	_, constant := literal(n)
	return constant || to != "" && from == to || isVarchar && to == "text" || cast.Arg.GetAArrayExpr() != nil
}

// withoutCatalog returns a name without the schema pg_catalog.
func withoutCatalog(name []*query.Node) []*query.Node {
	if len(name) == 2 && name[0].GetString_().GetSval() == "pg_catalog" {
		return name[1:]
	}
	return name
}

// flattened returns the parts of AND and OR at any depth.
func flattened(e *query.BoolExpr) (parts []*query.Node) {
	for _, arg := range e.Args {
		if inner := arg.GetBoolExpr(); inner != nil && inner.Boolop == e.Boolop &&
			e.Boolop != query.BoolExprType_NOT_EXPR {
			parts = append(parts, flattened(inner)...)
		} else {
			parts = append(parts, arg)
		}
	}
	return parts
}

// inAsAny writes x IN (a, b) as x = ANY (ARRAY[a, b]), NOT IN as <> ALL, IN with one value as =,
// and != as <>.
func inAsAny(e *query.A_Expr) {
	if len(e.Name) == 1 {
		e.Name = []*query.Node{query.MakeStrNode(sign(e))}
	}
	items := e.Rexpr.GetList().GetItems()
	switch {
	case e.Kind != query.A_Expr_Kind_AEXPR_IN || len(items) == 0:
		return
	case len(items) == 1:
		e.Kind, e.Rexpr = query.A_Expr_Kind_AEXPR_OP, items[0]
		return
	case sign(e) == "<>":
		e.Kind = query.A_Expr_Kind_AEXPR_OP_ALL
	default:
		e.Kind = query.A_Expr_Kind_AEXPR_OP_ANY
	}
	e.Rexpr = &query.Node{Node: &query.Node_AArrayExpr{AArrayExpr: &query.A_ArrayExpr{Elements: items}}}
}

// IndexExpressions returns the expressions of the key of an index, from its CREATE INDEX. An item
// is nil for a column, and for an expression with a collation or an operator class. The error is an
// *Error.
func IndexExpressions(definition string) ([]*Expr, error) {
	index, err := fromStatements(definition, "CREATE INDEX", (*query.Node).GetIndexStmt)
	if err != nil {
		return nil, err
	}
	var list []*Expr
	for _, param := range index.IndexParams {
		item := param.GetIndexElem()
		if item.Expr == nil || len(item.Collation)+len(item.Opclass) > 0 {
			list = append(list, nil)
		} else {
			list = append(list, &Expr{node: item.Expr})
		}
	}
	return list, nil
}

// SameIndex reports whether two CREATE INDEX define the same index. Their storage parameters may
// differ. Texts that it cannot parse must be equal.
func SameIndex(a, b string) bool {
	one, err := fromStatements(a, "CREATE INDEX", (*query.Node).GetIndexStmt)
	other, wrong := fromStatements(b, "CREATE INDEX", (*query.Node).GetIndexStmt)
	if err != nil || wrong != nil {
		return a == b
	}
	one.Options, other.Options = nil, nil
	return text(one) == text(other)
}
