package life_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestRolesAreRemoved types the statements that "pgretain uninstall" prints, as they stand. They
// remove the roles. Before that, the command names another database in which a role has privileges.
func TestRolesAreRemoved(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	in := kit.Install(t, shop, shopPolicies, kit.On(db))
	other := db.Sibling(t, "other")
	other.Exec(t, "CREATE TABLE public.log (id int); GRANT SELECT ON public.log TO retention_viewer")
	dir := t.TempDir()
	files := fstest.MapFS{"retention.yaml": {Data: []byte(shopPolicies)}}
	for name, file := range in.Migrations {
		files["migrations/"+name] = file
	}
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	uninstall := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), kit.Program(t), append([]string{"uninstall", "--yes"}, args...)...)
		cmd.Dir, cmd.Env = dir, kit.ConnectionEnv(t, db.URL(kit.Migrator))
		code, stdout, stderr := kit.RunCommand(t, cmd)
		if code != 0 {
			t.Fatalf("exit code %d\n%s\n%s", code, stdout, stderr)
		}
		return stdout
	}
	if said := uninstall(); !strings.Contains(said, `The roles also have privileges in "other".`) {
		t.Errorf("uninstall does not name the other database:\n%s", said)
	}
	other.Exec(t, "DROP TABLE public.log")
	said := uninstall() // again, as after an interruption
	statements := regexp.MustCompile(`(?m)^    ((?:REASSIGN|DROP) .*;)$`).FindAllStringSubmatch(said, -1)
	if len(statements) != 3 || strings.Contains(said, "also have privileges") {
		t.Fatalf("uninstall does not print three statements, or names a database without cause:\n%s", said)
	}
	var object struct {
		RolesLeft struct{ Statements []string } `json:"roles_left"`
	}
	if err := json.Unmarshal([]byte(uninstall("--json")), &object); err != nil {
		t.Fatal(err)
	}
	for i, s := range statements {
		if i >= len(object.RolesLeft.Statements) || object.RolesLeft.Statements[i] != s[1] {
			t.Errorf("uninstall --json has the statements %q, want %q at %d", object.RolesLeft.Statements, s[1], i)
		}
		db.Exec(t, s[1])
	}
	if left := pgtest.Column[string](t, db, `
		SELECT rolname FROM pg_roles WHERE rolname LIKE 'retention%'`); len(left) > 0 {
		t.Errorf("roles are left: %q", left)
	}
	if n := pgtest.Value[int](t, db, "SELECT count(*) FROM app.item"); n != 2 {
		t.Errorf("table app.item has %d rows, want 2", n)
	}
}
