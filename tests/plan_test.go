package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/quote"
	"pgretain/policy"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
)

// planned is what "pgretain plan --format json" says of a policy.
type planned struct {
	Policy, Change, Note, Words string
	Now, Then                   *struct {
		Due  int64
		Kept map[string]int64
	}
}

func planOf(t *testing.T, c *cli, args ...string) map[string]planned {
	t.Helper()
	var found struct{ Policies []planned }
	text := c.must(append([]string{"plan", "--format", "json"}, args...)...).stdout
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	policies := map[string]planned{}
	for _, p := range found.Policies {
		policies[p.Policy] = p
	}
	return policies
}

// testPlan plans every case of the generator's corpus in a database that has only its tables. Once
// the policies are installed, their counts at the same instant must be equal, and runs take so many
// rows.
func testPlan(t *testing.T, binary string) {
	const asOf = "2025-06-01 12:00:00+00"
	schema := fixture.ReadFile(t, filepath.Join(corpus, "schema.sql")) + fixture.ReadFile(t,
		filepath.Join(corpus, "data.sql"))
	var evaluated atomic.Int64
	t.Cleanup(func() {
		if n := evaluated.Load(); n < 30 {
			t.Errorf("only %d policies were evaluated", n)
		}
	})
	for _, example := range corpusCases(t) {
		t.Run(example.Name, func(t *testing.T) {
			t.Parallel()
			tables := schema
			if example.Has("schema.sql") {
				tables = example.Text("schema.sql")
			}
			yaml := withoutCron(example.Text("policy.yaml"))
			in := kit.Prepare(t, tables, yaml, kit.Before(rolesOfApp))
			before := kit.Catalog(t, in.DB, in.File.Install.Schema)
			c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
			c.write("retention.yaml", yaml)
			c.must("snapshot")
			plans := planOf(t, c, "--as-of", asOf)
			if diff := cmp.Diff(before, kit.Catalog(t, in.DB, in.File.Install.Schema)); diff != "" {
				t.Errorf("the plan changed the database (-before +after):\n%s", diff)
			}
			in.Migrate(t, yaml)
			ensures := slices.ContainsFunc(in.File.Policies, func(p *policy.Policy) bool { return len(p.Ensure) > 0 })
			for _, p := range in.File.Policies {
				if in.File.EachOf(p) != nil {
					p.Name += "@shop_anna"
				}
				said := plans[p.Name]
				if said.Then == nil {
					if !ensures || said.Note == "" {
						t.Errorf("%s was not evaluated: %s", p.Name, said.Note)
					}
					continue
				}
				evaluated.Add(1)
				if due, kept := in.Count(p.Name, asOf); said.Then.Due != due || !maps.Equal(said.Then.Kept, kept) {
					t.Errorf("the plan of %s says %d due and %v kept, installed it has %d and %v", p.Name,
						said.Then.Due, said.Then.Kept, due, kept)
				}
			}
			var taken int64
			for i, p := range in.File.Policies {
				took := runAsCounted(t, in, p.Name, asOf)
				if said := plans[p.Name].Then; i == 0 && said != nil && took.Taken != said.Due &&
					len(took.Cascaded) == 0 {
					t.Errorf("the plan of %s says %d, the run took %d", p.Name, said.Due, took.Taken)
				}
				taken += took.Taken
			}
			if taken == 0 && len(in.File.Policies[0].Ensure) == 0 { // a new column makes every row new
				t.Error("no policy takes a row, so that nothing is shown")
			}
		})
	}
}

// testTypesOfClocks edits the expression of a clock after the snapshot: lint asks for another one,
// which tells what the server refuses. In a database of another time zone snapshot and plan warn of
// a clock without one.
func testTypesOfClocks(t *testing.T, binary string) {
	policy := func(clock string) string {
		return fmt.Sprintf("version: 1\ninstall: {scheduler: none}\npolicies:\n"+
			"  lines_old: {table: app.lines, due: {age: {expression: %q, older_than: 30 days}}, then: [delete]}\n", clock)
	}
	in := kit.Prepare(t, "CREATE SCHEMA app; CREATE TABLE app.lines (id int PRIMARY KEY, at timestamp, day date)",
		policy("at"))
	in.DB.Exec(t, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = ''America/New_York''', "+
		"current_database()); END $$")
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", policy("day + 1"))
	const unzoned = `retention.yaml:4:58: warning: clock "day + 1" of policy "lines_old" has no time zone`
	c.want(0, unzoned, "snapshot")
	c.want(0, unzoned, "plan")
	c.want(0, "got:  America/New_York", "plan")
	text, asked := fixture.ReadFile(t, c.dir, "retention.catalog.json"), `"SELECT t.day + 1 FROM app.lines t": "date"`
	if !strings.Contains(text, asked) {
		t.Errorf("the snapshot has no type:\n%s", text)
	}
	c.write("retention.yaml", policy("day + 2"))
	lint := c.finish(c.command("lint"))
	if says := "retention.yaml:4:58: error: the type of this expression is not in the catalog snapshot [P068]"; lint.code != 1 ||
		!strings.Contains(lint.stderr, says) || !strings.Contains(lint.stderr, `hint: Run "pgretain snapshot"`) {
		t.Errorf("lint says %s", lint.stderr)
	}
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Error(r)
	}
	c.write("retention.yaml", policy("day + at"))
	c.want(0, "retention.yaml:4:58: warning: operator does not exist: date + timestamp without time zone [P057]",
		"snapshot")
	c.write("retention.yaml", policy("at AT TIME ZONE 'America/New_York'"))
	if r := c.must("snapshot"); r.stderr != "" {
		t.Errorf("a clock that says its zone: %s", r.stderr)
	}
}

// testPlanOfChange plans another window, a new and a removed policy beside what is installed, with
// a hold in force.
func testPlanOfChange(t *testing.T, binary string) {
	const yaml = `version: 1
install: {scheduler: none}
policies:
  lines_old: {table: app.lines, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
  lines_bad: {table: app.lines, where: bad, due: {age: {column: at, older_than: 1 day}}, then: [delete]}
`
	in := kit.Prepare(t, `CREATE SCHEMA app;
		CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz NOT NULL, bad boolean NOT NULL DEFAULT false);
		INSERT INTO app.lines SELECT n, '2026-05-01 00:00:00+00'::timestamptz - n * interval '1 day' FROM generate_series(1, 100) n`, yaml)
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", yaml)
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	if err := in.Operator(`SELECT retention.place_hold('app.lines', '{"id": 20}', 'case 7')`); err != nil {
		t.Fatal(err)
	}
	c.write("retention.yaml", strings.NewReplacer("30 days", "10 days", "lines_bad", "lines_worst", "where: bad",
		"where: NOT bad", "older_than: 1 day}}, then: [delete]",
		`older_than: 1 day}}, keep: {twin: "EXISTS (SELECT FROM app.lines l WHERE l.id = - t.id)"}, then: [{emit: {event: gone}}, delete]`).Replace(yaml))
	plans := planOf(t, c, "--as-of", "2026-05-01 00:00:00+00")
	// Ages 31 to 100 are due now, 11 to 100 then, but for the row under the hold.
	old := plans["lines_old"]
	if old.Change != "changed" || old.Now.Due != 70 || old.Then.Due != 89 || old.Then.Kept["hold"] != 1 {
		t.Errorf("the plan of the changed policy is %+v, now %+v, then %+v", old, old.Now, old.Then)
	}
	if !strings.Contains(old.Words, "30 days") || !strings.Contains(old.Words, "10 days") {
		t.Errorf("the change is worded %q", old.Words)
	}
	if bad := plans["lines_bad"]; bad.Change != "removed" || bad.Now == nil || bad.Then != nil {
		t.Errorf("the plan of the removed policy is %+v", bad)
	}
	if worst := plans["lines_worst"]; worst.Change != "new" || worst.Now != nil || worst.Then == nil ||
		worst.Then.Due != 98 {
		t.Errorf("the plan of the new policy is %+v", worst)
	}
	text := c.must("plan", "--as-of", "2026-05-01 00:00:00+00").stdout
	for _, want := range []string{"lines_old    changed          70         89     1",
		"lines_worst  1     insert  retention.event   98?",
		`lines_worst, step 1, insert retention.event: conditions read table "app.lines", which step 2 writes, so later batches may take other rows`, "LOCKS OF THE MIGRATION", "ROW EXCLUSIVE"} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan does not say %q:\n%s", want, text)
		}
	}
	markdown := c.must("plan", "--format", "markdown", "--as-of", "2026-05-01 00:00:00+00").stdout
	if want := "| lines_old | changed | 70 | 89 | 1 |"; !strings.Contains(markdown, want) {
		t.Errorf("the plan in Markdown has no line %q:\n%s", want, markdown)
	}
	c.url = in.URL("")
	c.want(2, "is a superuser", "plan")
	in.Exec(t, "REVOKE TEMPORARY ON DATABASE "+quote.Ident(in.Name)+" FROM PUBLIC")
	c.url = in.URL(kit.Migrator)
	c.want(2, "could not create temporary objects for the plan", "plan")
}
