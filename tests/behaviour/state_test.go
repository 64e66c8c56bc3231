package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const chains = `
policies:
  signals: {table: sig, scope: [chain, place], due: {age: {column: at, older_than: 7 days}}, breaker: {rows: 5},
        then: [delete]}
  other: {table: other, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs:
  sol: {schedule: "0 * * * *", run: [signals], scope: {chain: "1"}}
  eth: {schedule: "15 * * * *", run: [signals], scope: {chain: "2"}}
  odd: {schedule: "30 * * * *", run: [signals, other], scope: {place: "'a, b'"}}
`

// installChains installs the jobs of chains, without policy "other" in job odd. Each row added
// later belongs to the scope of one job.
func installChains(t *testing.T) *kit.Installed {
	t.Helper()
	return kit.Install(t, `
		CREATE TABLE sig (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, chain int, place text,
			at timestamptz NOT NULL);
		CREATE TABLE other (LIKE sig INCLUDING ALL)`, strings.Replace(chains, "[signals, other]", "[signals]", 1))
}

// addDueRows adds n due rows to table sig.
func addDueRows(t *testing.T, in *kit.Installed, chain string, n int) {
	t.Helper()
	in.Exec(t,
		fmt.Sprintf(`INSERT INTO sig (chain, place, at) SELECT %s, now() - interval '8 days'
			FROM generate_series(1, %d)`, chain, n))
}

// jobStates returns the state of each job of policy signals: scope, last state, failures in a row,
// rows left.
func jobStates(t *testing.T, in *kit.Installed) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, row := range pgtest.Column[string](t, in,
		`SELECT concat_ws('|', job, retention._scope_text(scope), last_state, failed_in_a_row, rows_left)
		FROM retention.job_status WHERE policy = 'signals' AND NOT superseded`) {
		name, rest, _ := strings.Cut(row, "|")
		got[name] = rest
	}
	return got
}

// jobMetrics returns the values of a metric of policy signals, by job.
func jobMetrics(t *testing.T, in *kit.Installed, name string) string {
	t.Helper()
	return strings.Join(pgtest.Column[string](t, in, `SELECT concat_ws(' ', labels ->> 'job', labels ->> 'scope',
		value) FROM retention.metrics
		WHERE name = $1 AND labels ->> 'policy' = 'signals' ORDER BY 1`, name), "; ")
}

// TestStateOfEachJob checks that the jobs of a policy have separate states. Health, status, metrics
// and acceptances belong to one job and its scope.
func TestStateOfEachJob(t *testing.T) {
	t.Parallel()
	in := installChains(t)
	addDueRows(t, in, "1, 'x'", 9)
	addDueRows(t, in, "2, 'x'", 2)
	addDueRows(t, in, "3, 'a, b'", 6)
	job := func(name, want string) {
		t.Helper()
		_, _ = in.Call("CALL retention.run_job($1)", name)
		if got := in.Last("signals"); got.State != want {
			t.Fatalf("job %s ended %s, want %s: %+v", name, got.State, want, got)
		}
	}
	health := func(want ...string) {
		t.Helper()
		got := pgtest.Column[string](t, in, `SELECT problem FROM retention.health()
			WHERE policy = 'signals' ORDER BY problem`)
		if len(got) != len(want) {
			t.Errorf("health() has %q, not %q", got, want)
			return
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("health() has %q, not %q", got, want)
			}
		}
	}
	job("sol", "tripped")
	job("eth", "done")
	want := map[string]string{"sol": "chain=1|tripped|1|9", "eth": "chain=2|done|0|0", "odd": "place='a, b'|0"}
	if diff := cmp.Diff(want, jobStates(t, in)); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	health("the last run for chain=1 (1) tripped")
	if got := pgtest.Value[string](t, in, `SELECT worst_job || last_state || last_run || failed_in_a_row ||
		rows_left FROM retention.status WHERE policy = 'signals'`); got != "soltripped119" {
		t.Errorf("status has %s, want soltripped119", got)
	}
	for name, want := range map[string]string{
		"retention_tripped":          "eth chain=2 0; odd place='a, b' 0; sol chain=1 1",
		"retention_failed_in_a_row":  "eth chain=2 0; odd place='a, b' 0; sol chain=1 1",
		"retention_rows_left":        "eth chain=2 0; sol chain=1 9",
		"retention_rows_taken_total": "eth chain=2 2; odd place='a, b' 0; sol chain=1 0",
	} {
		if got := jobMetrics(t, in, name); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}

	// An acceptance is for the scope whose run tripped. Runs with another scope do not use it up.
	if err := in.Operator("SELECT retention.accept('signals', 'looked')"); err != nil {
		t.Fatal(err)
	}
	job("eth", "done")
	job("sol", "done")
	health()
	job("odd", "tripped")
	addDueRows(t, in, "1, 'x'", 7)
	job("sol", "tripped")
	health("the last run for chain=1 (6) tripped", "the last run for place='a, b' (5) tripped")
	err := in.Operator("SELECT retention.accept('signals', 'looked')")
	if err == nil || !strings.Contains(err.Error(), "several scopes") {
		t.Errorf("accept() after trips of two scopes: got %v, want an error", err)
	}
	if err := in.Operator("SELECT retention.accept('signals', 'looked', run => 1)"); err == nil {
		t.Error("accept() of a run succeeded although the scope has a later run")
	}
	if err := in.Operator("SELECT retention.pause('signals', 'tea')"); err != nil {
		t.Fatal(err)
	}
	job("sol", "paused")
	if err := in.Operator("SELECT retention.resume('signals')"); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"run => 5", "run => 6"} {
		if err := in.Operator("SELECT retention.accept('signals', 'looked', " + call + ")"); err != nil {
			t.Error(err)
		}
	}
	job("odd", "done")
	job("sol", "done")
	health()
}

// TestStateOfCallsByHand checks calls by hand. A call with the scope of a job counts as a run of
// that job, however the scope is written. A call with another scope is shown until all jobs have
// succeeded.
func TestStateOfCallsByHand(t *testing.T) {
	t.Parallel()
	in := installChains(t)
	call := func(scope string, ok bool) {
		t.Helper()
		if _, err := in.Call("CALL retention.run('signals', scope => $1)", scope); (err == nil) != ok {
			t.Fatalf("the call for %s returned %v, want success: %v", scope, err, ok)
		}
	}
	expect := func(want map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, jobStates(t, in)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	}
	addDueRows(t, in, "1, 'x'", 9)
	_, _ = in.Call("CALL retention.run_job('sol')")
	_, _ = in.Call("CALL retention.run_job('sol')")
	in.Exec(t, "DELETE FROM sig WHERE id > 4")
	call(`{"chain": 2}`, true)
	expect(map[string]string{"sol": "chain=1|tripped|2|9", "eth": "chain=2|done|0|0", "odd": "place='a, b'|0"})
	call(`{"chain": "1"}`, true)
	expect(map[string]string{"sol": "chain=1|done|0|0", "eth": "chain=2|done|0|0", "odd": "place='a, b'|0"})
	addDueRows(t, in, "7, 'x'", 9)
	call(`{"chain": 7, "place": "x"}`, false)
	expect(map[string]string{
		"sol": "chain=1|done|0|0",
		"eth": "chain=2|done|0|0",
		"odd": "place='a, b'|0",
		"":    "chain=7, place=x|tripped|1|9",
	})
	for _, job := range []string{"sol", "eth", "odd"} {
		if _, err := in.Call("CALL retention.run_job($1)", job); err != nil {
			t.Fatal(err)
		}
	}
	expect(map[string]string{"sol": "chain=1|done|0|0", "eth": "chain=2|done|0|0", "odd": "place='a, b'|done|0|0"})
}

// occupyTable simulates a run of another policy on the table of policy signals. The function free
// ends it.
func occupyTable(t *testing.T, in *kit.Installed) (free func()) {
	t.Helper()
	conn := in.Conn(t)
	pgtest.Exec(t, conn, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state)
		SELECT 'another', table_name, '', now(), 'running' FROM retention.policy WHERE name = 'signals'`)
	pgtest.Exec(t, conn, "BEGIN; LOCK TABLE retention.run IN ROW EXCLUSIVE MODE")
	return func() {
		t.Helper()
		pgtest.Exec(t, conn, "COMMIT; DELETE FROM retention.run WHERE policy = 'another'")
	}
}

// TestBusyJob checks that a job waits for a table on which another run is in progress, but not
// longer than its limit. A job that did not run is reported until it succeeds.
func TestBusyJob(t *testing.T) {
	t.Parallel()
	in := installChains(t)
	problems := func() string {
		t.Helper()
		return strings.Join(pgtest.Column[string](t, in, `SELECT problem FROM retention.health()
			WHERE policy = 'signals'`), "; ")
	}
	addDueRows(t, in, "1, 'x'", 3)

	free := occupyTable(t, in)
	conn, done := in.Conn(t), make(chan error, 1)
	pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION retention_runner")
	pid := conn.PgConn().PID()
	go func() {
		_, err := conn.Exec(t.Context(), "CALL retention.run_job('sol')")
		done <- err
	}()
	pgtest.Until(t, in, "SELECT coalesce(wait_event = 'PgSleep', false) FROM pg_stat_activity WHERE pid = $1", pid)
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.run WHERE policy = 'signals'"); n != 0 {
		t.Errorf("%d runs while the job waits, want 0", n)
	}
	free()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if o := in.Last("signals"); o.State != "done" || o.Taken != 3 {
		t.Errorf("after the wait: want a run with state done, taken 3; got %+v", o)
	}

	in.Exec(t, "UPDATE retention.job SET every = '10 ms'")
	free = occupyTable(t, in)
	if _, err := in.Call("CALL retention.run_job('sol')"); err != nil {
		t.Fatal(err)
	}
	free()
	if o := in.Last("signals"); o.State != "busy" {
		t.Errorf("past the bound: want a run with state busy; got %+v", o)
	}
	if got := problems(); !strings.Contains(got, `job "sol" did not run the policy for chain=1`) ||
		!strings.Contains(got, "another") {
		t.Errorf("health() has %q, want the job that did not run and the other policy", got)
	}
	if got := jobMetrics(t, in, "retention_missed"); got != "eth chain=2 0; odd place='a, b' 0; sol chain=1 1" {
		t.Errorf("retention_missed is %s, want eth chain=2 0; odd place='a, b' 0; sol chain=1 1", got)
	}
	for _, job := range []string{"eth", "sol"} {
		if got := problems(); got == "" {
			t.Errorf("health() does not report the missed run of sol, before job %s", job)
		}
		if _, err := in.Call("CALL retention.run_job($1)", job); err != nil {
			t.Fatal(err)
		}
	}
	if got := problems(); got != "" {
		t.Errorf("health() has %q, want no problem", got)
	}
}

// TestRunsThatTakeNothing checks that three runs in a row that end "more" and take no row are
// reported and are no success. The runs cannot take rows while retention.hold is locked in a mode
// that conflicts with reading the holds: EXCLUSIVE or ACCESS EXCLUSIVE.
func TestRunsThatTakeNothing(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("")+"\njobs: {daily: {schedule: '@daily', run: [p]}}")
	last := func() string {
		return pgtest.Value[string](t, in, `SELECT concat(empty_in_a_row, ' ', last_success_at IS NULL, ' ',
			last_state) FROM retention.job_status WHERE policy = 'p' AND job = 'daily'`)
	}
	for _, c := range []struct {
		mode string
		ok   bool
	}{{"EXCLUSIVE", false}, {"ACCESS EXCLUSIVE", false}, {"EXCLUSIVE", false}, {"ACCESS SHARE", true},
		{"ROW SHARE", true},
		{"ROW EXCLUSIVE", true}, {"SHARE UPDATE EXCLUSIVE", true}, {"SHARE", true}, {"SHARE ROW EXCLUSIVE", true}} {
		conn := in.Conn(t)
		pgtest.Exec(t, conn, "BEGIN; LOCK TABLE retention.hold IN "+c.mode+" MODE")
		if _, err := in.Call("CALL retention.run('p')"); err != nil {
			t.Fatal(err)
		}
		pgtest.Exec(t, conn, "ROLLBACK")
		if o := in.Last("p"); (o.State == "done") != c.ok {
			t.Errorf("with retention.hold locked in %s mode: want success: %v, got %+v", c.mode, c.ok, o)
		}
		if c.ok {
			in.Exec(t, "INSERT INTO m SELECT coalesce(max(id), 0) + 1, '2024-01-01' FROM m")
			continue
		}
		problems := pgtest.Column[string](t, in, "SELECT problem FROM retention.health() WHERE problem ~ 'took none'")
		if three := strings.HasPrefix(last(), "3 "); three != (len(problems) == 1) ||
			!strings.HasSuffix(last(), " t more") {
			t.Errorf("with the job status %s, health() has %q", last(), problems)
		}
	}
	if got := last(); got != "0 f done" {
		t.Errorf("after the runs that took rows: %s, want 0 f done", got)
	}
}

// TestLogOfKeptRows checks the log of a run in which guards keep more rows than the breaker allows.
// It has the numbers of rows scanned and kept.
func TestLogOfKeptRows(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{4, 5, 6, 12} {
		in := kit.Install(t,
			fmt.Sprintf(`CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
				INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, %d) i`, rows),
			`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {all: id > 0},
				breaker: {rows: 5}, then: [delete]}}`)
		if o := in.Done("p", "now"); o.Scanned != int64(rows) || o.Kept["all"] != int64(rows) {
			t.Errorf("want a run with %d rows scanned and kept, got %+v", rows, o)
		}
	}
}

// TestPreparedTransactionIsNamed checks that the message of a run names the prepared transaction
// that holds a conflicting lock. No session holds such a lock.
func TestPreparedTransactionIsNamed(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("")+"\njobs: {daily: {schedule: '@daily', run: [p]}}")
	for _, table := range []string{"m", "retention.hold"} {
		conn := in.Conn(t)
		gid := pgtest.Value[string](t, conn, "SELECT current_database()") + " of " + table
		pgtest.Exec(t, conn,
			fmt.Sprintf("BEGIN; LOCK TABLE %s IN EXCLUSIVE MODE; PREPARE TRANSACTION '%s'", table, gid))
		_, _ = in.Call("CALL retention.run_job('daily')")
		pgtest.Exec(t, conn, "ROLLBACK PREPARED '"+gid+"'")
		if o := in.Last("p"); o.State != "more" || o.Taken != 0 ||
			!strings.Contains(o.Message, fmt.Sprintf("prepared transaction %q of role", gid)) {
			t.Errorf("under a prepared lock on %s: want a run with state more, taken 0; got %+v", table, o)
		}
		problems := pgtest.Column[string](t, in, "SELECT problem FROM retention.health() WHERE policy = 'p'")
		if all := strings.Join(problems, "; "); !strings.Contains(all, gid) {
			t.Errorf("health() has %q, want the prepared transaction %s", problems, gid)
		}
	}
	if o := in.Done("p", "now"); strings.Contains(o.Message, "prepared") {
		t.Errorf("without prepared transactions, the message still names one: %+v", o)
	}
}
