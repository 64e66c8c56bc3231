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
// database. The start takes about a second.
func Server(t testing.TB, options sandbox.Options) *DB {
	t.Helper()
	// t.Context ends before the test's cleanup functions run, and these still need the server.
	s, err := sandbox.Start(context.Background(), steady(options))
	return private(t, s, err, "")
}

// private returns a database of a server, and stops the server when the test ends. Name "" is the
// database that the server has from the start.
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

// CronServer starts a server for this test alone, with pg_cron in the database that it returns.
// pg_cron runs in one database of a server, so tests of its schedule cannot share a server.
func CronServer(t testing.TB) *DB {
	t.Helper()
	return blank.Copy(t, func(*DB) {})
}

// CronServerWith is CronServer with further settings of postgresql.conf.
func CronServerWith(t testing.TB, settings map[string]string) *DB {
	t.Helper()
	return blank.copyWith(t, settings, func(*DB) {})
}

// blank is a server that has only the extension pg_cron. Copying it takes a tenth of the time that
// initdb takes.
var blank Origin

// Origin is a server with pg_cron that is built once per test binary. Every test gets a copy of it.
// Keep it in a package variable.
type Origin struct {
	built sync.Once
	err   error
	db    *DB // its server is shut down
}

// Copy starts a server for this test alone, on a copy of the origin's files. The first call creates
// the origin, and fills its database with the function "build".
func (o *Origin) Copy(t testing.TB, build func(*DB)) *DB {
	t.Helper()
	return o.copyWith(t, nil, build)
}

func (o *Origin) copyWith(t testing.TB, settings map[string]string, build func(*DB)) *DB {
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
		t.Fatal("the origin could not be built; see the failure of the test that called Copy first")
	}
	return o.db.cloneFiles(t, settings)
}

// Other returns a database of the server of this test that another role has created.
func (db *DB) Other(t testing.TB, name string) *DB {
	t.Helper()
	return db.server.open(t, name)
}

// Sibling creates another database on the server of this test.
func (db *DB) Sibling(t testing.TB, name string) *DB {
	t.Helper()
	check(t, db.server.admin("CREATE DATABASE "+quote.Ident(name)))
	return db.server.open(t, name)
}

// Standby starts a hot standby of this test's server. It returns the database of the same name on
// the standby.
func (db *DB) Standby(t testing.TB, settings map[string]string) *DB {
	t.Helper()
	return db.copied(t, settings, func(standby *sandbox.Server) *exec.Cmd {
		return db.baseBackup(standby, "--write-recovery-conf")
	})
}

// Clone starts an independent server from a base backup of this test's server. It returns the
// database of the same name on the new server.
func (db *DB) Clone(t testing.TB) *DB {
	t.Helper()
	return db.copied(t, nil, func(clone *sandbox.Server) *exec.Cmd { return db.baseBackup(clone) })
}

// CloneFiles starts an independent server from a copy of the files of this test's server, which
// must be stopped before. It returns the database of the same name on the new server.
func (db *DB) CloneFiles(t testing.TB) *DB {
	t.Helper()
	return db.cloneFiles(t, nil)
}

func (db *DB) cloneFiles(t testing.TB, settings map[string]string) *DB {
	t.Helper()
	return db.copied(t, settings, func(clone *sandbox.Server) *exec.Cmd {
		// --archive keeps the times of the files.
		cmd := clone.Command(context.Background(), "cp", "--archive", db.Server.DataDir(), clone.DataDir())
		cmd.Path, cmd.Err = exec.LookPath("cp")
		return cmd
	})
}

// copied starts another server with the same options. The function "bring" returns a command that
// fills the data directory of this server.
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

// CatchUp waits until a standby has replayed everything that its primary has committed.
func (db *DB) CatchUp(t testing.TB, primary *DB) {
	t.Helper()
	lsn := Value[string](t, primary, "SELECT pg_current_wal_flush_lsn()::text")
	Until(t, db, "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", lsn)
}
