package pgparse

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	query "github.com/pganalyze/pg_query_go/v6"
)

const (
	oneExpression = "one SQL expression"

	// inParentheses is put before an expression to parse the expression. Offsets are counted from
	// the end of this prefix.
	inParentheses = "SELECT ("
)

// Expression parses exactly one SQL expression. Its meaning must not depend on the parentheses that
// a template puts around it. The error is an *Error.
func Expression(sql string) (*Expr, error) {
	node, tokens, err := expressionNode(sql)
	if err != nil {
		return nil, err
	}
	return newExpression(sql, node, len(inParentheses), tokens)
}

// newExpression collects the names of an expression. The parameter "base" is the position of the
// expression in the parsed text.
func newExpression(sql string, node *query.Node, base int, tokens []Token) (*Expr, error) {
	w := &walker{base: base, tokens: tokens, expr: Expr{Levels: []Level{{Equal: equalities(node), Inside: -1}}}}
	if err := w.walk(sql, node); err != nil {
		return nil, err
	}
	e := &w.expr
	e.node, e.Atom = node, atom(tokens)
	e.condition = sync.OnceValue(func() *Condition { return conditions(base).read(node) })
	e.Simple, e.NeverNull = simple(node), neverNull(node)
	e.Literal = node.GetAConst() != nil || node.GetTypeCast().GetArg().GetAConst() != nil
	return e, nil
}

// expressionNode parses one expression between parentheses. It refuses a bare query, and several
// expressions with commas.
func expressionNode(sql string) (*query.Node, []Token, error) {
	stmt, tokens, err := only(inParentheses, sql, ")", oneExpression)
	if err != nil {
		return nil, nil, err
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
	return node, tokens, err
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
func Query(sql string) (*Expr, error) {
	const oneQuery = "one SELECT"
	node, tokens, err := only("", sql, "", oneQuery)
	if err != nil {
		return nil, err
	}
	stmt := node.GetSelectStmt()
	if stmt == nil {
		return nil, &Error{Message: "the text is not " + oneQuery}
	}
	w := &walker{scope: outermost, tokens: tokens, expr: Expr{node: node}}
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
	for i, span := range split(tokens) {
		item, err := orderItem(sorts[i].GetSortBy(), span, sql, len(prefix))
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func orderItem(by *query.SortBy, span []Token, sql string, base int) (OrderItem, error) {
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
	for i := range span {
		span[i].Offset -= item.Offset
	}
	text := sql[item.Offset : item.Offset+span[len(span)-1].end()]
	var err error
	if item.Expr, err = newExpression(text, by.Node, base+item.Offset, span); err != nil {
		at, _ := errors.AsType[*Error](err)
		err = &Error{Message: at.Message, Offset: at.Offset + item.Offset}
	}
	return item, err
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

// Name parses exactly one name, qualified or not, by SQL's rules. Unquoted parts are folded to
// lower case, quoted parts are kept. A part that the server would truncate is refused. The error is
// an *Error.
func Name(sql string) ([]string, error) {
	tokens, err := scan(sql)
	if at, ok := errors.AsType[*Error](err); ok {
		return nil, &Error{Message: notName, Offset: at.Offset}
	}
	if len(tokens)%2 == 0 {
		return nil, &Error{Message: notName}
	}
	var parts []string
	for i, t := range tokens {
		switch {
		case i%2 == 1 && t.Text == ".":
		case i%2 == 1 || !t.mayName(i == 0):
			return nil, &Error{Message: notName, Offset: t.Offset}
		case len(t.name()) > maxName:
			return nil, &Error{Message: "a name is longer than 63 bytes", Offset: t.Offset}
		default:
			parts = append(parts, t.name())
		}
	}
	return parts, nil
}

const notName = "the text is not one name"
