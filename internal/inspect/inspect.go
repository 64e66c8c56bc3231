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
	"pgretain/internal/quote"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
	catalogsql "pgretain/sql/catalog"
)

// Request says what a snapshot is about.
type Request struct {
	Tables     []string // "schema.name", or "name" to be found in SearchPath; unquoted
	SearchPath []string // schemas, the first one first
	Runtime    string   // the runtime's schema; its tables are left out unless Tables names them
	All        bool     // all tables of the application, beside those that Tables names

	Each map[string]string // words that stand for schemas, with patterns of these: one is read for all
}

// ErrChanged says that PostgreSQL had no definition any more for what a statement's snapshot still
// has.
var ErrChanged = errors.New("an object changed while it was looked at")

// Querier is a session, or a transaction in one.
type Querier interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}

// Snapshot reads the tables of the request and what a delete from them can reach, in one
// read-only transaction that takes no lock and needs no privilege on the tables. The second
// result lists the names that no table has. Types and expressions
// are printed with qualified names, except those of pg_catalog.
func Snapshot(ctx context.Context, conn *pgx.Conn, request Request) (s *catalog.Snapshot, unknown []string, err error) {
	err = readOnly(ctx, conn, func(tx pgx.Tx) (err error) {
		s, unknown, err = Read(ctx, tx, request)
		return err
	})
	return s, unknown, err
}

// readOnly runs f in a transaction that sees one state of the database.
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

// Prepare makes what a transaction prints independent of its session. The timeout is in
// milliseconds, nil for its own.
func Prepare(ctx context.Context, tx pgx.Tx, timeout *string) error {
	_, err := tx.Exec(ctx, catalogsql.Query("settings"), timeout)
	return err
}

// Read is Snapshot in a transaction of the caller's, after Prepare. It has schemas in the places of
// the words that stand for many, and puts the words back; a table there that is asked for by its
// own name as well is in the snapshot twice.
func Read(ctx context.Context, tx Querier, request Request) (*catalog.Snapshot, []string, error) {
	// An empty array of nil, which the server would take for NULL, and a copy of another one.
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
		return nil, nil, fmt.Errorf("two tables answer to the name %q", *answer.Twice)
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

// rename gives those of the tables that are in one schema the names that they would have in
// another.
func rename(tables []string, from, to string) {
	for i, name := range tables {
		if table, ok := strings.CutPrefix(name, from+"."); ok {
			tables[i] = to + "." + table
		}
	}
}

// distribute reads how Citus distributes the tables, where it is there: its catalog is tables of an
// extension.
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

// Instances are those of the members of a policy: the schemas that have its table, or the table's
// shards on this server.
func Instances(ctx context.Context, tx Querier, e *policy.Each, name, table string) (list []policy.Instance,
	err error) {
	if e.ShardsOf != "" {
		list, err = ofCitus[policy.Instance](ctx, tx, "shards", e.ShardsOf+"."+table, e.Name)
	} else {
		list, err = collect[policy.Instance](ctx, tx, "members", e.Schemas, table, name, e.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("looking for the members of policy %q: %w", name, err)
	}
	return list, nil
}

// Survey reads all tables of an application, and what the server knows of their sizes.
func Survey(ctx context.Context, conn *pgx.Conn, request Request) (*catalog.Snapshot, *catalog.Statistics, error) {
	request.All = true
	var snapshot *catalog.Snapshot
	s := &catalog.Statistics{Tables: map[string]catalog.Growth{}, Ranges: map[string]catalog.Range{}}
	err := readOnly(ctx, conn, func(tx pgx.Tx) (err error) {
		if snapshot, _, err = Read(ctx, tx, request); err != nil {
			return err
		}
		names := []string{}
		for _, t := range snapshot.Tables {
			names = append(names, t.String())
		}
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

// ofCitus asks Citus, where it is there; nothing elsewhere.
func ofCitus[T any](ctx context.Context, tx Querier, query string, args ...any) ([]T, error) {
	there, err := collect[struct{ Is bool }](ctx, tx, "distributes")
	if err != nil || !there[0].Is {
		return nil, err
	}
	return collect[T](ctx, tx, query, args...)
}

// collect runs a query of sql/catalog whose columns are the fields of T, in order.
func collect[T any](ctx context.Context, tx Querier, query string, args ...any) ([]T, error) {
	rows, _ := tx.Query(ctx, catalogsql.Query(query), args...) // rows give the same error
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
	query := "SELECT jsonb_agg(to_jsonb(r))::text FROM (" + body + ") r (words, unit, start, ordinary)"
	rows, _ := tx.Query(ctx, query) // rows give the same error
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
}

// OtherZone returns the time zone of the database's sessions, "" where its local times are those of
// zone for a year.
func OtherZone(ctx context.Context, tx Querier, zone string) (string, error) {
	found, err := collect[struct{ Zone string }](ctx, tx, "other_zone", zone)
	if err != nil {
		return "", err
	}
	return found[0].Zone, nil
}
