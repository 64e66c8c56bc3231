// Package catalog is what the generator knows of a database: a snapshot of the tables that a
// policy file names or reaches, written by "pgretain snapshot" and checked in beside the policy.
// It is plain data; reading a live database is internal/inspect.
package catalog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// FileName is the snapshot's name, beside the policy file.
const FileName = "retention.catalog.json"

// Snapshot is the file. Tables are sorted by schema and name, everything inside a table by name
// except columns, which keep their order; equal databases give equal bytes.
type Snapshot struct {
	Version    int      `json:"version"` // 1
	Tables     []*Table `json:"tables"`
	SearchPath []string `json:"search_path"` // install.search_path the names were looked up with

	// Types are those of the policies' expressions, as format_type prints them, that of a domain's values for a domain.
	// A key is a SELECT of one column that has the expression and what it reads.
	Types map[string]string `json:"types,omitempty"`
}

// Table is one table, its rows' types and what points at it. Name parts are unquoted.
type Table struct {
	Schema      string       `json:"schema"`
	Name        string       `json:"name"`
	Kind        string       `json:"kind"`                     // "table", "partitioned", "view", "foreign"
	PartitionOf string       `json:"partition_of,omitempty"`   // "schema.name" of the direct parent
	Inherits    []string     `json:"inherits,omitempty"`       // plain inheritance parents
	Children    []string     `json:"children,omitempty"`       // direct partitions or inheritance children
	Strategy    string       `json:"partitioned_by,omitempty"` // of a partitioned table: "range", "list", "hash"
	KeyColumns  []string     `json:"partition_key,omitempty"`  // what it is partitioned by, "" for an expression
	Columns     []Column     `json:"columns"`
	PrimaryKey  []string     `json:"primary_key,omitempty"` // columns in key order, see SetKey
	Indexes     []Index      `json:"indexes,omitempty"`
	Referenced  []ForeignKey `json:"referenced,omitempty"` // from others to this table, as they were declared
	Triggers    []Trigger    `json:"triggers,omitempty"`   // row triggers that are no constraint's
	RowSecurity bool         `json:"row_security,omitempty"`

	Distribution *Distribution `json:"distribution,omitempty"` // by Citus
}

// Distribution says how Citus distributes a table: by the hash of a column, with one placement of each shard, whose rows are
// beside those of other tables with equal values; as a "reference" table, which all nodes have; or otherwise.
type Distribution struct {
	Kind   string `json:"kind"`                     // "hash", "reference" or "other"
	Column string `json:"column,omitempty"`         // of "hash"
	With   string `json:"colocated_with,omitempty"` // of "hash": the first by name of the tables that lie together, perhaps itself
}

// String is for comparing.
func (d *Distribution) String() string {
	if d == nil {
		return ""
	}
	return strings.TrimSpace(d.Kind + " " + d.Column + " " + d.With)
}

// Column is one column. Type is what format_type prints, e.g. "timestamp with time zone"; of a domain, Base is the type that
// its values have.
type Column struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Base      string `json:"base,omitempty"`
	NotNull   bool   `json:"not_null,omitempty"`
	Default   string `json:"default,omitempty"`
	Generated bool   `json:"generated,omitempty"`
	Identity  string `json:"identity,omitempty"`  // "always", "by default"
	Virtual   bool   `json:"virtual,omitempty"`   // generated whenever it is read, so that no index can hold it
	Collation string `json:"collation,omitempty"` // where it is not the database's
	Operators string `json:"operators,omitempty"` // the schema in which its type has operators of its own
}

// Index is one index as pg_get_indexdef prints it. Columns are the key columns, "" for an
// expression; Descending and NullsFirst go with Columns.
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

// ForeignKey ties Columns of Table to RefColumns of RefTable ("schema.name" both).
type ForeignKey struct {
	Name       string   `json:"name"`
	Table      string   `json:"table"`
	Columns    []string `json:"columns"`
	RefTable   string   `json:"ref_table"`
	RefColumns []string `json:"ref_columns"`
	OnDelete   string   `json:"on_delete"` // "no action", "restrict", "cascade", "set null", "set default"
	Deferrable bool     `json:"deferrable,omitempty"`
}

// Trigger is one row trigger on delete.
type Trigger struct {
	Name       string `json:"name"`
	Definition string `json:"definition"`
}

// String is "schema.name".
func (t *Table) String() string { return t.Schema + "." + t.Name }

// Table finds a table by "schema.name"; nil when the snapshot has none, or there is no snapshot.
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

// Plain is the type that the values of the column have: that beneath a domain.
func (c Column) Plain() string { return cmp.Or(c.Base, c.Type) }

// Column finds a column by name; nil when the table has none.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// SetKey finds the primary key, and without one what serves in its place, as retention._key_columns has it: the columns
// of a unique index, none of them nullable, that holds for all rows and is checked at once. Of several it is the one
// with the fewest columns, then the first by name.
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

// IsKey says whether an index holds for all rows that no two have equal columns, none of which may be NULL.
func (t *Table) IsKey(i Index) bool {
	nullable := func(name string) bool { c := t.Column(name); return c == nil || !c.NotNull }
	return i.Unique && i.Valid && i.Predicate == "" && !slices.ContainsFunc(i.Columns, nullable)
}

// Deferrable says that a unique constraint is checked at COMMIT, or may be: ON CONFLICT fails at it.
func (i Index) Deferrable() bool {
	return i.Method == "btree" && !i.Unique && strings.HasPrefix(i.Definition, "CREATE UNIQUE ")
}

// Temporal reports whether the primary key is WITHOUT OVERLAPS or deferrable. It identifies a row, but ON CONFLICT cannot
// use it.
func (t *Table) Temporal() bool {
	return slices.ContainsFunc(t.Indexes, func(i Index) bool { return i.Primary && !i.Unique })
}

// Rename gives a schema another name wherever it stands before a dot. Neither name needs quotes.
func (s *Snapshot) Rename(from, to string) error {
	renamed, err := Read(RenameSchema(s.Text(), from, to))
	if err != nil {
		return err
	}
	for _, t := range renamed.Tables {
		if t.Schema == from {
			t.Schema = to
		}
	}
	renamed.sort()
	*s = *renamed
	return nil
}

// RenameSchema gives a schema another name wherever it stands before a dot in a text. Neither name needs quotes.
func RenameSchema(text, from, to string) string {
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(from)+`\.`).ReplaceAllLiteralString(text, to+".")
}

func (s *Snapshot) sort() {
	slices.SortFunc(s.Tables, func(a, b *Table) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
}

// Add gives the snapshot those of the tables that it lacks.
func (s *Snapshot) Add(tables []*Table) {
	there := s.Graph()
	for _, t := range tables {
		if there[t.String()] == nil {
			s.Tables = append(s.Tables, t)
		}
	}
	s.sort()
}

// ZoneDecides says whether the comparison of two columns depends on the time zone of the session, by
// their types. Such a comparison is STABLE, and no index can hold it.
func ZoneDecides(a, b Column) bool {
	x, y := times[Unsized(a.Plain())], times[Unsized(b.Plain())]
	return x != "" && y != "" && x != y
}

// times says of each type for times whether it knows its zone.
var times = map[string]string{
	"timestamp with time zone": "zone", "timestamp without time zone": "local", "date": "local",
	"time with time zone": "zone", "time without time zone": "local",
}

// Unsized is a type without length or precision, as functions take arguments: "timestamp without time zone" for
// "timestamp(3) without time zone".
func Unsized(typ string) string {
	before, rest, ok := strings.Cut(typ, "(")
	if !ok || strings.Contains(typ, `"`) {
		return typ
	}
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}

// Statistics are what a server knows of the sizes of tables. No file keeps them: they are of one server and one day.
type Statistics struct {
	Server
	Tables map[string]Growth // by "schema.name"
	Ranges map[string]Range  // by "schema.name.column"
}

// Server is a database on its server.
type Server struct {
	Database, TimeZone string
	CronDatabase       string // for which pg_cron schedules, "" where that is not known
	HasCron            bool   // pg_cron is installed on the machine
	Since              string // the day from which on rows are counted, "" for ever
	Days               *float64
}

// Growth is the size of a table, its partitions included.
type Growth struct {
	Name     string
	Owners   []string // of the table and its schema, superusers left out
	Bytes    int64
	Size     string // the same, as people read it
	Rows     *int64 // about; nil where nobody knows
	Inserted int64  // since Server.Since
}

// Range is what ANALYZE found in a column.
type Range struct {
	Table, Column       string
	Nulls               float64 // the share of rows
	First, Middle, Last string  // half of the rows are before the middle; "" where no value was kept
	Reading             string  // how numbers count time: an encoding, or words; "" where they do not
}

// Percent are the rows without a value.
func (r Range) Percent() float64 { return 100 * r.Nulls }
