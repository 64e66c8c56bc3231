package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

const elsewherePolicy = `version: 1
install: {database: DATABASE, cron_database: postgres, schema: SCHEMA}
policies:
  lines_old:
    table: app.lines
    due: {age: {column: at, older_than: 30 days}}
    breaker: {fraction: 1}
    then: [delete]
jobs:
  purge: {schedule: "* * * * *", run: [lines_old]}
`

// elsewhere is an application whose jobs pg_cron runs from another database.
type elsewhere struct {
	*cli
	app *pgtest.DB
}

// newElsewhere creates a database with its policy file and both directories of migrations.
func newElsewhere(t *testing.T, binary string, cron *pgtest.DB, database, schema string) *elsewhere {
	t.Helper()
	app := cron.Sibling(t, database)
	app.Exec(t, `
		CREATE SCHEMA app AUTHORIZATION cron_deploy;
		SET ROLE cron_deploy;
		CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz);
		INSERT INTO app.lines SELECT n, now() - n * interval '1 day' FROM generate_series(1, 60) n;
		RESET ROLE`)
	c := newCLI(t, binary, app.URL("cron_deploy"), t.TempDir())
	quoted := "'" + strings.ReplaceAll(database, "'", "''") + "'"
	c.write("retention.yaml", strings.NewReplacer("DATABASE", quoted, "SCHEMA", schema).Replace(elsewherePolicy))
	c.must("snapshot")
	c.generate()
	return &elsewhere{c, app}
}

func (c *cli) generate(args ...string) {
	c.t.Helper()
	if r := c.finish(c.command(append([]string{"generate"}, args...)...)); r.code != 0 {
		c.t.Fatal(r)
	}
}

// install executes the steps of docs/scheduling.md, in their order.
func (e *elsewhere) install(t *testing.T, cron *pgtest.DB) {
	t.Helper()
	e.app.Exec(t, e.must("bootstrap").stdout)
	e.must("migrate", "up")
	cron.Exec(t, e.must("bootstrap", "--cron").stdout)
	e.must("migrate", "up", "--cron")
}

const cronJobs = `SELECT format('%s|%s|%s|%s|%s', jobname, schedule, database, username, active)
	FROM cron.job ORDER BY jobname COLLATE "C"`

// testCronElsewhere creates three installs whose jobs are in one schema cron, in a fourth database.
// Two installs share the policy file, and two share the database. pg_cron runs the jobs, and each
// deletes the right rows.
func testCronElsewhere(t *testing.T, binary string) {
	cron := pgtest.CronServer(t)
	cron.Exec(t, "CREATE ROLE cron_deploy LOGIN")
	shop := newElsewhere(t, binary, cron, "shop", "retention")
	// This policy file is for several databases, so it does not name one.
	shop.write("retention.yaml", strings.NewReplacer("database: DATABASE, ", "", "SCHEMA",
		"retention").Replace(elsewherePolicy)+
		"  spread: {schedule: [\"H 3 * * THU\", \"H/20 4 1 1 *\"], run: [lines_old]}\n")
	for _, dir := range []string{"migrations", "migrations_cron"} {
		if err := os.RemoveAll(filepath.Join(shop.dir, dir)); err != nil {
			t.Fatal(err)
		}
	}
	shop.generate()
	shop.want(2, "roles do not exist", "migrate", "up", "--cron")
	shop.app.Exec(t, shop.must("bootstrap").stdout)
	shop.must("migrate", "up")
	shop.want(2, `Have a DBA run in database "postgres" `+
		`what "pgretain bootstrap --cron --migrator cron_deploy" prints.`, "migrate", "up", "--cron")
	for range 2 {
		cron.Exec(t, shop.must("bootstrap", "--cron").stdout)
	}
	if r := shop.run("migrate", "status", "--cron"); r.code != 1 || !strings.Contains(r.stdout, "pending") {
		t.Error(r)
	}
	shop.must("migrate", "up", "--cron")
	shop.must("migrate", "status", "--cron")
	shop.must("migrate", "status")

	odd := newElsewhere(t, binary, cron, `sh'op "2.%`, "retention")
	if err := os.RemoveAll(odd.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(odd.dir, os.DirFS(shop.dir)); err != nil {
		t.Fatal(err)
	}
	odd.install(t, cron)
	second := &elsewhere{newCLI(t, binary, shop.url, t.TempDir()), shop.app}
	second.write("retention.yaml", strings.NewReplacer("DATABASE", "shop", "SCHEMA", "keep", "* * * * *",
		"0 0 1 1 *").Replace(elsewherePolicy))
	second.must("snapshot")
	second.generate()
	second.install(t, cron)

	runner := "|retention_runner|t"
	want := []string{
		`sh'op "2.%.retention.cron_log#purge|53 3 * * *|postgres` + runner,
		`sh'op "2.%.retention.purge|* * * * *|sh'op "2.%` + runner,
		`sh'op "2.%.retention.spread|47 3 * * THU|sh'op "2.%` + runner, // a hash of the name gives the minute
		`sh'op "2.%.retention.spread#2|7-59/20 4 1 1 *|sh'op "2.%` + runner,
		"shop.keep.cron_log#purge|53 3 * * *|postgres" + runner,
		"shop.keep.purge|0 0 1 1 *|shop" + runner,
		"shop.retention.cron_log#purge|53 3 * * *|postgres" + runner,
		"shop.retention.purge|* * * * *|shop" + runner,
		"shop.retention.spread|10 3 * * THU|shop" + runner,
		"shop.retention.spread#2|10-59/20 4 1 1 *|shop" + runner,
	}
	wantJobs(t, cron, want)
	vacuumed := schedulesVacuum(t, cron)
	for _, e := range []*elsewhere{shop, odd} {
		e.waitForTick(t, cron)
	}
	vacuumed()
	shop.verifies(t, cron)
	seen := `SELECT severity || ' ' || problem FROM retention.health() WHERE problem ~ 'jobs in pg_cron|^job '`
	if got := pgtest.Column[string](t, shop.app, seen); !cmp.Equal(got,
		[]string{`unknown could not check the jobs in pg_cron, in database "postgres"`}) {
		t.Errorf("health() reports %q, want that it could not check the jobs in the other database", got)
	}
	shop.reactivates(t, cron)
	wantJobs(t, cron, want)

	shop.purges(t, cron)
	shop.must("migrate", "down", "--cron")
	wantJobs(t, cron, want[:6])
	shop.must("migrate", "up", "--cron")
	shop.movesAway(t)
	wantJobs(t, cron, want[:6])
	odd.uninstalls(t, cron)
	wantJobs(t, cron, want[4:6])
}

// uninstalls checks that uninstall also removes the jobs, and the record of their migrations, in
// pg_cron's database.
func (e *elsewhere) uninstalls(t *testing.T, cron *pgtest.DB) {
	t.Helper()
	schemas := func(db *pgtest.DB) int {
		return pgtest.Value[int](t, db, "SELECT count(*) FROM pg_namespace WHERE nspname ~ 'retention'")
	}
	before := schemas(cron)
	if r := e.must("uninstall", "--yes"); !strings.Contains(r.stdout, "pg_cron jobs") {
		t.Error(r)
	}
	if schemas(e.app) != 0 || schemas(cron) != before-1 {
		t.Errorf("after uninstall the application's database has %d schemas, want 0; pg_cron's has %d, want %d",
			schemas(e.app), schemas(cron), before-1)
	}
	e.must("uninstall", "--yes") // again, as after an interruption
}

func wantJobs(t *testing.T, cron *pgtest.DB, want []string) {
	t.Helper()
	got := pgtest.Column[string](t, cron, cronJobs)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("jobs in pg_cron (-want +got):\n%s", diff)
	}
}

// schedulesVacuum schedules VACUUM of a table as docs/scheduling.md shows, as the table's owner.
// The returned function waits until the VACUUM has run.
func schedulesVacuum(t *testing.T, cron *pgtest.DB) (wait func()) {
	t.Helper()
	statements := regexp.MustCompile(`(?m)^    (ALTER TABLE app\.session|SELECT cron\.schedule\().*;$`).
		FindAllString(fixture.ReadFile(t, "..", "docs", "scheduling.md"), -1)
	if len(statements) != 2 {
		t.Fatalf("docs/scheduling.md has the statements %q, want 2", statements)
	}
	cron.Exec(t, `
		CREATE SCHEMA app AUTHORIZATION cron_deploy;
		GRANT USAGE ON SCHEMA cron TO cron_deploy;
		SET ROLE cron_deploy;
		CREATE TABLE app.session (id int);
		`+strings.Replace(strings.Join(statements, "\n"), "30 4", "* *", 1)+`
		RESET ROLE`)
	return func() {
		t.Helper()
		pgtest.Until(t, cron, "SELECT last_vacuum IS NOT NULL FROM pg_stat_user_tables WHERE relname = 'session'")
		cron.Exec(t, "SET ROLE cron_deploy; SELECT cron.unschedule('vacuum app.session'); RESET ROLE")
	}
}

// waitForTick waits until pg_cron has run the job, and checks the remaining rows.
func (e *elsewhere) waitForTick(t *testing.T, cron *pgtest.DB) {
	t.Helper()
	defer func() { // a cleanup function could not query, because t.Context() has ended there
		if t.Failed() {
			t.Logf("cron.job_run_details: %q", pgtest.Column[string](t, cron,
				"SELECT format('%s %s %s', database, status, return_message) FROM cron.job_run_details"))
		}
	}()
	pgtest.Until(t, e.app, `SELECT EXISTS (SELECT FROM retention.run
		WHERE policy = 'lines_old' AND job = 'purge' AND state = 'done')`)
	left := pgtest.Value[string](t, e.app, "SELECT count(*) || ' to ' || max(id) FROM app.lines WHERE id < 30")
	if rest := pgtest.Value[int64](t, e.app, "SELECT count(*) FROM app.lines WHERE id > 30"); rest != 0 ||
		left != "29 to 29" {
		t.Errorf("in %s %d due rows are left, want 0; of the others %s, want 29 to 29", e.app.Name, rest, left)
	}
}

// verifies checks that verify finds wrong jobs if the role can read them. For other roles the jobs
// are unknown.
func (e *elsewhere) verifies(t *testing.T, cron *pgtest.DB) {
	t.Helper()
	e.app.Exec(t, "CREATE ROLE cron_viewer LOGIN IN ROLE retention_viewer")
	viewer := *e.cli
	viewer.url = e.app.URL("cron_viewer")
	see := func(c *cli, want ...string) {
		t.Helper()
		r := c.run("verify")
		code := 1
		if len(want) == 0 {
			code, want = 0, []string{"conforms"}
		}
		for _, text := range want {
			if r.code != code || !strings.Contains(r.stdout, text) ||
				strings.Contains(r.stdout, "is not in pg_cron") != strings.Contains(want[0], "is not in pg_cron") {
				t.Errorf("exit code %d, want %d and %q in\n%s%s", r.code, code, text, r.stdout, r.stderr)
			}
		}
	}
	for _, user := range []string{"cron_deploy", ""} {
		member := *e.cli
		member.url = e.app.URL(user)
		see(&member)
	}
	see(&viewer, `unknown: could not check the jobs in pg_cron, in database "postgres"`,
		`role "cron_viewer" is not a member of it`, "Verdict: unknown")
	cron.Exec(t, "GRANT retention_runner TO cron_viewer")
	see(&viewer)

	for _, c := range []struct{ tamper, want string }{
		{"UPDATE cron.job SET active = false WHERE jobname = 'shop.retention.purge'", "is switched off in pg_cron"},
		{"UPDATE cron.job SET database = 'postgres' WHERE jobname = 'shop.retention.purge'",
			"has another database in pg_cron"},
		{"UPDATE cron.job SET schedule = '0 0 1 1 *' WHERE jobname = 'shop.retention.cron_log#purge'",
			"has another schedule in pg_cron"},
		{"DELETE FROM cron.job WHERE jobname = 'shop.retention.cron_log#purge'",
			`job "shop.retention.cron_log#purge" is not in pg_cron`},
		{"UPDATE cron.job SET jobname = 'shop.retention.other' WHERE jobname = 'shop.retention.purge'",
			`job "shop.retention.purge" is not in pg_cron`},
		{"UPDATE cron.job SET username = 'postgres' WHERE jobname = 'shop.retention.purge'", ""},
	} {
		cron.Exec(t, "CREATE TABLE saved AS TABLE cron.job; "+c.tamper)
		if c.want == "" { // a superuser sees the job's user; the runner sees only its own jobs
			owner := *e.cli
			owner.url = e.app.URL("")
			see(&owner, `has another user in pg_cron`)
			c.want = `job "shop.retention.purge" is not in pg_cron`
		}
		see(&viewer, c.want)
		cron.Exec(t, "DELETE FROM cron.job; INSERT INTO cron.job SELECT * FROM saved; DROP TABLE saved")
	}
	see(&viewer)
}

// reactivates checks that executing the SQL of the migration again, as with psql, activates an
// inactive job and restores a changed database.
func (e *elsewhere) reactivates(t *testing.T, cron *pgtest.DB) {
	t.Helper()
	history, err := generator.Read(os.DirFS(filepath.Join(e.dir, "migrations_cron")))
	if err != nil {
		t.Fatal(err)
	}
	conn := cron.Conn(t, "cron_deploy")
	pgtest.Exec(t, conn, "SET pgretain.database = 'shop'")
	for _, tamper := range []string{
		"database = 'postgres' WHERE jobname = 'shop.retention.purge'",
		"active = false WHERE jobname LIKE 'shop.retention.%'",
	} {
		cron.Exec(t, "UPDATE cron.job SET "+tamper)
		for _, o := range history.Objects() {
			pgtest.Exec(t, conn, "SET ROLE retention_runner; "+o.SQL+"RESET ROLE;")
		}
	}
}

// purges checks that the purge job deletes only old rows of this database's jobs, and of its own
// runs, from cron.job_run_details.
func (e *elsewhere) purges(t *testing.T, cron *pgtest.DB) {
	t.Helper()
	cron.Exec(t, `DELETE FROM cron.job_run_details;
		INSERT INTO cron.job_run_details (jobid, runid, database, username, start_time, end_time)
		SELECT x.jobid, x.n, x.database, x.username, x.start, x.start + interval '1 minute'
		FROM (VALUES (0, 1001, 'shop', 'retention_runner', NULL),                         -- crashed before run 1002
		             (0, 1002, 'shop', 'retention_runner', now() - interval '15 days'),
		             (0, 1003, 'shop', 'retention_runner', now() - interval '13 days'),
		             (0, 1009, 'shop', 'retention_runner', NULL),                         -- in progress
		             (0, 1005, 'shop', 'postgres', now() - interval '15 days'),
		             (0, 1006, 'other', 'retention_runner', now() - interval '15 days'),
		             (0, 1007, 'postgres', 'retention_runner', now() - interval '15 days'))
		     AS x (jobid, n, database, username, start);
		INSERT INTO cron.job_run_details (jobid, runid, database, username, start_time, end_time)
		SELECT jobid, 1008, 'postgres', username, now() - interval '15 days', now() - interval '15 days'
		FROM cron.job WHERE jobname = 'shop.retention.cron_log#purge'`)
	command := pgtest.Value[string](t, cron,
		"SELECT command FROM cron.job WHERE jobname = 'shop.retention.cron_log#purge'")
	conn := cron.Conn(t, "retention_runner")
	pgtest.Exec(t, conn, command)
	left := pgtest.Column[int64](t, cron, "SELECT runid FROM cron.job_run_details WHERE runid > 1000 ORDER BY 1")
	if diff := cmp.Diff([]int64{1003, 1005, 1006, 1007, 1009}, left); diff != "" {
		t.Errorf("remaining rows of cron.job_run_details (-want +got):\n%s", diff)
	}
}

// movesAway checks that the jobs are unscheduled after cron_database is removed from the policy
// file.
func (e *elsewhere) movesAway(t *testing.T) {
	t.Helper()
	policy := strings.NewReplacer("database: DATABASE, cron_database: postgres", "scheduler: none", "SCHEMA",
		"retention").Replace(elsewherePolicy)
	e.write("retention.yaml", policy)
	e.generate()
	e.must("migrate", "up")
	e.want(2, "the database with schema cron is not known", "migrate", "up", "--cron")
	e.want(2, "the database with schema cron is not known", "uninstall", "--yes")
	e.must("migrate", "up", "--cron", "--cron-database-url", strings.Replace(e.url, "/shop", "/postgres", 1))
	e.generate("--check")
}
