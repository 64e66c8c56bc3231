package pgparse

import (
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// atom reports whether the tokens are a name, a key word, a number, or a call that has no other
// parentheses inside.
func atom(tokens []Token) bool {
	n := 0
	for n < len(tokens) && (n%2 == 1 && tokens[n].Text == "." || n%2 == 0 && tokens[n].isWord()) {
		n++
	}
	rest := tokens[n:]
	inside := func(t Token) bool { return t.Text == "(" || t.Text == ")" }
	switch {
	case n%2 == 0:
		return false
	case len(rest) == 0:
		return true
	}
	last := len(rest) - 1
	return rest[0].Text == "(" && rest[last].Text == ")" && !slices.ContainsFunc(rest[1:last], inside)
}

// isWord reports whether the token is a name, a key word or a number.
func (t Token) isWord() bool {
	return t.keyword != query.KeywordKind_NO_KEYWORD ||
		slices.Contains([]query.Token{query.Token_IDENT, query.Token_ICONST, query.Token_FCONST}, t.kind)
}

// Column returns the parts of the name if the expression is one column; otherwise nil.
func (e *Expr) Column() []string {
	if e == nil || !column(e.node) {
		return nil
	}
	return texts(e.node.GetColumnRef().Fields)
}

// IsColumn reports whether the expression is the column with these parts of the name.
func (e *Expr) IsColumn(name ...string) bool { return slices.Equal(e.Column(), name) }

// Constant returns the constant that the expression consists of. A constant with a cast does not
// count.
func (e *Expr) Constant() (Constant, bool) {
	if e == nil || e.node.GetTypeCast() != nil {
		return Constant{}, false
	}
	return literal(e.node)
}

// ChosenColumns returns the columns of COALESCE, GREATEST or LEAST over columns without a
// qualifier. It returns nil for any other expression.
func (e *Expr) ChosenColumns() []string {
	args := append(e.node.GetCoalesceExpr().GetArgs(), e.node.GetMinMaxExpr().GetArgs()...)
	var names []string
	for _, arg := range args {
		name := texts(arg.GetColumnRef().GetFields())
		if len(name) != 1 || name[0] == "" {
			return nil
		}
		names = append(names, name[0])
	}
	return names
}

// CountsRows reports whether the expression is count(*), with or without a filter. It is never
// NULL.
func (e *Expr) CountsRows() bool {
	call := e.node.GetFuncCall()
	return call.GetAggStar() && call.Over == nil && builtIn(call.Funcname, []string{"count"})
}

// OnlyNotNull reports whether a condition only requires that columns are not NULL.
func (e *Expr) OnlyNotNull() bool {
	var only func(c *Condition) bool
	only = func(c *Condition) bool {
		if c.Form == All {
			return !slices.ContainsFunc(c.Parts, func(part *Condition) bool { return !only(part) })
		}
		return c.Form == Not && c.Parts[0].Form == IsNull
	}
	return only(e.Condition())
}

// OnlyGetsTrue reports whether deletes can make the condition true, but never false. It must
// contain NOT EXISTS, and may combine it by AND and OR with other conditions on the row. A
// sub-select of NOT EXISTS must read tables by FROM and WHERE alone.
func (e *Expr) OnlyGetsTrue() bool {
	only, found := onlyGetsTrue(e.node)
	return only && found
}

// onlyGetsTrue reports whether no delete makes a condition false, and whether it contains NOT
// EXISTS.
func onlyGetsTrue(node *query.Node) (only, found bool) {
	e := node.GetBoolExpr()
	switch {
	case e == nil:
		return stable(node) && !hasQuery(node), false
	case e.Boolop == query.BoolExprType_NOT_EXPR:
		link := e.Args[0].GetSubLink()
		if link.GetSubLinkType() == query.SubLinkType_EXISTS_SUBLINK {
			return plainSelect(link.Subselect.GetSelectStmt()), true
		}
		return stable(node) && !hasQuery(node), false
	}
	only = true
	for _, arg := range e.Args {
		partOnly, partFound := onlyGetsTrue(arg)
		only, found = only && partOnly, found || partFound
	}
	return only, found
}

// hasQuery reports whether a node contains a sub-select.
func hasQuery(node *query.Node) (found bool) {
	visitAll(node.ProtoReflect(), func(m protoreflect.Message) {
		_, is := m.Interface().(*query.SubLink)
		found = found || is
	})
	return found
}

// plainSelect reports whether a query only filters rows of tables. A deleted row then removes rows
// from its result and adds none.
func plainSelect(s *query.SelectStmt) bool {
	plain := s != nil && s.WithClause == nil && s.Op == query.SetOperation_SETOP_NONE && len(s.GroupClause) == 0 &&
		s.HavingClause == nil && s.LimitOffset == nil && len(s.ValuesLists) == 0
	if !plain {
		return false
	}
	visit(s.ProtoReflect(), func(m protoreflect.Message) {
		visitAll(m, func(m protoreflect.Message) {
			switch n := m.Interface().(type) {
			case *query.SubLink, *query.RangeSubselect, *query.RangeFunction, *query.RangeTableFunc:
				plain = false
			case *query.JoinExpr:
				plain = plain && n.Jointype == query.JoinType_JOIN_INNER
			case *query.FuncCall: // an aggregate returns a row even if it reads none
				plain = plain && builtIn(n.Funcname, immutableFunctions) && !builtIn(n.Funcname, aggregates)
			}
		})
	})
	return plain
}

// aggregates lists the aggregates among immutableFunctions.
var aggregates = strings.Fields("count max min")

// Greatest returns the column of the query SELECT max(column) FROM one table, without a condition.
// The greatest value may be in COALESCE, and may have a cast. It returns "" for any other query.
func (e *Expr) Greatest() string {
	s := e.node.GetSelectStmt()
	if s == nil || len(s.TargetList) != 1 || len(s.FromClause) != 1 || len(e.Tables) != 1 || len(e.Columns) != 1 {
		return ""
	}
	value := withoutCasts(s.TargetList[0].GetResTarget().GetVal())
	if args := value.GetCoalesceExpr().GetArgs(); len(args) > 0 {
		value = args[0]
	}
	call := value.GetFuncCall()
	if call == nil || !builtIn(call.Funcname, []string{"max"}) || len(call.Args) != 1 || call.AggFilter != nil {
		return ""
	}
	if name := texts(call.Args[0].GetColumnRef().GetFields()); len(name) > 0 {
		return name[len(name)-1]
	}
	return ""
}
