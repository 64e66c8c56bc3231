package races

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// withShortLockTimeout returns a policy with a lock_timeout of 20 ms, for tests in which no session
// releases the lock.
func withShortLockTimeout(rule string) string {
	return strings.Replace(rule, "lock_timeout: 100s", "lock_timeout: 20ms", 1)
}

// TestLockedRowsAreSkipped checks that a run skips and counts rows that another session has locked,
// in any row lock mode. The next run takes these rows.
func TestLockedRowsAreSkipped(t *testing.T) {
	t.Parallel()
	for shape, rule := range map[string]string{"one statement": simple, "row by row": guarded} {
		for _, lock := range []string{"FOR UPDATE", "FOR KEY SHARE"} {
			t.Run(shape+", "+lock, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, signals, withShortLockTimeout(rule))
				if shape == "row by row" {
					s.useRowByRow()
				}
				s.refill(30)
				s.appExec("BEGIN; SELECT FROM m WHERE id IN (5, 15, 16, 25) " + lock)

				naive := s.Conn(t)
				pgtest.Exec(t, naive, "SET lock_timeout = '20ms'")
				if err := s.start(naive, usual).wait(); err == nil || err.Code != "55P03" {
					t.Errorf("the plain statement ended with %v, want 55P03", err)
				}
				s.wantLeft(numbers(1, 30)...)

				s.run("p").mustSucceed()
				s.wantLeft(5, 15, 16, 25)
				s.wantRun("p", counts{State: "done", Taken: 26, Contended: 4})

				s.appExec("COMMIT")
				s.run("p").mustSucceed()
				s.wantLeft()
				s.wantRun("p", counts{State: "done", Taken: 4})
			})
		}
	}
}

// TestRunWaitsOnceForLockedRows checks that one locked row in each of 20 batches costs one wait in
// total. After the first wait, later batches lock their rows one by one.
func TestRunWaitsOnceForLockedRows(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", withShortLockTimeout(simple))
	s.refill(200)
	s.appExec("BEGIN; SELECT FROM m WHERE id % 10 = 5 FOR UPDATE")
	s.run("p").mustSucceed()
	o := s.wantRun("p", counts{State: "done", Taken: 180, Contended: 20})
	if n := pgtest.Value[int](t, s.watch,
		"SELECT count(*) FROM retention.batch WHERE run_id = $1 AND sqlstate = '55P03'", o.ID); n != 1 {
		t.Errorf("%d batches waited for a locked row, want 1:\n%s", n, s.batches(o.ID))
	}
}

// TestTableIsLocked checks that a run of a locked table ends "more" after a few bounded waits. The
// next run takes the rows.
func TestTableIsLocked(t *testing.T) {
	t.Parallel()
	for shape, rule := range map[string]string{"one statement": simple, "row by row": guarded} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals, withShortLockTimeout(rule))
			if shape == "row by row" {
				s.useRowByRow()
			}
			s.refill(30)
			s.appExec("BEGIN; LOCK TABLE m IN ACCESS EXCLUSIVE MODE")
			s.run("p").mustSucceed()
			o := s.wantRun("p", counts{State: "more"})
			if !strings.Contains(o.Message, "locked") || o.SQLState != "55P03" {
				t.Errorf("the run ended with %s %q, want 55P03 and a message about a locked table",
					o.SQLState, o.Message)
			}
			s.wantUnlocked()
			s.appExec("COMMIT")
			s.wantLeft(numbers(1, 30)...)
			s.run("p").mustSucceed()
			s.wantLeft()
			s.wantRun("p", counts{State: "done", Taken: 30})
		})
	}
}

// TestTableIsLockedDuringARun checks that a run keeps its finished batches if another session locks
// the table.
func TestTableIsLockedDuringARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	lock := s.start(s.app, "LOCK TABLE m IN ACCESS EXCLUSIVE MODE") // fails: not in a transaction
	if err := lock.wait(); err == nil {
		t.Fatal("LOCK TABLE succeeded outside a transaction block")
	}
	s.appExec("BEGIN")
	lock = s.start(s.app, "LOCK TABLE m IN ACCESS EXCLUSIVE MODE")
	lock.mustWait()
	s.Exec(t, "UPDATE retention.policy SET lock_timeout_ms = 20 WHERE name = 'p'")
	s.openGate()
	lock.mustSucceed()
	run.mustSucceed()
	s.appExec("COMMIT")
	s.wantLeft(numbers(21, 30)...)
	o := s.wantRun("p", counts{State: "more", Taken: 20})
	if !strings.Contains(o.Message, "locked") {
		t.Errorf("the message of the run is %q, want one about a locked table", o.Message)
	}
	s.run("p").mustSucceed()
	s.wantLeft()
}

// TestLockedChildKeepsItsParent checks that a locked child row keeps the parent row that would
// delete it by ON DELETE CASCADE. The run takes the other rows.
func TestLockedChildKeepsItsParent(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE);
		CREATE INDEX ON child (m_id);`, withShortLockTimeout(withCascades(simple, "public.child")))
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT id, id FROM m")
	s.appExec("BEGIN; SELECT FROM child WHERE id = 15 FOR UPDATE")

	naive := s.Conn(t)
	pgtest.Exec(t, naive, "SET lock_timeout = '20ms'")
	skipping := "DELETE FROM m WHERE id IN (SELECT id FROM m WHERE at < " + cutoff + " FOR UPDATE SKIP LOCKED)"
	if err := s.start(naive, skipping).wait(); err == nil || err.Code != "55P03" {
		t.Errorf("a DELETE that skips locked parents ended with %v, want 55P03", err)
	}
	s.wantLeft(numbers(1, 30)...)

	s.run("p").mustSucceed()
	s.wantLeft(15)
	s.wantRun("p", counts{State: "done", Taken: 29, Contended: 1, Cascaded: map[string]int64{"public.child": 29}})
	s.appExec("COMMIT")
	s.run("p").mustSucceed()
	s.wantLeft()
}

// TestRunGivesWayBeforeADeadlock checks an application that locks rows in the opposite order. The
// application never gets a deadlock error, because the run gives way before. With a plain DELETE in
// place of the run, the application gets a deadlock error.
func TestRunGivesWayBeforeADeadlock(t *testing.T) {
	t.Parallel()
	// A batch of one statement waits 200 ms for a row.
	s := newStage(t, gateAt15, strings.Replace(simple, "lock_timeout: 100s", "lock_timeout: 2s", 1))
	// This is long enough for the order of events, and far longer than the run waits.
	s.appExec("SET deadlock_timeout = '1s'")

	s.refill(30)
	s.appExec("BEGIN; UPDATE m SET v = 1 WHERE id = 16")
	victim := s.Conn(t)
	pgtest.Exec(t, victim, "SET deadlock_timeout = '100s'") // the application finds the deadlock
	naive := s.start(victim, "DELETE FROM m WHERE at < "+cutoff)
	naive.mustWait() // has locked rows 1 to 15, waits for row 16
	app := s.start(s.app, "UPDATE m SET v = 1 WHERE id = 14")
	if err := app.wait(); err == nil || err.Code != "40P01" {
		t.Errorf("beside a plain DELETE the application ended with %v, want 40P01", err)
	}
	s.appExec("ROLLBACK")
	naive.mustSucceed()

	s.refill(30)
	s.appExec("BEGIN; UPDATE m SET v = 1 WHERE id = 16")
	run := s.run("p")
	run.mustWait()
	app = s.start(s.app, "UPDATE m SET v = 1 WHERE id = 14")
	app.mustSucceed() // a wait longer than its deadlock_timeout would raise 40P01
	s.appExec("COMMIT")
	run.mustSucceed()
	o := s.Last("p")
	if o.State != "done" || int(o.Taken) != 30-len(s.ids("m")) || o.Refused != 0 {
		t.Errorf("the run ended with %+v and left rows %v", o, s.ids("m"))
	}
}

// TestRowMovesToAnotherPartition checks a row that another session moves to another partition
// during a batch (SQLSTATE 40001). The run does not lose the row and does not end.
func TestRowMovesToAnotherPartition(t *testing.T) {
	t.Parallel()
	const parted = `CREATE TABLE m (id int, at timestamptz NOT NULL, v int NOT NULL DEFAULT 0,
		PRIMARY KEY (id, v)) PARTITION BY LIST (v);
		CREATE TABLE m0 PARTITION OF m FOR VALUES IN (0);
		CREATE TABLE m1 PARTITION OF m FOR VALUES IN (1);`
	for _, refreshed := range []bool{false, true} {
		t.Run(fmt.Sprintf("refreshed=%v", refreshed), func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, parted, "policies: {p: "+simple+"}")
			race := func(start func() *task) *task {
				s.refill(30)
				s.appExec("BEGIN; UPDATE m SET v = 1 WHERE id = 15")
				if refreshed {
					s.appExec("UPDATE m SET at = " + fresh + " WHERE id = 15")
				}
				k := start()
				k.mustWait()
				s.appExec("COMMIT")
				return k
			}
			naive := race(func() *task { return s.start(s.Conn(t), "DELETE FROM m WHERE at < "+cutoff) })
			if err := naive.wait(); err == nil || err.Code != "40001" {
				t.Errorf("a plain DELETE ended with %v, want 40001", err)
			}
			race(func() *task { return s.run("p") }).mustSucceed()
			if refreshed {
				s.wantLeft(15)
				s.wantRun("p", counts{State: "done", Taken: 29})
			} else {
				s.wantLeft()
				s.wantRun("p", counts{State: "done", Taken: 30})
			}
		})
	}
}

// TestBulkLoadIntoTheRangeOfABatch checks that a batch takes only rows of one snapshot. Rows that
// are loaded into its range meanwhile wait for later batches. A plain loop uses one statement to
// find the boundary and another to delete. It takes all loaded rows at once.
func TestBulkLoadIntoTheRangeOfABatch(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	const load = "INSERT INTO m SELECT 1000 + i, '2024-01-01 00:15+00' FROM generate_series(1, 500) i"
	s.refill(30)
	s.appExec("BEGIN; SELECT at FROM m ORDER BY at OFFSET 19 LIMIT 1")
	s.Exec(t, load)
	if n := pgtest.Exec(t, s.app, "DELETE FROM m WHERE at <= '2024-01-01 00:20+00'"); n <= 20 {
		t.Errorf("two statements took %d rows; so this test proves nothing", n)
	}
	s.appExec("COMMIT")

	s.refill(30)
	s.appExec("BEGIN; SELECT FROM m WHERE id = 15 FOR UPDATE; " + load)
	run := s.run("p")
	run.mustWait()
	s.appExec("COMMIT")
	run.mustSucceed()
	o := s.Last("p")
	most := pgtest.Value[int](t, s.watch, "SELECT max(taken) FROM retention.batch WHERE run_id = $1", o.ID)
	if o.State != "done" || most > 10 {
		t.Errorf("the largest batch took %d rows, want at most 10; the run ended %s, want done:\n%s",
			most, o.State, s.batches(o.ID))
	}
}

// TestTieLargerThanABatch checks that a run takes rows with equal clock values in bounded batches.
func TestTieLargerThanABatch(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.refill(95)
	s.Exec(t, "UPDATE m SET at = '2024-01-01'")
	s.run("p").mustSucceed()
	s.wantLeft()
	o := s.wantRun("p", counts{State: "done", Taken: 95})
	if most := pgtest.Value[int](t, s.watch, "SELECT max(taken) FROM retention.batch WHERE run_id = $1",
		o.ID); most != 10 {
		t.Errorf("the largest batch took %d rows, want 10", most)
	}
}

// TestAutovacuumBesideARun checks that autovacuum processes the table of a batch in progress. While
// autovacuum processes a table that a guard reads, batches go on.
func TestAutovacuumBesideARun(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"autovacuum": "on", "autovacuum_naptime": "1s"}})
	s := newStageOf(t, tableM+gateAt15+signals+"ALTER TABLE m SET (autovacuum_vacuum_scale_factor = 0, "+
		"autovacuum_vacuum_threshold = 0, autovacuum_enabled = off)",
		"policies: {p: "+simple+", q: "+guarded+"}", kit.On(db))
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	s.appExec(`
		INSERT INTO m VALUES (99, now());
		DELETE FROM m WHERE id = 99;
		SELECT pg_stat_force_next_flush();
		ALTER TABLE m SET (autovacuum_enabled = on)`)
	s.waitForTrue("SELECT autovacuum_count > 0 FROM pg_stat_user_tables WHERE relname = 'm'")
	if run.ended() {
		t.Error("the batch ended before autovacuum, so this test proves nothing")
	}
	s.openGate()
	run.mustSucceed()
	s.wantLeft()

	// SHARE UPDATE EXCLUSIVE is the lock that VACUUM takes.
	for _, before := range []string{"SELECT", "LOCK TABLE sig IN SHARE UPDATE EXCLUSIVE MODE"} {
		s.refill(30)
		s.appExec("BEGIN; " + before)
		s.run("q").mustSucceed()
		s.appExec("COMMIT")
		o := s.wantRun("q", counts{State: "done", Taken: 30})
		if modes := pgtest.Value[string](t, s.watch,
			`SELECT string_agg(DISTINCT mode, ' ') FROM retention.batch
			WHERE run_id = $1 AND taken > 0`, o.ID); modes != "range" {
			t.Errorf("after %s the batches had the modes %q, want \"range\"", before, modes)
		}
	}
}
