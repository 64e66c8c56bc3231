package pgparse

import (
	query "github.com/pganalyze/pg_query_go/v6"
)

// Statement is one SELECT, INSERT, UPDATE, DELETE or MERGE. Tables of the Expr holds every table
// that it names, those it writes among them. Columns of the statement itself have depth 0.
type Statement struct {
	Expr
	Writes []Write  // in order of appearance, those of WITH too
	With   []string // names of the leading WITH
	Select bool     // it returns rows; what it writes stands in its WITH
	CTEs   int      // where the list of the leading WITH begins, 0 without one: more may be put there
}

// Write is a table that a statement changes, and how. INSERT ... ON CONFLICT DO UPDATE does both.
type Write struct {
	Table                  TableRef
	Insert, Update, Delete bool
	Sets                   []string // columns of an UPDATE
}

const oneStatement = "one SELECT, INSERT, UPDATE, DELETE or MERGE"

// ParseStatement reads exactly one statement, to which a template may add tables in front, by
// WITH: so it does not begin with a parenthesis. The error is an *Error.
func ParseStatement(sql string) (*Statement, error) {
	tokens, err := scan(sql)
	if err != nil {
		return nil, err
	}
	tree, err := parse("", sql, "")
	if err != nil {
		return nil, err
	}
	node, err := onlyStatement(tree, tokens)
	if err != nil {
		return nil, err
	}
	w := &walker{depth: -1, writing: true}
	w.expr.TimeFunctionOffset = -1
	w.message(node.ProtoReflect())
	if _, err := w.sorted(); err != nil {
		return nil, err
	}
	w.expr.SQL = sql
	statement := &Statement{Expr: w.expr, Writes: w.writes, Select: node.GetSelectStmt() != nil}
	statement.leading(node, tokens)
	return statement, nil
}

func onlyStatement(tree *query.ParseResult, tokens []token) (*query.Node, *Error) {
	for _, t := range tokens {
		if t.text == ";" {
			return nil, &Error{Message: "a semicolon does not belong to " + oneStatement, Offset: t.start}
		}
	}
	if len(tree.Stmts) != 1 {
		return nil, &Error{Message: "this is not " + oneStatement}
	}
	node := tree.Stmts[0].Stmt
	if withClause(node) == nil && node.GetSelectStmt() == nil && node.GetInsertStmt() == nil &&
		node.GetUpdateStmt() == nil && node.GetDeleteStmt() == nil && node.GetMergeStmt() == nil {
		return nil, &Error{Message: "this is not " + oneStatement}
	}
	if tokens[0].text == "(" {
		return nil, &Error{Message: "a statement does not begin with a parenthesis", Offset: tokens[0].start}
	}
	return node, nil
}

func withClause(node *query.Node) *query.WithClause {
	for _, clause := range []*query.WithClause{
		node.GetSelectStmt().GetWithClause(), node.GetInsertStmt().GetWithClause(), node.GetUpdateStmt().GetWithClause(),
		node.GetDeleteStmt().GetWithClause(), node.GetMergeStmt().GetWithClause(),
	} {
		if clause != nil {
			return clause
		}
	}
	return nil
}

// leading notes the WITH that the statement begins with; one further in belongs to a part of it.
func (s *Statement) leading(node *query.Node, tokens []token) {
	clause := withClause(node)
	if clause == nil || tokens[0].kind != query.Token_WITH {
		return
	}
	first := 1
	if clause.Recursive {
		first = 2
	}
	s.CTEs = tokens[first].start
	for _, cte := range clause.Ctes {
		s.With = append(s.With, cte.GetCommonTableExpr().GetCtename())
	}
}
