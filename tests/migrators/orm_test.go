package migrators

import (
	"strings"
	"testing"

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
