package interrupted

import (
	"context"
	"syscall"
	"testing"
	"time"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// buildPhases has two phases in which CREATE INDEX CONCURRENTLY waits for another session: before
// it reads the table, and after it has built the index. hold is what that session executes.
var buildPhases = map[string]struct{ hold, phase string }{
	"before building": {"BEGIN; INSERT INTO app.visit_1 VALUES (1000, '2026-01-01', 'p')",
		"waiting for writers before build"},
	"for an older snapshot": {"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class",
		"waiting for old snapshots"},
}

// TestIndexBuildKilled checks that a migration succeeds after the session or the client was killed
// during an index build. It migrates up and down.
func TestIndexBuildKilled(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.mustMigrate(t, s.up)
	empty := s.mustMigrate(t, s.down)
	full := s.mustMigrate(t, s.up)
	s.mustMigrate(t, s.down)
	choose := sample(t, 2)
	for name, stop := range buildPhases {
		for how, kill := range kills {
			for direction, migrate := range map[string]func(*testing.T, string) error{"up": s.up, "down": s.down} {
				if !choose(statement{text: name, identity: how + name + direction}) {
					continue
				}
				t.Run(name+" "+how+" "+direction, func(t *testing.T) {
					s.killBuild(t, stop.hold, stop.phase, kill)
					// A killed server may lose its last commit.
					if how != "killed" && len(s.invalidIndexes(t)) == 0 {
						t.Error("no index is INVALID, want the build interrupted")
					}
					want := empty
					if direction == "up" {
						want = full
					}
					wantSameCatalog(t, want, s.mustMigrate(t, migrate))
					s.mustMigrate(t, s.down)
				})
			}
		}
	}
}

// kills has the ways in which a build ends. The last one crashes the whole server.
var kills = map[string]func(t *testing.T, b build){
	"terminated":  func(t *testing.T, b build) { b.DB.Exec(t, "SELECT pg_terminate_backend($1)", b.pid) },
	"cancelled":   func(t *testing.T, b build) { b.DB.Exec(t, "SELECT pg_cancel_backend($1)", b.pid) },
	"interrupted": func(t *testing.T, b build) { b.interrupt() },
	"client gone": func(t *testing.T, b build) { b.proxy.disconnect() },
	"killed": func(t *testing.T, b build) {
		other := b.Conn(t)
		if err := syscall.Kill(b.pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		pgtest.Poll(t, "the server ends its sessions", func() bool { return other.Ping(t.Context()) != nil })
	},
}

// build is an index build in progress.
type build struct {
	stage
	pid       int
	interrupt func()
	proxy     *proxy
}

// killBuild migrates until an index build is in a phase, and kills it there.
func (s stage) killBuild(t *testing.T, hold, phase string, kill func(*testing.T, build)) {
	t.Helper()
	holder := s.Conn(t)
	pgtest.Exec(t, holder, hold)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := newProxy(t, s.DB, before, func(statement) bool { return false })
	failed := make(chan error, 1)
	go func() {
		_, err := install.Up(ctx, w.url(kit.Migrator), s.Migrations, s.Options())
		failed <- err
	}()
	kill(t, build{s, s.inPhase(t, phase, failed), cancel, w})
	if err := <-failed; err == nil {
		t.Error("the migration succeeded, want an error after the kill")
	}
	s.waitForRecovery(t)
	w.close()
	_ = holder.Close(t.Context())
}

// waitForRecovery waits until the server accepts sessions after a crash, and replaces the stage's
// session.
func (s stage) waitForRecovery(t *testing.T) {
	t.Helper()
	pgtest.Poll(t, "the server accepts sessions", func() bool {
		conn, err := s.Connect(t.Context())
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err == nil
	})
	s.DB = s.DB.Reopen(s.test)
}

// inPhase waits until another session blocks the index build in a phase, and returns the build's
// backend. Phases without a wait end too quickly to be interrupted.
func (s stage) inPhase(t *testing.T, phase string, failed <-chan error) int {
	t.Helper()
	for {
		pids := pgtest.Column[int](t, s, `SELECT pid FROM pg_stat_progress_create_index WHERE phase = $1
			AND cardinality(pg_blocking_pids(pid)) > 0`, phase)
		if len(pids) == 1 {
			return pids[0]
		}
		select {
		case err := <-failed:
			t.Fatalf("no index build reached phase %q; the migration ended with %v", phase, err)
		case <-time.After(time.Millisecond):
		}
	}
}
