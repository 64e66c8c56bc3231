package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const dry = "CALL retention.run('p', '" + noon + "', 'to look', dry_run => true)"

// A dry run counts what a run would do, and nothing else changes: no row, no counter, no success.
func TestDryRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("keep: {even: 'id % 2 = 0'}, "))
	outcome, err := in.Call(dry)
	if err != nil || outcome != "p: dry run, done (run 1): would take 6 rows" {
		t.Fatalf("%q, %v", outcome, err)
	}
	got := in.Rows("SELECT state, dry_run, due, kept, taken, scanned, batches, reason FROM retention.run")
	if diff := cmp.Diff([]string{`(done,t,6,"{""even"": 7}",0,0,0,"to look")`}, got); diff != "" {
		t.Errorf("run log:\n%s", diff)
	}
	if n := len(ids(t, in)); n != 20 {
		t.Errorf("%d rows are left", n)
	}
	if n := pgtest.Value[int](t, in, "SELECT (SELECT count(*) FROM retention.total) + (SELECT count(*) FROM retention.batch)"); n != 0 {
		t.Errorf("%d rows in total and batch", n)
	}
	status := in.Rows("SELECT last_state, last_run, last_success_at, last_dry_run FROM retention.status WHERE policy = 'p'")
	if diff := cmp.Diff([]string{"(,,,1)"}, status); diff != "" {
		t.Errorf("status:\n%s", diff)
	}
	// The run itself does what the dry one said, and stays the last one when another dry one follows.
	if o := in.Done("p", noon); o.Taken != 6 {
		t.Errorf("%+v", o)
	}
	if outcome, _ := in.Call(dry); outcome != "p: dry run, done (run 3): would take 0 rows" {
		t.Errorf("%q", outcome)
	}
	status = in.Rows("SELECT last_state, last_run, last_taken, last_dry_run FROM retention.status WHERE policy = 'p'")
	if diff := cmp.Diff([]string{"(done,2,6,3)"}, status); diff != "" {
		t.Errorf("status:\n%s", diff)
	}
}

// What stands in a run's way is said; an error is an error, and no failure of the policy.
func TestDryRunOfWhatWouldNotRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("breaker: {rows: 12}, budget: {rows: 20}, "))
	for _, c := range []struct{ before, want string }{
		{"SELECT 1", "p: dry run, done (run 1): would take 0 rows: 13 rows are due, the breaker allows 12"},
		{"UPDATE retention.policy SET budget_rows = 5", "p: dry run, done (run 2): would take 5 rows"},
		{"SELECT retention.pause('p', 'holiday')", "p: dry run, done (run 3): would take 0 rows: paused by postgres at "},
	} {
		in.Exec(t, c.before)
		if outcome, err := in.Call(dry); err != nil || len(outcome) < len(c.want) || outcome[:len(c.want)] != c.want {
			t.Errorf("%s: %q, %v", c.before, outcome, err)
		}
	}
	in.Exec(t, "SELECT retention.resume('p'); ALTER TABLE m RENAME COLUMN at TO moved")
	if _, err := in.Call(dry); err == nil || err.Code != "42703" {
		t.Errorf("a broken policy: %v", err)
	}
	if got := in.Rows("SELECT state, dry_run, sqlstate FROM retention.run ORDER BY id DESC LIMIT 1"); got[0] != "(failed,t,42703)" {
		t.Errorf("run log: %v", got)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.total"); n != 0 {
		t.Error("a dry run was counted")
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.health() WHERE policy = 'p'"); n != 0 {
		t.Error("health complains of a dry run")
	}
}

// The rows of a job's later policies are counted as if the earlier ones had done nothing.
func TestDryRunOfAJob(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, `
policies:
  aged: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  cap: {table: m, due: {beyond: {first: 4, order: id}}, then: [delete]}
jobs: {nightly: {schedule: "@daily", run: [aged, cap]}}`)
	outcome, err := in.Call("CALL retention.run_job('nightly', $1, dry_run => true)", noon)
	if err != nil || outcome != "aged: dry run, done (run 1): would take 13 rows\ncap: dry run, done (run 2): would take 16 rows" {
		t.Errorf("%q, %v", outcome, err)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.run"); n != 2 || len(ids(t, in)) != 20 {
		t.Errorf("%d runs, %d rows", n, len(ids(t, in)))
	}
}
