package roles

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

const small = `version: 1
install: {search_path: [app]}
defaults: {breaker: {fraction: 1}}
policies:
  notes: {table: app.note, due: {age: {column: at, older_than: {days: 30, at_least: 7}}}, then: [delete]}
jobs:
  nightly: {schedule: "0 1 * * *", run: [notes]}
`

const smallSchema = `CREATE TABLE app.note (id bigint PRIMARY KEY, at timestamptz NOT NULL);
	INSERT INTO app.note SELECT i, now() - i * interval '1 day' FROM generate_series(1, 60) i`

// TestTheWholePathWithoutASuperuser installs, runs, verifies and uninstalls with a migrating role
// that is not a superuser and cannot create roles. Only the bootstrap script needs a superuser.
func TestTheWholePathWithoutASuperuser(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	db.Exec(t, people)
	s := newStage(t, db, smallSchema, small)
	s.refused(deploy, 2, []string{"there is no generated migration"}, "migrate", "up")
	s.must(deploy, "snapshot")
	s.must(deploy, "generate")
	s.refused(deploy, 2, []string{
		`roles do not exist: "retention_owner", "retention_worker", ` +
			`"retention_runner", "retention_operator", "retention_viewer"`,
		`pgretain bootstrap --migrator shop_deploy`,
	}, "migrate", "up")

	if err := s.bootstrap(super); err != nil {
		t.Fatal(err)
	}
	before := pgtest.Column[string](t, db, privileges)
	if err := s.bootstrap(super); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, pgtest.Column[string](t, db, privileges)); diff != "" {
		t.Errorf("the second run of the bootstrap script changed privileges:\n%s", diff)
	}
	s.must(deploy, "migrate", "up")
	s.enrol(super)
	before = pgtest.Column[string](t, db, privileges)
	if err := s.bootstrap(super); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, pgtest.Column[string](t, db, privileges)); diff != "" {
		t.Errorf("the bootstrap script after the migrations changed privileges:\n%s", diff)
	}

	db.Exec(t, `DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I SET statement_timeout = 1', current_database());
	END $$`)
	if got := ask[string](s, runner, "SELECT current_setting('statement_timeout')"); got != "0" {
		t.Errorf("the database's statement_timeout applies to the runner: %s, want 0", got)
	}
	db.Exec(t, `DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I RESET statement_timeout', current_database());
	END $$`)
	s.must(runner, "run", "--job", "nightly")
	if n := ask[int](s, deploy, "SELECT count(*) FROM app.note"); n != 29 {
		t.Errorf("%d rows are left, want 29", n)
	}
	s.must(viewer, "verify")
	s.must(viewer, "status")
	const jobRole = "SELECT username FROM cron.job WHERE jobname = 'retention.nightly'"
	if job := ask[string](s, runner, jobRole); job != runner {
		t.Errorf("the job of pg_cron runs as %s, want %s", job, runner)
	}
	s.must(deploy, "migrate", "down", "--all")
	left := ask[int](s, super, `SELECT
		(SELECT count(*) FROM pg_namespace WHERE nspname = 'retention') + (SELECT count(*) FROM cron.job)`)
	if left != 0 {
		t.Errorf("%d schemas and jobs are left after migrate down --all, want none", left)
	}
	s.must(deploy, "migrate", "up")
	s.must(viewer, "verify")
}
