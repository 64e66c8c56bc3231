// Package pgparse reads SQL with PostgreSQL's own grammar, which is C: it builds with cgo alone. All offsets are in
// bytes of the input.
package pgparse

import (
	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// Error is a syntax error, or something else than was asked for, at Offset of the input.
type Error struct {
	Message string
	Offset  int
}

func (e *Error) Error() string { return e.Message }

// Expr is one parsed expression.
type Expr struct {
	SQL      string
	Columns  []ColumnRef // every column reference, in order of appearance
	Calls    []Call      // of functions
	Schemas  []string    // that qualify functions, types and operators
	Tables   []TableRef  // every table named in a FROM, in order of appearance
	Levels   []Level     // its queries, each before those inside it; of an expression itself first
	Subquery bool        // contains a sub-select
	Results  int         // of a query: columns that it returns, 0 where that is not plain ("*", VALUES)
	Simple   bool        // only columns, constants, comparisons, AND, OR, NOT, IN of constants and NULL tests:
	// safe in an index predicate
	NeverNull bool // EXISTS and IS NULL and their kin alone: TRUE or FALSE for every row
	Literal   bool // a constant, perhaps with a cast
	Clock     Word // now(), current_timestamp, clock_timestamp() and kin
	Session   Word // user, current_role and kin, or functions that go by a setting
	Parameter Word // $1 and the like

	// Of a statement.
	Writes []Write  // in order of appearance, those of WITH too
	With   []string // names of the leading WITH
	Select bool     // it returns rows; what it writes stands in its WITH
	CTEs   int      // where the list of the leading WITH begins, 0 without one: more may be put there
}

// Word is the first of some kind; its text is "" where there is none.
type Word struct {
	Text   string
	Offset int
}

// ColumnRef is a name like a, t.a or t.*; Star marks the last. Depth 0 is outside every sub-select. Offset is that of
// the first part. Beside are the tables of the FROM clauses around it; Derived says that it may also be a column of
// something else that stands there, or of the output.
type ColumnRef struct {
	Fields []string
	Star   bool
	Offset int
	Depth  int

	Beside  []TableRef
	Derived bool
}

// Call is a function that is called; Schema is "" where the search path says which it is.
type Call struct {
	Schema, Name string
	Arguments    int
}

// TableRef is a table in a FROM clause.
type TableRef struct {
	Schema, Name, Alias string
	Offset              int
}

// OrderItem is one item of an ORDER BY with the defaults written out; SQL is the text of its
// expression and Offset where that starts.
type OrderItem struct {
	SQL        string
	Offset     int
	Descending bool
	NullsFirst bool
}

// AddedType is the type of the first column that the ALTER TABLE statements of a text add, such that
// equal results are equal types. The error is an *Error.
func AddedType(sql string) (string, error) {
	added := func(n *query.Node) *query.TypeName {
		for _, node := range n.GetAlterTableStmt().GetCmds() {
			if c := node.GetAlterTableCmd(); c.GetSubtype() == query.AlterTableType_AT_AddColumn {
				return c.Def.GetColumnDef().TypeName
			}
		}
		return nil
	}
	name, err := first(sql, "ALTER TABLE ... ADD COLUMN", added)
	if err != nil {
		return "", err
	}
	return typeIdentity(name), nil
}

// TypeIdentity is the same for two spellings of one type, as far as the grammar knows: timestamptz and
// timestamp with time zone, int and integer. The error is an *Error.
func TypeIdentity(sql string) (string, error) {
	name, err := typeNode(sql)
	if err != nil {
		return "", err
	}
	return typeIdentity(name), nil
}

func typeIdentity(name *query.TypeName) string {
	name = proto.CloneOf(name)
	if parts := texts(name.Names); len(parts) == 2 && parts[0] == "pg_catalog" { // with which the search path begins
		name.Names = name.Names[1:]
	}
	return text(name)
}
