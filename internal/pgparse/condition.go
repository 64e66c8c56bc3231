package pgparse

import (
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"

	"pgretain/internal/lists"
)

// Form is the kind of a Condition.
type Form int

// These are the forms of a condition. Opaque means that only the text of the condition is known.
const (
	Opaque Form = iota
	All         // AND of Parts
	Either      // OR of Parts
	Not         // NOT Parts[0]
	Is          // Parts[0] IS TRUE, FALSE or UNKNOWN, as Value says
	Fixed       // Value, the same for every row
	Equal       // Left = Value; a boolean column is compared with true
	Below       // Left < Value
	IsNull      // Left IS NULL
)

// Condition is the structure of a condition, as far as its text determines it. All comparisons are
// built from Equal and Below: x > 1 is NOT (x < 1 OR x = 1). IN is built from Equal.
type Condition struct {
	Form  Form
	Parts []*Condition
	Left  Operand
	Right Operand // the second column of an Opaque comparison of two columns
	Value Constant
	Query *SubSelect // if the condition is Left IN (SELECT ...), and Opaque: the query

	Strict    []string // if one of these columns is NULL, the condition is NULL
	NeverNull bool     // the condition is Opaque and never NULL
	Text      string   // text of an Opaque condition; equal texts have equal results if Stable is set
	Stable    bool     // the condition calls only functions that always return the same result
	Null      bool     // the text compares with the literal NULL
	Offset    int      // position of the compared value, in bytes of the expression
	Between   bool     // the condition was written as BETWEEN; its Form is All or Either
}

// Operand is a column, as "name" or "alias.name", with an optional cast. Column is "" if the
// operand is no plain column.
type Operand struct{ Column, Cast string }

// Constant is a literal.
type Constant struct {
	Kind ConstantKind
	Text string // digits of a number, value of a text, or true or false
}

// IsNumber reports whether the constant is a number.
func (c Constant) IsNumber() bool { return c.Kind == NumberConstant }

// ConstantKind is the kind of a literal.
type ConstantKind int

// The kinds of literals.
const (
	NullConstant ConstantKind = iota
	NumberConstant
	TextConstant
	BooleanConstant
)

// SubSelect is a query of one column of one table.
type SubSelect struct {
	Table   TableRef
	Column  string
	NotNull []string // columns that are not NULL in any row of the result
}

// Condition returns the structure of an expression. It returns nil for a query or a statement.
// Callers must not change the result.
func (e *Expr) Condition() *Condition {
	if e.condition == nil {
		return nil
	}
	return e.condition()
}

// Operand returns the column of an expression that consists of one column with an optional cast. It
// returns an empty Operand for any other expression.
func (e *Expr) Operand() Operand { return columnOf(e.node) }

// conditions converts nodes of the grammar to Conditions. Its value is the length of the text that
// was put before the user's text.
type conditions int

func (r conditions) offset(location int32) int { return max(int(location)-int(r), 0) }

func (r conditions) read(node *query.Node) *Condition {
	c := r.form(node)
	if c.Form == Opaque {
		c.Text, c.Stable = text(node), stable(node)
	}
	return c
}

func (r conditions) form(node *query.Node) *Condition {
	switch n := node.GetNode().(type) {
	case *query.Node_BoolExpr:
		return r.boolean(n.BoolExpr)
	case *query.Node_BooleanTest:
		return r.test(n.BooleanTest)
	case *query.Node_NullTest:
		c := &Condition{Form: IsNull, Left: columnOf(n.NullTest.Arg), Offset: r.offset(n.NullTest.Location)}
		if c.Left.Column == "" {
			return &Condition{NeverNull: true}
		}
		return c.negated(n.NullTest.Nulltesttype == query.NullTestType_IS_NOT_NULL)
	case *query.Node_AExpr:
		return r.operator(node)
	case *query.Node_SubLink:
		switch s := n.SubLink; {
		case s.SubLinkType == query.SubLinkType_EXISTS_SUBLINK:
			return &Condition{NeverNull: true}
		case s.SubLinkType == query.SubLinkType_ANY_SUBLINK && len(s.OperName) == 0:
			sub := subSelect(s.Subselect.GetSelectStmt())
			return &Condition{Left: columnOf(s.Testexpr), Query: sub, Offset: r.offset(s.Location)}
		}
		return &Condition{}
	}
	if value, ok := literal(node); ok {
		return &Condition{Form: Fixed, Value: value, Offset: r.offset(node.GetAConst().GetLocation())}
	}
	if left := columnOf(node); left.Column != "" && left.Cast == "" {
		c := &Condition{Left: left, Strict: []string{left.Column}, Offset: r.offset(node.GetColumnRef().GetLocation())}
		return c.equal(truth)
	}
	return &Condition{}
}

func (r conditions) boolean(e *query.BoolExpr) *Condition {
	c := &Condition{Offset: r.offset(e.Location), Parts: lists.Map(e.Args, r.read)}
	switch e.Boolop {
	case query.BoolExprType_AND_EXPR:
		c.Form = All
	case query.BoolExprType_OR_EXPR:
		c.Form = Either
	default:
		c.Form, c.Strict = Not, c.Parts[0].Strict
	}
	return c
}

// negated returns NOT c if the parameter "not" is true, otherwise c.
func (c *Condition) negated(not bool) *Condition {
	if !not {
		return c
	}
	return &Condition{Form: Not, Parts: []*Condition{c}, Strict: c.Strict, Offset: c.Offset}
}

func (r conditions) test(t *query.BooleanTest) *Condition {
	name := t.Booltesttype.String()
	value := Constant{}
	switch {
	case strings.HasSuffix(name, "TRUE"):
		value = Constant{BooleanConstant, "true"}
	case strings.HasSuffix(name, "FALSE"):
		value = Constant{BooleanConstant, "false"}
	}
	c := &Condition{Form: Is, Parts: []*Condition{r.read(t.Arg)}, Value: value, Offset: r.offset(t.Location)}
	return c.negated(strings.HasPrefix(name, "IS_NOT_"))
}

// subSelect returns the structure of a query of one column of one table. It returns nil for any
// other query.
func subSelect(s *query.SelectStmt) *SubSelect {
	if s == nil || len(s.FromClause) != 1 || len(s.TargetList) != 1 || len(s.GroupClause) > 0 || s.WithClause != nil ||
		s.Op != query.SetOperation_SETOP_NONE {
		return nil
	}
	table, left := s.FromClause[0].GetRangeVar(), columnOf(s.TargetList[0].GetResTarget().GetVal())
	if table == nil || left.Column == "" {
		return nil
	}
	sub := &SubSelect{Table: TableRef{Schema: table.Schemaname, Name: table.Relname, Alias: table.Alias.GetAliasname()}}
	sub.Column = sub.own(left.Column)
	if s.WhereClause != nil {
		for _, name := range conditions(0).read(s.WhereClause).NotNullColumns() {
			sub.NotNull = append(sub.NotNull, sub.own(name))
		}
	}
	return sub
}

// own returns the name of a column without the alias of the query's own table.
func (s *SubSelect) own(column string) string {
	qualifier, name, qualified := strings.Cut(column, ".")
	if qualified && (qualifier == s.Table.Alias || s.Table.Alias == "" && qualifier == s.Table.Name) {
		return name
	}
	return column
}

// NotNullColumns lists the columns that are not NULL whenever the condition is true.
func (c *Condition) NotNullColumns() []string {
	switch {
	case c.Form == All:
		return slices.Concat(lists.Map(c.Parts, (*Condition).NotNullColumns)...)
	case c.Form == Not && c.Parts[0].Form == IsNull:
		return []string{c.Parts[0].Left.Column}
	}
	return c.Strict
}

// Walk calls f for the condition and all its parts. A nil condition is allowed.
func (c *Condition) Walk(f func(*Condition)) {
	if c == nil {
		return
	}
	f(c)
	for _, part := range c.Parts {
		part.Walk(f)
	}
}
