package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

// installed and measured are databases; those with rows are named as the table that holds them.
const installed, measured = "installed", "measured"

// copyDatabase copies files, which takes a tenth of the time that loading would, and ends with a
// checkpoint. https://www.postgresql.org/docs/current/sql-createdatabase.html
func (s *session) copyDatabase(ctx context.Context, from, to string) error {
	_, err := s.admin.Exec(ctx, "CREATE DATABASE "+quote.Ident(to)+" TEMPLATE "+quote.Ident(from)+" STRATEGY FILE_COPY")
	return err
}

// load makes the database with a filled table, as an autovacuum leaves it, at the first use.
func (s *session) load(ctx context.Context, table string) error {
	if s.loaded[table] {
		return nil
	}
	s.say("loading %d rows into %s", s.rows, table)
	if err := s.copyDatabase(ctx, installed, table); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.server.URL(table, ""))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT bench.load($1::regclass, $2)", table, s.rows)
	if err == nil {
		_, err = conn.Exec(ctx, "VACUUM (ANALYZE)")
	}
	s.loaded[table] = true
	return errors.Join(err, conn.Close(ctx))
}

// database is a copy to measure on; conn is the superuser's, for everything that is not measured.
type database struct {
	*session
	conn *pgx.Conn
}

// fresh makes the database to measure on: a table's rows, in memory, after VACUUM, ANALYZE and a
// checkpoint.
func (s *session) fresh(ctx context.Context, table string) (*database, error) {
	if err := s.load(ctx, table); err != nil {
		return nil, fmt.Errorf("loading %s: %w", table, err)
	}
	if err := s.copyDatabase(ctx, table, measured); err != nil {
		return nil, err
	}
	d := &database{session: s}
	var err error
	if d.conn, err = d.connect(ctx, ""); err != nil {
		return nil, err
	}
	for _, statement := range []string{query("warm"), "CHECKPOINT"} {
		if _, err := d.conn.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *database) drop(ctx context.Context) error {
	_, err := d.admin.Exec(ctx, "DROP DATABASE "+quote.Ident(measured)+" WITH (FORCE)")
	return errors.Join(d.conn.Close(ctx), err)
}

// connect opens a session with the rights of a role, "" for the superuser.
func (d *database) connect(ctx context.Context, role string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, d.server.URL(measured, ""))
	if err != nil || role == "" {
		return conn, err
	}
	_, err = conn.Exec(ctx, "SET SESSION AUTHORIZATION "+quote.Ident(role))
	return conn, err
}

// withSnapshot does something, if hold is set while another session sees the rows as they were
// before: what goes cannot be removed, as during a long report or a backup.
func (d *database) withSnapshot(ctx context.Context, hold bool, do func() error) error {
	if !hold {
		return do()
	}
	conn, err := d.connect(ctx, "")
	if err != nil {
		return err
	}
	for _, statement := range []string{"BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM pg_class"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return errors.Join(err, conn.Close(ctx))
		}
	}
	return errors.Join(do(), conn.Close(ctx))
}
