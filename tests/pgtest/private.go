package pgtest

import (
	"cmp"
	"context"
	"maps"
	"os/exec"
	"sync"
	"testing"

	"pgretain/internal/quote"
	"pgretain/internal/sandbox"
)

// Server starts a server for this test alone, for crashes and settings, and returns its first
// database. It takes about a second: few tests need one.
func Server(t testing.TB, options sandbox.Options) *DB {
	t.Helper()
	// Not t.Context, which ends before the clean-ups: those of the test still need the server.
	s, err := sandbox.Start(context.Background(), steady(options))
	return private(t, s, err, "")
}

// private is a database of a server that the test stops, "" the one that exists from the start.
func private(t testing.TB, s *sandbox.Server, err error, name string) *DB {
	t.Helper()
	check(t, err)
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("stopping a server of the test: %v", err)
		}
	})
	return newServer(s.URL, s).open(t, cmp.Or(name, s.Database()))
}

// CronServer starts a server for this test alone that runs pg_cron in the database it returns.
// pg_cron exists in one database of a server only, so tests of real ticks cannot share one.
func CronServer(t testing.TB) *DB {
	t.Helper()
	return blank.Copy(t, func(*DB) {})
}

// blank has nothing but the extension: to copy it takes a tenth of what initdb takes.
var blank Origin

// Origin is a server with pg_cron that is built once per test binary. Every test gets a copy of it.
// Keep it in a package variable.
type Origin struct {
	built sync.Once
	err   error
	db    *DB // shut down
}

// Copy starts a server for this test alone on a copy of the origin's files, which build fills at
// the first use.
func (o *Origin) Copy(t testing.TB, build func(*DB)) *DB {
	t.Helper()
	o.built.Do(func() {
		var s *sandbox.Server
		if s, o.err = sandbox.Start(context.Background(), steady(sandbox.Options{Cron: true})); o.err != nil {
			return
		}
		AtEnd(func() { _ = s.Stop() })
		db := newServer(s.URL, s).open(t, s.Database())
		build(db)
		s.Shutdown()
		o.db = db
	})
	check(t, o.err)
	if o.db == nil {
		t.Fatal("the server to copy could not be built; the test that tried says why")
	}
	return o.db.CloneFiles(t)
}

// Sibling makes another database on the server of a test's own.
func (db *DB) Sibling(t testing.TB, name string) *DB {
	t.Helper()
	check(t, db.server.admin("CREATE DATABASE "+quote.Ident(name)))
	return db.server.open(t, name)
}

// Standby starts a hot standby of a test's own server, and returns the same database there.
func (db *DB) Standby(t testing.TB, settings map[string]string) *DB {
	t.Helper()
	return db.copied(t, settings, func(standby *sandbox.Server) *exec.Cmd {
		return db.baseBackup(standby,
			"--write-recovery-conf")
	})
}

// Clone starts an independent server from a base backup of a test's own server; CloneFiles from its
// files, while it is killed. Both return the same database there.
func (db *DB) Clone(t testing.TB) *DB {
	t.Helper()
	return db.copied(t, nil, func(clone *sandbox.Server) *exec.Cmd { return db.baseBackup(clone) })
}

func (db *DB) CloneFiles(t testing.TB) *DB {
	t.Helper()
	return db.copied(t, nil, func(clone *sandbox.Server) *exec.Cmd {
		// files keep their times
		cmd := clone.Command(context.Background(), "cp", "--archive", db.Server.DataDir(), clone.DataDir())
		cmd.Path, cmd.Err = exec.LookPath("cp")
		return cmd
	})
}

// copied starts another server, with the same options, on the files that a command brings.
func (db *DB) copied(t testing.TB, settings map[string]string, bring func(*sandbox.Server) *exec.Cmd) *DB {
	t.Helper()
	options := db.Server.Options
	options.Data, options.Settings = bring, maps.Clone(options.Settings)
	maps.Copy(options.Settings, settings)
	s, err := sandbox.Start(context.Background(), options)
	return private(t, s, err, db.Name)
}

func (db *DB) baseBackup(to *sandbox.Server, more ...string) *exec.Cmd {
	return to.Command(context.Background(), "pg_basebackup",
		append(more, "--pgdata="+to.DataDir(), "--checkpoint=fast", "--no-sync",
			"--host="+db.Server.Dir(), "--port=5432", "--username=postgres")...)
}

// CatchUp waits until a standby shows all that its primary has committed.
func (db *DB) CatchUp(t testing.TB, primary *DB) {
	t.Helper()
	lsn := Value[string](t, primary, "SELECT pg_current_wal_flush_lsn()::text")
	Until(t, db, "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", lsn)
}
