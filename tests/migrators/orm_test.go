package migrators

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// orms are the tools that compare models with a database, by name. The file testdata/orms/<name>.sh
// has functions that create the tables and print what the tool would change.
var orms = map[string]struct{ command, recipe string }{
	"alembic": {"/usr/share/doc/python3-alembic", "Alembic"},
	"drizzle": {"drizzle-kit", ""},
	"typeorm": {"typeorm", ""},
}

// TestORMs creates a table with an ORM, and installs a policy with an index and a column of
// "ensure". Then the ORM must want to change nothing. Alembic has the filter of docs/orm.md. For
// the others, the policy file of that page says that the application owns the index and the column.
func TestORMs(t *testing.T) {
	t.Parallel()
	for name, orm := range orms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, "orms/"+name, "")
			p.need(orm.command)
			policies := recipe(t, "orm.md", "\n## Let the application own indexes and columns\n")
			if orm.recipe != "" {
				p.write("recipe", recipe(t, "orm.md", "\n### "+orm.recipe+"\n"))
				policies = strings.ReplaceAll(policies, "defaults: {index: application}\n", "")
				policies = strings.ReplaceAll(policies, ", by: application", "")
			}
			p.write("retention.yaml", policies)
			p.tool("prepare")
			p.tool("create")
			if left := p.tool("differences"); left != "" {
				t.Fatalf("before pgretain is installed, the tool wants to change:\n%s", left)
			}
			p.pgretain("snapshot")
			if p.generate() == 0 {
				t.Fatal("generate wrote no file")
			}
			for _, name := range p.files() {
				p.db.Exec(t, p.read("retention/"+name+".up.sql"))
			}
			if left := p.tool("differences"); left != "" {
				t.Errorf("with pgretain installed, the tool wants to change:\n%s", left)
			}
			p.db.Exec(t, "CREATE INDEX of_nobody ON note (id, at)")
			if left := p.tool("differences"); !strings.Contains(left, "of_nobody") {
				t.Errorf("the tool does not want to drop an index that its models lack:\n%s", left)
			}
			p.db.Exec(t, "DROP INDEX IF EXISTS of_nobody")
			p.pgretain("verify --skip V040,V044")
			p.db.Exec(t, `INSERT INTO note (id, at)
				SELECT n, now() - n * interval '1 day' FROM generate_series(1, 60) n`)
			p.db.Exec(t, "CALL retention.run('note_old')")
			if left := pgtest.Value[int](t, p.db, "SELECT count(*) FROM note"); left != 29 {
				t.Errorf("after a run, note has %d rows, want 29", left)
			}
		})
	}
}

// TestSqlc generates Go code with sqlc from a directory that has migrations of the application and
// of pgretain, with the two files of docs/orm.md.
func TestSqlc(t *testing.T) {
	t.Parallel()
	p := newProjectAt(t, pgtest.Database(t), "")
	p.need("sqlc")
	if err := os.CopyFS(filepath.Join(p.dir, "migrations"), os.DirFS("testdata/newcomer")); err != nil {
		t.Fatal(err)
	}
	p.db.Exec(t, `CREATE TABLE customer (id bigint PRIMARY KEY, name text NOT NULL);
		CREATE TABLE session (id bigint PRIMARY KEY, customer_id bigint, expires_at timestamptz NOT NULL)`)
	p.write("retention.yaml", `version: 1
policies:
  session_expired:
    table: session
    ensure: {kept_for: {type: text}}
    where: kept_for IS NULL
    due: {expires: {column: expires_at}}
    then: [delete]
jobs:
  nightly: {schedule: "0 3 * * *", run: [session_expired]}
`)
	p.pgretain("snapshot")
	p.pgretain("generate")
	p.write("retention_schema.sql", recipe(t, "orm.md", "\n### sqlc\n"))
	p.write("sqlc.yaml", recipe(t, "orm.md", "CREATE SCHEMA retention;\n```\n"))
	p.write("queries.sql", "-- name: Kept :many\nSELECT customer_id FROM session WHERE kept_for IS NOT NULL;\n")
	cmd := exec.Command("sqlc", "generate")
	cmd.Dir = p.dir
	if code, stdout, stderr := kit.RunCommand(t, cmd); code != 0 {
		t.Fatalf("sqlc generate: exit code %d\n%s%s", code, stdout, stderr)
	}
	const query = "func (q *Queries) Kept(ctx context.Context) ([]int64, error)"
	if code := p.read("shop/queries.sql.go"); !strings.Contains(code, query) {
		t.Errorf("the generated code lacks %q:\n%s", query, code)
	}
}
