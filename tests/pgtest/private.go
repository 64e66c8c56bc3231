package pgtest

import (
	"context"
	"testing"

	"pgretain/internal/quote"
	"pgretain/internal/sandbox"
)

// Server starts a server for this test alone, for crashes and settings, and returns its first
// database. It takes about a second: few tests need one.
func Server(t testing.TB, options sandbox.Options) *DB {
	t.Helper()
	// Not t.Context, which ends before the clean-ups: those of the test still need the server.
	s, err := sandbox.Start(context.Background(), options)
	check(t, err)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stopping the server of the test: %v", err)
		}
	})
	db := (&server{s.URL, s}).open(t, s.Database())
	db.Server = s
	return db
}

// CronServer starts a server for this test alone that runs pg_cron in the database it returns.
// pg_cron exists in one database of a server only, so tests of real ticks cannot share one.
func CronServer(t testing.TB) *DB {
	t.Helper()
	return Server(t, sandbox.Options{Cron: true})
}

// Sibling makes another database on the server of a test's own.
func (db *DB) Sibling(t testing.TB, name string) *DB {
	t.Helper()
	check(t, db.server.admin(t.Context(), "CREATE DATABASE "+quote.Ident(name)))
	other := db.server.open(t, name)
	other.Server = db.Server
	return other
}
