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
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
	catalogsql "pgretain/sql/catalog"
)

// Request describes which tables a snapshot must have.
type Request struct {
	Tables     []string // "schema.name", or "name", which is looked up in SearchPath; unquoted
	SearchPath []string // schemas, in the order of the look-up
	Runtime    string   // schema of the runtime; its tables are left out unless Tables names them
	All        bool     // also all tables of the application that Tables does not name

	// Each maps a placeholder for many schemas to the pattern of their names. The tables of one of
	// these schemas are read.
	Each map[string]string

	// Install asks for the section on the install of Runtime. Worker is its worker, "" if the
	// migrating role is all roles.
	Install bool
	Worker  string
}

// ErrChanged means that an object was dropped after the statement's snapshot was taken.
var ErrChanged = errors.New("an object was changed or dropped during the check")

// Querier is a session, or a transaction in one.
type Querier interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}

// Snapshot reads the tables of the request and the tables that a delete from them can reach. It
// reads in one READ ONLY transaction, takes no lock on the tables and needs no privilege on them.
// The result "unknown" lists the names for which there is no table. Types and expressions have
// qualified names, except those of pg_catalog.
func Snapshot(ctx context.Context, conn *pgx.Conn, request Request) (s *catalog.Snapshot, unknown []string, err error) {
	err = readOnly(ctx, conn, func(tx pgx.Tx) (err error) {
		s, unknown, err = Read(ctx, tx, request)
		if err == nil && request.Install {
			s.Install, err = installed(ctx, tx, request.Runtime, request.Worker)
		}
		return err
	})
	return s, unknown, err
}

// installed reads what the database has of an install. It returns nil if there is no install that
// the session's role may read, or if no migration has recorded a state.
func installed(ctx context.Context, tx Querier, schema, worker string) (*catalog.Install, error) {
	there, err := collect[struct{ Is bool }](ctx, tx, "install_there", schema)
	if err != nil || !there[0].Is {
		return nil, err
	}
	query := strings.ReplaceAll(catalogsql.Query("install"), "retention.", quote.Ident(schema)+".")
	rows, _ := tx.Query(ctx, query, schema, worker) // CollectRows returns the same error
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[catalog.Install])
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// readOnly calls f in a READ ONLY transaction with one snapshot (REPEATABLE READ).
func readOnly(ctx context.Context, conn *pgx.Conn, f func(pgx.Tx) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error {
		err := Prepare(ctx, tx, nil)
		if err == nil {
			err = f(tx)
		}
		if err != nil {
			return fmt.Errorf("reading the catalog: %w", err)
		}
		return nil
	})
}

// Prepare sets the settings of a transaction so that its output does not depend on the session. The
// parameter "timeout" is the statement_timeout in milliseconds; nil keeps the session's setting.
func Prepare(ctx context.Context, tx pgx.Tx, timeout *string) error {
	_, err := tx.Exec(ctx, catalogsql.Query("settings"), timeout)
	return err
}

// Read works like Snapshot, in a transaction of the caller after Prepare. For each placeholder of
// Each it reads one schema, and names that schema by the placeholder in the result. The request may
// also name a table of that schema without the placeholder. Then the snapshot has the table under
// both names.
func Read(ctx context.Context, tx Querier, request Request) (*catalog.Snapshot, []string, error) {
	// The lists are copied, because rename changes them. They are never nil, because the server
	// would read nil as NULL.
	tables, path := append([]string{}, request.Tables...), append([]string{}, request.SearchPath...)
	type example struct{ Word, Schema string }
	examples, err := collect[example](ctx, tx, "example", request.Each, tables)
	if err != nil {
		return nil, nil, err
	}
	var own []string
	for _, e := range examples {
		for _, table := range tables {
			if strings.HasPrefix(table, e.Schema+".") {
				own = append(own, table)
			}
		}
	}
	tables = slices.DeleteFunc(tables, func(table string) bool { return slices.Contains(own, table) })
	for _, e := range examples {
		rename(tables, e.Word, e.Schema)
	}
	type found struct {
		Tables  []*catalog.Table
		Unknown []string
		Twice   *string
		Changed bool
	}
	list, err := collect[found](ctx, tx, "snapshot", tables, path, request.Runtime, request.All)
	if err != nil {
		return nil, nil, err
	}
	answer := list[0]
	switch {
	case answer.Twice != nil:
		return nil, nil, fmt.Errorf("two tables have the name %q", *answer.Twice)
	case answer.Changed:
		return nil, nil, ErrChanged
	}
	snapshot := &catalog.Snapshot{Version: catalog.Version, Tables: answer.Tables, SearchPath: path}
	for _, t := range snapshot.Tables {
		t.SetKey()
	}
	if err := distribute(ctx, tx, snapshot.Graph()); err != nil {
		return nil, nil, err
	}
	if err := addValues(ctx, tx, snapshot); err != nil {
		return nil, nil, err
	}
	for _, e := range examples {
		rename(answer.Unknown, e.Schema, e.Word)
		if err := snapshot.Rename(e.Schema, e.Word); err != nil {
			return nil, nil, err
		}
	}
	if len(own) == 0 {
		return snapshot, answer.Unknown, nil
	}
	named, unknown, err := Read(ctx, tx, Request{Tables: own, SearchPath: request.SearchPath, Runtime: request.Runtime})
	if err != nil {
		return nil, nil, err
	}
	snapshot.Add(named.Tables)
	return snapshot, append(answer.Unknown, unknown...), nil
}

// rename changes the names of tables in place: tables of schema "from" get schema "to".
func rename(tables []string, from, to string) {
	for i, name := range tables {
		if table, ok := strings.CutPrefix(name, from+"."); ok {
			tables[i] = to + "." + table
		}
	}
}

// distribute reads how Citus distributes the tables, if the extension is installed.
func distribute(ctx context.Context, tx Querier, tables catalog.Graph) error {
	type distributed struct {
		Table string
		catalog.Distribution
	}
	list, err := ofCitus[distributed](ctx, tx, "distribution")
	for _, d := range list {
		if t := tables[d.Table]; t != nil {
			t.Distribution = &d.Distribution
		}
	}
	return err
}

// addValues reads which texts the CHECK constraints of a column allow. A constraint that is no list
// of texts says nothing. A column with several lists allows what all of them allow.
func addValues(ctx context.Context, tx Querier, s *catalog.Snapshot) error {
	tables := s.Graph()
	type check struct{ Table, Column, Expression string }
	list, err := collect[check](ctx, tx, "checks", lists.Map(s.Tables, (*catalog.Table).String))
	for _, found := range list {
		values := pgparse.ValueList(found.Expression)
		t := tables[found.Table]
		if values == nil || t == nil || t.Column(found.Column) == nil {
			continue
		}
		column := t.Column(found.Column)
		if column.Values != nil {
			values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(column.Values, v) })
		}
		column.Values = values
	}
	return err
}

// Instances returns the instances of a policy: one for each schema that has its table, or one for
// each shard of the table on this server.
func Instances(ctx context.Context, tx Querier, e *policy.Each, name, table string) (list []policy.Instance,
	err error) {
	if e.ShardsOf != "" {
		list, err = ofCitus[policy.Instance](ctx, tx, "shards", e.ShardsOf+"."+table)
	} else {
		list, err = collect[policy.Instance](ctx, tx, "members", e.Schemas, table, name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the instances of policy %q: %w", name, err)
	}
	return list, nil
}

// Survey reads all tables of an application, with their sizes and the ranges of columns that may be
// clocks, from the statistics of the server.
func Survey(ctx context.Context, conn *pgx.Conn, request Request) (*catalog.Snapshot, *catalog.Statistics, error) {
	request.All = true
	var snapshot *catalog.Snapshot
	s := &catalog.Statistics{Tables: map[string]catalog.Growth{}, Ranges: map[string]catalog.Range{}}
	err := readOnly(ctx, conn, func(tx pgx.Tx) (err error) {
		if snapshot, _, err = Read(ctx, tx, request); err != nil {
			return err
		}
		names := lists.Map(snapshot.Tables, (*catalog.Table).String)
		server, err := collect[catalog.Server](ctx, tx, "server")
		if err != nil {
			return err
		}
		s.Server = server[0]
		growth, err := collect[catalog.Growth](ctx, tx, "growth", names)
		for _, g := range growth {
			s.Tables[g.Name] = g
		}
		if err != nil {
			return err
		}
		readings, err := clockReadings(ctx, tx)
		if err != nil {
			return err
		}
		ranges, err := collect[catalog.Range](ctx, tx, "ranges", names, readings)
		for _, r := range ranges {
			s.Ranges[r.Table+"."+r.Column] = r
		}
		return err
	})
	return snapshot, s, err
}

// Hidden is a table whose row security hides rows from a role. Major is the server's major version.
// Givers are the roles, besides superusers, that can let a role bypass row security.
type Hidden struct {
	Table  string
	Major  int
	Givers []string
}

// HiddenFrom returns those of the tables whose row security hides rows from a role. The role need
// not exist. Tables are named as schema.name.
func HiddenFrom(ctx context.Context, tx Querier, role string, tables []string) ([]Hidden, error) {
	return collect[Hidden](ctx, tx, "row_security", role, tables)
}

// ofCitus runs a query on the catalog of Citus. It returns no rows if Citus is not installed.
func ofCitus[T any](ctx context.Context, tx Querier, query string, args ...any) ([]T, error) {
	there, err := collect[struct{ Is bool }](ctx, tx, "distributes")
	if err != nil || !there[0].Is {
		return nil, err
	}
	return collect[T](ctx, tx, query, args...)
}

// collect runs a query of sql/catalog whose columns are the fields of T, in order.
func collect[T any](ctx context.Context, tx Querier, query string, args ...any) ([]T, error) {
	rows, _ := tx.Query(ctx, catalogsql.Query(query), args...) // CollectRows returns the same error
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		return nil, fmt.Errorf("query %q: %w", query, err)
	}
	return list, nil
}

// clockReadings returns the rows of retention._clock_readings as JSON. It runs the body of that
// function, which need not be installed.
func clockReadings(ctx context.Context, tx Querier) (string, error) {
	_, body, _ := strings.Cut(quote.File(sqlfiles.Runtime, "engine/3_start/_clock_readings.sql"), "$function$")
	body, _, _ = strings.Cut(body, "$function$")
	query := "SELECT jsonb_agg(to_jsonb(r))::text FROM (" + body + ") r (label, unit, start, ordinary)"
	rows, _ := tx.Query(ctx, query) // CollectRows returns the same error
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
}

// OtherZone returns the time zone of the database's sessions. It returns "" if, for a year, local
// times in that zone equal local times in the given zone.
func OtherZone(ctx context.Context, tx Querier, zone string) (string, error) {
	found, err := collect[struct{ Zone string }](ctx, tx, "other_zone", zone)
	if err != nil {
		return "", err
	}
	return found[0].Zone, nil
}
