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

// A migrating role that is no superuser and cannot make roles goes the whole way, there and back.
func TestTheWholePathWithoutASuperuser(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	db.Exec(t, people)
	s := newStage(t, db, smallSchema, small)
	s.refused(deploy, 2, []string{"there is no generated migration"}, "migrate", "up")
	s.must(deploy, "snapshot")
	s.must(deploy, "generate")
	s.refused(deploy, 2, []string{`roles do not exist: "retention_owner", "retention_worker", "retention_runner", "retention_operator", "retention_viewer"`,
		`pgretain bootstrap --migrator shop_deploy`}, "migrate", "up")

	if err := s.bootstrap(super); err != nil {
		t.Fatal(err)
	}
	before := pgtest.Column[string](t, db, privileges)
	if err := s.bootstrap(super); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, pgtest.Column[string](t, db, privileges)); diff != "" {
		t.Errorf("the script, run again, changed something:\n%s", diff)
	}
	s.must(deploy, "migrate", "up")
	s.enrol(super)
	before = pgtest.Column[string](t, db, privileges)
	if err := s.bootstrap(super); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, pgtest.Column[string](t, db, privileges)); diff != "" {
		t.Errorf("the script, run after the migrations, changed something:\n%s", diff)
	}

	db.Exec(t, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = 1', current_database()); END $$")
	if got := ask[string](s, runner, "SELECT current_setting('statement_timeout')"); got != "0" {
		t.Errorf("sessions of the runner have statement_timeout %s, which is for applications", got)
	}
	db.Exec(t, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET statement_timeout', current_database()); END $$")
	s.must(runner, "run", "--job", "nightly")
	if n := ask[int](s, deploy, "SELECT count(*) FROM app.note"); n != 29 {
		t.Errorf("%d rows are left, want 29", n)
	}
	s.must(viewer, "verify")
	s.must(viewer, "status")
	if job := ask[string](s, runner, "SELECT username FROM cron.job WHERE jobname = 'retention.nightly'"); job != runner {
		t.Errorf("the job belongs to %s", job)
	}
	s.must(deploy, "migrate", "down", "--all")
	left := ask[int](s, super, "SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = 'retention') + (SELECT "+
		"count(*) FROM cron.job)")
	if left != 0 {
		t.Errorf("%d things are left after the way down", left)
	}
	s.must(deploy, "migrate", "up")
	s.must(viewer, "verify")
}
