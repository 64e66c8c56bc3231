package races

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// plainDriver is a simple loop that a developer might write: a session lock, a log row, and a
// COMMIT after each batch.
const plainDriver = `
	CREATE TABLE plain_log (state text);
	CREATE PROCEDURE plain() LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM pg_advisory_lock(5);
		INSERT INTO plain_log VALUES ('running');
		COMMIT;
		LOOP
			DELETE FROM m WHERE id IN (SELECT id FROM m WHERE at < ` + cutoff + ` ORDER BY at LIMIT 10);
			EXIT WHEN NOT FOUND;
			COMMIT;
		END LOOP;
		UPDATE plain_log SET state = 'done';
		PERFORM pg_advisory_unlock(5);
	END $$;`

// wantPlainStuck fails the test unless the plain driver left its log at "running" and did not
// release its lock.
func (s *stage) wantPlainStuck(k *task) {
	s.t.Helper()
	state := pgtest.Column[string](s.t, s.watch, "SELECT state FROM plain_log")
	if diff := cmp.Diff([]string{"running"}, state); diff != "" {
		s.t.Errorf("the log of the plain driver differs (-want +got):\n%s", diff)
	}
	if !pgtest.Value[bool](s.t, s.watch, `SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1
		AND locktype = 'advisory')`, k.pid) {
		s.t.Error("the plain driver gave its lock back; so this test proves nothing")
	}
}

// TestCancelledInABatch checks a run that is cancelled in a batch, or exceeds statement_timeout.
// The run ends "stopped" after a cancel. After a timeout it ends "failed", and names the setting.
// It releases its lock and raises the error. The next run takes the remaining rows.
func TestCancelledInABatch(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]string{
		"cancel":                    "SELECT pg_cancel_backend($1)",
		"cancel before the timeout": "SELECT pg_cancel_backend($1)",
		"statement_timeout":         "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, message := "stopped", "stopped by user"
			if cancel == "" {
				state, message = "failed", "statement_timeout (3s) cancelled the call"
			}
			s := newStage(t, plainDriver+gateAt15, simple)
			stop := func(k *task) {
				k.mustWait()
				if cancel != "" {
					s.Exec(t, cancel, k.pid)
				}
				if err := k.wait(); err == nil || err.Code != "57014" {
					t.Errorf("raised %v, want 57014", err)
				}
			}
			session := func(role string) (conn *task) {
				c := s.session(role)
				switch name {
				case "statement_timeout":
					pgtest.Exec(t, c, "SET statement_timeout = '3s'")
				case "cancel before the timeout":
					pgtest.Exec(t, c, "SET statement_timeout = '1h'")
				}
				if role == "retention_runner" {
					return s.start(c, "CALL retention.run('p', $1)", asOf)
				}
				return s.start(c, "CALL plain()")
			}
			s.refill(30)
			s.shutGate()
			naive := session("kit_migrator")
			stop(naive)
			s.wantPlainStuck(naive)
			s.openGate()

			s.refill(30)
			s.shutGate()
			run := session("retention_runner")
			stop(run)
			s.openGate()
			s.wantLeft(numbers(11, 30)...)
			o := s.wantRun("p", counts{State: state, Taken: 10})
			if o.SQLState != "57014" || o.Message != message || pgtest.Value[bool](t, s.watch,
				"SELECT ended_at IS NULL FROM retention.run WHERE id = $1", o.ID) {
				t.Errorf("the log has %s %q, want 57014 %q, or it has no ended_at", o.SQLState, o.Message, message)
			}
			severity := "SELECT coalesce(string_agg(severity, ' '), '') FROM retention.health() WHERE policy = 'p'"
			if got, want := pgtest.Value[string](t, s.watch, severity), map[string]string{
				"stopped": "warning", "failed": "error"}[state]; got != want {
				t.Errorf("health() has %q, want one %s", got, want)
			}
			s.wantUnlocked()
			s.run("p").mustSucceed()
			s.wantLeft()
			s.wantRun("p", counts{State: "done", Taken: 20})
		})
	}
}

// TestChangedInABatch checks an internal error in a batch while a migration changes the policy or
// the runtime. The batch takes no row and refuses no row. The run ends "more", or "paused" if the
// migration is not finished. Without such a change, the run refuses the row that raises the same
// error.
func TestChangedInABatch(t *testing.T) {
	t.Parallel()
	const broken = "cache lookup failed for function 16993"
	stopped := numbers(11, 30)
	for name, c := range map[string]struct {
		meanwhile string
		leaves    []int
		want      counts
		message   string
	}{
		"changed": {"UPDATE retention.policy SET hash = 'another'", stopped, counts{State: "more", Taken: 10},
			"the policy was changed during the run"},
		"upgraded": {"UPDATE retention.install SET runtime_version = '0'", stopped, counts{State: "paused", Taken: 10},
			"the runtime is between version 0 and version 1: a migration is not finished"},
		"unchanged": {"SELECT", []int{15}, counts{State: "done", Taken: 29, Refused: 1},
			"1 row was refused: " + broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `CREATE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
				BEGIN
					PERFORM gate(true);
					RAISE internal_error USING MESSAGE = '`+broken+`';
				END $$;
				CREATE TRIGGER gate BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15)
					EXECUTE FUNCTION breaks();`, simple)
			s.refill(30)
			s.shutGate()
			run := s.run("p")
			run.mustWait()
			s.Exec(t, c.meanwhile)
			s.openGate()
			_ = run.wait()
			s.wantLeft(c.leaves...)
			if o := s.wantRun("p", c.want); o.Message != c.message {
				t.Errorf("the message in the log is %q, want %q", o.Message, c.message)
			}
			s.wantUnlocked()
		})
	}
}

// sleepy is a policy that sleeps after each batch, long enough for a test to notice.
const sleepy = `{table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete], throttle: {busy: 0.00001}}`

const isSleeping = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep')"

// TestCancelledWhileSleepingBetweenBatches checks that a cancel ends a run that sleeps between two
// batches, just like a run in a batch.
func TestCancelledWhileSleepingBetweenBatches(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", sleepy)
	s.refill(30)
	run := s.run("p")
	s.waitForTrue(isSleeping, run.pid)
	s.Exec(t, "SELECT pg_cancel_backend($1)", run.pid)
	if err := run.wait(); err == nil || err.Code != "57014" {
		t.Errorf("raised %v, want 57014", err)
	}
	o := s.wantRun("p", counts{State: "stopped", Taken: 10})
	if o.SQLState != "57014" || o.Message != "stopped by user" {
		t.Errorf("the log has SQLSTATE %s %q, want 57014 and stopped by user", o.SQLState, o.Message)
	}
	s.wantUnlocked()
	s.Exec(t, "UPDATE retention.policy SET busy = 1")
	s.run("p").mustSucceed()
	s.wantLeft()
}

// TestCancelledBeforeASleepBetweenBatches checks that a cancel ends a run that waits for a lock on
// the log before it sleeps.
func TestCancelledBeforeASleepBetweenBatches(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", sleepy)
	s.refill(30)
	run := s.run("p")
	s.waitForTrue(isSleeping, run.pid)
	s.appExec("BEGIN; LOCK TABLE retention.run IN SHARE MODE")
	run.mustWait()
	since := pgtest.Value[string](t, s.watch,
		"SELECT waitstart::text FROM pg_locks WHERE pid = $1 AND waitstart IS NOT NULL", run.pid)
	s.Exec(t, "SELECT pg_cancel_backend($1)", run.pid)
	// The run now waits for the same lock once more, to write how it ended.
	s.waitForTrue(`SELECT NOT EXISTS (SELECT FROM pg_locks l
		WHERE l.pid = $1 AND l.waitstart = $2::text::timestamptz AND NOT l.granted)`, run.pid, since)
	s.appExec("COMMIT")
	if err := run.wait(); err == nil || err.Code != "57014" {
		t.Errorf("raised %v, want 57014", err)
	}
	s.wantRun("p", counts{State: "stopped", Taken: 10})
	s.wantUnlocked()
}

// TestEndsWhileSleepingBetweenBatches checks that a sleeping run ends at once if it is paused or
// its budget of time is spent.
func TestEndsWhileSleepingBetweenBatches(t *testing.T) {
	t.Parallel()
	for state, end := range map[string]string{"paused": "SELECT retention.pause('p')",
		"more": "UPDATE retention.policy SET budget_time = '1 ms'"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", sleepy)
			s.refill(30)
			run := s.run("p")
			s.waitForTrue(isSleeping, run.pid)
			s.Exec(t, end)
			run.mustSucceed()
			s.wantRun("p", counts{State: state, Taken: 10})
		})
	}
}

// TestRunEndsBesideAPreview checks that a preview of a job does not block a run that it found in
// progress. The run ends while the preview waits at the job's second policy.
func TestRunEndsBesideAPreview(t *testing.T) {
	t.Parallel()
	rule := strings.Replace(simple, "lock_timeout: 100s", "lock_timeout: 1s", 1)
	s := newStageOf(t, tableM+gateAt15+"CREATE TABLE n (id int PRIMARY KEY, at timestamptz NOT NULL);",
		"policies: {p: "+rule+", q: "+strings.Replace(simple, "table: m", "table: n",
			1)+"}\njobs: {j: {schedule: '@daily', run: [p, q]}}")
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	other := s.session("kit_migrator")
	pgtest.Exec(t, other, "BEGIN; LOCK TABLE n")
	preview := s.start(s.session("retention_operator"), "SELECT * FROM retention.preview_job('j')")
	preview.mustWait() // for a lock on table n of the second policy
	s.openGate()
	run.mustSucceed()
	s.wantRun("p", counts{State: "done", Taken: 30})
	s.wantLeft()
	pgtest.Exec(t, other, "ROLLBACK")
	preview.mustSucceed()
}

// TestLocksOfADryRun checks that a dry run of a job locks the rows of its first policy until its
// last policy ends. After the dry run no row is locked.
func TestLocksOfADryRun(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+"CREATE TABLE n (id int PRIMARY KEY, at timestamptz NOT NULL);",
		"policies: {p: "+simple+", q: "+strings.Replace(simple, "table: m", "table: n",
			1)+"}\njobs: {j: {schedule: '@daily', run: [p, q]}}")
	s.refill(30)
	free := func() bool {
		return pgtest.Value[int](t, s.watch, "SELECT count(*) FROM (SELECT FROM m FOR UPDATE SKIP LOCKED) x") == 30
	}
	other := s.session("kit_migrator")
	pgtest.Exec(t, other, "BEGIN; LOCK TABLE n")
	job := s.start(s.session("retention_runner"), "CALL retention.run_job('j', $1, dry_run => true)", asOf)
	job.mustWait() // for a lock on table n of the second policy
	if free() {
		t.Error("no row is locked, want the rows of the first policy locked")
	}
	pgtest.Exec(t, other, "ROLLBACK")
	job.mustSucceed()
	if !free() {
		t.Error("a row is locked after the dry run, want none")
	}
}

// TestDryRunYields checks that a dry run ends after its batch if another session waits for one of
// its locks. It says that its numbers are not complete, and leaves nothing.
func TestDryRunYields(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+gateAt15+"CREATE TABLE n (id int PRIMARY KEY, at timestamptz NOT NULL);",
		"policies: {p: "+simple+", q: "+strings.Replace(simple, "table: m", "table: n",
			1)+"}\njobs: {j: {schedule: '@daily', run: [p, q]}}")
	s.refill(30)
	s.shutGate()
	job := s.start(s.session("retention_runner"), "CALL retention.run_job('j', $1, dry_run => true)", asOf)
	job.mustWait() // at the gate, in its second batch
	update := s.start(s.session("kit_migrator"), "UPDATE m SET at = at WHERE id = 1")
	update.mustWait() // for the row, which the first batch has deleted
	s.openGate()
	job.mustSucceed()
	update.mustSucceed()
	const why = "because session %d waited for a lock of the dry run"
	want := []string{fmt.Sprintf("p more 20 at least, "+why, update.pid),
		fmt.Sprintf("q more 0 not counted, "+why, update.pid)}
	got := pgtest.Column[string](t, s,
		"SELECT concat_ws(' ', policy, state, taken, message) FROM retention.run ORDER BY id")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if left := s.ids("m"); len(left) != 30 {
		t.Errorf("the dry run left %v", left)
	}
}

// TestSleepBetweenBatchesHoldsNoLock checks that a sleeping run has no lock and no old snapshot
// that would block other sessions.
func TestSleepBetweenBatchesHoldsNoLock(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", sleepy)
	s.refill(30)
	run := s.run("p")
	s.waitForTrue(isSleeping, run.pid)
	s.appExec("ALTER TABLE m ADD COLUMN extra int") // ACCESS EXCLUSIVE
	s.appExec("CREATE INDEX CONCURRENTLY ON m (v)") // waits for old snapshots
	s.Exec(t, "SELECT pg_cancel_backend($1)", run.pid)
	_ = run.wait()
}

// TestCancelEndsTheJob checks that a job ends when the run of one of its policies is cancelled. If
// the run of a policy fails, the job continues with the next policy.
func TestCancelEndsTheJob(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+gateAt15+"CREATE TABLE n (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE "+
		"bad (id int PRIMARY KEY, at timestamptz NOT NULL);", `policies:
  broken: {table: bad, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  p: `+simple+`
  last: {table: n, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs: {nightly: {schedule: "0 1 * * *", run: [broken, p, last]}}`)
	// The trigger fails with an error that is not about the row.
	s.Exec(t, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nothing(); RETURN OLD; END';
		CREATE TRIGGER fail BEFORE DELETE ON bad FOR EACH ROW EXECUTE FUNCTION fail();
		INSERT INTO bad VALUES (1, '2024-01-01'); INSERT INTO n VALUES (1, '2024-01-01')`)
	job := func() *task {
		return s.start(s.session("retention_runner"), "CALL retention.run_job('nightly', $1)", asOf)
	}
	s.refill(30)
	s.shutGate()
	k := job()
	k.mustWait()
	s.Exec(t, "SELECT pg_cancel_backend($1)", k.pid)
	if err := k.wait(); err == nil || err.Code != "57014" || !strings.Contains(err.Message, "nothing()") {
		t.Errorf("raised %v, want 57014 with the error of the policy that failed before", err)
	}
	s.openGate()
	s.wantRunLog("broken failed 42883", "p stopped 57014")

	k = job()
	if err := k.wait(); err == nil || err.Code != "42883" {
		t.Errorf("raised %v, want 42883", err)
	}
	s.wantRunLog("broken failed 42883", "p stopped 57014", "broken failed 42883", "p done", "last done")
	if left := s.ids("n"); len(left) != 0 {
		t.Errorf("rows %v of the last policy are left, want none", left)
	}
	s.wantUnlocked()
}

// TestRaisedCancelIsAnError checks a statement trigger that raises the SQLSTATE of a cancel. Nobody
// cancelled the job, so the run fails, and the job continues with the next policy.
func TestRaisedCancelIsAnError(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+"CREATE TABLE bad (id int PRIMARY KEY, at timestamptz NOT NULL);", `policies:
  broken: {table: bad, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  p: `+simple+`
jobs: {nightly: {schedule: "0 1 * * *", run: [broken, p]}}`)
	s.Exec(t, `CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE query_canceled; END';
		CREATE TRIGGER cancel BEFORE DELETE ON bad EXECUTE FUNCTION cancel();
		INSERT INTO bad VALUES (1, '2024-01-01')`)
	s.refill(30)
	k := s.start(s.session("retention_runner"), "CALL retention.run_job('nightly', $1)", asOf)
	if err := k.wait(); err == nil || err.Code != "P0001" {
		t.Errorf("raised %v, want P0001", err)
	}
	s.wantRunLog("broken failed P0001", "p done")
	s.wantLeft()
}

// wantRunLog compares policy, state and SQLSTATE of all logged runs with want.
func (s *stage) wantRunLog(want ...string) {
	s.t.Helper()
	got := pgtest.Column[string](s.t, s.watch,
		"SELECT concat_ws(' ', policy, state, sqlstate) FROM retention.run ORDER BY id")
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		s.t.Errorf("the run log differs (-want +got):\n%s", diff)
	}
}

// TestTerminated checks a run whose backend is terminated and therefore cannot write its log. The
// status shows the run as abandoned at once. The next run records that in the log and takes the
// remaining rows.
func TestTerminated(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	s.Exec(t, "SELECT pg_terminate_backend($1)", run.pid)
	if err := run.wait(); err == nil || err.Code != "57P01" {
		t.Errorf("the session ended with %v, want 57P01", err)
	}
	s.openGate()
	s.waitForTrue("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", run.pid)
	s.wantUnlocked()
	s.wantLeft(numbers(11, 30)...)
	state := pgtest.Value[string](t, s.watch, "SELECT last_state FROM retention.status WHERE policy = 'p'")
	if state != "abandoned" {
		t.Errorf("the state in retention.status is %q, want abandoned", state)
	}
	s.run("p").mustSucceed()
	s.wantLeft()
	s.wantRunLog("p abandoned", "p done")
	if n := pgtest.Value[int](t, s.watch, "SELECT sum(taken) FROM retention.run"); n != 30 {
		t.Errorf("the log has %d taken rows, want 30", n)
	}
}

// TestPausedFromAnotherSession checks that pause() ends a run before its next batch and prevents
// the next run. After resume() a run takes the remaining rows.
func TestPausedFromAnotherSession(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"'p'", ""} {
		t.Run("pause("+policy+")", func(t *testing.T) {
			t.Parallel()
			s := newStage(t, gateAt15, simple)
			s.refill(30)
			s.shutGate()
			run := s.run("p")
			run.mustWait()
			if err := s.Operator("SELECT retention.pause(" + policy + ")"); err != nil {
				t.Fatal(err)
			}
			s.openGate()
			run.mustSucceed()
			s.wantLeft(numbers(21, 30)...)
			s.wantRun("p", counts{State: "paused", Taken: 20})
			s.run("p").mustSucceed()
			s.wantRun("p", counts{State: "paused"})
			s.wantLeft(numbers(21, 30)...)
			if err := s.Operator("SELECT retention.resume(" + policy + ")"); err != nil {
				t.Fatal(err)
			}
			s.run("p").mustSucceed()
			s.wantLeft()
			s.wantUnlocked()
		})
	}
}

// TestPolicyChangesDuringARun checks a migration that changes the policy during a run. The current
// batch is rolled back and the run ends "more". So no batch uses the cursor or the cutoff of
// another policy.
func TestPolicyChangesDuringARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	s.Migrate(t, "policies: {p: "+strings.Replace(simple, "7 days", "30 days", 1)+"}")
	s.openGate()
	run.mustSucceed()
	o := s.wantRun("p", counts{State: "more", Taken: 10})
	if !strings.Contains(o.Message, "changed during the run") {
		t.Errorf("the message in the log is %q, want one about a changed policy", o.Message)
	}
	s.wantLeft(numbers(11, 30)...)
	s.run("p").mustSucceed()
	s.wantLeft()
}

// TestPolicyChangesAfterTheRecheck checks a migration that commits between a batch's recheck of the
// rows and its steps. The steps of the new policy must not delete rows that were due only for the
// old policy, which updates them.
func TestPolicyChangesAfterTheRecheck(t *testing.T) {
	t.Parallel()
	const now, next = "7 days}}, keep: {late: \"NOT judged(t.id = 5)\"}, then: [{update: {set: {at: as_of}}}]",
		"30 days}}, keep: {late: \"NOT judged(t.id = 5)\"}, then: [delete]"
	rule := func(rest string) string {
		return "{table: m, due: {age: {column: at, older_than: " + rest + ", batch: {lock_timeout: 100s}}"
	}
	s := newStage(t, `CREATE INDEX ON m (at, id);
		CREATE FUNCTION judged(stop boolean) RETURNS boolean LANGUAGE sql SET search_path = public AS $$
		SELECT gate(stop AND EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid()
			AND relation = 'm'::regclass AND mode = 'RowShareLock')) $$;`, rule(now))
	s.refill(30)
	s.Exec(t, "UPDATE m SET at = '2024-05-20'::timestamptz + id * interval '1 minute'")
	before := s.Rows("TABLE m")
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	s.Migrate(t, "policies: {p: "+rule(next)+"}")
	s.openGate()
	run.mustSucceed()
	s.wantRun("p", counts{State: "more"})
	s.run("p").mustSucceed()
	s.wantRun("p", counts{State: "done"})
	if diff := cmp.Diff(before, s.Rows("TABLE m")); diff != "" {
		t.Errorf("rows that neither policy may change (-want +got):\n%s", diff)
	}
}

// TestPolicyIsRemovedDuringARun checks a migration that removes the policy during a run. The run
// ends "more" after its current batch.
func TestPolicyIsRemovedDuringARun(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+gateAt15+"CREATE TABLE n (id int PRIMARY KEY, at timestamptz NOT NULL);",
		"policies: {p: "+simple+", q: {table: n, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	migrated := make(chan struct{})
	go func() {
		defer close(migrated)
		s.Migrate(t, "policies: {q: {table: n, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
	}()
	s.waitForTrue("SELECT NOT EXISTS (SELECT FROM retention.policy WHERE name = 'p')")
	s.openGate() // the migration drops the index when the batch has ended
	run.mustSucceed()
	<-migrated
	s.wantRun("p", counts{State: "more", Taken: 10})
	s.wantLeft(numbers(11, 30)...)
	s.wantUnlocked()
}

// TestBreakerDuringARun checks that rows that become due during a run count toward its breaker.
func TestBreakerDuringARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, strings.Replace(simple, "batch:", "breaker: {rows: 40}, batch:", 1))
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	s.Exec(t, "INSERT INTO m SELECT 1000 + i, '2024-02-01' FROM generate_series(1, 200) i")
	s.openGate()
	if err := run.wait(); err == nil || !strings.Contains(err.Message, "the breaker allows 40") {
		t.Errorf("raised %v", err)
	}
	o := s.Last("p")
	if o.State != "tripped" || o.Taken <= 40 || o.Taken > 50 {
		t.Errorf("the run ended %s after %d rows, want tripped after 41 to 50", o.State, o.Taken)
	}
	s.wantUnlocked()
	// The remaining rows trip the breaker before the first batch, and accept() allows one run to
	// take them.
	if err := s.run("p").wait(); err == nil {
		t.Error("the next run succeeded, want it to trip")
	}
	s.wantRun("p", counts{State: "tripped"})
	if err := s.Operator("SELECT retention.accept('p', 'a bulk load')"); err != nil {
		t.Fatal(err)
	}
	s.run("p").mustSucceed()
	s.wantLeft()
}

// TestBreakerByFractionDuringARun checks that a breaker's fraction uses the size that the table has
// during the run, not the size at its start.
func TestBreakerByFractionDuringARun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		young int
		state string
	}{{0, "tripped"}, {13000, "tripped"}, {17000, "done"}} {
		s := newStage(t, gateAt15, strings.Replace(simple, "batch:", "breaker: {fraction: 0.4}, batch:", 1))
		s.refill(30)
		s.shutGate()
		run := s.run("p")
		run.mustWait()
		s.Exec(t, "UPDATE retention.policy SET batch_rows = 1000")
		s.Exec(t, "INSERT INTO m SELECT 1000 + i, '2024-02-01' FROM generate_series(1, 10000) i")
		s.Exec(t, "INSERT INTO m SELECT 100000 + i, now() FROM generate_series(1, $1) i", c.young)
		s.openGate()
		err := run.wait()
		o := s.Last("p")
		limit := int64(10030+c.young) * 2 / 5
		if o.State != c.state || (err != nil) != (c.state == "tripped") || o.State == "tripped" &&
			(o.Taken <= limit || o.Taken > limit+1000) {
			t.Errorf("with %d young rows the run ended %s after %d rows (%v)", c.young, o.State, o.Taken, err)
		}
	}
}

// TestCancelledAtAnyMoment cancels a run at different moments. No procedure can catch a cancel
// during COMMIT. After such a cancel, the log says "running" until the session starts its next run
// or ends. After every cancel, the next run takes the remaining rows, and the counts in the log add
// up to all rows.
func TestCancelledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	for i := range 12 {
		s.refill(1000)
		run := s.run("p")
		s.waitUntil("some batches are done", func() bool {
			return run.ended() || pgtest.Value[bool](t, s.watch, "SELECT count(*) > $1::int FROM retention.batch", i)
		})
		s.Exec(t, "SELECT pg_cancel_backend($1)", run.pid)
		if err := run.wait(); err != nil && err.Code != "57014" {
			t.Errorf("raised %v, want 57014", err)
		}
		s.start(run.conn, "CALL retention.run('p', $1)", asOf).mustSucceed()
		s.wantLeft()
		s.wantUnlocked()
		wrong := pgtest.Column[string](t, s.watch,
			"SELECT state FROM retention.run WHERE state NOT IN ('stopped', 'abandoned', 'done')")
		if taken := pgtest.Value[int](t, s.watch, "SELECT sum(taken) FROM retention.run"); taken != 1000 ||
			len(wrong) > 0 {
			t.Errorf("the log has %d taken rows, want 1000; unexpected states: %q", taken, wrong)
		}
	}
}

// TestCancelledInCodeWithARaise cancels a run in a function that a policy calls. The function waits
// in a RAISE, or in a statement that contains this word. The cancel ends the run "stopped", and the
// run evaluates no other row after it.
func TestCancelledInCodeWithARaise(t *testing.T) {
	t.Parallel()
	const where, guard = `where: "waits(id)"`, `keep: {k: "NOT waits(id)"}`
	for name, c := range map[string]struct{ rule, statement string }{
		"RAISE at the start":       {where, "RAISE DEBUG '%', pg_advisory_xact_lock_shared(77)"},
		"RAISE in a batch":         {guard, "RAISE DEBUG '%', pg_advisory_xact_lock_shared(77)"},
		"a statement at the start": {where, "PERFORM pg_advisory_xact_lock_shared(77), 'RAISE'"},
		"a statement in a batch":   {guard, "PERFORM pg_advisory_xact_lock_shared(77), 'RAISE'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `CREATE FUNCTION waits(id int) RETURNS boolean LANGUAGE plpgsql AS $$
				BEGIN
					`+c.statement+`;
					RETURN true;
				END $$;`, strings.Replace(simple, "then:", c.rule+", then:", 1))
			s.refill(30)
			s.shutGate()
			run := s.run("p")
			run.mustWait()
			s.Exec(t, "SELECT pg_cancel_backend($1)", run.pid)
			if err := run.wait(); err == nil || err.Code != "57014" {
				t.Errorf("raised %v, want 57014", err)
			}
			s.openGate()
			if o := s.wantRun("p", counts{State: "stopped"}); o.Message != "stopped by user" {
				t.Errorf("the log has %q, want stopped by user", o.Message)
			}
			s.wantLeft(numbers(1, 30)...)
			s.wantUnlocked()
			s.run("p").mustSucceed()
			s.wantLeft()
		})
	}
}

// TestAnotherServerCancels lets a guard read a foreign table. The other server cancels its
// statement after its own statement_timeout. Nobody stopped the run, so it ends "failed".
func TestAnotherServerCancels(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+`CREATE TABLE sig (id int);
		INSERT INTO sig VALUES (1);
		CREATE VIEW slow AS SELECT id FROM sig WHERE pg_sleep(600) IS NOT NULL;
		CREATE FOREIGN TABLE far (id int) SERVER me OPTIONS (table_name 'slow');`,
		"policies: {p: "+strings.Replace(simple, "then:",
			`keep: {far: "EXISTS (SELECT FROM far WHERE far.id = t.id)"}, then:`, 1)+"}",
		kit.Before(`CREATE EXTENSION postgres_fdw;
			DO $$
			BEGIN
				EXECUTE format('CREATE SERVER me FOREIGN DATA WRAPPER postgres_fdw
					OPTIONS (host %L, port %L, dbname %L, options %L)',
					split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'),
					current_database(), '-c statement_timeout=100ms');
				EXECUTE format('CREATE USER MAPPING FOR PUBLIC SERVER me OPTIONS (user %L, password_required %L)',
					current_user, 'false');
			END $$;
			GRANT USAGE ON FOREIGN SERVER me TO PUBLIC`))
	s.refill(30)
	if err := s.run("p").wait(); err == nil || err.Code == "57014" {
		t.Errorf("raised %v, want an error that is no cancel", err)
	}
	const want = "another server: canceling statement due to statement timeout"
	if o := s.wantRun("p", counts{State: "failed"}); o.SQLState != "P0001" || o.Message != want {
		t.Errorf("the log has %s %q, want P0001 %q", o.SQLState, o.Message, want)
	}
	s.wantLeft(numbers(1, 30)...)
	s.wantUnlocked()
}

// TestCountOfRowsLeftEnds checks a run that left rows whose guard takes more than a second for one
// row, after the run has ended. The run counts one row at most. If the guard keeps that row, nobody
// knows whether due rows are left.
func TestCountOfRowsLeftEnds(t *testing.T) {
	t.Parallel()
	for kept, want := range map[bool]string{false: "1", true: ""} {
		t.Run(fmt.Sprintf("kept %t", kept), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, fmt.Sprintf(`
				CREATE FUNCTION keeps() RETURNS boolean LANGUAGE plpgsql AS $$
				BEGIN
					IF EXISTS (SELECT FROM retention.run r WHERE r.ended_at IS NOT NULL) THEN
						PERFORM pg_catalog.pg_sleep(1.1);
						RETURN %t;
					END IF;
					RETURN false;
				END $$;`, kept),
				strings.Replace(withKeep(simple, "keeps()"), "then:", "budget: {rows: 10}, then:", 1))
			s.refill(30)
			s.run("p").mustSucceed()
			s.wantRun("p", counts{State: "more", Taken: 10})
			got := pgtest.Value[string](t, s.watch, "SELECT coalesce(rows_left::text, '') FROM retention.status")
			if got != want {
				t.Errorf("the run says that %q rows are left, want %q", got, want)
			}
		})
	}
}
