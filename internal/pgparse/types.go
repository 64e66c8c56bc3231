// Package pgparse parses SQL with PostgreSQL's own grammar. The grammar is written in C, so the
// package needs cgo. All offsets are in bytes of the input.
package pgparse

import (
	"slices"

	query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// Error is an error at Offset of the input: a syntax error, or SQL of another kind than requested.
type Error struct {
	Message string
	Offset  int
}

func (e *Error) Error() string { return e.Message }

// Expr is one parsed expression, query or statement.
type Expr struct {
	SQL     string
	Columns []ColumnRef // all column references, in order of appearance
	// all comparisons of columns with literal texts
	Compared []Comparison
	Calls    []Call     // all function calls
	Schemas  []string   // schemas that qualify functions, types and operators
	Tables   []TableRef // all tables of FROM clauses, in order of appearance
	// the expression itself, then its queries; a query comes before the queries inside it
	Levels   []Level
	Subquery bool // contains a sub-select
	Results  int  // number of columns that a query returns; 0 if not known ("*", VALUES)
	Simple   bool // safe in an index predicate: see simple
	// TRUE or FALSE for every row: built from EXISTS, IS NULL and similar tests
	NeverNull bool
	Literal   bool // a constant, with or without a cast
	Atom      bool // a name, a number, or a call without other parentheses
	Clock     Word // first use of now(), current_timestamp, clock_timestamp() or similar
	// first use of user, current_role or similar, or of a function that depends on a setting
	Session   Word
	Parameter Word // first parameter such as $1

	// The following fields are set for statements only.
	Writes []Write  // tables that are written, in order of appearance, including WITH
	With   []string // names of the queries in the leading WITH
	Select bool     // the statement is a SELECT; it may write in its WITH
	// offset after the leading WITH, where queries can be added; 0 without WITH
	CTEs int

	node      *query.Node       // the expression or the statement
	condition func() *Condition // for expressions only
}

// Word is the first occurrence of a kind of word. Text is "" if there is none.
type Word struct {
	Text   string
	Offset int
}

// ColumnRef is a name like a, t.a or t.*. Star is true for t.*. Depth is 0 outside every
// sub-select. Offset is the position of the first part of the name, and Length is the length of the
// whole name. Beside lists the tables of the
// FROM clauses around the name. Derived is true if the name may be a column of a FROM item that is
// not a table, or of the output of a query.
type ColumnRef struct {
	Fields []string
	Star   bool
	Offset int
	Length int
	Depth  int

	Beside  []TableRef
	Derived bool
}

// Call is a function call. Schema is "" if the name is not qualified.
type Call struct {
	Schema, Name string
	Arguments    int
}

// TableRef is a table in a FROM clause. Offset and Length tell where its name stands. Only is true
// for ONLY, which leaves out partitions and inheritance children.
type TableRef struct {
	Schema, Name, Alias string
	Offset, Length      int
	Only                bool
}

// Renamed returns a copy of e whose Tables and Writes have the names that the function "name"
// returns. Everything else stays as it is, also the text.
func (e *Expr) Renamed(name func(schema, table string) (string, string)) *Expr {
	renamed := *e
	renamed.Tables, renamed.Writes = slices.Clone(e.Tables), slices.Clone(e.Writes)
	for i := range renamed.Tables {
		renamed.Tables[i].rename(name)
	}
	for i := range renamed.Writes {
		renamed.Writes[i].Table.rename(name)
	}
	return &renamed
}

func (t *TableRef) rename(name func(schema, table string) (string, string)) {
	t.Schema, t.Name = name(t.Schema, t.Name)
}

// OrderItem is one item of an ORDER BY, with explicit values in place of defaults. Offset is the
// position of its expression.
type OrderItem struct {
	Expr       *Expr
	Offset     int
	Descending bool
	NullsFirst bool
}

// TypeIdentity returns a key for a type. Two spellings of one type have equal keys as far as the
// grammar knows them: timestamptz and timestamp with time zone, int and integer. The error is an
// *Error.
func TypeIdentity(sql string) (string, error) {
	name, err := typeNode(sql)
	if err != nil {
		return "", err
	}
	return typeIdentity(name), nil
}

func typeIdentity(name *query.TypeName) string {
	name = proto.CloneOf(name)
	// the search path begins with pg_catalog
	if parts := texts(name.Names); len(parts) == 2 && parts[0] == "pg_catalog" {
		name.Names = name.Names[1:]
	}
	return text(name)
}
