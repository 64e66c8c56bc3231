package pgparse

import (
	"errors"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

const (
	oneExpression = "one SQL expression"
	oneQuery      = "one SELECT"
	oneOrder      = "an ORDER BY list"
)

// expression is what there is to know of a text that was read as one.
type expression struct {
	Expr
	node *query.Node // positions in it begin at base
	base int
}

var readOnce = remember(readExpression)

// Expression reads exactly one SQL expression, that is, text that means the same wherever a
// template puts it between parentheses. The error is an *Error.
func Expression(sql string) (*Expr, error) {
	read, err := readOnce(sql)
	if err != nil {
		return nil, err
	}
	return &read.Expr, nil
}

func readExpression(sql string) (*expression, error) {
	node, base, err := expressionNode(sql)
	if err != nil {
		return nil, err
	}
	w := &walker{base: base}
	w.message(node.ProtoReflect())
	if err := w.finish(sql); err != nil {
		return nil, err
	}
	e := &expression{w.expr, node, base}
	e.Simple, e.NeverNull = simple(node), neverNull(node)
	e.Literal = node.GetAConst() != nil || node.GetTypeCast().GetArg().GetAConst() != nil
	return e, nil
}

// expressionNode parses sql twice. Bare, so that brackets must balance and positions are the user's;
// and in parentheses, so that nothing but an expression may stand there (no alias, no FROM).
func expressionNode(sql string) (*query.Node, int, error) {
	const bare, wrapped = "SELECT ", "SELECT ("
	tokens, err := scan(sql)
	if err != nil {
		return nil, 0, err
	}
	if len(tokens) == 0 {
		return nil, 0, &Error{Message: "the expression is empty"}
	}
	tree, err := parse(bare, sql, "")
	if err != nil {
		if tokens[0].kind == query.Token_SELECT || tokens[0].kind == query.Token_WITH {
			err = &Error{Message: "a query inside an expression stands in parentheses", Offset: tokens[0].Offset}
		}
		return nil, 0, err
	}
	stmt, err := onlySelect(tree, tokens, oneExpression)
	if err != nil {
		return nil, 0, err
	}
	if err := onlyTarget(stmt, tokens, len(bare)); err != nil {
		return nil, 0, err
	}
	tree, err = parse(wrapped, sql, ")")
	if err != nil {
		return nil, 0, err
	}
	if stmt, err = onlySelect(tree, tokens, oneExpression); err != nil {
		return nil, 0, err
	}
	return stmt.TargetList[0].GetResTarget().Val, len(wrapped), nil
}

// onlyTarget refuses all that is more than one target, and every clause behind or before it.
func onlyTarget(stmt *query.SelectStmt, tokens []Token, prefix int) error {
	refuse := func(offset int) *Error {
		return &Error{Message: "this is not " + oneExpression, Offset: max(offset, 0)}
	}
	if stmt.Op != query.SetOperation_SETOP_NONE {
		return refuse(clauseOffset(tokens))
	}
	switch len(stmt.TargetList) {
	case 0:
		return refuse(0)
	case 1:
	default:
		return refuse(int(stmt.TargetList[1].GetResTarget().Location) - prefix)
	}
	target := stmt.TargetList[0].GetResTarget()
	switch {
	case target.Name != "":
		return &Error{Message: "an alias does not belong to " + oneExpression, Offset: tokens[len(tokens)-1].Offset}
	case star(target.Val):
		return &Error{Message: `"*" is not ` + oneExpression, Offset: int(target.Location) - prefix}
	case len(stmt.DistinctClause) > 0 || len(stmt.FromClause) > 0 || stmt.IntoClause != nil || stmt.WhereClause != nil ||
		len(stmt.GroupClause) > 0 || stmt.HavingClause != nil || len(stmt.WindowClause) > 0 || len(stmt.SortClause) > 0 ||
		stmt.LimitCount != nil || stmt.LimitOffset != nil || len(stmt.LockingClause) > 0:
		return refuse(clauseOffset(tokens))
	}
	return nil
}

func star(node *query.Node) bool {
	fields := node.GetColumnRef().GetFields()
	return len(fields) > 0 && fields[len(fields)-1].GetAStar() != nil
}

var clauses = strings.Fields("all distinct into from where group having window union intersect except order limit offset fetch for")

// clauseOffset is where the first reserved word outside all brackets stands that begins a clause.
func clauseOffset(tokens []Token) int {
	depth := 0
	for _, t := range tokens {
		depth += t.depth()
		if depth == 0 && slices.Contains(clauses, strings.ToLower(t.Text)) {
			return t.Offset
		}
	}
	return 0
}

// onlySelect is the one SELECT of a parsed text, or an error that says what stands there instead.
func onlySelect(tree *query.ParseResult, tokens []Token, what string) (*query.SelectStmt, error) {
	node, err := onlyOne(tree, tokens, what)
	if err == nil && node.GetSelectStmt() == nil {
		err = &Error{Message: "this is not " + what}
	}
	return node.GetSelectStmt(), err
}

// onlyOne is the one statement of a parsed text, which has no semicolon.
func onlyOne(tree *query.ParseResult, tokens []Token, what string) (*query.Node, error) {
	if i := slices.IndexFunc(tokens, func(t Token) bool { return t.Text == ";" }); i >= 0 {
		return nil, &Error{Message: "a semicolon does not belong to " + what, Offset: tokens[i].Offset}
	}
	if len(tree.Stmts) != 1 {
		return nil, &Error{Message: "this is not " + what}
	}
	return tree.Stmts[0].Stmt, nil
}

// scanned scans and parses a text behind a prefix.
func scanned(prefix, sql string) ([]Token, *query.ParseResult, error) {
	tokens, err := scan(sql)
	if err != nil {
		return nil, nil, err
	}
	tree, err := parse(prefix, sql, "")
	return tokens, tree, err
}

var queries = remember(readQuery)

// Query reads exactly one SELECT that only reads: no INTO, no locking clause, no data-modifying
// WITH. Columns of the SELECT itself have depth 0. The error is an *Error.
func Query(sql string) (*Expr, error) { return queries(sql) }

func readQuery(sql string) (*Expr, error) {
	tokens, tree, err := scanned("", sql)
	if err != nil {
		return nil, err
	}
	stmt, err := onlySelect(tree, tokens, oneQuery)
	if err != nil {
		return nil, err
	}
	w := &walker{depth: -1}
	w.message(stmt.ProtoReflect())
	if err := w.finish(sql); err != nil {
		return nil, err
	}
	for stmt.Larg != nil { // the columns of a UNION are those of its left side
		stmt = stmt.Larg
	}
	if !slices.ContainsFunc(stmt.TargetList, func(n *query.Node) bool { return star(n.GetResTarget().GetVal()) }) {
		w.expr.Results = len(stmt.TargetList)
	}
	return &w.expr, nil
}

// Order reads the list of an ORDER BY. Directions and NULLS placement have PostgreSQL's defaults
// written out: ascending puts NULLs last, descending first
// (https://www.postgresql.org/docs/current/queries-order.html). The Expr holds what the whole
// list names, with offsets of sql. The error is an *Error.
func Order(sql string) ([]OrderItem, *Expr, error) {
	const prefix = "SELECT ORDER BY "
	if strings.TrimSpace(sql) == "" {
		return nil, nil, &Error{Message: "the order is empty"}
	}
	tokens, tree, err := scanned(prefix, sql)
	if err != nil {
		return nil, nil, err
	}
	stmt, err := onlySelect(tree, tokens, oneOrder)
	if err != nil {
		return nil, nil, err
	}
	spans := split(tokens)
	if stmt.LimitCount != nil || stmt.LimitOffset != nil || len(stmt.LockingClause) > 0 || len(spans) != len(stmt.SortClause) {
		return nil, nil, &Error{Message: "this is not " + oneOrder, Offset: clauseOffset(tokens)}
	}
	var items []OrderItem
	w := &walker{base: len(prefix)}
	for i, span := range spans {
		by := stmt.SortClause[i].GetSortBy()
		item, err := orderItem(by, span, sql)
		if err != nil {
			return nil, nil, err
		}
		items = append(items, item)
		w.message(by.Node.ProtoReflect())
	}
	if err := w.finish(sql); err != nil {
		return nil, nil, err
	}
	return items, &w.expr, nil
}

func orderItem(by *query.SortBy, span []Token, sql string) (OrderItem, error) {
	switch {
	case by.SortbyDir == query.SortByDir_SORTBY_USING:
		return OrderItem{}, &Error{Message: "ORDER BY ... USING is not allowed here", Offset: span[0].Offset}
	case by.Node.GetAConst() != nil:
		return OrderItem{}, &Error{Message: "a constant does not order anything", Offset: span[0].Offset}
	case star(by.Node):
		return OrderItem{}, &Error{Message: `"*" is not ` + oneExpression, Offset: span[0].Offset}
	}
	item := OrderItem{Descending: by.SortbyDir == query.SortByDir_SORTBY_DESC}
	item.NullsFirst = item.Descending
	if by.SortbyNulls != query.SortByNulls_SORTBY_NULLS_DEFAULT {
		item.NullsFirst = by.SortbyNulls == query.SortByNulls_SORTBY_NULLS_FIRST
		span = span[:len(span)-2]
	}
	if by.SortbyDir != query.SortByDir_SORTBY_DEFAULT {
		span = span[:len(span)-1]
	}
	item.Offset = span[0].Offset
	item.SQL = sql[item.Offset:span[len(span)-1].end()]
	return item, nil
}

// TypeName reads exactly one type name, such as numeric(10, 2)[]. The error is an *Error.
func TypeName(sql string) error {
	_, err := typeNode(sql)
	return err
}

func typeNode(sql string) (*query.TypeName, error) {
	tokens, err := scan(sql)
	if err == nil && len(tokens) == 0 {
		err = &Error{Message: "the type is empty"}
	}
	var node *query.TypeName
	for _, around := range [][2]string{{"SELECT NULL::", ""}, {"SELECT CAST(NULL AS ", ")"}} {
		var tree *query.ParseResult
		var stmt *query.SelectStmt
		if err == nil {
			tree, err = parse(around[0], sql, around[1])
		}
		if err == nil {
			stmt, err = onlySelect(tree, tokens, "one type name")
		}
		if err != nil {
			return nil, err
		}
		var cast *query.TypeCast
		if len(stmt.TargetList) == 1 {
			cast = stmt.TargetList[0].GetResTarget().GetVal().GetTypeCast()
		}
		if node = cast.GetTypeName(); !cast.GetArg().GetAConst().GetIsnull() || node.GetSetof() {
			return nil, &Error{Message: "this is not one type name"}
		}
	}
	return node, nil
}

// maxName is what the server keeps of an identifier, in bytes (NAMEDATALEN - 1).
// https://www.postgresql.org/docs/current/sql-syntax-lexical.html
const maxName = 63

var names = remember(readName)

// Name reads exactly one name, qualified or not, by SQL's rules: unquoted parts are folded to
// lower case, quoted ones are kept. A part that the server would cut is refused. The error is an
// *Error.
func Name(sql string) ([]string, error) {
	parts, err := names(sql)
	return slices.Clone(parts), err
}

func readName(sql string) ([]string, error) {
	const notName = "this is not one name"
	node, _, err := expressionNode(sql)
	if at := (*Error)(nil); errors.As(err, &at) {
		return nil, &Error{Message: notName, Offset: at.Offset}
	}
	ref := node.GetColumnRef()
	tokens, err := scan(sql)
	if ref == nil || star(node) || err != nil || len(tokens) != 2*len(ref.Fields)-1 {
		return nil, &Error{Message: notName}
	}
	var parts []string
	for i, field := range ref.Fields {
		name := field.GetString_().GetSval()
		if t := tokens[2*i]; len(name) == maxName && len(t.Text) > len(name) && t.Text != identifierQuoted(name) {
			return nil, &Error{Message: "a name is longer than 63 bytes", Offset: t.Offset}
		}
		parts = append(parts, name)
	}
	return parts, nil
}
