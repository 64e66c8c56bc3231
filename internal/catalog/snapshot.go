// Package catalog holds a snapshot of the tables that a policy file names or reaches. "pgretain
// snapshot" writes it; it is checked in next to the policy file. It is all that the generator knows
// about the database. The package contains only plain data. Package internal/inspect reads a live
// database.
package catalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/pgparse"
)

// FileName is the name of the snapshot, next to the policy file.
const FileName = "retention.catalog.json"

// Snapshot is the content of the file. Tables are sorted by schema and name. Parts of a table are
// sorted by name, except columns, which keep their order. Equal databases give equal bytes.
type Snapshot struct {
	Version    int      `json:"version"` // 1
	Tables     []*Table `json:"tables"`
	SearchPath []string `json:"search_path"` // install.search_path used to look up the names

	// Types maps expressions of the policies to their types, as format_type prints them. For a
	// domain it is the base type. A key is a SELECT of one column that contains the expression and
	// the tables that it reads.
	Types map[string]string `json:"types,omitempty"`

	Install *Install `json:"install,omitempty"` // what the database has of an install; nil if it has none
}

// Install lists the parts of an install that a database has at the application's objects. Generate
// compares them with the objects that the migrations installed up to State, and writes lost objects
// again.
type Install struct {
	State     string       `json:"state"` // state that the last applied migration names
	Rights    []Right      `json:"rights"`
	Indexes   []BuiltIndex `json:"indexes"`
	Functions []string     `json:"functions"` // names of the policies' functions, without the runtime's schema
}

// Right lists the privileges that the worker holds on an object, as GRANT names them. Name is the
// name of a schema, "schema.table" for a table or view, or the name of a sequence as SQL.
type Right struct {
	Kind       string   `json:"kind"` // "schema", "table" or "sequence"
	Name       string   `json:"name"`
	Privileges []string `json:"privileges"`
}

// BuiltIndex is an index that a migration built. All names have a schema and are unquoted. A
// rename, a new schema or a swap of the table can change Name and Table.
type BuiltIndex struct {
	Name  string `json:"name"`
	Table string `json:"table"`
	Valid bool   `json:"valid"`
	// name and table that the migration built it with
	Built      string `json:"built"`
	BuiltTable string `json:"built_table"`
}

// HasIndex reports whether the table has a valid index of this name that a migration built.
func (i *Install) HasIndex(name, table string) bool {
	return slices.ContainsFunc(i.Indexes, func(b BuiltIndex) bool {
		return b.Name == name && b.Table == table && b.Valid
	})
}

// Holds reports whether the worker holds a privilege on an object.
func (i *Install) Holds(kind, name, privilege string) bool {
	return slices.ContainsFunc(i.Rights, func(r Right) bool {
		return r.Kind == kind && r.Name == name && slices.Contains(r.Privileges, privilege)
	})
}

// Table is one table with its columns and the objects that refer to it. Names are unquoted.
type Table struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	// "table", "partitioned", "view", "foreign"
	Kind        string   `json:"kind"`
	PartitionOf string   `json:"partition_of,omitempty"` // "schema.name" of the direct parent
	Inherits    []string `json:"inherits,omitempty"`     // parents by plain inheritance
	// direct partitions or inheritance children
	Children []string `json:"children,omitempty"`
	// for a partitioned table: "range", "list", "hash"
	Strategy string `json:"partitioned_by,omitempty"`
	// columns of the partition key, "" for an expression
	KeyColumns []string `json:"partition_key,omitempty"`
	Columns    []Column `json:"columns"`
	PrimaryKey []string `json:"primary_key,omitempty"` // columns in key order, see SetKey
	Indexes    []Index  `json:"indexes,omitempty"`
	// foreign keys of other tables to this table, as declared
	Referenced []ForeignKey `json:"referenced,omitempty"`
	// row triggers that do not belong to a constraint
	Triggers    []Trigger `json:"triggers,omitempty"`
	RowSecurity bool      `json:"row_security,omitempty"`

	Distribution *Distribution `json:"distribution,omitempty"` // distribution by Citus, or nil
}

// Distribution says how Citus distributes a table. "hash" distributes rows by the hash of a column.
// Each shard has one placement, and rows of colocated tables with equal values are on the same
// node. "reference" tables are on all nodes. "other" is any other distribution.
type Distribution struct {
	Kind   string `json:"kind"`             // "hash", "reference" or "other"
	Column string `json:"column,omitempty"` // distribution column of "hash"
	// for "hash": first name among the colocated tables, possibly the table itself
	With string `json:"colocated_with,omitempty"`
}

// String returns a text for comparisons.
func (d *Distribution) String() string {
	if d == nil {
		return ""
	}
	return strings.TrimSpace(d.Kind + " " + d.Column + " " + d.With)
}

// Column is one column. Type is the output of format_type, for example "timestamp with time zone".
// For a domain, Base is the base type.
type Column struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Base      string `json:"base,omitempty"`
	NotNull   bool   `json:"not_null,omitempty"`
	Default   string `json:"default,omitempty"`
	Generated bool   `json:"generated,omitempty"`
	Identity  string `json:"identity,omitempty"` // "always", "by default"
	// virtual generated column, which no index can contain
	Virtual   bool   `json:"virtual,omitempty"`
	Collation string `json:"collation,omitempty"` // collation, if it is not the database's default
	Operators string `json:"operators,omitempty"` // schema in which the type has its own operators

	// labels of an enum in its order, also for a domain over an enum
	Labels []string `json:"labels,omitempty"`
	// all texts other than NULL that CHECK constraints allow; equal texts are equal bytes
	Values []string `json:"values,omitempty"`
}

// Index is one index as pg_get_indexdef prints it. Columns lists the key columns, "" for an
// expression. Descending and NullsFirst have one element per column.
type Index struct {
	Name       string   `json:"name"`
	Definition string   `json:"definition"`
	Method     string   `json:"method"`
	Columns    []string `json:"columns"`
	Descending []bool   `json:"descending"`
	NullsFirst []bool   `json:"nulls_first"`
	Unique     bool     `json:"unique,omitempty"`
	Primary    bool     `json:"primary,omitempty"`
	Predicate  string   `json:"predicate,omitempty"`
	Valid      bool     `json:"valid"`
}

// ForeignKey refers from Columns of Table to RefColumns of RefTable. Both tables are "schema.name".
type ForeignKey struct {
	Name       string   `json:"name"`
	Table      string   `json:"table"`
	Columns    []string `json:"columns"`
	RefTable   string   `json:"ref_table"`
	RefColumns []string `json:"ref_columns"`
	// "no action", "restrict", "cascade", "set null", "set default"
	OnDelete   string `json:"on_delete"`
	Deferrable bool   `json:"deferrable,omitempty"`
}

// Trigger is one row trigger on DELETE.
type Trigger struct {
	Name       string `json:"name"`
	Definition string `json:"definition"`
}

// Before reports whether the trigger is called before the row is deleted. Then it can keep the row.
func (t Trigger) Before() bool { return pgparse.FiresBefore(t.Definition) }

// String returns "schema.name".
func (t *Table) String() string { return t.Schema + "." + t.Name }

// Table finds a table by "schema.name". It returns nil if there is no such table, or no snapshot.
func (s *Snapshot) Table(name string) *Table {
	if s == nil {
		return nil
	}
	for _, t := range s.Tables {
		if strings.HasSuffix(name, t.Name) && t.String() == name {
			return t
		}
	}
	return nil
}

// Plain returns the type of the column's values: for a domain, the base type.
func (c Column) Plain() string { return cmp.Or(c.Base, c.Type) }

// Column finds a column by name. It returns nil if the table has no such column.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// SetKey sets PrimaryKey. Without a primary key it uses a unique index, like
// retention._key_columns: on NOT NULL columns, without a predicate, checked immediately. Among
// several such indexes it uses the one with the fewest columns, and then the first by name.
func (t *Table) SetKey() {
	for _, i := range t.Indexes {
		if i.Primary {
			t.PrimaryKey = i.Columns
			return
		}
		if t.IsKey(i) && (t.PrimaryKey == nil || len(i.Columns) < len(t.PrimaryKey)) {
			t.PrimaryKey = i.Columns
		}
	}
}

// IsKey reports whether an index identifies every row: it is unique, valid, without predicate, on
// NOT NULL columns.
func (t *Table) IsKey(i Index) bool {
	nullable := func(name string) bool { c := t.Column(name); return c == nil || !c.NotNull }
	return i.Unique && i.Valid && i.Predicate == "" && !slices.ContainsFunc(i.Columns, nullable)
}

// Deferrable reports whether the index belongs to a unique constraint that is or can be deferred to
// COMMIT. ON CONFLICT cannot use such a constraint.
func (i Index) Deferrable() bool {
	return i.Method == "btree" && !i.Unique && strings.HasPrefix(i.Definition, "CREATE UNIQUE ")
}

// Temporal reports whether the primary key is WITHOUT OVERLAPS or deferrable. It identifies a row,
// but ON CONFLICT cannot use it.
func (t *Table) Temporal() bool {
	return slices.ContainsFunc(t.Indexes, func(i Index) bool { return i.Primary && !i.Unique })
}

// Rename gives the tables of a schema another schema, wherever the snapshot names them. Neither
// name needs quotes. It returns an error if a table then has the name of another one,
// or if the parser cannot read the SQL of a table.
func (s *Snapshot) Rename(from, to string) error {
	for _, t := range s.Tables {
		if err := t.rename(from, to); err != nil {
			return err
		}
	}
	s.sort()
	return s.check()
}

// rename replaces the name of a schema in the names of tables and in SQL.
func (t *Table) rename(from, to string) (err error) {
	if t.Schema == from {
		t.Schema = to
	}
	names := []*string{&t.PartitionOf}
	for _, list := range [][]string{t.Inherits, t.Children} {
		for i := range list {
			names = append(names, &list[i])
		}
	}
	if t.Distribution != nil {
		names = append(names, &t.Distribution.With)
	}
	for i := range t.Referenced {
		names = append(names, &t.Referenced[i].Table, &t.Referenced[i].RefTable)
	}
	for _, name := range names {
		if table, inSchema := strings.CutPrefix(*name, from+"."); inSchema {
			*name = to + "." + table
		}
	}
	rename := func(prefix string, sql *string) {
		if *sql != "" && err == nil {
			*sql, err = pgparse.RenameSchema(prefix, *sql, from, to)
		}
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		rename(pgparse.AsType, &c.Type)
		rename(pgparse.AsType, &c.Base)
		rename(pgparse.AsCollation, &c.Collation)
		rename(pgparse.AsExpression, &c.Default)
	}
	for i := range t.Indexes {
		rename(pgparse.AsStatement, &t.Indexes[i].Definition)
		rename(pgparse.AsExpression, &t.Indexes[i].Predicate)
	}
	for i := range t.Triggers {
		rename(pgparse.AsStatement, &t.Triggers[i].Definition)
	}
	return err
}

func (s *Snapshot) sort() {
	slices.SortFunc(s.Tables, func(a, b *Table) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
}

// Add adds the tables that the snapshot lacks.
func (s *Snapshot) Add(tables []*Table) {
	known := s.Graph()
	for _, t := range tables {
		if known[t.String()] == nil {
			s.Tables = append(s.Tables, t)
		}
	}
	s.sort()
}

// ZoneDecides reports whether a comparison of two columns depends on the session's time zone. The
// types of the columns decide that. Such a comparison is STABLE, so no index can contain it.
func ZoneDecides(a, b Column) bool {
	x, y := times[Unsized(a.Plain())], times[Unsized(b.Plain())]
	return x != "" && y != "" && x != y
}

// times maps each type for times to "zone" if its values have a time zone, else to "local".
var times = map[string]string{
	"timestamp with time zone": "zone", "timestamp without time zone": "local", "date": "local",
	"time with time zone": "zone", "time without time zone": "local",
}

// Unsized returns a type without length or precision, as function signatures have it: "timestamp
// without time zone" for "timestamp(3) without time zone".
func Unsized(typ string) string {
	before, rest, ok := strings.Cut(typ, "(")
	if !ok || strings.Contains(typ, `"`) {
		return typ
	}
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}

// Sizes returns the numbers in the parentheses of a type: the length, or the precision and the
// scale. It returns nil for a type without them.
func Sizes(typ string) (sizes []int) {
	_, rest, _ := strings.Cut(typ, "(")
	inside, _, _ := strings.Cut(rest, ")")
	for _, text := range strings.Split(inside, ",") {
		if size, err := strconv.Atoi(text); err == nil && !strings.Contains(typ, `"`) {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// Statistics hold what a server knows about the sizes of tables. No file stores them, because they
// are valid for one server and one day only.
type Statistics struct {
	Server
	Tables map[string]Growth // by "schema.name"
	Ranges map[string]Range  // by "schema.name.column"
}

// Server describes the database that was inspected, and its server.
type Server struct {
	Database, TimeZone string
	CronDatabase       string   // database in which pg_cron schedules jobs, "" if not known
	HasCron            bool     // pg_cron is installed on the machine
	Since              string   // day of the last statistics reset, "" if there was none
	Days               *float64 // days since Since; nil if not known
	CronHere           bool     // extension pg_cron is in this database
	GivesBypass        bool     // the role can let the worker bypass row security
	PublicOwner        []string // owner of schema public, unless it is a superuser
}

// Growth is the size of a table with its partitions.
type Growth struct {
	Name     string
	Owners   []string // owners of the table and its schema, without superusers
	Bytes    int64
	Size     string // Bytes in readable form
	Rows     *int64 // estimated number of rows; nil if not known
	Inserted int64  // rows inserted after Server.Since
}

// Range is the range of a column's values, as ANALYZE found it.
type Range struct {
	Table, Column       string
	Nulls               float64 // share of rows that are NULL, 0 to 1
	First, Middle, Last string  // lowest, median and highest value; "" if there are no statistics
	Reading             string  // how the numbers encode time: an encoding, or words; "" if they encode no time
}

// Percent returns the share of NULL rows in percent.
func (r Range) Percent() float64 { return 100 * r.Nulls }
