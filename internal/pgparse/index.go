package pgparse

import (
	"slices"
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// Index is a CREATE INDEX, taken apart: what it indexes, and none of what only says how it is stored.
type Index struct {
	Schema, Table string // of the table
	Method        string
	Unique        bool
	Items         []IndexItem // the key, in order
	Include       []string

	where *term // nil: all rows
}

// IndexItem is one key of an index, with the defaults of its direction written out.
type IndexItem struct {
	Descending, NullsFirst bool
	Class, Collation       string // "" for those of the column's type

	value *term
}

// ParseIndex takes the first CREATE INDEX of a text apart. The error is an *Error.
func ParseIndex(sql string) (*Index, error) {
	n, err := first(sql, "CREATE INDEX", (*query.Node).GetIndexStmt)
	if err != nil {
		return nil, err
	}
	i := &Index{Schema: n.Relation.Schemaname, Table: n.Relation.Relname, Method: n.AccessMethod, Unique: n.Unique}
	for _, param := range n.IndexParams {
		e := param.GetIndexElem()
		item := IndexItem{Descending: e.Ordering == query.SortByDir_SORTBY_DESC, Class: dotted(e.Opclass), Collation: dotted(e.Collation)}
		item.NullsFirst = e.NullsOrdering == query.SortByNulls_SORTBY_NULLS_FIRST ||
			e.NullsOrdering != query.SortByNulls_SORTBY_NULLS_LAST && item.Descending
		item.value = &term{is: "column", text: e.Name}
		if e.Name == "" {
			item.value = termOf(e.Expr)
		}
		i.Items = append(i.Items, item)
	}
	for _, param := range n.IndexIncludingParams {
		i.Include = append(i.Include, param.GetIndexElem().GetName())
	}
	if n.WhereClause != nil {
		i.where = termOf(n.WhereClause)
	}
	return i, nil
}

// Likeness is what comparing two texts by their grammar alone can tell.
type Likeness int

// Where they are neither, what the types are decides: PostgreSQL writes casts and constants in its own way.
const (
	Different Likeness = iota
	Unclear
	Same
)

// Like compares an index as somebody wrote it with one as PostgreSQL prints it.
func (i *Index) Like(printed *Index) Likeness {
	if i.Schema != printed.Schema || i.Table != printed.Table || i.Method != printed.Method || i.Unique != printed.Unique ||
		!slices.Equal(i.Include, printed.Include) || len(i.Items) != len(printed.Items) || (i.where == nil) != (printed.where == nil) {
		return Different
	}
	likeness := Same
	for n, item := range i.Items {
		other := printed.Items[n]
		if item.Descending != other.Descending || item.NullsFirst != other.NullsFirst || item.Class != other.Class || item.Collation != other.Collation {
			return Different
		}
		likeness = min(likeness, item.value.like(other.value))
	}
	if i.where != nil {
		likeness = min(likeness, i.where.like(printed.where))
	}
	return likeness
}

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
	read, err := readOnce(sql)
	if err != nil {
		return nil, err
	}
	return calledTerm(read.node), nil
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
