package pgparse

import (
	"errors"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
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
	w := &walker{base: base, expr: Expr{Levels: []Level{{Equal: equalities(node), Inside: -1}}}}
	if err := w.walk(sql, node); err != nil {
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
	stmt, tokens, err := onlySelect(bare, sql, "", oneExpression)
	switch {
	case err == nil && len(tokens) == 0:
		err = &Error{Message: "the expression is empty"}
	case err == nil:
		err = onlyTarget(stmt, tokens, len(bare))
	case len(tokens) > 0 && (tokens[0].kind == query.Token_SELECT || tokens[0].kind == query.Token_WITH):
		err = &Error{Message: "a query inside an expression stands in parentheses", Offset: tokens[0].Offset}
	}
	if err == nil {
		stmt, _, err = onlySelect(wrapped, sql, ")", oneExpression)
	}
	if err != nil {
		return nil, 0, err
	}
	return stmt.TargetList[0].GetResTarget().Val, len(wrapped), nil
}

// onlyTarget refuses all that is more than one target, and every clause behind or before it.
func onlyTarget(stmt *query.SelectStmt, tokens []Token, prefix int) error {
	parts, target := 0, &query.ResTarget{} // parts are targets and clauses
	visit(stmt.ProtoReflect(), func(protoreflect.Message) { parts++ })
	if len(stmt.TargetList) > 0 {
		target = stmt.TargetList[0].GetResTarget()
	}
	switch {
	case len(stmt.TargetList) > 1:
		return &Error{Message: "this is not " + oneExpression, Offset: int(stmt.TargetList[1].GetResTarget().Location) - prefix}
	case target.Name != "":
		return &Error{Message: "an alias does not belong to " + oneExpression, Offset: tokens[len(tokens)-1].Offset}
	case star(target.Val):
		return &Error{Message: `"*" is not ` + oneExpression, Offset: int(target.Location) - prefix}
	case len(stmt.TargetList) == 0 || parts > 1:
		return &Error{Message: "this is not " + oneExpression, Offset: clauseOffset(tokens)}
	}
	return nil
}

func star(node *query.Node) bool { return slices.Contains(texts(node.GetColumnRef().GetFields()), "") }

var clauses = strings.Fields("all distinct into from where group having window union intersect except order limit offset fetch for")

// clauseOffset is where the first reserved word outside all brackets stands that begins a clause.
func clauseOffset(tokens []Token) int {
	for _, t := range tokens {
		if t.depth == 0 && slices.Contains(clauses, strings.ToLower(t.Text)) {
			return t.Offset
		}
	}
	return 0
}

// onlySelect is the one SELECT that a text is between two others, or an error that says what stands there instead.
func onlySelect(prefix, sql, suffix, what string) (*query.SelectStmt, []Token, error) {
	node, tokens, err := onlyOne(prefix, sql, suffix, what)
	if err == nil && node.GetSelectStmt() == nil {
		err = &Error{Message: "this is not " + what}
	}
	return node.GetSelectStmt(), tokens, err
}

// onlyOne is the one statement, which has no semicolon.
func onlyOne(prefix, sql, suffix, what string) (*query.Node, []Token, error) {
	tokens, err := scan(sql)
	if err != nil {
		return nil, nil, err
	}
	tree, err := parse(prefix, sql, suffix)
	if err != nil {
		return nil, tokens, err
	}
	if i := slices.IndexFunc(tokens, func(t Token) bool { return t.Text == ";" }); i >= 0 {
		return nil, tokens, &Error{Message: "a semicolon does not belong to " + what, Offset: tokens[i].Offset}
	}
	if len(tree.Stmts) != 1 {
		return nil, tokens, &Error{Message: "this is not " + what}
	}
	return tree.Stmts[0].Stmt, tokens, nil
}

var queries = remember(readQuery)

// Query reads exactly one SELECT that only reads: no INTO, no locking clause, no data-modifying
// WITH. Columns of the SELECT itself have depth 0. The error is an *Error.
func Query(sql string) (*Expr, error) { return queries(sql) }

func readQuery(sql string) (*Expr, error) {
	stmt, _, err := onlySelect("", sql, "", oneQuery)
	if err != nil {
		return nil, err
	}
	w := &walker{depth: -1, inside: -1}
	if err := w.walk(sql, stmt); err != nil {
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
// (https://www.postgresql.org/docs/current/queries-order.html). The error is an *Error.
func Order(sql string) ([]OrderItem, error) {
	const prefix = "SELECT ORDER BY "
	if strings.TrimSpace(sql) == "" {
		return nil, &Error{Message: "the order is empty"}
	}
	stmt, tokens, err := onlySelect(prefix, sql, "", oneOrder)
	if err != nil {
		return nil, err
	}
	spans := split(tokens)
	if stmt.LimitCount != nil || stmt.LimitOffset != nil || len(stmt.LockingClause) > 0 || len(spans) != len(stmt.SortClause) {
		return nil, &Error{Message: "this is not " + oneOrder, Offset: clauseOffset(tokens)}
	}
	var items []OrderItem
	var parts []proto.Message
	for i, span := range spans {
		by := stmt.SortClause[i].GetSortBy()
		item, err := orderItem(by, span, sql)
		if err != nil {
			return nil, err
		}
		items, parts = append(items, item), append(parts, by.Node)
	}
	return items, (&walker{base: len(prefix)}).walk(sql, parts...)
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
	if strings.TrimSpace(sql) == "" {
		return nil, &Error{Message: "the type is empty"}
	}
	var node *query.TypeName
	for _, around := range [][2]string{{"SELECT NULL::", ""}, {"SELECT CAST(NULL AS ", ")"}} {
		stmt, _, err := onlySelect(around[0], sql, around[1], "one type name")
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
	if at, ok := errors.AsType[*Error](err); ok {
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
		if t := tokens[2*i]; len(name) == maxName && len(t.Text) > len(name) && t.Text != `"`+strings.ReplaceAll(name, `"`, `""`)+`"` {
			return nil, &Error{Message: "a name is longer than 63 bytes", Offset: t.Offset}
		}
		parts = append(parts, name)
	}
	return parts, nil
}
