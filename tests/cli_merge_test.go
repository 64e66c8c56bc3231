package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// git runs git in the project and checks its exit code.
func (c *cli) git(code int, args ...string) {
	c.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	if r := c.finish(cmd); r.code != code {
		c.t.Fatalf("git %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
}

// step changes the policy file, generates and commits. It returns the name of the generated file.
func (c *cli) step(old, with string) string {
	c.t.Helper()
	c.write("retention.yaml", strings.Replace(fixture.ReadFile(c.t, c.dir, "retention.yaml"), old, with, 1))
	r := c.finish(c.command("generate"))
	if r.code != 0 {
		c.t.Fatal(r)
	}
	c.git(0, "add", "-A")
	c.git(0, "commit", "-qm", with)
	file, _, _ := strings.Cut(r.stdout, "\n")
	return file
}

// whole checks an exit code and the complete standard error.
func (c *cli) whole(code int, stderr string, r result) {
	c.t.Helper()
	if diff := cmp.Diff(stderr, r.stderr); diff != "" || r.code != code {
		c.t.Errorf("exit code %d, want %d; standard error (-want +got)\n%s", r.code, code, diff)
	}
}

// testMerge merges two git branches that each generated a migration of the same name and applied it
// to a database. The test does what the hints say. In the end both databases have the same catalog.
func testMerge(t *testing.T, binary string) {
	one, other := pgtest.Database(t), pgtest.Database(t)
	ours := cliProject(t, binary, one)
	theirs := *ours
	other.Exec(t, "CREATE SCHEMA app; CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz)")
	theirs.url = other.URL("")
	theirs.must("migrate", "up")
	ours.git(0, "init", "-q", "-b", "main")
	ours.git(0, "add", "-A")
	ours.git(0, "commit", "-qm", "base")

	ours.git(0, "checkout", "-q", "-b", "theirs")
	file := theirs.step("rows: 10}", "rows: 20}")
	theirs.must("migrate", "up")
	ours.git(0, "checkout", "-q", "main")
	if again := ours.step("30 days", "40 days"); again != file {
		t.Fatalf("the branches wrote %s and %s", file, again)
	}
	ours.must("migrate", "up")
	ours.git(1, "merge", "-q", "theirs")

	ours.whole(1, file+`:2:1: error: this generated migration has conflict markers: two branches wrote it
hint: Restore the whole file of one side with "git checkout --ours FILE" or "git checkout --theirs FILE". If a database has applied one side, use that side. Then run "pgretain generate", which writes the other changes as the next step.
`, ours.finish(ours.command("generate")))
	ours.git(0, "checkout", "-q", "--ours", file)
	if r := ours.finish(ours.command("generate")); r.code != 0 || r.stderr != "" {
		t.Fatal(r)
	}
	ours.git(0, "add", "-A")
	ours.git(0, "commit", "-qm", "merged")
	ours.must("migrate", "up")

	refusal := `pgretain: error: the database was migrated with other files of these numbers: ` + filepath.Base(file) + `
detail: One side of a fork was generated again after this database had applied it, or files were exchanged.
hint: Run "pgretain migrate down" in a checkout that has the files of this database, until they are undone; then "pgretain migrate up" here.
`
	theirs.whole(2, refusal, theirs.run("migrate", "up"))
	theirs.whole(2, refusal, theirs.run("migrate", "down"))
	if r := theirs.run("migrate", "status"); r.code != 1 || !strings.Contains(r.stdout, "applied from another file") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	ours.git(0, "checkout", "-q", "theirs")
	theirs.must("migrate", "down")
	ours.git(0, "checkout", "-q", "main")
	theirs.must("migrate", "up")
	theirs.must("migrate", "status")
	ours.must("migrate", "status")
	if diff := cmp.Diff(kit.Catalog(t, one, "retention"), kit.Catalog(t, other, "retention")); diff != "" {
		t.Errorf("the two databases differ:\n%s", diff)
	}
}

// testTwoMigrations starts two migrations at the same time. The second one waits for the first one,
// which waits for an old snapshot. Both succeed, and only one of them applies the migrations.
func testTwoMigrations(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := newCLI(t, binary, db.URL(""), t.TempDir())
	c.write("retention.yaml", cliPolicy)
	db.Exec(t, "CREATE SCHEMA app; CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz)")
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	release := holdSnapshot(t, db)
	ended := make(chan result, 2)
	up := func() { ended <- c.run("migrate", "up") }
	go up()
	pgtest.Until(t, db, building)
	go up()
	pgtest.Until(t, db, `SELECT count(*) = 2 FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'pgretain migrate'`)
	release()
	applied := 0
	for range 2 {
		r := <-ended
		if r.code != 0 || r.stderr != "" {
			t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
		}
		applied += strings.Count(r.stdout, "applied  ")
	}
	files := pgtest.Value[int64](t, db, "SELECT count(*) FROM retention.goose_db_version WHERE version_id > 0")
	if int64(applied) != files || files == 0 {
		t.Errorf("the commands report %d applied migrations, the database has %d; want the same, and some",
			applied, files)
	}
	if bad := pgtest.Value[int64](t, db, "SELECT count(*) FROM pg_index WHERE NOT indisvalid"); bad != 0 {
		t.Errorf("the database has %d invalid indexes, want none", bad)
	}
	c.must("migrate", "status")
}
