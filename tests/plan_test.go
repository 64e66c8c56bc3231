package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pgretain/internal/quote"
	"pgretain/policy"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// planned is the JSON output of "pgretain plan" for one policy.
type planned struct {
	Policy, Change, Note, Words string
	Now, Then                   *struct {
		Due     int64
		Kept    map[string]int64
		Effects []plannedEffect
	}
}

// plannedEffect is a row of retention.blast_radius. It says what a step would do to one table.
type plannedEffect struct {
	Step      int
	Effect    string
	TableName *string `json:"table_name"`
	Path      *string
	Rows      *int64
	Note      *string
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

// testPlan plans every golden case of the generator in a database without the policies. After the
// policies are installed, they must count the same rows and effects, and runs must take the rows.
func testPlan(t *testing.T, binary string) {
	const asOf = "2025-06-01 12:00:00+00"
	schema := fixture.ReadFile(t, filepath.Join(corpus, "schema.sql")) + fixture.ReadFile(t,
		filepath.Join(corpus, "data.sql"))
	var evaluated atomic.Int64
	t.Cleanup(func() {
		if n := evaluated.Load(); n < 30 {
			t.Errorf("plan evaluated %d policies, want at least 30", n)
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
			// The worker may read what the planning role may read.
			if worker := in.File.Install.Roles.Worker; worker != "" {
				in.Exec(t, "GRANT SELECT ON ALL TABLES IN SCHEMA app TO "+quote.Ident(worker))
			}
			ensures := slices.ContainsFunc(in.File.Policies, func(p *policy.Policy) bool { return len(p.Ensure) > 0 })
			for _, p := range in.File.Policies {
				if in.File.EachOf(p) != nil {
					p.Name += "@shop_anna"
				}
				plan := plans[p.Name]
				if plan.Then == nil {
					if !ensures || plan.Note == "" {
						t.Errorf("%s was not evaluated: %s", p.Name, plan.Note)
					}
					continue
				}
				evaluated.Add(1)
				if due, kept := in.Count(p.Name, asOf); plan.Then.Due != due || !maps.Equal(plan.Then.Kept, kept) {
					t.Errorf("the plan of %s has %d due and %v kept rows, the preview %d and %v", p.Name,
						plan.Then.Due, plan.Then.Kept, due, kept)
				}
				effects := effectsOf(t, in, p.Name, asOf)
				if diff := cmp.Diff(effects, plan.Then.Effects, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("the plan of %s (%s) and blast_radius have other effects (-blast_radius +plan):\n%s",
						p.Name, plan.Note, diff)
				}
			}
			var taken int64
			for i, p := range in.File.Policies {
				took := runAsCounted(t, in, p.Name, asOf)
				if plan := plans[p.Name].Then; i == 0 && plan != nil && took.Taken != plan.Due &&
					len(took.Cascaded) == 0 {
					t.Errorf("the plan of %s has %d due rows, the run took %d", p.Name, plan.Due, took.Taken)
				}
				taken += took.Taken
			}
			if taken == 0 && len(in.File.Policies[0].Ensure) == 0 { // with "ensure" the clock begins at the install
				t.Error("no policy took a row, want some")
			}
		})
	}
}

// effectsOf returns the effects of the steps of an installed policy.
func effectsOf(t *testing.T, in *kit.Installed, policy, asOf string) (effects []plannedEffect) {
	t.Helper()
	text := pgtest.Value[string](t, in, fmt.Sprintf("SELECT coalesce(json_agg(b), '[]') FROM %s.blast_radius($1, $2) b",
		quote.Ident(in.File.Install.Schema)), policy, asOf)
	if err := json.Unmarshal([]byte(text), &effects); err != nil {
		t.Fatal(err)
	}
	return effects
}

// testTypesOfClocks changes the expression of a clock. lint asks for a new snapshot, and snapshot
// warns if the server refuses the expression. If the clock has no time zone and the server's zone
// is not UTC, snapshot and plan warn.
func testTypesOfClocks(t *testing.T, binary string) {
	policy := func(clock string) string {
		const yaml = `version: 1
install: {scheduler: none}
policies:
  lines_old: {table: app.lines, due: {age: {expression: %q, older_than: 30 days}}, then: [delete]}
`
		return fmt.Sprintf(yaml, clock)
	}
	in := kit.Prepare(t, "CREATE SCHEMA app; CREATE TABLE app.lines (id int PRIMARY KEY, at timestamp, day date)",
		policy("at"))
	in.DB.Exec(t, `DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I SET TimeZone = ''America/New_York''', current_database());
	END $$`)
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", policy("day + 1"))
	const unzoned = `retention.yaml:4:58: warning: clock "day + 1" of policy "lines_old" has no time zone`
	c.want(0, unzoned, "snapshot")
	c.want(0, unzoned, "plan")
	c.want(0, "got:  America/New_York", "plan")
	text, asked := fixture.ReadFile(t, c.dir, "retention.catalog.json"), `"SELECT t.day + 1 FROM app.lines t": "date"`
	if !strings.Contains(text, asked) {
		t.Errorf("the snapshot lacks the type of the clock, %s:\n%s", asked, text)
	}
	c.write("retention.yaml", policy("day + 2"))
	lint := c.finish(c.command("lint"))
	const unknown = "retention.yaml:4:58: error: the type of this expression is not in the catalog snapshot [P068]"
	if lint.code != 1 || !strings.Contains(lint.stderr, unknown) ||
		!strings.Contains(lint.stderr, `hint: Run "pgretain snapshot"`) {
		t.Errorf("lint does not ask for a snapshot: exit code %d\n%s", lint.code, lint.stderr)
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
		t.Errorf("snapshot warns of a clock with a time zone: %s", r.stderr)
	}
}

// testPlanOfClosedTable plans a policy with a step on a table that the planning role may not read.
// plan counts the due rows, and says why it does not know what the steps would do.
func testPlanOfClosedTable(t *testing.T, binary string) {
	const yaml = `version: 1
install: {scheduler: none}
policies:
  loans:
    table: app.loan
    due: {age: {column: at, older_than: 30 days}}
    then: [delete: {table: app.fine, as: f, where: f.loan_id = t.id}, delete]
`
	in := kit.Prepare(t, `CREATE SCHEMA app;
		CREATE TABLE app.loan (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE app.fine (id bigint PRIMARY KEY, loan_id bigint)`, yaml)
	in.DB.Exec(t, `INSERT INTO app.loan SELECT n, now() - interval '1 year' FROM generate_series(1, 20) n;
		REVOKE SELECT ON app.fine FROM `+kit.Migrator)
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", yaml)
	c.must("snapshot")
	text := c.must("plan").stdout
	for _, want := range []string{
		"loans   new                        20",
		"\nloans: what its steps would do is unknown: permission denied for table fine\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("plan does not say %q:\n%s", want, text)
		}
	}
}

// testPlanOfTriggers checks that plan, and lint with a sandbox, name a trigger that writes to a
// table to which the worker may not write, and a guard's function that reads such a table. Runs
// take no row before both GRANTs of the hints.
func testPlanOfTriggers(t *testing.T, binary string) {
	const yaml, schema = `version: 1
install: {scheduler: none}
policies:
  loans:
    table: app.loan
    due: {age: {column: at, older_than: 30 days}}
    keep: {late: app.is_late(id)}
    triggers: [keep_loan]
    then: [delete]
`, `CREATE SCHEMA app;
		CREATE TABLE app.loan (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE app.old_loan (id bigint, at timestamptz);
		CREATE FUNCTION app.keep_loan() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS
		'BEGIN INSERT INTO app.old_loan SELECT old.*; RETURN old; END';
		CREATE TRIGGER keep_loan BEFORE DELETE ON app.loan FOR EACH ROW EXECUTE FUNCTION app.keep_loan();
		CREATE TABLE app.late_loan (id bigint);
		CREATE FUNCTION app.is_late(bigint) RETURNS boolean LANGUAGE sql STABLE
		RETURN EXISTS (SELECT FROM app.late_loan l WHERE l.id = $1);`
	const lacks = `trigger "keep_loan" on table "app.loan" needs INSERT on table "app.old_loan", ` +
		`which role "retention_worker" lacks [V074]`
	const grant = "GRANT INSERT ON app.old_loan TO retention_worker;"
	const lacksToo = `function app.is_late(bigint) needs SELECT on table "app.late_loan", ` +
		`which role "retention_worker" lacks`
	const grantToo = "GRANT SELECT ON app.late_loan TO retention_worker;"
	in := kit.Prepare(t, schema, yaml)
	in.DB.Exec(t, "INSERT INTO app.loan SELECT n, now() - interval '1 year' FROM generate_series(1, 20) n")
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", yaml)
	c.write("schema.sql", schema)
	c.must("snapshot")
	c.want(0, "retention.yaml:4:3: warning: "+lacks, "plan")
	c.want(0, "hint: "+grant, "plan")
	c.want(0, lacksToo, "plan")
	c.want(0, "hint: "+grantToo, "plan")
	if r := c.finish(c.command("lint", "--sandbox", "--schema", "schema.sql")); r.code != 1 ||
		!strings.Contains(r.stdout+r.stderr, lacks) || !strings.Contains(r.stdout+r.stderr, lacksToo) {
		t.Errorf("lint with a sandbox does not find the functions: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}

	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	taken := func() int {
		in.Call("CALL retention.run('loans')") //nolint:errcheck // the rows tell whether the run took them
		return 20 - pgtest.Value[int](t, in, "SELECT count(*) FROM app.loan")
	}
	for _, give := range []string{"", grantToo} { // the guard, then the trigger
		if give != "" {
			in.DB.Exec(t, give)
		}
		if n := taken(); n != 0 {
			t.Fatalf("the run took %d rows without a privilege", n)
		}
	}
	in.DB.Exec(t, grant)
	if r := c.must("plan"); r.stderr != "" {
		t.Errorf("after the GRANT plan still warns:\n%s", r.stderr)
	}
	if n := taken(); n != 20 || pgtest.Value[int](t, in, "SELECT count(*) FROM app.old_loan") != 20 {
		t.Errorf("the run took %d rows, and the trigger must have kept 20", n)
	}
}

// testPlanOfChange plans a changed window, a new policy and a removed policy, while others are
// installed and a hold is in force.
func testPlanOfChange(t *testing.T, binary string) {
	const yaml = `version: 1
install: {scheduler: none}
policies:
  lines_old: {table: app.lines, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
  lines_bad: {table: app.lines, where: bad, due: {age: {column: at, older_than: 1 day}}, then: [delete]}
`
	in := kit.Prepare(t, `CREATE SCHEMA app;
		CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz NOT NULL, bad boolean NOT NULL DEFAULT false);
		INSERT INTO app.lines
		SELECT n, '2026-05-01 00:00:00+00'::timestamptz - n * interval '1 day' FROM generate_series(1, 100) n`, yaml)
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
	c.write("retention.yaml", strings.NewReplacer(
		"older_than: 30 days}},", `older_than: {days: 10, at_least: 1, at_most: 30}}},
    keep: {young: "at > as_of - retention.window_of('lines_old')"},`, // the window of the file
		"lines_bad", "lines_worst",
		"where: bad", "where: NOT bad AND 'retention.x' = 'retention' || '.x'", // a plan changes no constant
		"older_than: 1 day}}, then: [delete]", `older_than: 1 day}},
    keep: {twin: "EXISTS (SELECT FROM app.lines l WHERE l.id = - t.id) OR EXISTS (SELECT FROM retention.event)"},
    then: [{emit: {event: gone}}, delete]`,
	).Replace(yaml))
	plans := planOf(t, c, "--as-of", "2026-05-01 00:00:00+00")
	// Now rows of 31 to 100 days are due; then those of 11 to 100 days, except the held one.
	old := plans["lines_old"]
	if old.Change != "changed" || old.Now.Due != 70 || old.Then.Due != 89 || old.Then.Kept["hold"] != 1 {
		t.Errorf("the plan of the changed policy is %+v, now %+v, then %+v", old, old.Now, old.Then)
	}
	if !strings.Contains(old.Words, "30 days") || !strings.Contains(old.Words, "10 days") {
		t.Errorf("the words of the change lack 30 days or 10 days: %q", old.Words)
	}
	if bad := plans["lines_bad"]; bad.Change != "removed" || bad.Now == nil || bad.Then != nil {
		t.Errorf("the plan of the removed policy is %+v", bad)
	}
	if worst := plans["lines_worst"]; worst.Change != "new" || worst.Now != nil || worst.Then == nil ||
		worst.Then.Due != 98 {
		t.Errorf("the plan of the new policy is %+v", worst)
	}
	text := c.must("plan", "--as-of", "2026-05-01 00:00:00+00").stdout
	for _, want := range []string{
		"lines_old    changed          70         89     1",
		"lines_worst  1     insert  retention.event   98?",
		`lines_worst, step 1, insert retention.event: conditions read table "app.lines", ` +
			`which step 2 writes, so later batches may take other rows`,
		"LOCKED BY THE MIGRATION",
		"ROW EXCLUSIVE",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan does not contain %q:\n%s", want, text)
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

// testPlanEvaluates checks which policies plan evaluates: at most 30 that the file changes, or the
// named ones, or all with --all.
func testPlanEvaluates(t *testing.T, binary string) {
	const policies = 32
	yaml := "version: 1\ninstall: {scheduler: none}\npolicies:\n"
	for n := range policies {
		yaml += fmt.Sprintf("  lines_%02d: {table: app.lines, where: id %% %d = %d, "+
			"due: {age: {column: at, older_than: 30 days}}, then: [delete]}\n", n, policies, n)
	}
	in := kit.Prepare(t, `CREATE SCHEMA app;
		CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO app.lines SELECT n, now() - interval '1 year' FROM generate_series(1, 320) n`, yaml)
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", yaml)
	c.must("snapshot")
	want := func(evaluated []string, args ...string) map[string]planned {
		t.Helper()
		plans := planOf(t, c, args...)
		var got []string
		for _, name := range slices.Sorted(maps.Keys(plans)) {
			switch p := plans[name]; {
			case p.Then != nil && p.Note == "" && p.Then.Due == 10:
				got = append(got, name)
			case p.Then != nil || p.Now != nil || p.Note == "":
				t.Errorf("the plan with %q of a policy that is not evaluated is %+v", args, p)
			}
		}
		if diff := cmp.Diff(evaluated, got); diff != "" || len(plans) != policies {
			t.Errorf("plan with %q has %d policies, and evaluates (-want +got):\n%s", args, len(plans), diff)
		}
		return plans
	}
	var all []string
	for n := range policies {
		all = append(all, fmt.Sprintf("lines_%02d", n))
	}
	if last := want(all[:30])["lines_31"]; !strings.Contains(last.Note, "more than 30 policies change") {
		t.Errorf("the note of the last policy is %q", last.Note)
	}
	want(all, "--all")
	want([]string{"lines_03", "lines_31"}, "lines_31", "lines_03")
	c.want(1, `has no policy or report "lines_99"`, "plan", "lines_99")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	if first := want(nil)["lines_00"]; first.Change != "unchanged" || !strings.Contains(first.Note, "unchanged") {
		t.Errorf("the plan of an unchanged policy is %+v", first)
	}
	want(all[5:6], "lines_05")
	c.write("retention.yaml", strings.Replace(yaml, "32 = 7, due: {age: {column: at, older_than: 30",
		"32 = 7, due: {age: {column: at, older_than: 40", 1))
	want(all[7:8])
	want(all, "--all")
	text := strings.Join(strings.Fields(c.must("plan").stdout), " ")
	if lines := "lines_07 changed 10 10 0 starts 31 policies unchanged not evaluated"; !strings.Contains(text, lines) {
		t.Errorf("the plan does not contain %q:\n%s", lines, text)
	}
}

// testForecast plans policies of a table that gets a row each hour. The figures of a new policy are
// estimated, and agree with the rows. After two runs they are measured. What nobody can know is
// unknown.
func testForecast(t *testing.T, binary string) {
	const rules = `version: 1
install: {scheduler: none}
policies:
  hours: {table: app.hours, due: &month {age: {column: at, older_than: 30 days}}, budget: {rows: 1000}, then: [delete]}
  marks: {table: app.hours, due: *month, where: NOT mark, then: [update: {set: {mark: "true"}}]}
  ranks: {table: app.hours, due: {beyond: {first: 2000, order: id DESC}}, then: [delete]}
  fresh: {table: app.fresh, due: *month, then: [delete]}
`
	in := kit.Prepare(t, `CREATE SCHEMA app;
		CREATE TABLE app.hours (id int PRIMARY KEY, at timestamptz NOT NULL, mark boolean NOT NULL DEFAULT false);
		CREATE TABLE app.fresh (LIKE app.hours INCLUDING ALL) WITH (autovacuum_enabled = false);
		INSERT INTO app.hours SELECT n, timestamptz '2026-05-01 00:30+00' - n * interval '1 hour'
		FROM generate_series(1, 2400) n;
		INSERT INTO app.fresh TABLE app.hours;
		ANALYZE app.hours`, rules)
	c := newCLI(t, binary, in.URL(kit.Migrator), t.TempDir())
	c.write("retention.yaml", rules)
	c.must("snapshot")
	type known struct {
		Value *float64
		Basis string
	}
	forecasts := func() map[string]map[string]known {
		var found struct {
			Policies []struct {
				Policy   string
				Forecast map[string]json.RawMessage
			}
		}
		text := c.must("plan", "--all", "--json", "--as-of", "2026-05-01 00:00+00").stdout
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			t.Fatal(err)
		}
		all := map[string]map[string]known{}
		for _, p := range found.Policies {
			all[p.Policy] = map[string]known{}
			for name, raw := range p.Forecast {
				var k known
				if json.Unmarshal(raw, &k) == nil && k.Basis != "" {
					all[p.Policy][name] = k
				}
			}
		}
		return all
	}
	want := func(policy, name, basis string, value float64) {
		t.Helper()
		got := forecasts()[policy][name]
		if got.Basis != basis || (got.Value == nil) != (basis == "unknown") ||
			got.Value != nil && (*got.Value < value*0.99 || *got.Value > value*1.01) {
			t.Errorf("%s of %s is %v %s, want %v %s", name, policy, got.Value, got.Basis, value, basis)
		}
	}
	want("hours", "rows_stay", "estimated", 720)
	want("hours", "rows_a_day", "estimated", 24)
	want("hours", "first_run_rows", "measured", 1680)
	want("hours", "run_seconds", "unknown", 0)
	want("hours", "first_run_seconds", "unknown", 0)
	want("marks", "rows_stay", "estimated", 2400)
	want("ranks", "rows_stay", "estimated", 2000)
	want("ranks", "rows_a_day", "unknown", 0)
	want("fresh", "rows_stay", "unknown", 0)
	want("fresh", "rows_a_day", "estimated", 24)
	size := pgtest.Value[float64](t, in, "SELECT pg_total_relation_size('app.hours')::float8")
	want("hours", "bytes_stay", "estimated", size*720/2400)
	text := c.must("plan", "--as-of", "2026-05-01 00:00+00").stdout
	if line := regexp.MustCompile(`(?m)^hours +720, estimated +\d+ kB, estimated +24, estimated +unknown +1,680, ` +
		`measured, in 2 runs or more +unknown$`); !line.MatchString(text) {
		t.Errorf("the plan does not contain the line %s:\n%s", line, text)
	}

	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	for _, asOf := range []string{"2026-04-11 00:00+00", "2026-04-21 00:00+00", "2026-05-01 00:00+00"} {
		in.Exec(t, "UPDATE retention.policy SET budget_rows = NULL")
		c.must("run", "hours", "--as-of", asOf)
	}
	want("hours", "rows_a_day", "measured", 24)
	want("hours", "first_run_rows", "measured", 0)
	if took := forecasts()["hours"]["run_seconds"]; took.Basis != "measured" || took.Value == nil || *took.Value <= 0 {
		t.Errorf("the time of a run is %v %s, want it measured", took.Value, took.Basis)
	}
	c.write("retention.yaml", strings.Replace(rules, "30 days", "20 days", 1))
	want("hours", "rows_a_day", "estimated", 24)
}
