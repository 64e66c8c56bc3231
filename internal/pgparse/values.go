package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// Comparison is a comparison of a column with a literal text that has no cast. The comparison may
// have any of the operators =, <>, <, <=, > and >=, or be part of IN, BETWEEN, IS DISTINCT FROM or
// = ANY (ARRAY[...]). Offset is the position of the text in the SQL.
type Comparison struct {
	Column ColumnRef
	Value  string
	Offset int
}

// compare records the comparisons in an operator expression.
func (w *walker) compare(e *query.A_Expr) {
	if len(e.Name) != 1 || mirrored[sign(e)] == "" && !isBetween(e) {
		return
	}
	column, values := e.Lexpr, listed(e.Rexpr)
	if column.GetColumnRef() == nil {
		column, values = e.Rexpr, listed(e.Lexpr)
	}
	if column.GetColumnRef() == nil {
		return
	}
	for _, value := range values {
		if text := value.GetAConst().GetSval(); text != nil {
			w.expr.Compared = append(w.expr.Compared, Comparison{w.columnRef(column.GetColumnRef()), text.GetSval(),
				w.offset(value.GetAConst().GetLocation())})
		}
	}
}

func isBetween(e *query.A_Expr) bool {
	return e.Kind >= query.A_Expr_Kind_AEXPR_BETWEEN && e.Kind <= query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM
}

// listed returns the items of a list or of an ARRAY, and the node itself for any other node.
func listed(node *query.Node) []*query.Node {
	if list := node.GetList(); list != nil {
		return list.Items
	}
	if array := node.GetAArrayExpr(); array != nil {
		return array.Elements
	}
	return []*query.Node{node}
}

// ValueList returns the texts that a condition allows for its only column, for example 'a' and 'b'
// for status = ANY (ARRAY['a'::text, 'b'::text]). The condition may also be written with =, IN,
// IS NULL and OR. ValueList ignores casts. It returns nil for any other condition.
func ValueList(sql string) []string {
	node, _, err := expressionNode(sql)
	if err != nil {
		return nil
	}
	_, values := valueList(node)
	return values
}

// valueList returns the column and its values. The column is "" if the node is no such condition.
func valueList(node *query.Node) (column string, values []string) {
	if or := node.GetBoolExpr(); or != nil && or.Boolop == query.BoolExprType_OR_EXPR {
		for _, arg := range or.Args {
			name, more := valueList(arg)
			if name == "" || column != "" && name != column {
				return "", nil
			}
			column, values = name, append(values, more...)
		}
		return column, values
	}
	if null := node.GetNullTest(); null != nil && null.Nulltesttype == query.NullTestType_IS_NULL {
		return columnName(withoutCasts(null.Arg)), nil
	}
	e := node.GetAExpr()
	kinds := e.GetKind() == query.A_Expr_Kind_AEXPR_OP || e.GetKind() == query.A_Expr_Kind_AEXPR_OP_ANY ||
		e.GetKind() == query.A_Expr_Kind_AEXPR_IN
	if e == nil || !kinds || len(e.Name) != 1 || sign(e) != "=" {
		return "", nil
	}
	for _, item := range listed(withoutCasts(e.Rexpr)) {
		text := withoutCasts(item).GetAConst().GetSval()
		if text == nil {
			return "", nil
		}
		values = append(values, text.GetSval())
	}
	column = columnName(withoutCasts(e.Lexpr))
	if column == "" {
		return "", nil
	}
	return column, values
}

func withoutCasts(node *query.Node) *query.Node {
	for node.GetTypeCast() != nil {
		node = node.GetTypeCast().Arg
	}
	return node
}

// TextRows returns the lists in parentheses that contain text constants and nothing else, such as
// the rows of a VALUES. The error is an *Error.
func TextRows(sql string) ([][]string, error) {
	tokens, err := Tokens(sql)
	var rows [][]string
	for i, t := range tokens {
		if t.Text != "(" {
			continue
		}
		var row []string
		for i += 1; i+1 < len(tokens) && strings.HasPrefix(tokens[i].Text, "'"); i += 2 {
			row = append(row, strings.ReplaceAll(strings.Trim(tokens[i].Text, "'"), "''", "'"))
			if tokens[i+1].Text == ")" {
				rows = append(rows, row)
			}
			if tokens[i+1].Text != "," {
				break
			}
		}
	}
	return rows, err
}
