package races

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// plainDriver is the loop that comes to mind first: a session lock, a log row, a COMMIT per batch.
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

// plainIsStuck holds that the plain driver left its log at "running" and its lock to its session.
func (s *stage) plainIsStuck(k *task) {
	s.t.Helper()
	state := pgtest.Column[string](s.t, s.watch, "SELECT state FROM plain_log")
	if diff := cmp.Diff([]string{"running"}, state); diff != "" {
		s.t.Errorf("the plain driver is no worse than ours:\n%s", diff)
	}
	if !pgtest.Value[bool](s.t, s.watch, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND locktype = 'advisory')", k.pid) {
		s.t.Error("the plain driver gave its lock back; then this test shows nothing")
	}
}

// A run that is cancelled, or runs into statement_timeout, in the middle of a batch: it ends
// "failed" in the log, gives its lock back, tells its caller, and the next run finishes.
func TestCancelledInABatch(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]string{
		"cancel":            "SELECT pg_cancel_backend($1)",
		"statement_timeout": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, plainDriver+gateAt15, simple)
			stop := func(k *task) {
				k.mustWait()
				if cancel != "" {
					s.Exec(t, cancel, k.pid)
				}
				if err := k.end(); err == nil || err.Code != "57014" {
					t.Errorf("raised %v, want 57014", err)
				}
			}
			session := func(role string) (conn *task) {
				c := s.session(role)
				if cancel == "" {
					pgtest.Exec(t, c, "SET statement_timeout = '3s'")
				}
				if role == "retention_runner" {
					return s.start(c, "CALL retention.run('p', $1)", asOf)
				}
				return s.start(c, "CALL plain()")
			}
			s.refill(30)
			s.shut()
			naive := session("kit_migrator")
			stop(naive)
			s.plainIsStuck(naive)
			s.open()

			s.refill(30)
			s.shut()
			run := session("retention_runner")
			stop(run)
			s.open()
			s.leaves(from(11, 30)...)
			o := s.logged("p", counts{State: "failed", Taken: 10})
			if o.SQLState != "57014" || pgtest.Value[bool](t, s.watch,
				"SELECT ended_at IS NULL FROM retention.run WHERE id = $1", o.ID) {
				t.Errorf("the log says %s %q, or has no end", o.SQLState, o.Message)
			}
			s.unlocked()
			s.run("p").ok()
			s.leaves()
			s.logged("p", counts{State: "done", Taken: 20})
		})
	}
}

// A batch calls what a migration drops at that moment. Whatever error comes of it, the batch takes
// no row and refuses none: the run ends "more", or "paused" while the migration goes on. The same
// error of a policy that is as it was refuses the row.
func TestChangedInABatch(t *testing.T) {
	t.Parallel()
	const broken = "cache lookup failed for function 16993"
	stopped := from(11, 30)
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
				CREATE TRIGGER gate BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION breaks();`, simple)
			s.refill(30)
			s.shut()
			run := s.run("p")
			run.mustWait()
			s.Exec(t, c.meanwhile)
			s.open()
			_ = run.end()
			s.leaves(c.leaves...)
			if o := s.logged("p", c.want); o.Message != c.message {
				t.Errorf("the log says %q, want %q", o.Message, c.message)
			}
			s.unlocked()
		})
	}
}

// drowsy sleeps after each batch for as long as a test needs to notice.
const drowsy = `{table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete], throttle: {busy: 0.00001}}`

const sleeps = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep')"

// A nap between batches ends a run like a batch does.
func TestCancelledInANap(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", drowsy)
	s.refill(30)
	run := s.run("p")
	s.sees(sleeps, run.pid)
	s.Exec(t, "SELECT pg_cancel_backend($1)", run.pid)
	if err := run.end(); err == nil || err.Code != "57014" {
		t.Errorf("raised %v, want 57014", err)
	}
	o := s.logged("p", counts{State: "failed", Taken: 10})
	if o.SQLState != "57014" {
		t.Errorf("the log says %s", o.SQLState)
	}
	s.unlocked()
	s.Exec(t, "UPDATE retention.policy SET busy = 1")
	s.run("p").ok()
	s.leaves()
}

// A run that is paused while it naps, or whose budget of time is spent, ends then, however long it
// was to sleep.
func TestEndsInANap(t *testing.T) {
	t.Parallel()
	for state, end := range map[string]string{"paused": "SELECT retention.pause('p')",
		"more": "UPDATE retention.policy SET budget_time = '1 ms'"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", drowsy)
			s.refill(30)
			run := s.run("p")
			s.sees(sleeps, run.pid)
			s.Exec(t, end)
			run.ok()
			s.logged("p", counts{State: state, Taken: 10})
		})
	}
}

// A preview locks no counter while it goes through its job: a run under way, which the preview has
// called busy, ends.
func TestRunEndsBesideAPreview(t *testing.T) {
	t.Parallel()
	rule := strings.Replace(simple, "lock_timeout: 100s", "lock_timeout: 1s", 1)
	s := newStageOf(t, tableM+gateAt15+"CREATE TABLE n (id int PRIMARY KEY, at timestamptz NOT NULL);",
		"policies: {p: "+rule+", q: "+strings.Replace(simple, "table: m", "table: n",
			1)+"}\njobs: {j: {schedule: '@daily', run: [p, q]}}")
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	other := s.session("kit_migrator")
	pgtest.Exec(t, other, "BEGIN; LOCK TABLE n")
	preview := s.start(s.session("retention_operator"), "SELECT * FROM retention.preview_job('j')")
	preview.mustWait() // at its second policy
	s.open()
	run.ok()
	s.logged("p", counts{State: "done", Taken: 30})
	s.leaves()
	pgtest.Exec(t, other, "ROLLBACK")
	preview.ok()
}

// A dry run of a job locks the rows that its first policy takes until its last policy ended, and
// nothing afterwards.
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
	job.mustWait() // at its second policy
	if free() {
		t.Error("no row is locked that the first policy took")
	}
	pgtest.Exec(t, other, "ROLLBACK")
	job.ok()
	if !free() {
		t.Error("a row is locked after the dry run")
	}
}

// While it naps a run holds no transaction that would stop others: neither locks nor a snapshot
// that grows old.
func TestANapHoldsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", drowsy)
	s.refill(30)
	run := s.run("p")
	s.sees(sleeps, run.pid)
	s.application("ALTER TABLE m ADD COLUMN extra int") // ACCESS EXCLUSIVE
	s.application("CREATE INDEX CONCURRENTLY ON m (v)") // waits for old snapshots
	s.Exec(t, "SELECT pg_cancel_backend($1)", run.pid)
	_ = run.end()
}

// A cancelled policy ends its job, a failed one does not.
func TestCancelEndsTheJob(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+gateAt15+"CREATE TABLE n (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE "+
		"bad (id int PRIMARY KEY, at timestamptz NOT NULL);", `policies:
  broken: {table: bad, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  p: `+simple+`
  last: {table: n, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs: {nightly: {schedule: "0 1 * * *", run: [broken, p, last]}}`)
	// The policy fails in a way that no policy foresees.
	s.Exec(t, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nothing(); RETURN OLD; END';
		CREATE TRIGGER fail BEFORE DELETE ON bad FOR EACH ROW EXECUTE FUNCTION fail();
		INSERT INTO bad VALUES (1, '2024-01-01'); INSERT INTO n VALUES (1, '2024-01-01')`)
	job := func() *task {
		return s.start(s.session("retention_runner"), "CALL retention.run_job('nightly', $1)", asOf)
	}
	s.refill(30)
	s.shut()
	k := job()
	k.mustWait()
	s.Exec(t, "SELECT pg_cancel_backend($1)", k.pid)
	if err := k.end(); err == nil || err.Code != "57014" || !strings.Contains(err.Message, "nothing()") {
		t.Errorf("raised %v; want 57014, and a word of what went wrong before", err)
	}
	s.open()
	s.states("broken failed 42883", "p failed 57014")

	k = job()
	if err := k.end(); err == nil || err.Code != "42883" {
		t.Errorf("raised %v, want 42883", err)
	}
	s.states("broken failed 42883", "p failed 57014", "broken failed 42883", "p done", "last done")
	if left := s.ids("n"); len(left) != 0 {
		t.Errorf("the last policy did not run: %v", left)
	}
	s.unlocked()
}

// states compares the whole run log.
func (s *stage) states(want ...string) {
	s.t.Helper()
	got := pgtest.Column[string](s.t, s.watch, "SELECT concat_ws(' ', policy, state, sqlstate) FROM retention.run "+
		"ORDER BY id")
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		s.t.Errorf("the run log differs (-want +got):\n%s", diff)
	}
}

// A backend that is terminated can write nothing any more. Everybody sees the run as abandoned at
// once, the next run says so in the log, and finishes.
func TestTerminated(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	s.Exec(t, "SELECT pg_terminate_backend($1)", run.pid)
	if err := run.end(); err == nil || err.Code != "57P01" {
		t.Errorf("the session ended with %v, want 57P01", err)
	}
	s.open()
	s.sees("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", run.pid)
	s.unlocked()
	s.leaves(from(11, 30)...)
	if state := pgtest.Value[string](t, s.watch, "SELECT last_state FROM retention.status WHERE policy = 'p'"); state != "abandoned" {
		t.Errorf("status says %q", state)
	}
	s.run("p").ok()
	s.leaves()
	s.states("p abandoned", "p done")
	if n := pgtest.Value[int](t, s.watch, "SELECT sum(taken) FROM retention.run"); n != 30 {
		t.Errorf("the log says %d rows went, of 30", n)
	}
}

// pause() stops a run before its next batch, and keeps the next from starting; resume() goes on.
func TestPausedFromAnotherSession(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"'p'", ""} {
		t.Run("pause("+policy+")", func(t *testing.T) {
			t.Parallel()
			s := newStage(t, gateAt15, simple)
			s.refill(30)
			s.shut()
			run := s.run("p")
			run.mustWait()
			if err := s.Operator("SELECT retention.pause(" + policy + ")"); err != nil {
				t.Fatal(err)
			}
			s.open()
			run.ok()
			s.leaves(from(21, 30)...)
			s.logged("p", counts{State: "paused", Taken: 20})
			s.run("p").ok()
			s.logged("p", counts{State: "paused"})
			s.leaves(from(21, 30)...)
			if err := s.Operator("SELECT retention.resume(" + policy + ")"); err != nil {
				t.Fatal(err)
			}
			s.run("p").ok()
			s.leaves()
			s.unlocked()
		})
	}
}

// A migration that changes the policy during a run: the batch under way is undone and the run ends
// "more", so that no batch uses the cursor or the cutoff of another policy.
func TestPolicyChangesDuringARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	s.Migrate(t, "policies: {p: "+strings.Replace(simple, "7 days", "30 days", 1)+"}")
	s.open()
	run.ok()
	o := s.logged("p", counts{State: "more", Taken: 10})
	if !strings.Contains(o.Message, "changed during the run") {
		t.Errorf("the log says %q", o.Message)
	}
	s.leaves(from(11, 30)...)
	s.run("p").ok()
	s.leaves()
}

// The same between the judgement of rows and the steps: what the policy of before only changed is
// not deleted by the steps of the next, which would not have found it due.
func TestPolicyChangesAfterTheJudgement(t *testing.T) {
	t.Parallel()
	const now, next = "7 days}}, keep: {late: \"NOT judged(t.id = 5)\"}, then: [{update: {set: {at: as_of}}}]", "30 days}}, keep: {late: \"NOT judged(t.id = 5)\"}, then: [delete]"
	rule := func(rest string) string {
		return "{table: m, due: {age: {column: at, older_than: " + rest + ", batch: {lock_timeout: 100s}}"
	}
	s := newStage(t, `CREATE INDEX ON m (at, id); CREATE FUNCTION judged(stop boolean) RETURNS boolean LANGUAGE sql SET search_path = public AS $$
		SELECT gate(stop AND EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'm'::regclass AND mode = 'RowShareLock')) $$;`, rule(now))
	s.refill(30)
	s.Exec(t, "UPDATE m SET at = '2024-05-20'::timestamptz + id * interval '1 minute'")
	before := s.Rows("TABLE m")
	s.shut()
	run := s.run("p")
	run.mustWait()
	s.Migrate(t, "policies: {p: "+rule(next)+"}")
	s.open()
	run.ok()
	s.logged("p", counts{State: "more"})
	s.run("p").ok()
	s.logged("p", counts{State: "done"})
	if diff := cmp.Diff(before, s.Rows("TABLE m")); diff != "" {
		t.Errorf("rows that neither policy may touch (-want +got):\n%s", diff)
	}
}

// A policy that a migration removes during a run.
func TestPolicyIsRemovedDuringARun(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+gateAt15+"CREATE TABLE n (id int PRIMARY KEY, at timestamptz NOT NULL);",
		"policies: {p: "+simple+", q: {table: n, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	migrated := make(chan struct{})
	go func() {
		defer close(migrated)
		s.Migrate(t, "policies: {q: {table: n, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
	}()
	s.sees("SELECT NOT EXISTS (SELECT FROM retention.policy WHERE name = 'p')")
	s.open() // the index goes when the batch has ended
	run.ok()
	<-migrated
	s.logged("p", counts{State: "more", Taken: 10})
	s.leaves(from(11, 30)...)
	s.unlocked()
}

// Rows that become due while a run is under way count against its breaker too.
func TestBreakerDuringARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, strings.Replace(simple, "batch:", "breaker: {rows: 40}, batch:", 1))
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	s.Exec(t, "INSERT INTO m SELECT 1000 + i, '2024-02-01' FROM generate_series(1, 200) i")
	s.open()
	if err := run.end(); err == nil || !strings.Contains(err.Message, "the breaker allows 40") {
		t.Errorf("raised %v", err)
	}
	o := s.Last("p")
	if o.State != "tripped" || o.Taken <= 40 || o.Taken > 50 {
		t.Errorf("the run ended %s after %d rows", o.State, o.Taken)
	}
	s.unlocked()
	// The rest is more than it allows from the start, and accept() lets one run pass.
	if err := s.run("p").end(); err == nil {
		t.Error("the next run did not trip")
	}
	s.logged("p", counts{State: "tripped"})
	if err := s.Operator("SELECT retention.accept('p', 'a bulk load')"); err != nil {
		t.Fatal(err)
	}
	s.run("p").ok()
	s.leaves()
}

// The same by fraction, which is counted anew from what is there by then, however the table was at
// the start.
func TestBreakerByFractionDuringARun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		young int
		state string
	}{{0, "tripped"}, {13000, "tripped"}, {17000, "done"}} {
		s := newStage(t, gateAt15, strings.Replace(simple, "batch:", "breaker: {fraction: 0.4}, batch:", 1))
		s.refill(30)
		s.shut()
		run := s.run("p")
		run.mustWait()
		s.Exec(t, "UPDATE retention.policy SET batch_rows = 1000")
		s.Exec(t, "INSERT INTO m SELECT 1000 + i, '2024-02-01' FROM generate_series(1, 10000) i")
		s.Exec(t, "INSERT INTO m SELECT 100000 + i, now() FROM generate_series(1, $1) i", c.young)
		s.open()
		err := run.end()
		o := s.Last("p")
		limit := int64(10030+c.young) * 2 / 5
		if o.State != c.state || (err != nil) != (c.state == "tripped") || o.State == "tripped" &&
			(o.Taken <= limit || o.Taken > limit+1000) {
			t.Errorf("%d young rows: the run ended %s after %d rows (%v)", c.young, o.State, o.Taken, err)
		}
	}
}

// A cancel may arrive at any moment, also while COMMIT itself is at work, where no procedure can
// catch it: then the log says "running" until the session's next run, or the end of the session.
// Whatever the moment was, that next run finishes, and the log adds up.
func TestCancelledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	for i := range 12 {
		s.refill(1000)
		run := s.run("p")
		s.until("some batches are done", func() bool {
			return run.ended() || pgtest.Value[bool](t, s.watch, "SELECT count(*) > $1::int FROM retention.batch", i)
		})
		s.Exec(t, "SELECT pg_cancel_backend($1)", run.pid)
		if err := run.end(); err != nil && err.Code != "57014" {
			t.Errorf("raised %v, want 57014", err)
		}
		s.start(run.conn, "CALL retention.run('p', $1)", asOf).ok()
		s.leaves()
		s.unlocked()
		wrong := pgtest.Column[string](t, s.watch, "SELECT state FROM retention.run WHERE state NOT IN ('failed', "+
			"'abandoned', 'done')")
		if taken := pgtest.Value[int](t, s.watch, "SELECT sum(taken) FROM retention.run"); taken != 1000 ||
			len(wrong) > 0 {
			t.Errorf("the log says %d rows went, of 1000; states %q", taken, wrong)
		}
	}
}
