// Package fleet tests --fleet, with which one command works on many databases.
package fleet

import (
	"encoding/json"
	"fmt"
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

func TestMain(m *testing.M) { pgtest.Main(m) }

const policyFile = `version: 1
install: {scheduler: none, roles: none}
policies:
  lines_old:
    table: app.lines
    due: {age: {column: at, older_than: 30 days}}
    breaker: {fraction: 1}
    then: [delete]
`

const schema = `
	CREATE SCHEMA app;
	CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz);
	INSERT INTO app.lines SELECT n, now() - n * interval '10 days' FROM generate_series(1, 8) n`

type project struct {
	t           *testing.T
	binary, dir string
}

func (p project) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// run runs pgretain, checks the exit code, and returns standard output.
func (p project) run(code int, args ...string) string {
	p.t.Helper()
	command := exec.Command(p.binary, args...)
	command.Dir = p.dir
	got, stdout, stderr := kit.RunCommand(p.t, command)
	if got != code {
		p.t.Fatalf("pgretain %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, stdout, stderr)
	}
	return stdout
}

// verdicts runs a command for the fleet, and returns the verdict and the exit code of each
// database.
func (p project) verdicts(code int, args ...string) map[string]string {
	p.t.Helper()
	var answer struct {
		Databases []struct {
			Database, Verdict string
			ExitCode          int `json:"exit_code"`
			Answer            json.RawMessage
			Messages          string
		}
	}
	text := p.run(code, append(args, "--fleet", "fleet.yaml", "--json")...)
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		p.t.Fatalf("%v in:\n%s", err, text)
	}
	found := map[string]string{}
	for _, d := range answer.Databases {
		found[d.Database] = fmt.Sprintf("%s %d", d.Verdict, d.ExitCode)
		if d.ExitCode == 0 && !json.Valid(d.Answer) || d.ExitCode > 0 && d.Messages == "" && len(d.Answer) == 0 {
			p.t.Errorf("%s has neither an answer nor a message: %s", d.Database, text)
		}
	}
	return found
}

func (p project) want(want map[string]string, code int, args ...string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.verdicts(code, args...)); diff != "" {
		p.t.Errorf("pgretain %s (-want +got):\n%s", strings.Join(args, " "), diff)
	}
}

// all returns a map with one verdict for all databases. Pairs of name and verdict in exceptions
// override it.
func all(names []string, verdict string, exceptions ...string) map[string]string {
	m := map[string]string{}
	for _, name := range names {
		m[name] = verdict
	}
	for i := 0; i < len(exceptions); i += 2 {
		m[exceptions[i]] = exceptions[i+1]
	}
	return m
}

// TestFleet uses a fleet of five databases: one is named in the file, a query finds four. For a
// while it has a sixth one whose server does not exist. A migration that fails on the canary
// reaches no other database. Each database gets a verdict, and a hold or a pause reaches all of
// them.
func TestFleet(t *testing.T) {
	t.Parallel()
	canary := pgtest.Database(t)
	dbs, names := []*pgtest.DB{canary}, []string{"canary"}
	for range 4 {
		db := pgtest.Database(t)
		db.Exec(t, schema)
		dbs, names = append(dbs, db), append(names, db.Name)
	}
	p := project{t, kit.Program(t), t.TempDir()}
	p.write("retention.yaml", policyFile)
	p.write("password", "#!/bin/sh\necho \"$1\" >>asked\necho s3cr3t\n")
	if err := os.Chmod(filepath.Join(p.dir, "password"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`version: 1
password_command: [./password, "{name}"]
stages:
  - name: canary
    max_failures: 0
    databases: {canary: %q}
  - found: {connection: %[1]q, query: "SELECT datname FROM pg_database WHERE datname IN ('%s')"}
`, canary.URL(""), strings.Join(names[1:], "', '"))
	p.write("fleet.yaml", text)
	p.run(0, "snapshot", "--database-url", dbs[1].URL(""))
	p.run(0, "generate")

	// The canary database lacks the policy's table.
	p.want(all(names, "not begun -1", "canary", "findings 1"), 1, "migrate", "up")
	for _, db := range dbs[1:] {
		if n := pgtest.Value[int](t, db, "SELECT count(*) FROM pg_namespace WHERE nspname = 'retention'"); n != 0 {
			t.Errorf("%s was migrated after the canary had failed", db.Name)
		}
	}
	canary.Exec(t, schema)
	p.want(all(names, "done 0"), 0, "migrate", "up")
	p.want(all(names, "up to date 0"), 0, "migrate", "status")
	p.want(all(names, "conforms 0"), 0, "verify")

	// One server cannot be reached. The other databases still get their verdicts.
	p.write("fleet.yaml", text+"  - name: lost\n    databases: {gone: \"host="+t.TempDir()+" dbname=gone\"}\n")
	p.want(all(names, "conforms 0", "gone", "unknown 2"), 2, "verify")
	out := p.run(2, "verify", "--fleet", "fleet.yaml")
	if lines := strings.Split(out, "\n"); !strings.HasPrefix(lines[0], "DATABASE") ||
		!strings.HasPrefix(lines[1], "canary") ||
		!strings.Contains(out, "\ngone:\n") || !strings.Contains(out, "cannot connect") ||
		strings.Contains(out, "s3cr3t") {
		t.Errorf("the text is:\n%s", out)
	}
	p.write("fleet.yaml", text)

	dbs[2].Exec(t, "DROP FUNCTION retention.lines_old_take CASCADE")
	p.want(all(names, "conforms 0", names[2], "drift 1"), 1, "verify")
	p.want(all(names, "done 0"), 0, "hold", "app.lines", "id=8", "--reason", "court")
	p.want(all(names, "done 0"), 0, "pause", "--reason", "audit")
	for _, db := range dbs {
		got := pgtest.Value[string](t, db, `SELECT concat_ws(' ',
			(SELECT string_agg(match::text || reason, '') FROM retention.hold WHERE released_at IS NULL),
			(SELECT string_agg(policy || value || reason, '') FROM retention.setting WHERE name = 'paused'))`)
		if want := `{"id": "8"}court *trueaudit`; got != want {
			t.Errorf("%s has hold and pause %q, want %q", db.Name, got, want)
		}
	}
	p.want(all(names, "done 0"), 0, "resume")

	if err := os.Mkdir(filepath.Join(p.dir, "reports"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write("reports/index.html", "somebody's own")
	p.run(2, "report", "--fleet", "fleet.yaml", "--output", "reports")
	if text := fixture.ReadFile(t, filepath.Join(p.dir, "reports", "index.html")); text != "somebody's own" {
		t.Errorf("without --force, report replaced a file that it did not write by %q", text)
	}
	p.run(0, "report", "--fleet", "fleet.yaml", "--output", "reports", "--force")
	p.run(0, "report", "--fleet", "fleet.yaml", "--output", "reports") // replaces its own reports
	index := fixture.ReadFile(t, filepath.Join(p.dir, "reports", "index.html"))
	if first, rest, _ := strings.Cut(index, names[2]); !strings.Contains(rest, "Drift") ||
		strings.Contains(first, "Conforms") {
		t.Errorf("the database with drift is not the first in the index:\n%s", index)
	}
	for _, name := range names {
		report := fixture.ReadFile(t, filepath.Join(p.dir, "reports", name+".report.html"))
		if !strings.Contains(report, "lines_old") || !strings.Contains(index, name+".report.html") {
			t.Errorf("the report of %s is missing, or not in the index", name)
		}
	}
	asked := fixture.ReadFile(t, filepath.Join(p.dir, "asked"))
	for _, name := range names {
		if !strings.Contains(asked, name+"\n") {
			t.Errorf("password_command was not run for %s", name)
		}
	}
}
