// Package inspect reads catalog snapshots from a live database. It only reads.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/catalog"
	"pgretain/policy"
	catalogsql "pgretain/sql/catalog"
)

// Request says what a snapshot is about.
type Request struct {
	Tables     []string // "schema.name", or "name" to be found in SearchPath; unquoted
	SearchPath []string // schemas, the first one first
	Runtime    string   // the runtime's schema; its tables are left out unless Tables names them
	Without    []uint32 // oids of tables that are not read: another session has an exclusive lock on them
	All        bool     // all tables of the application, beside those that Tables names

	Each map[string]string // words that stand for schemas, with patterns of these: one is read for all
}

// Snapshot reads the tables of the request and what a delete from them can reach, in one
// read-only transaction that takes no lock and needs no privilege on the tables. The second
// result lists the names that no table has, in the order of the request. Types and expressions
// are printed with qualified names, except those of pg_catalog.
func Snapshot(ctx context.Context, conn *pgx.Conn, request Request) (*catalog.Snapshot, []string, error) {
	var snapshot *catalog.Snapshot
	var unknown []string
	err := pgx.BeginTxFunc(ctx, conn, readOnly, func(tx pgx.Tx) (err error) {
		snapshot, unknown, err = Read(ctx, tx, request)
		return err
	})
	return snapshot, unknown, err
}

var readOnly = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Read is Snapshot in a transaction of the caller's, whose search path and spelling of values it
// changes. Where each statement has a snapshot of its own, what changes meanwhile may be read in part;
// ErrChanged says that something vanished between two looks.
func Read(ctx context.Context, tx pgx.Tx, request Request) (*catalog.Snapshot, []string, error) {
	r := &reader{tx: tx, tables: map[uint32]*catalog.Table{}}
	return r.snapshot(ctx, request)
}

func (r *reader) snapshot(ctx context.Context, request Request) (*catalog.Snapshot, []string, error) {
	words, err := r.examples(ctx, &request)
	var unknown []string
	if err == nil {
		unknown, err = r.find(ctx, request)
	}
	var tables []*catalog.Table
	if err == nil {
		tables, err = r.read(ctx)
	}
	snapshot := &catalog.Snapshot{Version: catalog.Version, Tables: tables, SearchPath: texts(request.SearchPath)}
	for schema, word := range words {
		if err == nil {
			err = snapshot.Rename(schema, word)
		}
		for i, name := range unknown {
			unknown[i] = inSchema(name, schema, word)
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading catalog snapshot: %w", err)
	}
	return snapshot, unknown, nil
}

// examples puts schemas in the places of the words that stand for many. It answers the words by schema.
func (r *reader) examples(ctx context.Context, request *Request) (map[string]string, error) {
	if len(request.Each) == 0 {
		return nil, nil
	}
	type example struct{ Word, Schema string }
	list, err := collect[example](ctx, r, "looking for schemas", "example", request.Each, texts(request.Tables))
	if err != nil {
		return nil, err
	}
	request.Tables = slices.Clone(request.Tables)
	words := map[string]string{}
	for _, e := range list {
		words[e.Schema] = e.Word
		for i, name := range request.Tables {
			request.Tables[i] = inSchema(name, e.Word, e.Schema)
		}
	}
	return words, nil
}

// Places are those of the members of a policy: the schemas that have its table, or the table's shards on this server.
func Places(ctx context.Context, tx interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}, e *policy.Each, name, table string) ([]policy.Place, error) {
	query, arguments := "members", []any{e.Schemas, table, name, e.Name}
	if e.ShardsOf != "" {
		query, arguments = "shards", []any{e.ShardsOf + "." + table, e.Name}
		rows, _ := tx.Query(ctx, catalogsql.Query("distributes")) // rows give the same error
		if there, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool]); err != nil || !there {
			return nil, err
		}
	}
	rows, _ := tx.Query(ctx, catalogsql.Query(query), arguments...)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[policy.Place])
	if err != nil {
		return nil, fmt.Errorf("looking for the members of policy %q: %w", name, err)
	}
	return list, nil
}

// inSchema is the name of a table in another schema, if it is in schema from.
func inSchema(name, from, to string) string {
	if table, ok := strings.CutPrefix(name, from+"."); ok {
		return to + "." + table
	}
	return name
}

// ErrChanged says that PostgreSQL had no definition any more for what a statement's snapshot still has.
var ErrChanged = errors.New("an object changed while it was looked at")

// reader collects tables by oid.
type reader struct {
	tx     pgx.Tx
	oids   []uint32
	tables map[uint32]*catalog.Table
}

// find turns names into the oids of all tables to read, and returns the names without one.
func (r *reader) find(ctx context.Context, request Request) (unknown []string, err error) {
	if _, err := r.tx.Exec(ctx, catalogsql.Query("settings")); err != nil {
		return nil, fmt.Errorf("preparing the session: %w", err)
	}
	type found struct {
		Name string
		OID  *uint32
	}
	list, err := collect[found](ctx, r, "looking up tables", "resolve", texts(request.Tables), texts(request.SearchPath))
	var roots []uint32
	for i, row := range list {
		switch {
		case row.OID == nil:
			unknown = append(unknown, row.Name)
		case i > 0 && list[i-1].Name == row.Name:
			return nil, fmt.Errorf("looking up tables: two tables answer to the name %q", row.Name)
		default:
			roots = append(roots, *row.OID)
		}
	}
	place := func(name string) int { return slices.Index(request.Tables, name) }
	slices.SortFunc(unknown, func(a, b string) int { return place(a) - place(b) })
	var all []uint32
	if err == nil && request.All {
		all, err = collectBy(ctx, r, pgx.RowTo[uint32], "looking for tables", "all", request.Runtime)
	}
	if err == nil {
		roots = append(roots, all...)
		r.oids, err = collectBy(ctx, r, pgx.RowTo[uint32], "following foreign keys", "reach", roots, request.Runtime)
	}
	r.oids = slices.DeleteFunc(r.oids, func(oid uint32) bool { return slices.Contains(request.Without, oid) })
	return unknown, err
}

// collect runs a query of sql/catalog whose columns are the fields of T, in order. About begins its error.
func collect[T any](ctx context.Context, r *reader, about, query string, args ...any) ([]T, error) {
	return collectBy(ctx, r, pgx.RowToStructByPos[T], about, query, args...)
}

func collectBy[T any](ctx context.Context, r *reader, read pgx.RowToFunc[T], about, query string, args ...any) ([]T, error) {
	rows, _ := r.tx.Query(ctx, catalogsql.Query(query), args...) // rows give the same error
	list, err := pgx.CollectRows(rows, read)
	if null := (pgx.ScanArgError{}); errors.As(err, &null) {
		err = fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", about, err)
	}
	return list, nil
}

// texts makes an empty array of nil, which the server would take for NULL.
func texts(values []string) []string { return append([]string{}, values...) }

// read fills in the tables that find has found, sorted by schema and name.
func (r *reader) read(ctx context.Context) ([]*catalog.Table, error) {
	table := func(row pgx.CollectableRow) (*catalog.Table, error) {
		t, oid := &catalog.Table{Columns: []catalog.Column{}}, uint32(0)
		err := row.Scan(&oid, &t.Schema, &t.Name, &t.Kind, &t.PartitionOf, &t.Inherits, &t.Children,
			&t.RowSecurity, &t.Strategy, &t.KeyColumns)
		r.tables[oid] = t
		return t, err
	}
	tables, err := collectBy(ctx, r, table, "reading tables", "tables", r.oids)
	err = each(ctx, r, err, "columns", func(row struct {
		OID uint32
		catalog.Column
	}) {
		t := r.tables[row.OID]
		t.Columns = append(t.Columns, row.Column)
	})
	err = each(ctx, r, err, "indexes", func(row struct {
		OID uint32
		catalog.Index
	}) {
		t := r.tables[row.OID]
		t.Indexes = append(t.Indexes, row.Index)
		if row.Primary {
			t.PrimaryKey = row.Columns
		}
	})
	for _, t := range tables {
		if len(t.PrimaryKey) == 0 {
			t.PrimaryKey = t.UniqueKey()
		}
	}
	err = each(ctx, r, err, "foreign_keys", func(row struct {
		Referenced uint32
		catalog.ForeignKey
	}) {
		t := r.tables[row.Referenced]
		t.Referenced = append(t.Referenced, row.ForeignKey)
	})
	err = each(ctx, r, err, "triggers", func(row struct {
		OID uint32
		catalog.Trigger
	}) {
		t := r.tables[row.OID]
		t.Triggers = append(t.Triggers, row.Trigger)
	})
	if err == nil {
		err = r.distribution(ctx)
	}
	return tables, err
}

// distribution reads how Citus distributes the tables, where it is there: its catalog is tables of an extension.
func (r *reader) distribution(ctx context.Context) error {
	var there bool
	if err := r.tx.QueryRow(ctx, catalogsql.Query("distributes")).Scan(&there); err != nil || !there {
		return err
	}
	return each(ctx, r, nil, "distribution", func(row struct {
		OID uint32
		catalog.Distribution
	}) {
		d := row.Distribution
		r.tables[row.OID].Distribution = &d
	})
}

// each runs a query of sql/catalog about the tables, and calls add with each row; not after an error of another one.
func each[T any](ctx context.Context, r *reader, before error, query string, add func(T)) error {
	if before != nil {
		return before
	}
	list, err := collect[T](ctx, r, "reading "+strings.ReplaceAll(query, "_", " "), query, r.oids)
	for _, row := range list {
		add(row)
	}
	return err
}

// Survey reads all tables of an application, and what the server knows of their sizes.
func Survey(ctx context.Context, conn *pgx.Conn, request Request) (*catalog.Snapshot, *catalog.Statistics, error) {
	request.All = true
	var snapshot *catalog.Snapshot
	s := &catalog.Statistics{Tables: map[string]catalog.Growth{}, Ranges: map[string]catalog.Range{}}
	err := pgx.BeginTxFunc(ctx, conn, readOnly, func(tx pgx.Tx) (err error) {
		r := &reader{tx: tx, tables: map[uint32]*catalog.Table{}}
		if snapshot, _, err = r.snapshot(ctx, request); err != nil {
			return err
		}
		server, err := collect[catalog.Server](ctx, r, "reading server", "server")
		for _, s.Server = range server {
		}
		err = each(ctx, r, err, "growth", func(g catalog.Growth) { s.Tables[g.Name] = g })
		return each(ctx, r, err, "ranges", func(g catalog.Range) { s.Ranges[g.Table+"."+g.Column] = g })
	})
	return snapshot, s, err
}
