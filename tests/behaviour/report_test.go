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

// A report keeps its answer with its date, alerts where its condition holds, and fails alone.
func TestReports(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, reporting)
	for _, report := range []string{"parity", "quiet"} {
		if outcome, err := in.Call("CALL retention.run($1, $2, dry_run => true)", report, noon); err != nil || !strings.HasPrefix(outcome, report+": dry run, done") {
			t.Errorf("%s: %q, %v", report, outcome, err)
		}
	}
	if n := pgtest.Value[int](t, in, "SELECT (SELECT count(*) FROM retention.report) + (SELECT count(*) FROM retention.event) + (SELECT count(*) FROM retention.total)"); n != 0 {
		t.Errorf("a dry run kept %d things", n)
	}
	if outcome, err := in.Call("CALL retention.run_job('weekly', $1)", noon); err != nil {
		t.Errorf("%q, %v", outcome, err)
	}
	runs := in.Rows("SELECT policy, state, taken, message FROM retention.run WHERE NOT dry_run")
	want := []string{`(broken,done,0,"1 rows, 0 alerts")`, "(p,done,13,)", `(parity,done,0,"2 rows, 1 alerts")`, `(quiet,done,0,"1 rows, 0 alerts")`}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("runs:\n%s", diff)
	}
	// The thirteen rows are 8 to 20: seven even ones, six odd ones.
	answers := pgtest.Column[string](t, in, "SELECT concat_ws('|', name, alerts, as_of = $1, rows) FROM retention.report WHERE name = 'parity'", noon)
	if diff := cmp.Diff([]string{`parity|1|t|[{"n": 7, "odd": 0}, {"n": 6, "odd": 1}]`}, answers); diff != "" {
		t.Errorf("answers:\n%s", diff)
	}
	var event map[string]any
	if err := json.Unmarshal([]byte(pgtest.Value[string](t, in, "SELECT payload::text FROM retention.event WHERE policy = 'parity' AND event = 'report_alert'")), &event); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"alerts": 1.0, "rows": []any{map[string]any{"n": 7.0, "odd": 0.0}}, "as_of": event["as_of"]}, event); diff != "" {
		t.Errorf("event:\n%s", diff)
	}
	if health := in.Rows("SELECT severity, policy, problem FROM retention.health()"); len(health) != 1 || !strings.HasPrefix(health[0], `(warning,parity,"the report alerts: 1 of 2 rows at `) {
		t.Errorf("health: %v", health)
	}
	metrics := in.Rows("SELECT name, labels ->> 'report', value FROM retention.metrics WHERE labels ? 'report'")
	if diff := cmp.Diff([]string{"(retention_report_alerts,broken,0)", "(retention_report_alerts,parity,1)", "(retention_report_alerts,quiet,0)",
		"(retention_report_rows,broken,1)", "(retention_report_rows,parity,2)", "(retention_report_rows,quiet,1)"}, metrics); diff != "" {
		t.Errorf("metrics:\n%s", diff)
	}
	status := in.Rows("SELECT policy, jobs, last_state, last_message FROM retention.status WHERE policy IN ('parity', 'broken')")
	if diff := cmp.Diff([]string{`(broken,weekly,done,"1 rows, 0 alerts")`, `(parity,weekly,done,"2 rows, 1 alerts")`}, status); diff != "" {
		t.Errorf("status:\n%s", diff)
	}
	// Seven rows are left: the next answer is another, and the broken one divides by zero.
	_, err := in.Call("CALL retention.run_job('weekly', $1)", noon)
	if err == nil || err.Code != "22012" || !strings.Contains(err.Message, "broken: failed") {
		t.Errorf("%v", err)
	}
	runs = in.Rows("SELECT policy, state, message FROM retention.run WHERE id > 6")
	if diff := cmp.Diff([]string{`(broken,failed,"division by zero")`, "(p,done,)", `(parity,done,"0 rows, 0 alerts")`, `(quiet,done,"1 rows, 0 alerts")`}, runs); diff != "" {
		t.Errorf("runs:\n%s", diff)
	}
	if problems := in.Rows("SELECT policy FROM retention.health()"); strings.Join(problems, " ") != "(broken)" {
		t.Errorf("health: %v", problems)
	}
}

// What a report is not: a policy that takes rows, or has a window or a scope; and its limits.
func TestReportsRefused(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, strings.Replace(reporting, "  quiet:", "  long: {query: \"SELECT generate_series(1, 10001) AS i\"}\n  whole: {query: \"SELECT i FROM generate_series(1, 10000) i\", alert: true}\n  quiet:", 1))
	for _, c := range []struct{ call, code, message string }{
		{"CALL retention.run('parity', scope => '{\"g\": 1}')", "22023", "cannot be narrowed"},
		{"CALL retention.run('parity', older_than => '1 day')", "22023", "cannot be changed at run time"},
		{"CALL retention.run('parity', '2999-01-01')", "22023", "in the future"},
		{"SELECT due::text FROM retention.preview('parity')", "22023", "is a report"},
		{"CALL retention.run('long')", "54000", "more than 10000 rows"},
	} {
		if _, err := in.Call(c.call); err == nil || err.Code != c.code || !strings.Contains(err.Message, c.message) {
			t.Errorf("%s: %v", c.call, err)
		}
	}
	if _, err := in.Call("CALL retention.run('whole')"); err != nil {
		t.Error(err)
	}
	if got := in.Rows("SELECT r.alerts, jsonb_array_length(r.rows), jsonb_array_length(e.payload -> 'rows') FROM retention.report r, retention.event e"); len(got) != 1 || got[0] != "(10000,10000,20)" {
		t.Errorf("%v", got)
	}
	if err := in.Operator("SELECT retention.pause('parity', 'no need')"); err != nil {
		t.Fatal(err)
	}
	if o := in.Run("parity", noon); o.State != "paused" || o.Err != nil {
		t.Errorf("%+v", o)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.backlog WHERE policy = 'parity'"); n != 0 {
		t.Error("a report is in the backlog")
	}
	if err := in.Operator("SELECT * FROM retention.ask('parity')"); err != nil {
		t.Error(err)
	}
	if _, err := in.Runner().Exec(t.Context(), "SELECT * FROM retention.parity_report(now())"); err == nil {
		t.Error("the runner may call the report's function")
	}
}

// A report may become a policy, and a policy a report.
func TestReportBecomesPolicy(t *testing.T) {
	t.Parallel()
	const report = "policies: {q: {table: m, where: id < 0, then: [delete]}}\nreports: {p: {query: \"SELECT count(*) AS n FROM m\"}}"
	const policy = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}, q: {table: m, where: id < 0, then: [delete]}}"
	in := kit.Install(t, plain, policy)
	in.Migrate(t, report)
	if o := in.Done("p", noon); o.Taken != 0 || o.Message != "1 rows, 0 alerts" || len(ids(t, in)) != 20 {
		t.Errorf("as a report: %+v", o)
	}
	in.Migrate(t, policy)
	if o := in.Done("p", noon); o.Taken != 13 || len(ids(t, in)) != 7 {
		t.Errorf("as a policy: %+v", o)
	}
}

// TestWords: the registry says in words what policies and reports do, and which jobs run them; a policy that changes
// has other words.
func TestWords(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, reporting)
	words := func(policy string) string {
		return pgtest.Value[string](t, in, "SELECT words FROM retention.words WHERE policy = $1", policy)
	}
	runs := "runs      on schedule @weekly, in job weekly: parity, then broken, then p, then quiet\n"
	want := `deletes   rows of public.m
due       at lies more than 7 days back
order     oldest first, by at, id
takes     one statement a batch (RANGE); LOCKED where rows are contended, refused or held
` + runs
	if diff := cmp.Diff(want, words("p")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff("asks      SELECT 1 / (count(*) - 7) AS x FROM m\n"+runs, words("broken")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	in.Migrate(t, strings.Replace(strings.Replace(reporting, "7 days}}, then", "8 days}}, then", 1), "jobs: {weekly", "jobs: {other: {schedule: '@daily', run: [p]}, weekly", 1))
	want = strings.Replace(want, "7 days", "8 days", 1)
	want = strings.Replace(want, "runs ", "runs      on schedule @daily, in job other\nruns ", 1)
	if diff := cmp.Diff(want, words("p")); diff != "" {
		t.Errorf("after a change (-want +got)\n%s", diff)
	}
}
