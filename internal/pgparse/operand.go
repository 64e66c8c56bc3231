package pgparse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// operator reads comparisons; what it does not know is Opaque, with the columns that make it NULL.
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

// mirrored are the comparisons, and what they are with their sides exchanged.
var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// compared fills in a comparison of a column with a constant, on either side.
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

// equal is that the column of c is a constant.
func (c *Condition) equal(value Constant) *Condition {
	is := *c
	is.Form, is.Value = Equal, value
	return &is
}

// between is x >= a AND x <= b, and its contrary the OR of the contrary.
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

// list is x IN (a, b), the OR of x = a and x = b, or NOT IN.
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

// distinct is (x = a) IS NOT TRUE for a constant a, or x IS NOT NULL; NOT DISTINCT is the contrary.
func (r conditions) distinct(e *query.A_Expr) *Condition {
	c := compared(&Condition{Offset: r.offset(e.Location)}, "=", e.Lexpr, e.Rexpr)
	column := cmp.Or(columnOf(e.Lexpr), columnOf(e.Rexpr))
	switch {
	case c.Form != Opaque && !c.Null:
		c = &Condition{Form: Is, Parts: []*Condition{c}, Value: truth, Offset: c.Offset}
	case c.Null && column.Column != "":
		c = &Condition{Form: IsNull, Left: column, Offset: c.Offset}
	default:
		return &Condition{Never: true, Left: c.Left, Right: c.Right, Offset: c.Offset}
	}
	return c.negated(e.Kind == query.A_Expr_Kind_AEXPR_DISTINCT)
}

// columnOf is a column of the row or of a join; as_of, run and keep are none.
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

// literal is a constant, also with a cast that leaves a text as it is or names a type of the user's.
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

// strictOperators give NULL for a NULL on either side, whatever the built-in type.
var strictOperators = strings.Fields("= <> != < <= > >= + - * / % ~ ~* !~ !~* ~~ ~~* !~~ !~~*")

// strict lists the columns that make an expression NULL when they are. Functions and what is made of
// several values may hide a NULL, and are not looked into.
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

// steady are functions that give one answer for one question.
var steady = strings.Fields(`abs btrim ceil coalesce count date_part date_trunc extract floor greatest least left length
	lower ltrim max min mod right round rtrim split_part starts_with substring timezone trim upper`)

// builtIn says whether a call is of a function of pg_catalog in a list, which the search path begins with.
func builtIn(names []*query.Node, list []string) bool {
	name, _ := strings.CutPrefix(dotted(names), "pg_catalog.")
	return slices.Contains(list, strings.ToLower(name))
}

// stable says whether a part calls nothing but such functions.
func stable(node *query.Node) bool {
	is := true
	visitAll(node.ProtoReflect(), func(m protoreflect.Message) {
		call, ok := m.Interface().(*query.FuncCall)
		is = is && (!ok || builtIn(call.Funcname, steady))
	})
	return is
}

// simple says whether node is made only of columns, whosever they are, constants, comparisons, AND, OR,
// NOT, IN of constants and NULL tests. All of it is immutable for types that compare with
// themselves, which an index predicate demands.
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

// neverNull says whether the grammar alone makes the expression TRUE or FALSE. IS DISTINCT FROM calls an operator.
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

func all(nodes []*query.Node, is func(*query.Node) bool) bool {
	return !slices.ContainsFunc(nodes, func(n *query.Node) bool { return !is(n) })
}

func operand(node *query.Node) bool { return constant(node) || column(node) }

// column is one column, not a whole row as in t.*, which no index can read.
func column(node *query.Node) bool {
	names := texts(node.GetColumnRef().GetFields())
	return len(names) > 0 && !slices.Contains(names, "")
}

// constant also takes 'x'::type: PostgreSQL folds a quoted literal with a cast into one constant
// of that type when it reads the statement. Times are left out, they depend on the session.
func constant(node *query.Node) bool {
	if cast := node.GetTypeCast(); cast != nil {
		text := cast.Arg.GetAConst().GetSval() != nil
		return text && !slices.Contains(timeTypes, lastName(cast.GetTypeName().GetNames()))
	}
	return node.GetAConst() != nil
}
