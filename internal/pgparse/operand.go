package pgparse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// operator reads a comparison. For an unknown operator it returns an Opaque condition. Strict then
// lists the columns that make the condition NULL.
func (r conditions) operator(node *query.Node) *Condition {
	e := node.GetAExpr()
	kind := e.Kind.String()
	switch {
	case strings.Contains(kind, "BETWEEN"):
		return r.between(e, strings.Contains(kind, "NOT"))
	case e.Kind == query.A_Expr_Kind_AEXPR_IN:
		return r.list(e)
	case strings.Contains(kind, "DISTINCT"):
		return r.distinct(e)
	}
	c := &Condition{Strict: strict(node), Offset: r.offset(e.Location)}
	if e.Kind != query.A_Expr_Kind_AEXPR_OP || len(e.Name) != 1 || mirrored[sign(e)] == "" {
		return c
	}
	return compared(c, sign(e), e.Lexpr, e.Rexpr)
}

func sign(e *query.A_Expr) string {
	if name := e.Name[0].GetString_().GetSval(); name != "!=" {
		return name
	}
	return "<>"
}

// mirrored maps a comparison operator to the operator that gives the same result with both sides
// exchanged.
var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// compared sets the form of a comparison of a column with a constant, in either order.
func compared(c *Condition, op string, left, right *query.Node) *Condition {
	if _, ok := literal(left); ok {
		if _, both := literal(right); !both {
			left, right, op = right, left, mirrored[op]
		}
	}
	value, ok := literal(right)
	c.Left, c.Right = columnOf(left), columnOf(right)
	switch {
	case !ok || c.Left.Column == "" && value.Kind != NullConstant:
		return c
	case value.Kind == NullConstant:
		c.Form, c.Null = Fixed, true
		return c
	}
	c.Strict = []string{c.Left.Column}
	if op == "=" || op == "<>" {
		return c.equal(value).negated(op == "<>")
	}
	below := c.equal(value)
	below.Form = Below
	if op == "<" || op == ">=" {
		return below.negated(op == ">=")
	}
	c.Form, c.Parts = Either, []*Condition{below, c.equal(value)}
	return c.negated(op == ">")
}

var truth = Constant{BooleanConstant, "true"}

// equal returns the condition that the column of c equals a constant.
func (c *Condition) equal(value Constant) *Condition {
	equal := *c
	equal.Form, equal.Value = Equal, value
	return &equal
}

// between returns x >= a AND x <= b. For NOT BETWEEN it returns x < a OR x > b.
func (r conditions) between(e *query.A_Expr, negated bool) *Condition {
	bounds := e.Rexpr.GetList().GetItems()
	if strings.HasSuffix(e.Kind.String(), "_SYM") || len(bounds) != 2 {
		return &Condition{Strict: strict(e.Lexpr), Offset: r.offset(e.Location)}
	}
	junction, operators := query.BoolExprType_AND_EXPR, []string{">=", "<="}
	if negated {
		junction, operators = query.BoolExprType_OR_EXPR, []string{"<", ">"}
	}
	both := &query.BoolExpr{Boolop: junction, Location: e.Location}
	for i, op := range operators {
		name := []*query.Node{query.MakeStrNode(op)}
		bound := query.MakeAExprNode(query.A_Expr_Kind_AEXPR_OP, name, e.Lexpr, bounds[i], e.Location)
		both.Args = append(both.Args, bound)
	}
	c := r.boolean(both)
	c.Between = true
	return c
}

// list returns x IN (a, b) as x = a OR x = b. For NOT IN it returns the negation.
func (r conditions) list(e *query.A_Expr) *Condition {
	c := &Condition{Form: Either, Left: columnOf(e.Lexpr), Strict: strict(e.Lexpr), Offset: r.offset(e.Location)}
	for _, item := range e.Rexpr.GetList().GetItems() {
		value, ok := literal(item)
		switch {
		case !ok || c.Left.Column == "":
			return &Condition{Strict: c.Strict, Offset: c.Offset}
		case value.Kind == NullConstant:
			c.Parts = append(c.Parts, &Condition{Form: Fixed})
		default:
			part := &Condition{Left: c.Left, Strict: c.Strict, Offset: c.Offset}
			c.Parts = append(c.Parts, part.equal(value))
		}
	}
	return c.negated(sign(e) == "<>")
}

// distinct returns (x = a) IS NOT TRUE for a constant a, and x IS NOT NULL for NULL. For IS NOT
// DISTINCT FROM it returns the negation.
func (r conditions) distinct(e *query.A_Expr) *Condition {
	c := compared(&Condition{Offset: r.offset(e.Location)}, "=", e.Lexpr, e.Rexpr)
	column := cmp.Or(columnOf(e.Lexpr), columnOf(e.Rexpr))
	switch {
	case c.Form != Opaque && !c.Null:
		c = &Condition{Form: Is, Parts: []*Condition{c}, Value: truth, Offset: c.Offset}
	case c.Null && column.Column != "":
		c = &Condition{Form: IsNull, Left: column, Offset: c.Offset}
	default:
		return &Condition{NeverNull: true, Left: c.Left, Right: c.Right, Offset: c.Offset}
	}
	return c.negated(e.Kind == query.A_Expr_Kind_AEXPR_DISTINCT)
}

// columnOf returns the column of the row, or of a join, for a node that is such a column. as_of,
// run.id and keep.<guard> are not columns.
func columnOf(node *query.Node) Operand {
	cast := ""
	if c := node.GetTypeCast(); c != nil {
		node, cast = c.Arg, lastName(c.GetTypeName().GetNames())
	}
	switch names := texts(node.GetColumnRef().GetFields()); {
	case slices.Contains(names, ""):
	case len(names) == 1 && names[0] != "as_of":
		return Operand{names[0], cast}
	case len(names) == 2 && names[0] == "t":
		return Operand{names[1], cast}
	case len(names) == 2 && names[0] != "run" && names[0] != "keep":
		return Operand{names[0] + "." + names[1], cast}
	}
	return Operand{}
}

// literal returns the constant for a node that is a constant. A quoted text or NULL may have a
// cast.
func literal(node *query.Node) (Constant, bool) {
	if cast := node.GetTypeCast(); cast != nil {
		inner := cast.Arg.GetAConst()
		if inner.GetSval() == nil && !inner.GetIsnull() {
			return Constant{}, false
		}
		return literal(cast.Arg)
	}
	if e := node.GetAExpr(); e != nil && e.Kind == query.A_Expr_Kind_AEXPR_OP && e.Lexpr == nil && sign(e) == "-" {
		value, ok := literal(e.Rexpr)
		value.Text = "-" + value.Text
		return value, ok && value.Kind == NumberConstant
	}
	switch c := node.GetAConst(); {
	case c == nil:
		return Constant{}, false
	case c.GetIsnull():
		return Constant{}, true
	case c.GetBoolval() != nil:
		return Constant{BooleanConstant, strconv.FormatBool(c.GetBoolval().GetBoolval())}, true
	case c.GetFval() != nil:
		return Constant{NumberConstant, c.GetFval().GetFval()}, true
	case c.GetSval() != nil:
		return Constant{TextConstant, c.GetSval().GetSval()}, true
	default:
		return Constant{NumberConstant, strconv.Itoa(int(c.GetIval().GetIval()))}, c.GetIval() != nil
	}
}

// strictOperators return NULL if one side is NULL, for all built-in types.
var strictOperators = strings.Fields("= <> != < <= > >= + - * / % ~ ~* !~ !~* ~~ ~~* !~~ !~~*")

// strict lists columns of an expression. If one of these columns is NULL, the expression is NULL.
// Functions and expressions over several values may hide a NULL, so they are not searched.
func strict(node *query.Node) []string {
	if left := columnOf(node); left.Column != "" {
		return []string{left.Column}
	}
	if cast := node.GetTypeCast(); cast != nil {
		return strict(cast.Arg)
	}
	e := node.GetAExpr()
	if e == nil || len(e.Name) != 1 || !slices.Contains(strictOperators, e.Name[0].GetString_().GetSval()) {
		return nil
	}
	switch e.Kind {
	case query.A_Expr_Kind_AEXPR_OP, query.A_Expr_Kind_AEXPR_LIKE, query.A_Expr_Kind_AEXPR_ILIKE:
		return slices.Concat(strict(e.Lexpr), strict(e.Rexpr))
	}
	return nil
}

// immutableFunctions lists functions that always return the same result for the same arguments.
var immutableFunctions = strings.Fields(`abs btrim ceil coalesce count date_part date_trunc extract floor greatest
	least left length lower ltrim max min mod right round rtrim split_part starts_with substring timezone trim upper`)

// builtIn reports whether a name means a function of pg_catalog that the list contains. The name
// may be unqualified, because the search path begins with pg_catalog.
func builtIn(names []*query.Node, list []string) bool {
	name, _ := strings.CutPrefix(dotted(names), "pg_catalog.")
	return slices.Contains(list, strings.ToLower(name))
}

// stable reports whether a node calls no functions except immutableFunctions.
func stable(node *query.Node) bool {
	onlyImmutable := true
	visitAll(node.ProtoReflect(), func(m protoreflect.Message) {
		call, ok := m.Interface().(*query.FuncCall)
		onlyImmutable = onlyImmutable && (!ok || builtIn(call.Funcname, immutableFunctions))
	})
	return onlyImmutable
}

// simple reports whether node contains only columns, constants, comparisons, AND, OR, NOT, IN of
// constants and NULL tests. Such an expression is immutable if each comparison has one type on both
// sides. An index predicate must be immutable.
// https://www.postgresql.org/docs/current/sql-createindex.html
func simple(node *query.Node) bool {
	switch n := node.GetNode().(type) {
	case *query.Node_BoolExpr:
		return all(n.BoolExpr.Args, simple)
	case *query.Node_NullTest:
		return column(n.NullTest.Arg)
	case *query.Node_BooleanTest:
		return simple(n.BooleanTest.Arg)
	case *query.Node_AExpr:
		e := n.AExpr
		if len(e.Name) != 1 || mirrored[sign(e)] == "" || !operand(e.Lexpr) {
			return false
		}
		switch e.Kind {
		case query.A_Expr_Kind_AEXPR_OP, query.A_Expr_Kind_AEXPR_DISTINCT, query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
			return operand(e.Rexpr)
		case query.A_Expr_Kind_AEXPR_IN:
			return all(e.Rexpr.GetList().GetItems(), constant)
		}
		return false
	}
	return operand(node)
}

// neverNull reports whether the grammar ensures that the expression is TRUE or FALSE. IS DISTINCT
// FROM calls an operator, so it does not count.
func neverNull(node *query.Node) bool {
	switch n := node.GetNode().(type) {
	case *query.Node_BoolExpr:
		return all(n.BoolExpr.Args, neverNull)
	case *query.Node_NullTest, *query.Node_BooleanTest:
		return true
	case *query.Node_SubLink:
		return n.SubLink.SubLinkType == query.SubLinkType_EXISTS_SUBLINK
	}
	return false
}

func all(nodes []*query.Node, matches func(*query.Node) bool) bool {
	return !slices.ContainsFunc(nodes, func(n *query.Node) bool { return !matches(n) })
}

func operand(node *query.Node) bool { return constant(node) || column(node) }

// column reports whether node is one column. A whole row, as in t.*, cannot be indexed.
func column(node *query.Node) bool {
	names := texts(node.GetColumnRef().GetFields())
	return len(names) > 0 && !slices.Contains(names, "")
}

// constant reports whether node is a constant. It accepts 'x'::type, because PostgreSQL folds a
// quoted literal with a cast into one constant. Types for times are excluded, because they depend
// on the session.
func constant(node *query.Node) bool {
	if cast := node.GetTypeCast(); cast != nil {
		text := cast.Arg.GetAConst().GetSval() != nil
		return text && !slices.Contains(timeTypes, lastName(cast.GetTypeName().GetNames()))
	}
	return node.GetAConst() != nil
}
