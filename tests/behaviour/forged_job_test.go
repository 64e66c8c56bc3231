package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestForgedJobIsNotLogged calls the functions behind run_job directly, with requests that no job
// makes. It does so as each role that may start a run. The run log must contain neither the job nor
// the note of such a request.
func TestForgedJobIsNotLogged(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE SCHEMA tenant_a;
		CREATE TABLE tenant_a.m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE INDEX ON tenant_a.m (at, id);
		CREATE SCHEMA tenant_b; CREATE TABLE tenant_b.m (LIKE tenant_a.m INCLUDING ALL);
		CREATE TABLE sig (LIKE tenant_a.m INCLUDING ALL, chain int);
		CREATE TABLE other (LIKE tenant_a.m INCLUDING ALL)`, `
each: {each_tenant: {schemas: "tenant_*"}}
policies:
  members: {table: each_tenant.m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  signals: {table: sig, scope: [chain], due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  other: {table: other, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs:
  nightly: {schedule: "0 3 * * *", run: [members]}
  sol: {schedule: "0 * * * *", run: [signals], scope: {chain: "1"}}
  single: {schedule: "30 * * * *", run: [other]}`)
	// Each request ends with a note, as the field after dry_run.
	const note = "'a false note')::retention.request"
	begin := func(fields string) string { return "SELECT retention._begin((" + fields + ", " + note + ")" }
	forged := map[string]string{
		"an unknown job":          begin("'other', NULL, NULL, 'hourly', NULL, NULL, false"),
		"a job of another policy": begin(`'other', NULL, NULL, 'sol', NULL, '{"chain": 1}', false`),
		"another scope":           begin(`'signals', NULL, NULL, 'sol', NULL, '{"chain": 2}', false`),
		"another window":          begin(`'signals', NULL, NULL, 'sol', '2 days', '{"chain": 1}', false`),
		"an unknown policy":       begin("'unknown', NULL, NULL, 'single', NULL, NULL, false"),
		"an as_of in the future":  begin("'other', now() + '1 day', NULL, 'sol', NULL, NULL, false"),
		"a dry run":               begin("'other', NULL, NULL, 'sol', NULL, NULL, true"),
		"instances without due rows": "SELECT retention._idle_policies(1, " +
			"(NULL, NULL, NULL, 'sol', NULL, NULL, false, " + note +
			", ARRAY['members@tenant_a', 'members@tenant_b'], '{}')",
		"the procedure of one run": "CALL retention._drive(('other', NULL, NULL, 'sol', NULL, NULL, false, " +
			note + ", NULL)",
		"the procedure of a whole job": "CALL retention._run_all(ARRAY['other'], " +
			"(NULL, NULL, NULL, 'sol', NULL, NULL, false, " + note + ", false, NULL)",
	}
	conn := in.Conn(t)
	for name, sql := range forged {
		for role, call := range map[string]func(string) error{
			"runner":   func(sql string) error { _, err := in.Runner().Exec(t.Context(), sql); return err },
			"operator": func(sql string) error { return in.Operator(sql) },
		} {
			before := pgtest.Value[int64](t, conn, "SELECT coalesce(max(id), 0) FROM retention.run")
			err := call(sql)
			if err != nil && !strings.Contains(err.Error(), "P0002") {
				t.Errorf("%s, as %s: %v", name, role, err)
			}
			pgtest.Exec(t, conn, "UPDATE retention.run SET state = 'done' WHERE state = 'running'")
			got := pgtest.Value[string](t, conn, `SELECT coalesce(string_agg(DISTINCT format('job %s, note %s',
					coalesce(job, 'none'), coalesce(note, 'none')), '; '), 'no run')
				FROM retention.run WHERE id > $1`, before)
			if got != "job none, note none" {
				t.Errorf("%s, as %s: the log has %s, want no job and no note", name, role, got)
			}
		}
	}
	before := pgtest.Value[int64](t, conn, "SELECT max(id) FROM retention.run")
	for _, job := range []string{"nightly", "sol", "single"} {
		in.Runner().Exec(t.Context(), "CALL retention.run_job('"+job+"')")
	}
	got := pgtest.Column[string](t, conn, `SELECT policy || ' by ' || coalesce(job, 'nobody') FROM retention.run
		WHERE id > $1 ORDER BY id`, before)
	want := []string{"members@tenant_a by nightly", "members@tenant_b by nightly", "signals by sol", "other by single"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs of jobs (-want +got):\n%s", diff)
	}
}

// TestNoStepOfADryRunIsCommitted calls _drive with a request for a dry run. Only _dry_run rolls
// back what a dry run did, so this run must fail and take no row.
func TestNoStepOfADryRunIsCommitted(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, rowsOfM, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
		then: [delete]}}`)
	_, err := in.Runner().Exec(t.Context(),
		"CALL retention._drive(('p', NULL, 'x', NULL, NULL, NULL, true, NULL)::retention.request, NULL)")
	if err != nil && sqlState(err) != "55000" {
		t.Errorf("_drive raised %v, want no error or SQLSTATE 55000", err)
	}
	if rows := in.Rows("SELECT id FROM m"); len(rows) != 3 {
		t.Errorf("%d rows are left, want 3", len(rows))
	}
	if state := pgtest.Value[string](t, in, "SELECT string_agg(state, ' ') FROM retention.run"); state != "failed" {
		t.Errorf("the run is %s, want failed", state)
	}
}
