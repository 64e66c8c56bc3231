package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// Order reads the list of an ORDER BY. Directions and NULLS placement have PostgreSQL's defaults
// written out: ascending puts NULLs last, descending first
// (https://www.postgresql.org/docs/current/queries-order.html). The Expr holds what the whole
// list names, with offsets of sql. The error is an *Error.
func Order(sql string) ([]OrderItem, *Expr, error) {
	const prefix = "SELECT ORDER BY "
	tokens, err := scan(sql)
	if err != nil {
		return nil, nil, err
	}
	if len(tokens) == 0 {
		return nil, nil, &Error{Message: "the order is empty"}
	}
	tree, err := parse(prefix, sql, "")
	if err != nil {
		return nil, nil, err
	}
	stmt, err := onlySelect(tree, tokens, "an ORDER BY list")
	if err != nil {
		return nil, nil, err
	}
	if err := onlyOrder(stmt, tokens); err != nil {
		return nil, nil, err
	}
	return orderItems(stmt, tokens, sql)
}

func onlyOrder(stmt *query.SelectStmt, tokens []token) *Error {
	if stmt.LimitCount != nil || stmt.LimitOffset != nil || len(stmt.LockingClause) > 0 {
		return &Error{Message: "this is not an ORDER BY list", Offset: clauseOffset(tokens)}
	}
	return nil
}

func orderItems(stmt *query.SelectStmt, tokens []token, sql string) ([]OrderItem, *Expr, error) {
	spans := split(tokens)
	if len(spans) != len(stmt.SortClause) {
		return nil, nil, &Error{Message: "this is not an ORDER BY list"}
	}
	var items []OrderItem
	whole := &Expr{SQL: sql}
	for i, span := range spans {
		item, expr, err := orderItem(stmt.SortClause[i].GetSortBy(), span, sql)
		if err != nil {
			return nil, nil, err
		}
		items = append(items, item)
		whole.join(expr, item.Offset)
	}
	return items, whole, nil
}

func orderItem(by *query.SortBy, span []token, sql string) (OrderItem, *Expr, error) {
	if by.SortbyDir == query.SortByDir_SORTBY_USING {
		return OrderItem{}, nil, &Error{Message: "ORDER BY ... USING is not allowed here", Offset: span[0].start}
	}
	if by.Node.GetAConst() != nil {
		return OrderItem{}, nil, &Error{Message: "a constant does not order anything", Offset: span[0].start}
	}
	span = withoutDirection(span, by)
	start, end := span[0].start, span[len(span)-1].end
	expr, err := Expression(sql[start:end])
	if err != nil {
		return OrderItem{}, nil, shifted(err, start)
	}
	descending := by.SortbyDir == query.SortByDir_SORTBY_DESC
	first := by.SortbyNulls == query.SortByNulls_SORTBY_NULLS_FIRST
	if by.SortbyNulls == query.SortByNulls_SORTBY_NULLS_DEFAULT {
		first = descending
	}
	return OrderItem{SQL: sql[start:end], Offset: start, Descending: descending, NullsFirst: first}, expr, nil
}

// withoutDirection cuts NULLS FIRST and DESC off the end, where the parser saw them.
func withoutDirection(span []token, by *query.SortBy) []token {
	if by.SortbyNulls != query.SortByNulls_SORTBY_NULLS_DEFAULT {
		span = span[:len(span)-2]
	}
	if by.SortbyDir != query.SortByDir_SORTBY_DEFAULT {
		span = span[:len(span)-1]
	}
	return span
}

// split cuts tokens at the commas outside all brackets.
func split(tokens []token) [][]token {
	var spans [][]token
	depth, start := 0, 0
	for i, t := range tokens {
		depth += t.depth()
		if depth == 0 && t.text == "," {
			spans = append(spans, tokens[start:i])
			start = i + 1
		}
	}
	return append(spans, tokens[start:])
}

func shifted(err error, by int) error {
	if e, ok := err.(*Error); ok {
		return &Error{Message: e.Message, Offset: e.Offset + by}
	}
	return err
}

// join adds what other names, found at offset by of e.
func (e *Expr) join(other *Expr, by int) {
	for _, c := range other.Columns {
		c.Offset += by
		e.Columns = append(e.Columns, c)
	}
	for _, t := range other.Tables {
		t.Offset += by
		e.Tables = append(e.Tables, t)
	}
	e.Functions = append(e.Functions, other.Functions...)
	e.Calls = append(e.Calls, other.Calls...)
	e.Schemas = append(e.Schemas, other.Schemas...)
	e.Subquery = e.Subquery || other.Subquery
	if !e.Parameter && other.Parameter {
		e.Parameter, e.ParameterOffset = true, other.ParameterOffset+by
	}
	if e.TimeFunction == "" && other.TimeFunction != "" {
		e.TimeFunction, e.TimeFunctionOffset = other.TimeFunction, other.TimeFunctionOffset+by
	}
}

// TypeName reads exactly one type name, such as numeric(10, 2)[]. The error is an *Error.
func TypeName(sql string) error {
	if strings.TrimSpace(sql) == "" {
		return &Error{Message: "the type is empty"}
	}
	tokens, err := scan(sql)
	if err != nil {
		return err
	}
	const plain, wrapped = "SELECT NULL::", "SELECT CAST(NULL AS "
	if err := onlyCast(plain, sql, "", tokens); err != nil {
		return err
	}
	if err := onlyCast(wrapped, sql, ")", tokens); err != nil {
		return err
	}
	return nil
}

func onlyCast(prefix, sql, suffix string, tokens []token) *Error {
	tree, err := parse(prefix, sql, suffix)
	if err != nil {
		return err
	}
	stmt, err := onlySelect(tree, tokens, "one type name")
	if err != nil {
		return err
	}
	if len(stmt.TargetList) == 1 {
		cast := stmt.TargetList[0].GetResTarget().GetVal().GetTypeCast()
		if cast.GetArg().GetAConst().GetIsnull() && !cast.GetTypeName().GetSetof() {
			return nil
		}
	}
	return &Error{Message: "this is not one type name"}
}
