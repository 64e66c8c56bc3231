package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// LikeDefault compares the default of a column as somebody wrote it with the one that PostgreSQL prints. Where
// both are constants that only their type can compare, it returns these. "" is NULL. The error is an *Error.
func LikeDefault(wanted, printed string) (likeness Likeness, constants []string, err error) {
	first, err := defaultTerm(wanted)
	if err != nil {
		return Unclear, nil, err
	}
	second, err := defaultTerm(printed)
	if err != nil {
		return Unclear, nil, err
	}
	likeness = first.likeDefault(second)
	if likeness == Unclear && first.is == "constant" && second.is == "constant" {
		constants = []string{first.text, second.text}
	}
	return likeness, constants, nil
}

func defaultTerm(sql string) (*term, error) {
	if sql == "" {
		sql = "NULL"
	}
	tree, err := parse("SELECT ", sql, "")
	if err != nil {
		return nil, err
	}
	return calledTerm(tree.Stmts[0].Stmt.GetSelectStmt().TargetList[0].GetResTarget().Val), nil
}

// calledTerm is a term in which the outermost function is known by its name.
func calledTerm(node *query.Node) *term {
	if f := node.GetSqlvalueFunction(); f != nil && f.Op == query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP {
		return &term{is: "now()"}
	}
	if call := node.GetFuncCall(); call != nil {
		name := lastName(call.Funcname)
		if name == "transaction_timestamp" {
			name = "now"
		}
		t := &term{is: name + "()"}
		for _, arg := range call.Args {
			t.parts = append(t.parts, calledTerm(arg))
		}
		return t
	}
	return termOf(node)
}

// likeDefault: only from a constant or a function that is called the grammar can tell something else.
func (t *term) likeDefault(printed *term) Likeness {
	plain := func(t *term) bool { return t.is == "constant" || strings.HasSuffix(t.is, "()") }
	switch likeness := t.like(printed); {
	case (t.is == "null") != (printed.is == "null"):
		return Different
	case likeness == Different && (t.is == "other" || printed.is == "other" || !plain(t) && !plain(printed)):
		return Unclear
	default:
		return likeness
	}
}
