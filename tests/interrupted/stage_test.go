package interrupted

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const schema = `
CREATE SCHEMA app;
CREATE TABLE app.note (id bigint PRIMARY KEY, kind text NOT NULL, body text);
INSERT INTO app.note SELECT n, 'draft', 'x' FROM generate_series(1, 200) n;
CREATE TABLE app.visit (id bigint, at timestamptz, page text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE app.visit_1 PARTITION OF app.visit FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE app.visit_2 PARTITION OF app.visit FOR VALUES FROM ('2026-02-01') TO ('2026-03-01')
	PARTITION BY RANGE (at);
CREATE TABLE app.visit_21 PARTITION OF app.visit_2 FOR VALUES FROM ('2026-02-01') TO ('2026-02-15');
INSERT INTO app.visit SELECT n, timestamptz '2026-01-01' + n * interval '1 hour', 'p' FROM generate_series(1, 900) n`

// policies create every kind of object.
const policies = `
version: 1
install: {scheduler: pg_cron}
policies:
  note_old:
    table: app.note
    where: "kind = 'draft'"
    due: {age: {column: made_at, older_than: 30 days}}
    ensure: {made_at: {type: timestamptz, default: now()}}
    then: [{archive: {into: app.note_archive, create: true, set: {run_id: run.id}}}, delete]
  visit_old:
    table: app.visit
    due: {age: {column: at, older_than: 7 days}}
    then: [delete]
jobs:
  nightly: {schedule: "0 3 * * *", run: [note_old, visit_old]}`

// changed has the policies of the next step. It replaces functions and rows, builds an index, drops
// another, and removes a job.
const changed = `
version: 1
install: {scheduler: pg_cron}
policies:
  note_old:
    table: app.note
    where: "kind <> 'kept'"
    due: {age: {column: made_at, older_than: 60 days}}
    ensure: {made_at: {type: timestamptz, default: now()}}
    then: [{archive: {into: app.note_archive, create: true, set: {run_id: run.id}}}, delete]`

// stage is a database whose migrations are interrupted.
type stage struct {
	*kit.Installed
	test *testing.T // the parent test, for sessions that subtests share
}

// newStage returns a stage on its own server, with both steps generated and none applied.
func newStage(t *testing.T) stage {
	t.Helper()
	s := stage{kit.Prepare(t, schema, policies, kit.On(pgtest.CronServer(t))), t}
	s.Generate(t, policies)
	s.Generate(t, changed)
	return s
}

func (s stage) up(t *testing.T, url string) error {
	_, err := install.Up(t.Context(), url, s.Migrations, s.Options())
	return err
}

func (s stage) down(t *testing.T, url string) error {
	o := s.Options()
	o.All = true
	_, err := install.Down(t.Context(), url, s.Migrations, o)
	return err
}

// mustMigrate migrates without interruption and returns the catalog.
func (s stage) mustMigrate(t *testing.T, migrate func(*testing.T, string) error) []string {
	t.Helper()
	if err := migrate(t, s.URL(kit.Migrator)); err != nil {
		t.Fatalf("%+v", install.Diagnostics(err))
	}
	return s.catalog(t)
}

// catalog returns the content of the database with the version table. It first waits until closed
// sessions have released their locks.
func (s stage) catalog(t *testing.T) []string {
	t.Helper()
	lines := kit.Catalog(t, s.DB, s.File.Install.Schema)
	if versions := s.File.Install.Schema + ".goose_db_version"; pgtest.Value[bool](t, s,
		"SELECT to_regclass($1) IS NOT NULL", versions) {
		lines = append(lines, pgtest.Column[string](t, s, "SELECT 'version ' || version_id || ' ' || is_applied FROM "+
			versions+" ORDER BY version_id")...)
	}
	// A closed session needs a moment to release its locks.
	pgtest.Until(t, s, `
		SELECT NOT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		                   WHERE a.datname = current_database() AND l.pid <> pg_backend_pid()
		                   	AND a.application_name = 'pgretain migrate')`)
	return lines
}

// wantSameCatalog compares two catalogs.
func wantSameCatalog(t *testing.T, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the catalog differs from one without interruption (-want +got):\n%s", diff)
	}
}

// invalidIndexes returns the names of indexes that are not valid or not ready.
func (s stage) invalidIndexes(t *testing.T) []string {
	t.Helper()
	return pgtest.Column[string](t, s,
		"SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid OR NOT indisready")
}
