package pgparse

import (
	"strings"
	"sync"

	query "github.com/pganalyze/pg_query_go/v6"
)

const one = "one SQL expression"

// Expression reads exactly one SQL expression, that is, text that means the same wherever a
// template puts it between parentheses. Nobody may change what it returns: it is remembered, because
// every object that is made of a policy reads the policy's expressions again. The error is an *Error.
func Expression(sql string) (*Expr, error) {
	known := readOnce(sql)
	return known.expr, known.err
}

// readOnce reads an expression, unless it was read before.
func readOnce(sql string) answer {
	if known, ok := expressions.Load(sql); ok {
		return known.(answer)
	}
	read := readExpression(sql)
	expressions.Store(sql, read)
	return read
}

// expressions are the answers of Expression, by text.
var expressions sync.Map

type answer struct {
	expr *Expr
	err  error
	node *query.Node // positions in it begin at base
	base int
}

func readExpression(sql string) answer {
	node, base, err := expression(sql)
	if err != nil {
		return answer{err: err}
	}
	walk, err := references(node, base)
	if err != nil {
		return answer{err: err}
	}
	expr := walk.expr
	expr.SQL = sql
	expr.Exists = node.GetSubLink().GetSubLinkType() == query.SubLinkType_EXISTS_SUBLINK
	expr.Simple = simple(node)
	expr.Literal = node.GetAConst() != nil || node.GetTypeCast().GetArg().GetAConst() != nil
	return answer{&expr, nil, node, base}
}

// expression parses sql twice. Bare, so that brackets must balance and positions are the user's;
// and in parentheses, so that nothing but an expression may stand there (no alias, no FROM).
func expression(sql string) (*query.Node, int, *Error) {
	const bare, wrapped = "SELECT ", "SELECT ("
	if strings.TrimSpace(sql) == "" {
		return nil, 0, &Error{Message: "the expression is empty"}
	}
	tokens, err := scan(sql)
	if err != nil {
		return nil, 0, err
	}
	tree, err := parse(bare, sql, "")
	if err != nil {
		return nil, 0, bareSelect(err, tokens)
	}
	if err := oneTarget(tree, tokens, sql); err != nil {
		return nil, 0, err
	}
	tree, err = parse(wrapped, sql, ")")
	if err != nil {
		return nil, 0, err
	}
	stmt, err := onlySelect(tree, tokens, one)
	if err != nil {
		return nil, 0, err
	}
	return stmt.TargetList[0].GetResTarget().Val, len(wrapped), nil
}

// bareSelect explains a query that is not in parentheses.
func bareSelect(err *Error, tokens []token) *Error {
	switch {
	case len(tokens) == 0:
		return &Error{Message: "the expression is empty"}
	case tokens[0].kind == query.Token_SELECT, tokens[0].kind == query.Token_WITH:
		return &Error{Message: "a query inside an expression stands in parentheses", Offset: tokens[0].start}
	}
	return err
}

func oneTarget(tree *query.ParseResult, tokens []token, sql string) *Error {
	const prefix = len("SELECT ")
	stmt, err := onlySelect(tree, tokens, one)
	if err != nil {
		return err
	}
	if stmt.Op != query.SetOperation_SETOP_NONE {
		return &Error{Message: "this is not " + one, Offset: clauseOffset(tokens)}
	}
	if len(stmt.TargetList) != 1 {
		return &Error{Message: "this is not " + one, Offset: secondTarget(stmt, prefix)}
	}
	target := stmt.TargetList[0].GetResTarget()
	if target.Name != "" {
		return &Error{Message: "an alias does not belong to " + one, Offset: aliasOffset(tokens)}
	}
	if star(target.Val) {
		return &Error{Message: `"*" is not ` + one, Offset: int(target.Location) - prefix}
	}
	return onlyTarget(stmt, tokens)
}

// onlyTarget refuses every clause behind or before the target.
func onlyTarget(stmt *query.SelectStmt, tokens []token) *Error {
	if len(stmt.DistinctClause) > 0 || len(stmt.FromClause) > 0 ||
		stmt.IntoClause != nil || stmt.WhereClause != nil || len(stmt.GroupClause) > 0 || stmt.HavingClause != nil ||
		len(stmt.WindowClause) > 0 || len(stmt.SortClause) > 0 || stmt.LimitCount != nil || stmt.LimitOffset != nil ||
		len(stmt.LockingClause) > 0 {
		return &Error{Message: "this is not " + one, Offset: clauseOffset(tokens)}
	}
	return nil
}

func secondTarget(stmt *query.SelectStmt, prefix int) int {
	if len(stmt.TargetList) < 2 {
		return 0
	}
	return max(int(stmt.TargetList[1].GetResTarget().Location)-prefix, 0)
}

func star(node *query.Node) bool {
	fields := node.GetColumnRef().GetFields()
	return len(fields) > 0 && fields[len(fields)-1].GetAStar() != nil
}

func aliasOffset(tokens []token) int { return tokens[len(tokens)-1].start }

// clauseOffset is where the first reserved word outside all brackets stands that begins a clause.
func clauseOffset(tokens []token) int {
	depth := 0
	for _, t := range tokens {
		depth += t.depth()
		if depth == 0 && clauses[strings.ToLower(t.text)] {
			return t.start
		}
	}
	return 0
}

var clauses = map[string]bool{
	"all": true, "distinct": true, "into": true, "from": true, "where": true, "group": true, "having": true,
	"window": true, "union": true, "intersect": true, "except": true, "order": true, "limit": true,
	"offset": true, "fetch": true, "for": true,
}

// Query reads exactly one SELECT that only reads: no INTO, no locking clause, no data-modifying
// WITH. Columns of the SELECT itself have depth 0. The error is an *Error.
func Query(sql string) (*Expr, error) {
	const what = "one SELECT"
	tokens, err := scan(sql)
	if err != nil {
		return nil, err
	}
	tree, err := parse("", sql, "")
	if err != nil {
		return nil, err
	}
	stmt, err := onlySelect(tree, tokens, what)
	if err != nil {
		return nil, err
	}
	walk, err := queryReferences(stmt)
	if err != nil {
		return nil, err
	}
	walk.expr.SQL = sql
	walk.expr.Results = results(stmt)
	return &walk.expr, nil
}

// results counts the columns of a query; those of a UNION are the ones of its left side.
func results(stmt *query.SelectStmt) int {
	for stmt.Larg != nil {
		stmt = stmt.Larg
	}
	for _, node := range stmt.TargetList {
		if star(node.GetResTarget().GetVal()) {
			return 0
		}
	}
	return len(stmt.TargetList)
}
