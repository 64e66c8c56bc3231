package life_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	difference "github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// diary is an application's schema. Notes 1, 2 and 3 are old; note 2 is kept.
const diary = `
CREATE SCHEMA app;
CREATE TABLE app.note (id int PRIMARY KEY, at timestamptz NOT NULL, body text, state text NOT NULL DEFAULT 'open');
CREATE TABLE app.pin (note_id int PRIMARY KEY);
CREATE VIEW app.pinned AS SELECT note_id FROM app.pin;
INSERT INTO app.note (id, at) SELECT n, '2024-01-01' FROM generate_series(1, 3) n;
INSERT INTO app.note (id, at) SELECT n, '2999-01-01' FROM generate_series(4, 5) n;
INSERT INTO app.pin VALUES (2);`

const diaryPolicies = `version: 1
install: {scheduler: none}
policies:
  notes:
    table: app.note
    where: "state = 'open'"
    ensure: {seen_at: {type: timestamptz}}
    due: {age: {column: at, older_than: 30 days}}
    keep: {pinned: "EXISTS (SELECT FROM app.pinned p WHERE p.note_id = t.id)"}
    then: [delete]
`

// project is a directory with a policy file and migrations, and a database.
type project struct {
	t      *testing.T
	in     *kit.Installed
	dir    string
	number int // of the last migration of the application
}

// newProject returns a project whose database has the runtime and nothing else.
func newProject(t *testing.T, policies string) *project {
	t.Helper()
	p := &project{t: t, in: kit.Prepare(t, "", policies), dir: t.TempDir()}
	p.write("retention.yaml", policies)
	for name, file := range p.in.Migrations {
		p.write(filepath.Join("migrations", name), string(file.Data))
	}
	return p
}

// clones returns a function that copies the project with its database, in their present state.
func (p *project) clones(policies string) func(*testing.T) *project {
	p.t.Helper()
	database := p.in.Clones(p.t, policies)
	return func(t *testing.T) *project {
		t.Helper()
		clone := &project{t: t, in: database(t), dir: t.TempDir()}
		if err := os.CopyFS(clone.dir, os.DirFS(p.dir)); err != nil {
			t.Fatal(err)
		}
		return clone
	}
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// application adds a migration of the application.
func (p *project) application(sql string) {
	p.t.Helper()
	files := p.migrations()
	_, _ = fmt.Sscanf(files[len(files)-1], "%d", &p.number)
	p.write(fmt.Sprintf("migrations/%05d_application.sql", p.number+1),
		"-- +goose Up\n-- +goose StatementBegin\n"+sql+"\n-- +goose StatementEnd\n-- +goose Down\n")
}

func (p *project) migrations() []string {
	p.t.Helper()
	names, err := fs.Glob(os.DirFS(filepath.Join(p.dir, "migrations")), "*.sql")
	if err != nil || len(names) == 0 {
		p.t.Fatalf("got no migrations: %v", err)
	}
	return names
}

// pgretain runs a command that must succeed, as the migrating role, and returns its output.
func (p *project) pgretain(args ...string) string {
	p.t.Helper()
	return p.as(p.in.URL(kit.Migrator), args...)
}

func (p *project) as(url string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command(kit.Program(p.t), args...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), kit.ConnectionEnv(p.t, url)...)
	code, stdout, stderr := kit.RunCommand(p.t, cmd)
	if code != 0 {
		p.t.Fatalf("pgretain %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// usual takes the usual way, and checks that "pgretain generate" writes its step once.
func (p *project) usual() (said string) {
	p.t.Helper()
	p.pgretain("snapshot")
	said = p.pgretain("generate")
	p.generatesNothing("before the step was applied")
	p.pgretain("migrate", "up")
	p.generatesNothing("with the snapshot from before the step")
	p.pgretain("snapshot")
	p.generatesNothing("with a new snapshot")
	return said
}

func (p *project) generatesNothing(when string) {
	p.t.Helper()
	before := p.migrations()
	said := p.pgretain("generate")
	if diff := difference.Diff(before, p.migrations()); diff != "" {
		p.t.Fatalf("generate wrote more %s:\n%s\n%s", when, said, diff)
	}
}

// fresh returns an empty database into which goose has migrated the directory of the project.
func (p *project) fresh(policies string) *project {
	p.t.Helper()
	of := &project{t: p.t, in: kit.Prepare(p.t, "", policies), dir: p.dir}
	pool, err := sql.Open("pgx", of.in.URL(kit.Migrator))
	if err != nil {
		p.t.Fatal(err)
	}
	defer pool.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, os.DirFS(filepath.Join(p.dir, "migrations")),
		goose.WithLogger(goose.NopLogger()), goose.WithTableName("retention.goose_db_version"),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := provider.Up(p.t.Context()); err != nil {
		p.t.Fatalf("migrating a fresh database: %v", err)
	}
	return of
}

// takes checks that the database conforms, and that a run takes the right notes.
func (p *project) takes(table string) {
	p.t.Helper()
	p.as(p.in.URL(""), "verify")
	if state := p.in.Run("notes", "2026-01-01").State; state != "done" {
		p.t.Errorf("the run ended %q: %s", state, p.in.Last("notes").Message)
	}
	left := pgtest.Column[int](p.t, p.in, "SELECT id::int FROM "+table+" ORDER BY 1")
	if want := []int{2, 4, 5}; !slices.Equal(left, want) {
		p.t.Errorf("notes %v are left, want %v", left, want)
	}
}

// TestUsualWay holds that "snapshot", "generate" and a migration lead back to a database that
// conforms, whatever the application's migrations took away. A fresh database into which the same
// files are migrated is the same database.
func TestUsualWay(t *testing.T) {
	t.Parallel()
	type change struct {
		application string // migration of the application
		byHand      string // what somebody did to this database only
		renames     []string
		table       string // of the policy after the change; app.note if empty
		says        string // text that generate prints
	}
	const swap = `
		CREATE TABLE app.note_new (LIKE app.note INCLUDING ALL);
		INSERT INTO app.note_new SELECT * FROM app.note;
		ALTER TABLE app.note RENAME TO note_old;
		ALTER TABLE app.note_new RENAME TO note;`
	const ours = `(SELECT c.oid::regclass::text FROM pg_class c
		WHERE obj_description(c.oid, 'pg_class') LIKE 'pgretain: index%' AND c.relname LIKE 'pgretain_%note%'
		LIMIT 1)`
	base := newProject(t, diaryPolicies)
	base.application(diary)
	base.pgretain("migrate", "up")
	base.usual()
	clone := base.clones(diaryPolicies)
	for name, c := range map[string]change{
		"view re-created": {
			application: "DROP VIEW app.pinned; CREATE VIEW app.pinned AS SELECT note_id FROM app.pin",
			says:        "~ privilege app.pinned: restores what a database had lost"},
		"type changed": {application: `
			DROP VIEW app.pinned;
			ALTER TABLE app.note ALTER id TYPE bigint;
			ALTER TABLE app.pin ALTER note_id TYPE bigint;
			CREATE VIEW app.pinned AS SELECT note_id FROM app.pin`,
			says: "~ privilege app.pinned: restores what a database had lost"},
		"rights revoked": {
			byHand: `REVOKE ALL ON app.note, app.pinned FROM retention_worker;
				REVOKE USAGE ON SCHEMA app FROM retention_worker`,
			says: "~ privilege schema app: restores what a database had lost"},
		"index dropped": {
			byHand: "DO $$ BEGIN EXECUTE 'DROP INDEX ' || " + ours + "; END $$",
			says:   ": restores what a database had lost"},
		"index renamed": {
			byHand: "DO $$ BEGIN EXECUTE 'ALTER INDEX ' || " + ours + " || ' RENAME TO mine'; END $$",
			says:   ": restores what a database had lost"},
		"index renamed by a migration": {
			application: "DO $$ BEGIN EXECUTE 'ALTER INDEX ' || " + ours + " || ' RENAME TO mine'; END $$;",
			says:        ": restores what a database had lost"},
		"ensured column dropped": {
			application: "ALTER TABLE app.note DROP COLUMN seen_at",
			says:        "~ column app.note.seen_at: restores what a database had lost"},
		"column of the index re-created": {application: `
			ALTER TABLE app.note ADD COLUMN kept_at timestamptz;
			UPDATE app.note SET kept_at = at;
			ALTER TABLE app.note DROP COLUMN at;
			ALTER TABLE app.note ADD COLUMN at timestamptz;
			UPDATE app.note SET at = kept_at;
			ALTER TABLE app.note ALTER at SET NOT NULL, DROP COLUMN kept_at`,
			says: ": restores what a database had lost"},
		"swapped": {application: swap + "DROP TABLE app.note_old CASCADE;",
			says: "~ privilege app.note: restores what a database had lost"},
		"swapped, the old table stays": {application: swap,
			says: "~ privilege app.note: restores what a database had lost"},
		"swapped without copies": {application: `
			ALTER TABLE app.note RENAME TO note_old;
			CREATE TABLE app.note (id int PRIMARY KEY, at timestamptz NOT NULL, body text,
				state text NOT NULL DEFAULT 'open');
			INSERT INTO app.note SELECT id, at, body, state FROM app.note_old`,
			says: "~ privilege app.note: restores what a database had lost"},
		"partitioned": {application: `
			ALTER TABLE app.note RENAME TO note_old;
			ALTER TABLE app.note_old DROP CONSTRAINT note_pkey;
			CREATE TABLE app.note (LIKE app.note_old INCLUDING DEFAULTS, PRIMARY KEY (id, at))
			PARTITION BY RANGE (at);
			ALTER TABLE app.note ATTACH PARTITION app.note_old DEFAULT`,
			says: "~ privilege app.note: restores what a database had lost"},
		"moved": {
			application: "CREATE SCHEMA shop; ALTER TABLE app.note SET SCHEMA shop",
			renames:     []string{"table: app.note", "table: shop.note"}, table: "shop.note"},
		"schema renamed": {
			application: "ALTER SCHEMA app RENAME TO shop",
			renames:     []string{"app.", "shop."}, table: "shop.note"},
		"renamed": {
			application: "ALTER TABLE app.note RENAME TO entry",
			renames:     []string{"app.note", "app.entry"}, table: "app.entry"},
		"function dropped": {
			byHand: "DROP FUNCTION retention.notes_rows(retention.batch_range) CASCADE",
			says:   "~ policy notes: restores what a database had lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := clone(t)
			if c.application != "" {
				p.application(c.application)
				p.pgretain("migrate", "up")
			}
			if c.byHand != "" {
				p.in.Exec(t, c.byHand)
			}
			policies := strings.NewReplacer(c.renames...).Replace(diaryPolicies)
			p.write("retention.yaml", policies)
			if said := p.usual(); !strings.Contains(said, c.says) {
				t.Errorf("generate said %q, want %q", said, c.says)
			}
			if c.renames == nil { // the way back needs the old names
				p.pgretain("migrate", "down")
				p.pgretain("migrate", "up")
			}
			fresh := p.fresh(policies)
			want, got := kit.Catalog(t, fresh.in.DB, "retention"), kit.Catalog(t, p.in.DB, "retention")
			if diff := difference.Diff(want, got); diff != "" {
				t.Errorf("the database (+) differs from a fresh one (-):\n%s", diff)
			}
			for _, database := range []*project{p, fresh} {
				database.takes(cmp.Or(c.table, "app.note"))
			}
		})
	}
}
