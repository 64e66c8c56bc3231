package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// testScopes checks that commands take and count rows only inside the scopes of a policy's jobs. A
// first run continues until nothing is due. A policy that fails does not stop the others.
func testScopes(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := newCLI(t, binary, db.URL(""), t.TempDir())
	c.write("retention.yaml", `version: 1
install: {scheduler: none, roles: none}
policies:
  tok: {table: public.tok, scope: [nid], due: {age: {column: at, older_than: 1 day}}, then: [delete]}
  early: {table: public.part, where: "NOT EXISTS (SELECT FROM public.whole w WHERE w.id = whole_id)", then: [delete]}
  late: {table: public.whole, due: {age: {column: at, older_than: 1 day}}, then: [delete]}
  worse: {table: public.worse, where: "1 / id >= 0", then: [delete]}
  bad: {table: public.bad, due: {age: {column: at, older_than: 1 day}}, then: [delete]}
jobs:
  one: {schedule: "@daily", run: [tok], scope: {nid: 1}}
  two: {schedule: "@daily", run: [tok], scope: {nid: 2}}
  rest: {schedule: "@daily", run: [early, late, bad, worse]}
`)
	db.Exec(t, `
		CREATE TABLE tok (id int PRIMARY KEY, nid int NOT NULL, at timestamptz NOT NULL);
		CREATE TABLE whole (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE part (id int PRIMARY KEY, whole_id int);
		CREATE TABLE bad (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE worse (id int PRIMARY KEY);
		INSERT INTO tok SELECT n, n % 4, '2024-01-01' FROM generate_series(1, 40) n;
		INSERT INTO whole SELECT n, '2024-01-01' FROM generate_series(1, 3) n;
		INSERT INTO part SELECT n, n % 4 FROM generate_series(1, 8) n;
		INSERT INTO bad VALUES (1, '2024-01-01');
		INSERT INTO worse VALUES (0)`)
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	db.Exec(t, "ALTER TABLE bad RENAME COLUMN at TO made_at")
	left := func(want string) {
		t.Helper()
		if got := pgtest.Value[string](t, db, `SELECT concat_ws(' ',
			(SELECT string_agg(concat(nid, ':', n), ' ' ORDER BY nid)
			 FROM (SELECT nid, count(*) AS n FROM tok GROUP BY 1) x),
			(SELECT count(*) FROM whole),
			(SELECT count(*) FROM part),
			(SELECT count(*) FROM bad))`); got != want {
			t.Errorf("rows of tok by nid, and of whole, part and bad: %s, want %s", got, want)
		}
	}
	const none = "0:10 1:10 2:10 3:10 3 8 1"

	// The list has one line for each scope, and one for each policy that fails.
	r := c.run("preview", "--json")
	var list struct {
		Policies []struct {
			Policy  string
			Scope   json.RawMessage
			Due     *int64
			Stopped *string `json:"stopped_by"`
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil || r.code != 1 {
		t.Fatalf("%v: %+v", err, r)
	}
	var got []string
	for _, p := range list.Policies {
		line := p.Policy + " " + strings.Join(strings.Fields(string(p.Scope)), "")
		if p.Due != nil {
			line += " " + strings.Repeat("x", int(*p.Due))
		} else if p.Stopped != nil {
			line += " " + *p.Stopped
		}
		got = append(got, line)
	}
	want := []string{
		`tok {"nid":1} xxxxxxxxxx`,
		`tok {"nid":2} xxxxxxxxxx`,
		"early null xx",
		"late null xxx",
		"worse null division by zero",
		`bad null column "at" of "public.bad" is not there; undo it, or correct the policy file, ` +
			`run "pgretain snapshot" and "pgretain generate", and migrate`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("previews (-want +got):\n%s", diff)
	}
	if r := c.run("preview"); r.code != 1 || !strings.Contains(r.stdout, `tok {"nid": 1}`) ||
		!strings.Contains(r.stdout, "bad ") {
		t.Errorf("%+v", r)
	}

	// A call for a policy with several scopes must name the scope.
	for _, args := range [][]string{{"preview", "tok"}, {"run", "tok"}, {"run", "tok", "--reason", "all of it"}} {
		c.want(2, "only inside the scopes of its jobs", args...)
		c.want(2, `{"nid": 2}`, args...)
	}
	c.want(2, "COLUMN=VALUE", "run", "tok", "--scope", "nid")
	c.want(2, "--scope needs the name of a policy", "run", "--job", "one", "--scope", "nid=1")
	c.want(2, "--scope needs the name of a policy", "run", "--first", "--yes", "--scope", "all")
	left(none)
	for scope, due := range map[string]string{"nid=2": "10", `{"nid": "1"}`: "10", "all": "40"} {
		if r := c.must("preview", "tok", "--scope", scope); !strings.Contains(r.stdout, due) {
			t.Errorf("%s: %s", scope, r.stdout)
		}
	}
	c.must("run", "tok", "--scope", "nid=3")
	left("0:10 1:10 2:10 3 8 1")

	// A first run of a job takes the job's rows.
	c.must("run", "--first", "--job", "two", "--yes")
	left("0:10 1:10 3 8 1")
	db.Exec(t, "INSERT INTO tok SELECT n, 2, '2024-01-01' FROM generate_series(101, 103) n")
	c.must("run", "--first", "tok", "--scope", "nid=2", "--yes")
	left("0:10 1:10 3 8 1")

	// A first run of all policies repeats early, because late makes further rows of early due.
	if r := c.run("run", "--first", "--yes"); r.code != 1 || !strings.Contains(r.stdout, "is not there") ||
		!strings.Contains(r.stdout, "division by zero") {
		t.Errorf("%+v", r)
	}
	left("0:10 0 0 1")
	runs := pgtest.Column[string](t, db,
		"SELECT format('%s %s %s', policy, scope, taken) FROM retention.run ORDER BY id")
	if diff := cmp.Diff([]string{
		`tok {"nid": "3"} 10`,
		`tok {"nid": 2} 10`,
		`tok {"nid": 2} 3`,
		`tok {"nid": 1} 10`,
		"early  2",
		"late  3",
		"early  6",
	}, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	c.must("run", "tok", "--scope", "all")
	left("0 0 1")

	// A first run accepts the breaker of each scope. A dry run before it takes nothing,
	// and reports that the run would trip.
	db.Exec(t, `UPDATE retention.policy SET breaker_rows = 1 WHERE name = 'tok';
		INSERT INTO tok SELECT n, 1 + n % 2, '2024-01-01' FROM generate_series(201, 205) n`)
	c.want(1, `policy "tok", dry run: tripped`, "run", "--job", "two", "--dry-run")
	left("1:2 2:3 0 0 1")
	c.must("run", "--first", "tok", "--yes")
	left("0 0 1")
	if diff := cmp.Diff([]string{`t {"nid": 2} tripped 0`, `f {"nid": 1} done 2`, `f {"nid": 2} done 3`},
		pgtest.Column[string](t, db, `SELECT format('%s %s %s %s', dry_run, scope, state, taken)
			FROM (SELECT * FROM retention.run ORDER BY id DESC LIMIT 3) r ORDER BY id`)); diff != "" {
		t.Errorf("runs past the breaker (-want +got):\n%s", diff)
	}
	db.Exec(t, "INSERT INTO tok SELECT n, 1, '2024-01-01' FROM generate_series(301, 301) n")
	if r := c.must("run", "--job", "one", "--dry-run"); !strings.Contains(r.stdout, "dry run, done") {
		t.Errorf("%+v", r)
	}
	left("1:1 0 0 1")
}

// testPlanOfScopes checks that plan counts rows inside the scopes of the installed jobs and of the
// jobs in the policy file.
func testPlanOfScopes(t *testing.T, binary string) {
	const yaml = `version: 1
install: {scheduler: none}
policies:
  tok: {table: public.tok, scope: [nid], due: {age: {column: at, older_than: 1 day}}, then: [delete]}
jobs:
  one: {schedule: "@daily", run: [tok], scope: {nid: 1}}
  two: {schedule: "@daily", run: [tok], scope: {nid: 2}}
`
	in := kit.Install(t, `CREATE TABLE tok (id int PRIMARY KEY, nid int NOT NULL, at timestamptz NOT NULL);
		INSERT INTO tok SELECT n, n % 4, '2024-01-01' FROM generate_series(1, 43) n`, yaml)
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", strings.Replace(yaml, "nid: 2", "nid: 3", 1))
	c.must("snapshot")
	if err := os.Mkdir(filepath.Join(c.dir, "migrations"), 0o755); err != nil {
		t.Fatal(err)
	}
	// Without --all, the policy is evaluated because its jobs have other scopes.
	text := strings.Join(strings.Fields(c.must("plan").stdout), " ")
	for _, want := range []string{`tok {"nid": 1} unchanged 11 11`, `tok {"nid": 3} unchanged 11`,
		`tok {"nid": 2} unchanged 11`} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan does not contain %q:\n%s", want, text)
		}
	}
}
