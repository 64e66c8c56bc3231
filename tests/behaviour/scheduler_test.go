package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestHiddenScheduler reads health(), status and metrics where the roles of the install cannot see
// the scheduler or its jobs, and where no scheduler is needed. A scheduler that cannot be seen is
// reported as unknown, not as stopped. It does not make the queries fail.
func TestHiddenScheduler(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs: {nightly: {schedule: "17 3 * * *", run: [p]}}`)
	conn := in.Conn(t)
	const (
		table = `CREATE SCHEMA cron;
			CREATE TABLE cron.job (jobid bigint, jobname name, schedule text, command text, nodename text,
				nodeport int, database text, username text, active boolean);`
		opened = table + "GRANT USAGE ON SCHEMA cron TO retention_runner; GRANT SELECT ON cron.job TO retention_runner;"
		cron   = "UPDATE retention.install SET scheduler = 'pg_cron';"
		job    = `INSERT INTO cron.job VALUES (1, 'retention.nightly', '17 3 * * *',
			'CALL retention.run_if_due(''nightly'')', '', 0, current_database(), 'retention_runner', true);`
	)
	for name, c := range map[string]struct{ before, state, has, lacks string }{
		"nothing needs one": {"", "none", "", "cron"},
		"schema of another": {"CREATE SCHEMA cron; CREATE TABLE cron.job (x int)", "none", "", "cron"},
		"schema of another, jobs": {cron + "CREATE SCHEMA cron; CREATE TABLE cron.job (x int)", "",
			`job "retention.nightly" is not scheduled in pg_cron`, "could not check"},
		"schema shut to the runner":   {cron + table, "", "could not check the jobs in pg_cron", "job \""},
		"jobs of another application": {opened, "none", "", "cron"},
		"a job that is there":         {cron + opened + job, "", "", "job"},
		"a job that is gone": {cron + opened, "", `job "retention.nightly" is not scheduled in pg_cron`,
			"could not check"},
		"a job that is off": {cron + opened + job + "UPDATE cron.job SET active = false", "",
			`job "retention.nightly" is switched off in pg_cron`, "could not check"},
		"a job with another command": {cron + opened + job + "UPDATE cron.job SET command = 'SELECT 1'", "",
			`job "retention.nightly" has another command or database`, "could not check"},
		"a job with another schedule": {cron + opened + job + "UPDATE cron.job SET schedule = '18 3 * * *'", "",
			`job "retention.nightly" has another schedule in pg_cron`, "could not check"},
		"sessions that are hidden": {cron + "REVOKE pg_monitor, pg_read_all_stats FROM retention_owner", "unknown",
			"could not determine whether the pg_cron scheduler is running", "scheduler is not running"},
		"sessions that are seen": {cron, "stopped", "the pg_cron scheduler is not running", "could not see"},
	} {
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), c.before); err != nil {
			t.Fatalf("%s: the preparation failed: %v", name, err)
		}
		var state, problems string
		var metrics, status int
		err = tx.QueryRow(t.Context(), `SELECT retention._scheduler_state(),
			(SELECT coalesce(string_agg(h.problem, '; '), '') FROM retention.health() h),
			(SELECT count(*) FROM retention.metrics m WHERE m.name = 'retention_scheduler_running'),
			(SELECT count(*) FROM retention.status)`).Scan(&state, &problems, &metrics, &status)
		switch {
		case err != nil:
			t.Errorf("%s: the query failed: %v", name, err)
		case c.state != "" && state != c.state,
			!strings.Contains(problems, c.has), strings.Contains(problems, c.lacks),
			status != 1,
			metrics != map[bool]int{true: 1}[state == "running" || state == "stopped"]:
			t.Errorf("%s: state %s, health %q, %d metrics, %d rows of status", name, state, problems, metrics, status)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSchemaCronOfAnother runs a job in a database whose schema "cron" belongs to another
// application. The job does not take its tables for those of pg_cron.
func TestSchemaCronOfAnother(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs: {nightly: {schedule: "17 3 * * *", run: [p]}}`)
	in.Exec(t, `CREATE SCHEMA cron;
		CREATE TABLE cron.job (x int);
		CREATE TABLE cron.job_run_details (x int);
		GRANT USAGE ON SCHEMA cron TO PUBLIC;
		GRANT ALL ON ALL TABLES IN SCHEMA cron TO PUBLIC`)
	if outcome, err := in.Call("CALL retention.run_job('nightly')"); err != nil {
		t.Errorf("the job failed: %v\n%v", err, outcome)
	}
	if o := in.Last("p"); o.State != "done" {
		t.Errorf("want a run with state done; got %+v", o)
	}
}

// TestHintsOnJobs damages jobs of pg_cron and types the hints of health() as they stand. After
// that, health() is silent and the jobs are as before.
func TestHintsOnJobs(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, `
install: {}
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs:
  nightly: {schedule: ["17 3 * * *", "@daily"], run: [p]}
  yearly: {schedule: "@yearly", run: [p]}`, kit.On(pgtest.CronServer(t)))
	const jobs = "SELECT concat_ws(' ', jobname, schedule, command, username, active) FROM cron.job ORDER BY 1"
	before := pgtest.Column[string](t, in, jobs)
	hints := func() []string {
		return pgtest.Column[string](t, in,
			"SELECT hint FROM retention.health() WHERE problem ~ '^job ' ORDER BY hint")
	}
	for _, damage := range []string{
		"UPDATE cron.job SET active = false WHERE jobname = 'retention.nightly'",
		"DELETE FROM cron.job WHERE jobname ~ 'nightly'",
		"UPDATE cron.job SET command = 'SELECT 1' WHERE jobname = 'retention.nightly#2'",
		"UPDATE cron.job SET schedule = '18 3 * * *' WHERE jobname = 'retention.nightly'",
	} {
		in.Exec(t, damage)
		found := hints()
		for _, hint := range found {
			in.Exec(t, hint)
		}
		after := pgtest.Column[string](t, in, jobs)
		if diff := cmp.Diff(before, after); diff != "" || len(found) == 0 || len(hints()) > 0 {
			t.Errorf("%s: after the hints %q the jobs differ (-before +after):\n%s", damage, found, diff)
		}
	}
	in.Exec(t, "DELETE FROM cron.job WHERE jobname = 'retention.yearly'")
	if found := hints(); len(found) != 1 || !strings.HasPrefix(found[0], `Run "pgretain verify".`) {
		t.Errorf("for a schedule that pg_cron gets in another form, the hint is %q, want verify", found)
	}
}

// TestLongNamesInCron checks a job whose name is too long for pg_cron. It gets a shorter name
// there. health() finds the job and its attempts by that name.
func TestLongNamesInCron(t *testing.T) {
	t.Parallel()
	const schema, job = "retention_of_the_billing_application", "purge_of_sessions_that_nobody_needs"
	in := kit.Install(t, plain, `
install: {schema: `+schema+`, scheduler: none}
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs: {`+job+`: {schedule: ["17 3 * * *", "@reboot"], run: [p]}}`)
	in.Exec(t,
		strings.ReplaceAll(`UPDATE retention.install SET scheduler = 'pg_cron';
			CREATE SCHEMA cron;
			CREATE TABLE cron.job (jobid bigint, jobname name, schedule text, command text, nodename text,
				nodeport int, database text, username text, active boolean);
			CREATE TABLE cron.job_run_details (jobid bigint, runid bigint, status text, return_message text,
				start_time timestamptz, end_time timestamptz);
			GRANT USAGE ON SCHEMA cron TO retention_runner;
			GRANT SELECT ON cron.job, cron.job_run_details TO retention_runner;
			INSERT INTO cron.job SELECT n, j.cron_names[n], j.schedules[n], 'CALL retention.run_if_due(''`+job+`'')',
				'', 0, current_database(), 'retention_runner', true
			FROM retention.job j, generate_series(1, 2) n;
			INSERT INTO cron.job_run_details SELECT 2, n, 'failed', 'connection failed', now(), now()
				FROM generate_series(1, 3) n`, "retention.", schema+"."))
	problems := pgtest.Column[string](t, in, "SELECT problem FROM "+schema+".health() WHERE problem ~ 'job'")
	if len(problems) != 1 || !strings.Contains(problems[0], "its last 3 attempts failed: connection failed") {
		t.Errorf("health() has the problems %q, want the failed attempts of the job", problems)
	}
	for _, name := range pgtest.Column[string](t, in, "SELECT unnest(cron_names) FROM "+schema+".job") {
		if len(name) > 63 || !strings.HasPrefix(name, schema+".") {
			t.Errorf("the name %q has %d bytes, want at most 63 and the schema first", name, len(name))
		}
	}
}
