package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// testNewerRuntime checks that every command that uses the runtime refuses a database with a newer
// runtime. The version is 10, which is greater than 2 as a number, but smaller as text.
func testNewerRuntime(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	c.must("verify", "--counts=false")
	db.Exec(t, "UPDATE retention.install SET runtime_version = '10'")
	before := pgtest.Value[int64](t, db, "SELECT count(*) FROM app.lines")
	for _, args := range [][]string{
		{"run", "lines_old"}, {"run", "--job", "nightly"}, {"status"}, {"status", "--format", "json"},
		{"preview", "lines_old"},
		{"verify"}, {"migrate", "up"}, {"migrate", "down"}, {"migrate", "down", "--all"}, {"migrate", "status"},
	} {
		c.want(2, "has version 10 of the runtime, this pgretain knows version 1", args...)
		c.want(2, "hint: Use the pgretain version that upgraded the database, or a later one.", args...)
	}
	if rows := pgtest.Value[int64](t, db, "SELECT count(*) FROM app.lines"); rows != before {
		t.Errorf("the commands deleted %d rows, want none", before-rows)
	}
	if runs := pgtest.Value[int64](t, db, "SELECT count(*) FROM retention.run"); runs != 0 {
		t.Errorf("retention.run has %d rows, want none", runs)
	}
	// A direct call takes no row either, because the functions do not have the recorded version.
	db.Exec(t, "CALL retention.run('lines_old')")
	if got := pgtest.Value[string](t, db, "SELECT state || ' ' || taken || ' ' || message FROM retention.run"); got !=
		"paused 0 the runtime is between version 10 and version 1: a migration is not finished" {
		t.Errorf("the run log says %q", got)
	}
	for _, version := range []string{"", "next", "1.1"} {
		db.Exec(t, "UPDATE retention.install SET runtime_version = $1", version)
		if r := c.run("preview", "lines_old"); r.code != 2 {
			t.Errorf("version %q: exit code %d\n%s%s", version, r.code, r.stdout, r.stderr)
		}
	}
	db.Exec(t, "UPDATE retention.install SET runtime_version = '1'")
	c.must("verify", "--counts=false")
	testOtherBuild(t, c, db)
}

// testOtherBuild checks that verify tells two builds of one version apart, and names both. Runs go
// on, because the functions of policies and of the runtime belong together.
func testOtherBuild(t *testing.T, c *cli, db *pgtest.DB) {
	t.Helper()
	own := pgtest.Value[string](t, db, "SELECT runtime_build FROM retention.install")
	if r := c.finish(c.command("version")); !strings.Contains(r.stdout, ", runtime 1 (build "+own+"), go") {
		t.Errorf("version does not print the build %s: %s", own, r.stdout)
	}
	for tamper, found := range map[string]string{
		"UPDATE retention.install SET runtime_build = '0123456789ab'": "0123456789ab",
		"ALTER TABLE retention.install DROP COLUMN runtime_build":     "without a fingerprint",
	} {
		clone := *c
		other := db.Copy(t)
		clone.url = other.URL("")
		other.Exec(t, tamper)
		message := "another build of version 1 of the runtime (" + found + ") than this pgretain (" + own + ")"
		clone.want(2, message, "verify", "--counts=false")
		clone.want(2, `hint: Run "pgretain generate" and "pgretain migrate up"`, "verify", "--counts=false")
		clone.must("migrate", "status")
		db = db.Reopen(t)
	}
}

// installedCLI is a command line with its database.
type installedCLI struct {
	*cli
	db *pgtest.DB
}

// firstVersion installs an example with the present version of the runtime.
func firstVersion(t *testing.T, binary, name string) installedCLI {
	t.Helper()
	db, dir := pgtest.CronServer(t), copyExample(t, name)
	db.Exec(t, "CREATE ROLE bot_deploy LOGIN; ALTER SCHEMA public OWNER TO bot_deploy")
	pgtest.Exec(t, db.Conn(t, "bot_deploy"), fixture.ReadFile(t, dir, "schema.sql"))
	c := newCLI(t, binary, db.URL("bot_deploy"), dir)
	db.Exec(t, c.must("bootstrap").stdout)
	c.must("migrate", "up")
	return installedCLI{c, db}
}

// nextBinary builds the command with a next version of the runtime, which has one more column in a
// table.
func nextBinary(t *testing.T) string {
	t.Helper()
	sources, err := filepath.Abs(filepath.Join("..", "sql"))
	if err != nil {
		t.Fatal(err)
	}
	const (
		pid    = `{"relation":"run","kind":"column","name":"pid"`
		origin = `{"relation":"run","kind":"column","name":"origin","text":"text"},` + "\n"
	)
	files := map[string]string{
		"runtime.go": strings.NewReplacer(`Version = "1"`, `Version = "2"`, "go:embed ", "go:embed upgrades/*/*.sql ").
			Replace(fixture.ReadFile(t, sources, "runtime.go")),
		"engine/3_start/_half_upgraded.sql": strings.ReplaceAll(fixture.ReadFile(t, sources,
			"engine/3_start/_half_upgraded.sql"), "'1'", "'2'"),
		"engine/2_driver/_stop_reason.sql": strings.ReplaceAll(fixture.ReadFile(t, sources,
			"engine/2_driver/_stop_reason.sql"), "'1'", "'2'"),
		"upgrades/2/run_origin.sql":      "ALTER TABLE retention.run ADD COLUMN IF NOT EXISTS origin text;\n",
		"upgrades/2/run_origin.down.sql": "ALTER TABLE retention.run DROP COLUMN IF EXISTS origin;\n",
		"verify/relations.json": strings.Replace(fixture.ReadFile(t, sources, "verify/relations.json"), pid,
			origin+pid, 1),
	}
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range files {
		replace[filepath.Join(sources, name)] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(replace[filepath.Join(sources, name)], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "pgretain")
	if err := os.WriteFile(path, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-w", "-overlay", path, "-o", binary,
		"../cmd/pgretain").CombinedOutput(); err != nil {
		t.Fatalf("building the next version: %v\n%s", err, out)
	}
	return binary
}

// resum returns a generated file with the hash of its present content.
func resum(content string) string {
	lines := strings.SplitN(content, "\n", 3)
	head, _, _ := strings.Cut(lines[1], " sum ")
	return strings.Join([]string{lines[0], head + " sum " + generator.Hash(lines[2]), lines[2]}, "\n")
}

// testOlderRuntime checks commands with an older runtime in the database. All commands except
// verify work, and verify says what to do. generate writes the upgrade, and migrate applies it.
func testOlderRuntime(t *testing.T, binary string) {
	c := firstVersion(t, binary, "bot-queue")
	c.binary = nextBinary(t)
	c.must("preview", "enqueued_messages_ttl")
	c.must("run", "enqueued_messages_ttl")
	c.must("status")
	c.must("migrate", "status")
	if r := c.finish(c.command("lint")); r.code != 0 {
		t.Error(r)
	}
	c.want(2, `the database has version 1 of the runtime, but this pgretain verifies version 2`, "verify")

	check := c.finish(c.command("generate", "--check"))
	if check.code != 1 || !strings.Contains(check.stdout, "00005_pgretain_runtime.sql") {
		t.Errorf("exit code %d\n%s%s", check.code, check.stdout, check.stderr)
	}
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	files, err := filepath.Glob(filepath.Join(c.dir, "migrations", "*.sql"))
	if err != nil || len(files) < 6 {
		t.Fatalf("migrations: %q, want the four of version 1 and the upgrade (%v)", files, err)
	}
	c.want(1, "", "verify") // the upgrade is pending
	c.must("migrate", "up")
	c.must("verify")
	c.must("run", "enqueued_messages_ttl")

	// Here the directory has a version and a kind of object that pgretain does not know.
	newest := filepath.Join(c.dir, "migrations", "00005_pgretain_runtime.sql")
	for from, want := range map[string]string{
		`put upgrade "2/run_origin"`: "00005_pgretain_runtime.sql:1:1: error: it installs version 10 of the " +
			"runtime; this pgretain writes version 2",
		`put function`: `it holds an object of kind "trigger", which this pgretain (runtime 2) does not know`,
	} {
		text := fixture.ReadFile(t, filepath.Dir(newest), filepath.Base(newest))
		to := strings.NewReplacer("2/run", "10/run", "put function", "put trigger").Replace(from)
		if err := os.WriteFile(newest, []byte(resum(strings.Replace(text, from, to, 1))), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"generate"}, {"generate", "--check"}, {"lint"}} {
			r := c.finish(c.command(args...))
			if r.code != 1 || !strings.Contains(r.stderr, want) ||
				!strings.Contains(r.stderr, "hint: Use the pgretain version that wrote the file") {
				t.Errorf("%q: exit code %d, want %q in:\n%s", args, r.code, want, r.stderr)
			}
		}
		for _, args := range [][]string{{"migrate", "up"}, {"migrate", "down"}, {"verify"}} {
			c.want(1, want, args...)
		}
		if err := os.WriteFile(newest, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.must("verify")
	c.must("migrate", "down")
	c.must("run", "enqueued_messages_ttl")
	if got := pgtest.Value[string](t, c.db, "SELECT runtime_version FROM retention.install"); got != "1" {
		t.Errorf("after migrate down the runtime has version %s, want 1", got)
	}
}
