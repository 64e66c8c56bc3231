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

// stops are places where CREATE INDEX CONCURRENTLY waits as long as somebody else likes: before it
// reads the table, and after it has built.
var stops = map[string]struct{ hold, phase string }{
	"before building": {"BEGIN; INSERT INTO app.visit_1 VALUES (1000, '2026-01-01', 'p')",
		"waiting for writers before build"},
	"for an older snapshot": {"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class",
		"waiting for old snapshots"},
}

// TestIndexBuildKilled ends the session, or the client, while an index is being built, and migrates
// again, upwards or downwards.
func TestIndexBuildKilled(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.must(t, s.up)
	empty := s.must(t, s.down)
	full := s.must(t, s.up)
	s.must(t, s.down)
	choose := sample(t, 2)
	for name, stop := range stops {
		for how, kill := range kills {
			for direction, migrate := range map[string]func(*testing.T, string) error{"up": s.up, "down": s.down} {
				if !choose(statement{text: name, identity: how + name + direction}) {
					continue
				}
				t.Run(name+" "+how+" "+direction, func(t *testing.T) {
					s.killBuild(t, stop.hold, stop.phase, kill)
					if how != "killed" && len(s.invalid(t)) == 0 { // the test's server may lose its last commit
						t.Error("nothing was interrupted: no index is INVALID")
					}
					want := empty
					if direction == "up" {
						want = full
					}
					same(t, want, s.must(t, migrate))
					s.must(t, s.down)
				})
			}
		}
	}
}

// kills are the ways in which a build ends; the last one is a crash of the whole server.
var kills = map[string]func(t *testing.T, b build){
	"terminated":  func(t *testing.T, b build) { b.DB.Exec(t, "SELECT pg_terminate_backend($1)", b.pid) },
	"cancelled":   func(t *testing.T, b build) { b.DB.Exec(t, "SELECT pg_cancel_backend($1)", b.pid) },
	"interrupted": func(t *testing.T, b build) { b.interrupt() },
	"client gone": func(t *testing.T, b build) { b.wire.hangUp() },
	"killed": func(t *testing.T, b build) {
		other := b.Conn(t)
		if err := syscall.Kill(b.pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		pgtest.Poll(t, "the server has noticed", func() bool { return other.Ping(t.Context()) != nil })
	},
}

// build is an index build under way.
type build struct {
	stage
	pid       int
	interrupt func()
	wire      *wire
}

// killBuild migrates until an index build is in a phase, and kills it there.
func (s stage) killBuild(t *testing.T, hold, phase string, kill func(*testing.T, build)) {
	t.Helper()
	holder := s.Conn(t)
	pgtest.Exec(t, holder, hold)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := newWire(t, s.DB, before, func(statement) bool { return false })
	failed := make(chan error, 1)
	go func() {
		_, err := install.Up(ctx, w.url(kit.Migrator), s.Migrations, s.Options())
		failed <- err
	}()
	kill(t, build{s, s.inPhase(t, phase, failed), cancel, w})
	if err := <-failed; err == nil {
		t.Error("the migration did not notice its death")
	}
	s.recovered(t)
	w.close()
	_ = holder.Close(t.Context())
}

// recovered waits until the server answers again after a crash, and asks it in a new session.
func (s stage) recovered(t *testing.T) {
	t.Helper()
	pgtest.Poll(t, "the server answers again", func() bool {
		conn, err := s.Connect(t.Context())
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err == nil
	})
	s.DB = s.DB.Reopen(s.test)
}

// inPhase waits for an index build to be held up somewhere, and returns its backend: other phases
// take no time, and would be gone before they are hit.
func (s stage) inPhase(t *testing.T, phase string, failed <-chan error) int {
	t.Helper()
	for {
		pids := pgtest.Column[int](t, s, "SELECT pid FROM pg_stat_progress_create_index WHERE phase = $1 AND "+
			"cardinality(pg_blocking_pids(pid)) > 0", phase)
		if len(pids) == 1 {
			return pids[0]
		}
		select {
		case err := <-failed:
			t.Fatalf("no index build is %s: %v", phase, err)
		case <-time.After(time.Millisecond):
		}
	}
}
