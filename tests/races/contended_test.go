package races

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// impatient is a policy whose lock_timeout is short, for waits that nobody ends.
func impatient(rule string) string {
	return strings.Replace(rule, "lock_timeout: 100s", "lock_timeout: 20ms", 1)
}

// Rows that others have locked are passed and counted, whatever the lock, and go with the next run.
func TestLockedRowsArePassed(t *testing.T) {
	t.Parallel()
	for shape, rule := range map[string]string{"RANGE": simple, "LOCKED": guarded} {
		for _, lock := range []string{"FOR UPDATE", "FOR KEY SHARE"} {
			t.Run(shape+", "+lock, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, signals, impatient(rule))
				if shape == "LOCKED" {
					s.locked()
				}
				s.refill(30)
				s.application("BEGIN; SELECT FROM m WHERE id IN (5, 15, 16, 25) " + lock)

				naive := s.Conn(t)
				pgtest.Exec(t, naive, "SET lock_timeout = '20ms'")
				if err := s.start(naive, usual).end(); err == nil || err.Code != "55P03" {
					t.Errorf("the usual statement ended with %v, want 55P03", err)
				}
				s.leaves(from(1, 30)...)

				s.run("p").ok()
				s.leaves(5, 15, 16, 25)
				s.logged("p", counts{State: "done", Taken: 26, Contended: 4})

				s.application("COMMIT")
				s.run("p").ok()
				s.leaves()
				s.logged("p", counts{State: "done", Taken: 4})
			})
		}
	}
}

// One locked row in each of 20 batches costs one wait, not twenty: the rows of the next batches
// are locked up front.
func TestContentionIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", impatient(simple))
	s.refill(200)
	s.application("BEGIN; SELECT FROM m WHERE id % 10 = 5 FOR UPDATE")
	s.run("p").ok()
	o := s.logged("p", counts{State: "done", Taken: 180, Contended: 20})
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.batch WHERE run_id = $1 AND sqlstate = "+
		"'55P03'", o.ID); n != 1 {
		t.Errorf("%d batches waited:\n%s", n, s.batches(o.ID))
	}
}

// A table that somebody holds ends the run "more", after a few bounded waits; the next one goes on.
func TestTableIsLocked(t *testing.T) {
	t.Parallel()
	for shape, rule := range map[string]string{"RANGE": simple, "LOCKED": guarded} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals, impatient(rule))
			if shape == "LOCKED" {
				s.locked()
			}
			s.refill(30)
			s.application("BEGIN; LOCK TABLE m IN ACCESS EXCLUSIVE MODE")
			s.run("p").ok()
			o := s.logged("p", counts{State: "more"})
			if !strings.Contains(o.Message, "locked") || o.SQLState != "55P03" {
				t.Errorf("the run says %s %q", o.SQLState, o.Message)
			}
			s.unlocked()
			s.application("COMMIT")
			s.leaves(from(1, 30)...)
			s.run("p").ok()
			s.leaves()
			s.logged("p", counts{State: "done", Taken: 30})
		})
	}
}

// The same in the middle of a run: what is done stays done.
func TestTableIsLockedDuringARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	lock := s.start(s.app, "LOCK TABLE m IN ACCESS EXCLUSIVE MODE") // fails: not in a transaction
	if err := lock.end(); err == nil {
		t.Fatal("LOCK TABLE outside a transaction")
	}
	s.application("BEGIN")
	lock = s.start(s.app, "LOCK TABLE m IN ACCESS EXCLUSIVE MODE")
	lock.mustWait()
	s.Exec(t, "UPDATE retention.policy SET lock_timeout_ms = 20 WHERE name = 'p'")
	s.open()
	lock.ok()
	run.ok()
	s.application("COMMIT")
	s.leaves(from(21, 30)...)
	o := s.logged("p", counts{State: "more", Taken: 20})
	if !strings.Contains(o.Message, "locked") {
		t.Errorf("the run says %q", o.Message)
	}
	s.run("p").ok()
	s.leaves()
}

// A child that somebody has locked, on the way of ON DELETE CASCADE, keeps its parent this time;
// the others go.
func TestLockedChildIsNarrowedDown(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE);
		CREATE INDEX ON child (m_id);`, impatient(withCascades(simple, "public.child")))
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT id, id FROM m")
	s.application("BEGIN; SELECT FROM child WHERE id = 15 FOR UPDATE")

	naive := s.Conn(t)
	pgtest.Exec(t, naive, "SET lock_timeout = '20ms'")
	skipping := "DELETE FROM m WHERE id IN (SELECT id FROM m WHERE at < " + cutoff + " FOR UPDATE SKIP LOCKED)"
	if err := s.start(naive, skipping).end(); err == nil || err.Code != "55P03" {
		t.Errorf("skipping locked parents ended with %v, want 55P03", err)
	}
	s.leaves(from(1, 30)...)

	s.run("p").ok()
	s.leaves(15)
	s.logged("p", counts{State: "done", Taken: 29, Contended: 1, Cascaded: map[string]int64{"public.child": 29}})
	s.application("COMMIT")
	s.run("p").ok()
	s.leaves()
}

// The application locks rows in the other order. It never sees a deadlock: we give way first, and
// a plain DELETE would have made it the victim.
func TestWeGiveWayBeforeADeadlock(t *testing.T) {
	t.Parallel()
	// RANGE waits 200 ms for a row
	s := newStage(t, gateAt15, strings.Replace(simple, "lock_timeout: 100s", "lock_timeout: 2s", 1))
	// Long enough for the order of events, and far longer than our wait.
	s.application("SET deadlock_timeout = '1s'")

	s.refill(30)
	s.application("BEGIN; UPDATE m SET v = 1 WHERE id = 16")
	victim := s.Conn(t)
	pgtest.Exec(t, victim, "SET deadlock_timeout = '100s'") // so that the application is the one to find it
	naive := s.start(victim, "DELETE FROM m WHERE at < "+cutoff)
	naive.mustWait() // has rows 1 to 15, waits for 16
	app := s.start(s.app, "UPDATE m SET v = 1 WHERE id = 14")
	if err := app.end(); err == nil || err.Code != "40P01" {
		t.Errorf("beside a plain DELETE the application ended with %v, want 40P01", err)
	}
	s.application("ROLLBACK")
	naive.ok()

	s.refill(30)
	s.application("BEGIN; UPDATE m SET v = 1 WHERE id = 16")
	run := s.run("p")
	run.mustWait()
	app = s.start(s.app, "UPDATE m SET v = 1 WHERE id = 14")
	app.ok() // before its deadlock_timeout, or it would say 40P01
	s.application("COMMIT")
	run.ok()
	o := s.Last("p")
	if o.State != "done" || int(o.Taken) != 30-len(s.ids("m")) || o.Refused != 0 {
		t.Errorf("the run: %+v, left %v", o, s.ids("m"))
	}
}

// A row that moves to another partition meanwhile (40001) is neither lost nor the end of the run.
func TestRowMovesToAnotherPartition(t *testing.T) {
	t.Parallel()
	const parted = `CREATE TABLE m (id int, at timestamptz NOT NULL, v int NOT NULL DEFAULT 0, PRIMARY KEY (id, v)) PARTITION BY LIST (v);
		CREATE TABLE m0 PARTITION OF m FOR VALUES IN (0);
		CREATE TABLE m1 PARTITION OF m FOR VALUES IN (1);`
	for _, refreshed := range []bool{false, true} {
		t.Run(fmt.Sprintf("refreshed=%v", refreshed), func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, parted, "policies: {p: "+simple+"}")
			race := func(start func() *task) *task {
				s.refill(30)
				s.application("BEGIN; UPDATE m SET v = 1 WHERE id = 15")
				if refreshed {
					s.application("UPDATE m SET at = " + fresh + " WHERE id = 15")
				}
				k := start()
				k.mustWait()
				s.application("COMMIT")
				return k
			}
			naive := race(func() *task { return s.start(s.Conn(t), "DELETE FROM m WHERE at < "+cutoff) })
			if err := naive.end(); err == nil || err.Code != "40001" {
				t.Errorf("a plain DELETE ended with %v, want 40001", err)
			}
			race(func() *task { return s.run("p") }).ok()
			if refreshed {
				s.leaves(15)
				s.logged("p", counts{State: "done", Taken: 29})
			} else {
				s.leaves()
				s.logged("p", counts{State: "done", Taken: 30})
			}
		})
	}
}

// A batch is bounded by the rows of one snapshot: what is loaded into its range meanwhile waits
// for the next ones. With a statement for the boundary and one for the DELETE it would all go in
// one.
func TestBulkLoadIntoABatchsRange(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	const load = "INSERT INTO m SELECT 1000 + i, '2024-01-01 00:15+00' FROM generate_series(1, 500) i"
	s.refill(30)
	s.application("BEGIN; SELECT at FROM m ORDER BY at OFFSET 19 LIMIT 1")
	s.Exec(t, load)
	if n := pgtest.Exec(t, s.app, "DELETE FROM m WHERE at <= '2024-01-01 00:20+00'"); n <= 20 {
		t.Errorf("two statements took %d rows; then this test shows nothing", n)
	}
	s.application("COMMIT")

	s.refill(30)
	s.application("BEGIN; SELECT FROM m WHERE id = 15 FOR UPDATE; " + load)
	run := s.run("p")
	run.mustWait()
	s.application("COMMIT")
	run.ok()
	o := s.Last("p")
	most := pgtest.Value[int](t, s.watch, "SELECT max(taken) FROM retention.batch WHERE run_id = $1", o.ID)
	if o.State != "done" || most > 10 {
		t.Errorf("a batch of 10 took %d rows, the run ended %s:\n%s", most, o.State, s.batches(o.ID))
	}
}

// Any number of rows with one and the same clock value goes in bounded batches.
func TestTieLargerThanABatch(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.refill(95)
	s.Exec(t, "UPDATE m SET at = '2024-01-01'")
	s.run("p").ok()
	s.leaves()
	o := s.logged("p", counts{State: "done", Taken: 95})
	if most := pgtest.Value[int](t, s.watch, "SELECT max(taken) FROM retention.batch WHERE run_id = $1",
		o.ID); most != 10 {
		t.Errorf("a batch of 10 took %d rows", most)
	}
}

// Autovacuum needs no throttle: it comes to the table of a batch that is under way, and a batch
// that finds it at work in a table that guards read locks its rows first.
func TestAutovacuumBesideARun(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"autovacuum": "on", "autovacuum_naptime": "1s"}})
	s := newStageOf(t, tableM+gateAt15+signals+"ALTER TABLE m SET (autovacuum_vacuum_scale_factor = 0, "+
		"autovacuum_vacuum_threshold = 0, autovacuum_enabled = off)",
		"policies: {p: "+simple+", q: "+guarded+"}", kit.On(db))
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	s.application("INSERT INTO m VALUES (99, now()); DELETE FROM m WHERE id = 99; SELECT " +
		"pg_stat_force_next_flush(); ALTER TABLE m SET (autovacuum_enabled = on)")
	s.sees("SELECT autovacuum_count > 0 FROM pg_stat_user_tables WHERE relname = 'm'")
	if run.ended() {
		t.Error("the batch was over")
	}
	s.open()
	run.ok()
	s.leaves()

	// that of VACUUM
	for way, before := range map[string]string{"range": "SELECT",
		"locked": "LOCK TABLE sig IN SHARE UPDATE EXCLUSIVE MODE"} {
		s.refill(30)
		s.application("BEGIN; " + before)
		s.run("q").ok()
		s.application("COMMIT")
		o := s.logged("q", counts{State: "done", Taken: 30})
		if ways := pgtest.Value[string](t, s.watch,
			"SELECT string_agg(DISTINCT mode, ' ') FROM retention.batch WHERE run_id = $1 AND taken > 0", o.ID); ways != way {
			t.Errorf("after %s batches went %q", before, ways)
		}
	}
}
