package life_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestObstaclesAreNamedAtOnce holds that "migrate up" names everything that would stop it before it
// applies the first file, and that the statements of its hints remove these obstacles.
func TestObstaclesAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	policies := diaryPolicies + `  pins: {table: app.pin, where: "note_id < 0", then: [delete]}
`
	p := newProject(t, policies)
	p.application(diary)
	p.pgretain("migrate", "up")
	p.pgretain("snapshot")
	p.pgretain("generate")
	p.in.Exec(t, `
		GRANT REFERENCES, TRIGGER ON ALL TABLES IN SCHEMA app TO retention_operator, retention_viewer;
		GRANT REFERENCES (note_id) ON app.pin TO PUBLIC;
		GRANT CREATE ON SCHEMA public TO retention_viewer;
		ALTER TABLE app.note ENABLE ROW LEVEL SECURITY`)

	cmd := exec.Command(kit.Program(t), "migrate", "up")
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), kit.ConnectionEnv(t, p.in.URL(kit.Migrator))...)
	code, applied, said := kit.RunCommand(t, cmd)
	if code != 1 || applied != "" {
		t.Errorf("migrate up exited with %d and applied:\n%s", code, applied)
	}
	revokes := []string{
		"REVOKE TRIGGER, REFERENCES ON app.note FROM retention_operator, retention_viewer;",
		"REVOKE TRIGGER, REFERENCES ON app.pin FROM PUBLIC, retention_operator, retention_viewer;",
		"REVOKE CREATE ON SCHEMA public FROM retention_viewer;",
	}
	for _, want := range append(revokes, `row security of table "app.note" stops policy "notes"`) {
		if strings.Count(said, want) != 1 {
			t.Errorf("migrate up does not say %q once:\n%s", want, said)
		}
	}
	if installed := pgtest.Value[int](t, p.in, "SELECT count(*) FROM retention.policy"); installed > 0 {
		t.Errorf("%d policies are installed", installed)
	}

	p.in.Exec(t, strings.Join(revokes, "\n")+"ALTER TABLE app.note DISABLE ROW LEVEL SECURITY")
	p.pgretain("migrate", "up")
	p.takes("app.note")
}
