package pgparse

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

const (
	oneExpression = "one SQL expression"

	// inParentheses is put before an expression to parse the expression. Offsets are counted from
	// the end of this prefix.
	inParentheses = "SELECT ("
)

// expression is a parsed expression with its node in the grammar.
type expression struct {
	Expr
	node *query.Node
}

var readOnce = remember(readExpression)

// Expression parses exactly one SQL expression. Its meaning must not depend on the parentheses that
// a template puts around it. The error is an *Error.
func Expression(sql string) (*Expr, error) {
	read, err := readOnce(sql)
	if err != nil {
		return nil, err
	}
	return &read.Expr, nil
}

func readExpression(sql string) (*expression, error) {
	node, err := expressionNode(sql)
	if err != nil {
		return nil, err
	}
	w := &walker{base: len(inParentheses), expr: Expr{Levels: []Level{{Equal: equalities(node), Inside: -1}}}}
	if err := w.walk(sql, node); err != nil {
		return nil, err
	}
	e := &expression{w.expr, node}
	e.Simple, e.NeverNull = simple(node), neverNull(node)
	e.Literal = node.GetAConst() != nil || node.GetTypeCast().GetArg().GetAConst() != nil
	return e, nil
}

// expressionNode parses one expression between parentheses. It refuses a bare query, and several
// expressions with commas.
func expressionNode(sql string) (*query.Node, error) {
	stmt, tokens, err := only(inParentheses, sql, ")", oneExpression)
	if err != nil {
		return nil, err
	}
	node := stmt.GetSelectStmt().TargetList[0].GetResTarget().Val
	link := node.GetSubLink()
	switch parts := split(tokens); {
	case len(parts) > 1:
		err = &Error{Message: "the text is not " + oneExpression, Offset: parts[1][0].Offset}
	case star(node):
		err = &Error{Message: `"*" is not ` + oneExpression}
	case link.GetSubLinkType() == query.SubLinkType_EXPR_SUBLINK && !enclosed(tokens):
		err = &Error{Message: "a query in an expression must be in parentheses"}
	}
	return node, err
}

func star(node *query.Node) bool { return slices.Contains(texts(node.GetColumnRef().GetFields()), "") }

// only concatenates prefix, sql and suffix, and parses the result, which must be one statement. It
// refuses a bracket in sql that closes a bracket of the prefix. So sql has the same meaning
// wherever a template puts it.
func only(prefix, sql, suffix, what string) (*query.Node, []Token, error) {
	tokens, err := scan(sql)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range tokens {
		switch {
		case suffix != "" && t.depth == 0 && (t.Text == ")" || t.Text == "]"):
			return nil, nil, &Error{Message: fmt.Sprintf("syntax error at or near %q", t.Text), Offset: t.Offset}
		case t.Text == ";":
			return nil, nil, &Error{Message: "a semicolon is not allowed in " + what, Offset: t.Offset}
		}
	}
	if len(tokens) == 0 {
		return nil, nil, &Error{Message: "the text is empty"}
	}
	tree, err := parse(prefix, sql, suffix)
	if err != nil {
		return nil, nil, err
	}
	return tree.Stmts[0].Stmt, tokens, nil
}

// Query parses exactly one SELECT that only reads. The SELECT must not have INTO, a locking clause
// or a data-modifying WITH. Columns of the SELECT itself have depth 0. The error is an *Error.
var Query = remember(func(sql string) (*Expr, error) {
	const oneQuery = "one SELECT"
	node, _, err := only("", sql, "", oneQuery)
	if err != nil {
		return nil, err
	}
	stmt := node.GetSelectStmt()
	if stmt == nil {
		return nil, &Error{Message: "the text is not " + oneQuery}
	}
	w := &walker{scope: outermost}
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
})

// Order parses the list of an ORDER BY. The result states the defaults of PostgreSQL: ascending
// puts NULLs last, descending first (https://www.postgresql.org/docs/current/queries-order.html).
// The error is an *Error.
func Order(sql string) ([]OrderItem, error) {
	const prefix = "SELECT f(x ORDER BY "
	node, tokens, err := only(prefix, sql, ")", "an ORDER BY list")
	if err != nil {
		return nil, err
	}
	sorts := node.GetSelectStmt().TargetList[0].GetResTarget().Val.GetFuncCall().AggOrder
	var items []OrderItem
	var parts []proto.Message
	for i, span := range split(tokens) {
		by := sorts[i].GetSortBy()
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
		return OrderItem{}, &Error{Message: "a constant is not allowed in ORDER BY", Offset: span[0].Offset}
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

// TypeName parses exactly one type name, such as numeric(10, 2)[]. The error is an *Error.
func TypeName(sql string) error {
	_, err := typeNode(sql)
	return err
}

func typeNode(sql string) (*query.TypeName, error) {
	node, _, err := only("SELECT CAST(NULL AS ", sql, ")", "one type name")
	if err != nil {
		return nil, err
	}
	name := node.GetSelectStmt().TargetList[0].GetResTarget().Val.GetTypeCast().TypeName
	if name.Setof {
		return nil, &Error{Message: "the text is not one type name"}
	}
	return name, nil
}

// maxName is the longest identifier that the server keeps, in bytes (NAMEDATALEN - 1).
// https://www.postgresql.org/docs/current/sql-syntax-lexical.html
const maxName = 63

var names = remember(readName)

// Name parses exactly one name, qualified or not, by SQL's rules. Unquoted parts are folded to
// lower case, quoted parts are kept. A part that the server would truncate is refused. The error is
// an *Error.
func Name(sql string) ([]string, error) {
	parts, err := names(sql)
	return slices.Clone(parts), err
}

func readName(sql string) ([]string, error) {
	const notName = "the text is not one name"
	node, err := expressionNode(sql)
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
		t, whole := tokens[2*i], `"`+strings.ReplaceAll(name, `"`, `""`)+`"`
		if len(name) == maxName && len(t.Text) > len(name) && t.Text != whole {
			return nil, &Error{Message: "a name is longer than 63 bytes", Offset: t.Offset}
		}
		parts = append(parts, name)
	}
	return parts, nil
}
