package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

// installed is the database with the policies, and measured the copy on which a measurement runs. A
// database with rows has the name of its table.
const installed, measured = "installed", "measured"

// copyDatabase copies the files of a database, which takes a tenth of the time of loading the rows.
// It ends with a checkpoint. https://www.postgresql.org/docs/current/sql-createdatabase.html
func (s *session) copyDatabase(ctx context.Context, from, to string) error {
	_, err := s.admin.Exec(ctx, "CREATE DATABASE "+quote.Ident(to)+" TEMPLATE "+quote.Ident(from)+" STRATEGY FILE_COPY")
	return err
}

// load creates the database with a filled and vacuumed table when it is first called for the table.
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

// database is a copy on which a measurement runs. Its conn is the superuser's session for
// everything that is not measured.
type database struct {
	*session
	conn *pgx.Conn
}

// fresh creates the copy on which a measurement runs. The table is vacuumed, analyzed and in
// memory, and a checkpoint has just ended.
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

// connect opens a session with the rights of a role; "" is the superuser.
func (d *database) connect(ctx context.Context, role string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, d.server.URL(measured, ""))
	if err != nil || role == "" {
		return conn, err
	}
	_, err = conn.Exec(ctx, "SET SESSION AUTHORIZATION "+quote.Ident(role))
	return conn, err
}

// withSnapshot calls do. If hold is set, another session keeps a snapshot open meanwhile, so VACUUM
// cannot remove dead rows, as during a long report or a backup.
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
