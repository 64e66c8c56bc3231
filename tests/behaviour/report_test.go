package behaviour

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const reporting = `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
reports:
  parity:
    description: how many rows of either kind are older than a week
    query: "SELECT id % 2 AS odd, count(*) AS n FROM m WHERE at < as_of - interval '7 days' GROUP BY 1 ORDER BY 1"
    alert: "n > 6 AND report.odd < 2 AND as_of > '2024-01-01'"
  quiet: {query: "SELECT max(at) AS newest FROM m", alert: "newest < null::timestamptz"}
  broken: {query: "SELECT 1 / (count(*) - 7) AS x FROM m"}
jobs: {weekly: {schedule: "@weekly", run: [parity, broken, p, quiet]}}`

// TestReports checks that a report stores its rows with as_of. It writes an alert event if its
// condition is true of a row. A report that fails does not stop the other entries of its job.
func TestReports(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, reporting)
	for _, report := range []string{"parity", "quiet"} {
		if outcome, err := in.Call("CALL retention.run($1, $2, dry_run => true)", report, noon); err != nil ||
			!strings.HasPrefix(outcome, report+": dry run, done") {
			t.Errorf("dry run of %s: got %q and error %v, want done", report, outcome, err)
		}
	}
	if n := pgtest.Value[int](t, in, `SELECT (SELECT count(*) FROM retention.report) + (SELECT count(*)
		FROM retention.event) + (SELECT count(*) FROM retention.total)`); n != 0 {
		t.Errorf("a dry run kept %d things, want 0", n)
	}
	if outcome, err := in.Call("CALL retention.run_job('weekly', $1)", noon); err != nil {
		t.Errorf("the job failed: %q, %v", outcome, err)
	}
	runs := in.Rows("SELECT policy, state, taken, message FROM retention.run WHERE NOT dry_run")
	want := []string{`(broken,done,0,"1 rows, 0 alerts")`, "(p,done,13,)", `(parity,done,0,"2 rows, 1 alerts")`,
		`(quiet,done,0,"1 rows, 0 alerts")`}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	// Thirteen rows are older than a week, 8 to 20: seven even ones and six odd ones.
	answers := pgtest.Column[string](t, in, `SELECT concat_ws('|', name, alerts, as_of = $1, rows)
		FROM retention.report WHERE name = 'parity'`, noon)
	if diff := cmp.Diff([]string{`parity|1|t|[{"n": 7, "odd": 0}, {"n": 6, "odd": 1}]`}, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	var event map[string]any
	if err := json.Unmarshal([]byte(pgtest.Value[string](t, in, `SELECT payload::text FROM retention.event
		WHERE policy = 'parity' AND event = 'report_alert'`)), &event); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{
		"alerts": 1.0,
		"rows":   []any{map[string]any{"n": 7.0, "odd": 0.0}},
		"as_of":  event["as_of"],
	}, event); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	if health := in.Rows("SELECT severity, policy, problem FROM retention.health()"); len(health) != 1 ||
		!strings.HasPrefix(health[0], `(warning,parity,"the report alerts: 1 of 2 rows at `) {
		t.Errorf("health() has %v, want a warning about the alert of parity", health)
	}
	metrics := in.Rows("SELECT name, labels ->> 'report', value FROM retention.metrics WHERE labels ? 'report'")
	if diff := cmp.Diff([]string{
		"(retention_report_alerts,broken,0)", "(retention_report_alerts,parity,1)",
		"(retention_report_alerts,quiet,0)", "(retention_report_rows,broken,1)",
		"(retention_report_rows,parity,2)", "(retention_report_rows,quiet,1)",
	}, metrics); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	status := in.Rows(`SELECT policy, jobs, last_state, last_message FROM retention.status
		WHERE policy IN ('parity', 'broken')`)
	if diff := cmp.Diff([]string{`(broken,weekly,done,"1 rows, 0 alerts")`, `(parity,weekly,done,"2 rows, 1 alerts")`},
		status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	// The first run of the job left seven rows. They change the answer of parity, and report broken
	// divides by zero.
	_, err := in.Call("CALL retention.run_job('weekly', $1)", noon)
	if err == nil || err.Code != "22012" || !strings.Contains(err.Message, "broken: failed") {
		t.Errorf("got error %v, want 22012 from report broken", err)
	}
	runs = in.Rows("SELECT policy, state, message FROM retention.run WHERE id > 6")
	if diff := cmp.Diff([]string{
		`(broken,failed,"division by zero")`, "(p,done,)", `(parity,done,"0 rows, 0 alerts")`,
		`(quiet,done,"1 rows, 0 alerts")`,
	}, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if problems := in.Rows("SELECT policy FROM retention.health()"); strings.Join(problems, " ") != "(broken)" {
		t.Errorf("health() names the policies %v, want only broken", problems)
	}
}

// TestReportsRefused checks what a report refuses: a scope, a window, an as_of in the future, a
// preview, and more than 10,000 rows.
func TestReportsRefused(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain,
		strings.Replace(reporting, "  quiet:",
			"  long: {query: \"SELECT generate_series(1, 10001) AS i\"}\n  whole: {query: \"SELECT i FROM "+
				"generate_series(1, 10000) i\", alert: true}\n  quiet:", 1))
	for _, c := range []struct{ call, code, message string }{
		{"CALL retention.run('parity', scope => '{\"g\": 1}')", "22023", "cannot be narrowed"},
		{"CALL retention.run('parity', older_than => '1 day')", "22023", "cannot be changed at run time"},
		{"CALL retention.run('parity', '2999-01-01')", "22023", "in the future"},
		{"SELECT due::text FROM retention.preview('parity')", "22023", "is a report"},
		{"CALL retention.run('long')", "54000", "more than 10000 rows"},
	} {
		if _, err := in.Call(c.call); err == nil || err.Code != c.code || !strings.Contains(err.Message, c.message) {
			t.Errorf("%s: got error %v, want %s with %q", c.call, err, c.code, c.message)
		}
	}
	if _, err := in.Call("CALL retention.run('whole')"); err != nil {
		t.Error(err)
	}
	if got := in.Rows(`SELECT r.alerts, jsonb_array_length(r.rows), jsonb_array_length(e.payload -> 'rows')
		FROM retention.report r, retention.event e`); len(got) != 1 || got[0] != "(10000,10000,20)" {
		t.Errorf("alerts and row counts are %v, want 10000 alerts, 10000 rows, 20 rows in the event", got)
	}
	if err := in.Operator("SELECT retention.pause('parity', 'no need')"); err != nil {
		t.Fatal(err)
	}
	if o := in.Run("parity", noon); o.State != "paused" || o.Err != nil {
		t.Errorf("want a run with state paused, no error; got %+v", o)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.backlog WHERE policy = 'parity'"); n != 0 {
		t.Error("a report is in the backlog")
	}
	if err := in.Operator("SELECT * FROM retention.report_rows('parity')"); err != nil {
		t.Error(err)
	}
	if _, err := in.Runner().Exec(t.Context(), "SELECT * FROM retention.parity_report(now())"); err == nil {
		t.Error("the runner may call the report's function")
	}
}

// TestReportBecomesPolicy changes a policy into a report of the same name, and back.
func TestReportBecomesPolicy(t *testing.T) {
	t.Parallel()
	const report = `policies: {q: {table: m, where: id < 0, then: [delete]}}
reports: {p: {query: "SELECT count(*) AS n FROM m"}}`
	const policy = `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]},
		q: {table: m, where: id < 0, then: [delete]}}`
	in := kit.Install(t, plain, policy)
	in.Migrate(t, report)
	if o := in.Done("p", noon); o.Taken != 0 || o.Message != "1 rows, 0 alerts" || len(ids(t, in)) != 20 {
		t.Errorf("as a report: want a run with taken 0, message \"1 rows, 0 alerts\"; got %+v", o)
	}
	in.Migrate(t, policy)
	if o := in.Done("p", noon); o.Taken != 13 || len(ids(t, in)) != 7 {
		t.Errorf("as a policy: want a run with taken 13; got %+v", o)
	}
}

// TestWords checks the view retention.descriptions. It describes what a policy or report does and
// which jobs run it. The description changes with the policy.
func TestWords(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, reporting)
	words := func(policy string) string {
		return pgtest.Value[string](t, in, "SELECT description FROM retention.descriptions WHERE policy = $1", policy)
	}
	runs := "runs      on schedule @weekly, in job weekly: parity, then broken, then p, then quiet\n"
	want := `deletes   rows of public.m
due       at lies more than 7 days back
order     oldest first, by at, id
takes     one statement per batch; row by row if rows are locked, refused or held
` + runs
	if diff := cmp.Diff(want, words("p")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff("asks      SELECT 1 / (count(*) - 7) AS x FROM m\n"+runs, words("broken")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	in.Migrate(t,
		strings.Replace(strings.Replace(reporting, "7 days}}, then", "8 days}}, then", 1), "jobs: {weekly",
			"jobs: {other: {schedule: '@daily', run: [p]}, weekly", 1))
	want = strings.Replace(want, "7 days", "8 days", 1)
	want = strings.Replace(want, "runs ", "runs      on schedule @daily, in job other\nruns ", 1)
	if diff := cmp.Diff(want, words("p")); diff != "" {
		t.Errorf("after a change (-want +got)\n%s", diff)
	}
}

// insertRuns inserts finished runs of policies that are not in the file, with one batch each. Each
// row of runs is a policy, a state, and how many days ago the run ended.
func insertRuns(t *testing.T, in *kit.Installed, runs string) {
	t.Helper()
	in.Exec(t, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, started_at, ended_at)
		SELECT p, 'public.other', '', now(), s, now() - d * interval '1 day', now() - d * interval '1 day'
		FROM (VALUES `+runs+`) v (p, s, d) ORDER BY d DESC`)
	in.Exec(t, `INSERT INTO retention.total (policy, last_run, success_run)
		SELECT policy, max(id) FILTER (WHERE state <> 'busy'), max(id) FILTER (WHERE state IN ('done', 'more'))
		FROM retention.run GROUP BY 1`)
	in.Exec(t, `INSERT INTO retention.batch (run_id, n, mode, next_pass, next_rows) SELECT id, 0, 'start', 1, 1
		FROM retention.run`)
}

// remainingRuns returns the runs that insertRuns inserted and that still exist, with their numbers
// of batches.
func remainingRuns(in *kit.Installed) []string {
	return in.Rows(`SELECT r.policy, r.state, (now()::date - started_at::date), count(b.n)
		FROM retention.run r LEFT JOIN retention.batch b ON b.run_id = r.id WHERE r.policy <> 'p' GROUP BY r.id`)
}

// endRunsEarlier moves the end of all runs two hours back, because only the first run that ends in
// an hour purges the log.
func endRunsEarlier(t *testing.T, in *kit.Installed) {
	t.Helper()
	in.Exec(t, "UPDATE retention.run SET ended_at = ended_at - interval '2 hours'")
}

// TestRunLogIsKeptShort checks that the purge keeps what status and verify read: the newest run of
// each policy, and the newest successful one.
func TestRunLogIsKeptShort(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	insertRuns(t, in, `('o', 'done', 200), ('o', 'more', 150), ('o', 'failed', 120), ('o', 'failed', 110),
		('gone', 'failed', 300), ('gone', 'done', 250), ('gone', 'done', 91), ('gone', 'busy', 89)`)
	if o := in.Done("p", "now"); o.Taken != 20 || o.Note != "" {
		t.Errorf("want a run with taken 20, no note; got %+v", o)
	}
	if diff := cmp.Diff([]string{"(gone,busy,89,1)", "(gone,done,91,1)", "(o,failed,110,1)", "(o,more,150,1)"},
		remainingRuns(in)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// TestARunPurgesAllThatIsDue checks that one run purges all old rows of each log table, in as many
// transactions as needed. It purges no other rows.
func TestARunPurgesAllThatIsDue(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, reporting)
	insertRuns(t, in, "('o', 'done', 100), ('o', 'done', 95), ('o', 'done', 10), ('o', 'done', 9)")
	in.Exec(t, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, started_at, ended_at)
			SELECT 'many', 'public.many', '', now(), 'failed', now() - interval '1 year', now() - interval '1 year'
				FROM generate_series(1, 250);
		INSERT INTO retention.undo (run_id, policy, key, written) SELECT id, 'o', ARRAY[i::text], '{}'
			FROM retention.run, generate_series(1, 1200) i WHERE policy = 'o';
		INSERT INTO retention.restored (policy, run_id, restored, refused) SELECT policy, id, 0, 0
			FROM retention.run WHERE policy = 'o';
		INSERT INTO retention.event (policy, event, at) SELECT 'o', 'x', now() - d * interval '1 day'
			FROM (VALUES (31), (29)) v (d), generate_series(1, 1200);
		INSERT INTO retention.claim (policy, at, asked, won) SELECT 'o', now() - d * interval '1 day', 1, 1
			FROM (VALUES (8), (6)) v (d), generate_series(1, 1200);
		INSERT INTO retention.report (name, as_of, at, run_id, rows, alerts)
			SELECT n, now(), now() - d * interval '1 day', 1, '[]', 0
			FROM generate_series(1, 1200), (VALUES ('parity', 400), ('parity', 300), ('gone', 500)) v (n, d)`)
	in.Done("p", "now")
	got := in.Rows(`SELECT 'undo', count(*) FROM retention.undo UNION ALL SELECT 'restored', count(*)
		FROM retention.restored
		UNION ALL SELECT 'event', count(*) FROM retention.event UNION ALL SELECT 'claim', count(*)
		FROM retention.claim
		UNION ALL SELECT name, count(*) FROM retention.report GROUP BY name UNION ALL SELECT policy, count(*)
		FROM retention.run GROUP BY policy`)
	want := []string{"(claim,1200)", "(event,1200)", "(gone,1)", "(many,1)", "(o,2)", "(p,1)", "(parity,1200)",
		"(restored,2)", "(undo,2400)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestRunsThatDoNotPurge checks calls that must not change the log: a dry run, a paused run, a run
// on a copy. A run as of the past purges only what was due then.
func TestRunsThatDoNotPurge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, call string }{
		"in a dry run":         {"", "CALL retention.run('p', dry_run => true)"},
		"while all are paused": {"SELECT retention.pause(reason => 'a look')", "CALL retention.run('p')"},
		"on a copy":            {"UPDATE retention.install SET system_identifier = 1", "CALL retention.run('p')"},
		"as of the past":       {"", "CALL retention.run('p', as_of => now() - interval '30 days')"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, plain, old(""))
			insertRuns(t, in, "('o', 'done', 100), ('o', 'done', 95)")
			if c.before != "" {
				in.Exec(t, c.before)
			}
			if outcome, err := in.Call(c.call); err != nil || len(remainingRuns(in)) != 2 {
				t.Errorf("the call returned %q and error %v; runs left: %v, want both", outcome, err, remainingRuns(in))
			}
		})
	}
}

// TestPurgeSkipsLockedRows checks that a purge skips locked rows. It waits neither for a restore
// nor for the purge of another run.
func TestPurgeSkipsLockedRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	insertRuns(t, in, "('o', 'done', 102), ('o', 'done', 101), ('o', 'done', 100), ('o', 'done', 99)")
	in.Exec(t, `INSERT INTO retention.undo (run_id, policy, key, written) SELECT id, 'o', '{1}', '{}'
		FROM retention.run WHERE id = 2`)
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "BEGIN; SELECT FROM retention.run WHERE id = 1 FOR UPDATE; DELETE FROM retention.undo")
	if o := in.Done("p", "now"); o.Note != "" {
		t.Errorf("the run has the note %q, want none", o.Note)
	}
	if diff := cmp.Diff([]string{"(o,done,101,1)", "(o,done,102,1)", "(o,done,99,1)"}, remainingRuns(in)); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	pgtest.Exec(t, conn, "ROLLBACK")
	endRunsEarlier(t, in)
	in.Done("p", "now")
	if undo := in.Rows("SELECT FROM retention.undo"); len(remainingRuns(in)) != 1 || len(undo) != 0 {
		t.Errorf("runs left: %v, want 1; undo rows left: %v, want none", remainingRuns(in), undo)
	}
}

// TestPurgeOfLockedTable checks a purge that cannot lock a table of the log. The runs of its job
// stay "done", and the log stays complete. The first run of the next hour purges it.
func TestPurgeOfLockedTable(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, reporting)
	insertRuns(t, in, "('o', 'done', 100), ('o', 'done', 95)")
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "BEGIN; LOCK TABLE retention.claim IN ACCESS EXCLUSIVE MODE")
	_, err := in.Call("CALL retention.run_job('weekly')")
	pgtest.Exec(t, conn, "ROLLBACK")
	if err != nil {
		t.Fatal(err)
	}
	if runs := in.Rows("SELECT FROM retention.run WHERE job = 'weekly' AND state = 'done'"); len(runs) != 4 ||
		len(remainingRuns(in)) != 5 {
		t.Errorf("%d runs are done, want 4; runs left: %v, want 5", len(runs), remainingRuns(in))
	}
	endRunsEarlier(t, in)
	in.Done("p", "now")
	if len(remainingRuns(in)) != 4 {
		t.Errorf("runs left: %v, want 4", remainingRuns(in))
	}
}

// TestCronLogIsKeptShort checks that the first job in an hour purges cron.job_run_details. It
// deletes only rows of its own role. Without the privilege DELETE the call fails after its runs.
func TestCronLogIsKeptShort(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, "install: {scheduler: pg_cron}\n"+
		old("")+"\njobs: {yearly: {schedule: '0 0 1 1 *', run: [p]}}", kit.On(pgtest.CronServer(t)))
	aged := func() {
		in.Exec(t, `TRUNCATE cron.job_run_details;
			INSERT INTO cron.job_run_details (runid, username, start_time, end_time)
			SELECT x.id, x.username, x.start, CASE WHEN x.ended THEN x.start + interval '1 minute' END
			FROM (VALUES (1, 'retention_runner', now() - interval '15 days', true),
			             (2, 'retention_runner', NULL, false),                          -- crashed before it started
			             (3, 'retention_runner', now() - interval '16 days', false),    -- crashed
			             (4, 'postgres', now() - interval '15 days', true),
			             (5, 'retention_runner', now() - interval '13 days', true),
			             (6, 'retention_runner', NULL, false)) x (id, username, start, ended);  -- in progress`)
	}
	run := func(call string, want ...int64) {
		t.Helper()
		if outcome, err := in.Call(call); err != nil {
			t.Fatal(outcome, err)
		}
		if diff := cmp.Diff(want,
			pgtest.Column[int64](t, in, "SELECT runid FROM cron.job_run_details ORDER BY 1")); diff != "" {
			t.Errorf("%s left of cron.job_run_details (-want +got):\n%s", call, diff)
		}
	}
	const job = "CALL retention.run_job('yearly')"
	aged()
	run("CALL retention.run_job('yearly', dry_run => true)", 1, 2, 3, 4, 5, 6)
	// A person calls run() as another role. That purges no rows of the jobs' role.
	in.Exec(t, "CALL retention.run('p')")
	run("CALL retention.run('p', dry_run => true)", 1, 2, 3, 4, 5, 6)
	endRunsEarlier(t, in)
	run(job, 4, 5, 6)
	aged()
	// Without this, the test fails if a new hour has begun since the last job.
	in.Exec(t, "UPDATE retention.run SET ended_at = ended_at + interval '1 hour'")
	run(job, 1, 2, 3, 4, 5, 6)
	endRunsEarlier(t, in)
	run(job, 4, 5, 6)
	aged()
	endRunsEarlier(t, in)
	other := in.Conn(t) // another session that purges the table
	pgtest.Exec(t, other, "BEGIN; SELECT FROM cron.job_run_details FOR UPDATE")
	run(job, 1, 2, 3, 4, 5, 6)
	pgtest.Exec(t, other, "ROLLBACK")
	aged()
	endRunsEarlier(t, in)
	in.Exec(t, "REVOKE DELETE ON cron.job_run_details FROM PUBLIC")
	if _, err := in.Call(job); err == nil || err.Code != "42501" {
		t.Errorf("got %v, want the right that is missing", err)
	}
	if o := in.Last("p"); o.State != "done" {
		t.Errorf("want a run with state done; got %+v", o)
	}
}
