package behaviour

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// Four policies on the same rows; 40 rows are due at noon. Their jobs have each kind of scope.
const (
	scopedTable = `CREATE TABLE tok (id int PRIMARY KEY, nid int NOT NULL, kind text NOT NULL,
			at timestamptz NOT NULL);
		INSERT INTO tok SELECT i, i % 4, CASE i % 3 WHEN 0 THEN 'a' ELSE 'b' END,
			'` + noon + `'::timestamptz - i * interval '1 day'
		FROM generate_series(1, 50) i`
	scopedJobs = `
policies:
  one: {table: tok, scope: [nid, kind], due: {age: {column: at, older_than: 10 days}}, then: [delete]}
  two: {table: tok, scope: [nid, kind], due: {age: {column: at, older_than: 10 days}}, then: [delete]}
  both: {table: tok, scope: [nid, kind], due: {age: {column: at, older_than: 10 days}}, then: [delete]}
  free: {table: tok, scope: [nid, kind], due: {age: {column: at, older_than: 10 days}}, then: [delete]}
jobs:
  first: {schedule: "@daily", run: [one, two, both], scope: {nid: 1}}
  second: {schedule: "@daily", run: [two], scope: {nid: 1, kind: "'a'"}}
  third: {schedule: "@daily", run: [two], scope: {nid: 2}}
  whole: {schedule: "@daily", run: [both]}`
)

// mayTake has conditions for the rows that each policy may take, one for each scope of its jobs.
// The conditions are in the order of the scopes.
var mayTake = map[string][]string{
	"one": {"nid = 1"}, "two": {"nid = 1", "nid = 2", "nid = 1 AND kind = 'a'"}, "both": {"true"}, "free": {"true"},
}

// withoutScope has the functions that take a policy and no scope, with the reason.
var withoutScope = map[string]string{
	"accept_names":   "names in the SQL of the policy",
	"row_statistics": "clocks of the table",
	"partitions":     "no policy on partitions has a scope",
	"pause":          "all runs",
	"restore":        "a run's rows",
	"resume":         "all runs",
	"set_window":     "all runs",
	"take_events":    "events",
	"why":            "answers scope",
	"window_of":      "all runs",
	"claim":          "keys",
}

// TestScopesOfJobs checks that calls for a policy stay inside the scopes of its jobs, unless the
// scope is "all". The functions come from the catalog: each function with a parameter policy needs
// a parameter scope, or an entry in withoutScope.
func TestScopesOfJobs(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, scopedTable, scopedJobs)
	calls := map[string]string{}
	for _, name := range pgtest.Column[string](t, in,
		`SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'retention'::regnamespace
			AND p.proname NOT LIKE '\_%' AND p.proargnames @> '{policy,as_of,scope}'`) {
		calls[name] = "SELECT retention." + name + "(policy => $1, as_of => $2, scope => $3)"
		if name == "run" {
			calls[name] = "CALL retention.run(policy => $1, as_of => $2, scope => $3)"
			calls["dry run"] = "CALL retention.run(policy => $1, as_of => $2, scope => $3, dry_run => true)"
		}
	}
	for _, name := range pgtest.Column[string](t, in,
		`SELECT p.proname FROM pg_proc p WHERE p.pronamespace = 'retention'::regnamespace
			AND p.proname NOT LIKE '\_%' AND p.proargnames @> '{policy}' AND NOT p.proargnames @> '{scope}'
			AND (array_position(p.proargnames, 'policy') <= p.pronargs)`) {
		if withoutScope[name] == "" {
			t.Errorf("function %s takes a policy and no scope", name)
		}
	}
	if len(calls) < 5 {
		t.Fatalf("only the functions %v take a scope, want at least 5", slices.Sorted(maps.Keys(calls)))
	}
	in.Exec(t, "CREATE TABLE before AS TABLE tok")
	refused := func(call, policy string, scope *string) *pgconn.PgError {
		in.Exec(t, "TRUNCATE tok; INSERT INTO tok TABLE before")
		_, err := in.Runner().Exec(t.Context(), calls[call], policy, noon, scope)
		if err == nil {
			return nil
		}
		var refusal *pgconn.PgError
		if !errors.As(err, &refusal) {
			t.Fatalf("%s of %s: %v", call, policy, err)
		}
		return refusal
	}
	all, narrower, own, elsewhere := `"all"`, `{"kind": "a"}`, `{"nid": "1"}`, `{"nid": 3, "kind": "a"}`
	for policy, conditions := range mayTake {
		isFree := conditions[0] == "true"
		for call := range calls {
			for _, scope := range []*string{nil, &narrower} {
				err := refused(call, policy, scope)
				if isFree != (err == nil) || err != nil &&
					(err.Code != "22023" || !strings.Contains(err.Message, "only inside the scopes of its jobs") ||
						!strings.Contains(err.Hint, `'{"nid": 1}' (job "first")`) ||
						!strings.Contains(err.Hint, `"all"`)) {
					t.Errorf("%s of %s with scope %v: got error %v, want an error: %v", call, policy, scope, err,
						!isFree)
				}
				if left := len(tokens(t, in)); !isFree && left != 50 {
					t.Errorf("%s of %s was refused, but %d of 50 rows are left", call, policy, left)
				}
			}
			for scope, want := range map[*string]string{
				&all:       "true",
				&own:       "nid = 1",
				&elsewhere: "nid = 3 AND kind = 'a'",
			} {
				if err := refused(call, policy, scope); err != nil {
					t.Errorf("%s of %s with scope %s failed: %v", call, policy, *scope, err)
				}
				if call != "run" {
					want = "false"
				}
				wanted := pgtest.Column[int](t, in, "SELECT id FROM before WHERE (id > 10 AND "+
					want+") IS NOT TRUE ORDER BY id")
				if diff := cmp.Diff(wanted, tokens(t, in)); diff != "" {
					t.Errorf("%s of %s with scope %s (-want +got):\n%s", call, policy, *scope, diff)
				}
			}
		}
		in.Exec(t, "TRUNCATE tok; INSERT INTO tok TABLE before")
		var due []int64 // all rows are due today
		for _, c := range conditions {
			due = append(due, pgtest.Value[int64](t, in, "SELECT count(*) FROM tok WHERE "+c))
		}
		got := pgtest.Column[int64](t, in, `SELECT due FROM retention.backlog WHERE policy = $1 AND problem IS NULL
			ORDER BY scope`, policy)
		if diff := cmp.Diff(due, got); diff != "" {
			t.Errorf("the backlog of %s (-want +got):\n%s", policy, diff)
		}
		// why() reports a row as due if one of the scopes contains it.
		union := "(" + strings.Join(conditions, ") OR (") + ")"
		why := `SELECT concat_ws(' ', t.id, w.due, w.kept_by)
			FROM tok t CROSS JOIN LATERAL retention.why($1, t.id::text, $2) w ORDER BY t.id`
		wanted := pgtest.Column[string](t, in, `SELECT concat_ws(' ', t.id, CASE WHEN NOT (`+
			union+`) THEN 'f scope' WHEN t.id > 10 THEN 't' ELSE 'f not due' END)
			FROM tok t ORDER BY t.id`)
		if diff := cmp.Diff(wanted, pgtest.Column[string](t, in, why, policy, noon)); diff != "" {
			t.Errorf("why, of %s (-want +got):\n%s", policy, diff)
		}
	}
}

// TestViewsStayInScopes checks that rows outside the scopes of all jobs change nothing that the
// views show for the policies.
func TestViewsStayInScopes(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, scopedTable, scopedJobs)
	views := pgtest.Column[string](t, in, `SELECT c.oid::regclass::text FROM pg_class c
		WHERE c.relnamespace = 'retention'::regnamespace AND c.relkind = 'v' ORDER BY 1`)
	viewRows := func() map[string][]string {
		m := map[string][]string{}
		for _, view := range views {
			m[view] = pgtest.Column[string](t, in, "SELECT to_jsonb(v)::text FROM "+
				view+` v WHERE to_jsonb(v)::text ~ '"(one|two)"' ORDER BY 1`)
		}
		return m
	}
	before := viewRows()
	in.Exec(t, "INSERT INTO tok SELECT i, 3, 'a', '"+
		noon+"'::timestamptz - i * interval '1 day' FROM generate_series(100, 400) i")
	if diff := cmp.Diff(before, viewRows()); diff != "" {
		t.Errorf("what the views say differs (-before +after):\n%s", diff)
	}
	if len(before["retention.backlog"]) != 4 {
		t.Errorf("the backlog has %v, want 4 rows", before["retention.backlog"])
	}
}

// TestLatenessInScopes checks that verify reports only overdue rows inside the scope of a job. Only
// a run that covers this scope counts as a success. The statement in its hint takes no other rows.
func TestLatenessInScopes(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, scopedTable, scopedJobs)
	in.Exec(t, `UPDATE retention.policy SET installed_at = '2020-01-01';
		UPDATE retention.job SET installed_at = '2020-01-01';
		UPDATE retention.install SET adopted_at = '2020-01-01';
		DELETE FROM tok WHERE nid = 2`)
	found := func(code, policy string) (list []string) {
		t.Helper()
		wanted, _ := in.Compile(t, scopedJobs)
		for _, f := range in.Verify(t, "", wanted).Findings {
			if f.Code.String() == code && f.Policy == policy {
				list = append(list, f.Message+" "+f.Hint)
			}
		}
		return list
	}
	const overdue = `13 overdue rows in table "public.tok" under policy "one" for {"nid": 1} ` +
		`SELECT * FROM retention.status; CALL retention.run('one', scope => '{"nid": 1}');`
	if diff := cmp.Diff([]string{overdue}, found("V060", "one")); diff != "" {
		t.Errorf("overdue (-want +got):\n%s", diff)
	}
	// Runs that covered only a part of the job's rows do not count.
	for _, call := range []string{
		"CALL retention.run_job('first', as_of => '2000-01-01')",
		`CALL retention.run('one', scope => '{"nid": 1, "kind": "a"}')`,
		`CALL retention.run('one', as_of => now() - interval '25 hours', scope => '{"nid": 1}')`,
		`CALL retention.run('one', scope => '{"nid": 3}')`,
	} {
		if _, err := in.Call(call); err != nil {
			t.Fatal(err)
		}
		in.Exec(t, "TRUNCATE tok")
		if late := found("V045", "one"); len(late) != 1 {
			t.Errorf("after %s, verify has the findings V045 %q, want one", call, late)
		}
	}
	in.Exec(t, "INSERT INTO tok SELECT i, i % 4, 'a', '"+
		noon+"'::timestamptz - i * interval '1 day' FROM generate_series(1, 40) i")
	hint := overdue[strings.Index(overdue, "CALL"):]
	if _, err := in.Runner().Exec(t.Context(), hint); err != nil {
		t.Error(err)
	}
	if left := pgtest.Value[string](t, in, `SELECT string_agg(concat(nid, ':', n), ' ' ORDER BY nid)
		FROM (SELECT nid, count(*) AS n FROM tok GROUP BY 1) x`); left != "0:10 2:10 3:10" {
		t.Errorf("after the hint there are %s, want 0:10 2:10 3:10", left)
	}
	if list := append(found("V060", "one"), found("V045", "one")...); len(list) > 0 {
		t.Errorf("after the statement of the hint, verify still finds %q", list)
	}
	// One job has a scope and one has none, so all rows are overdue.
	if list := found("V060", "both"); len(list) != 1 || !strings.HasPrefix(list[0], "30 overdue rows") {
		t.Errorf("verify has the findings V060 %q for policy both, want 30 overdue rows", list)
	}
}

// TestScopeOfEach checks a policy for each schema whose job has a scope. Without a scope the call
// is refused, even if no row is due in any schema. A refused call writes no run.
func TestScopeOfEach(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tenants("tenant_a", "tenant_b"),
		strings.NewReplacer("then:", "scope: [id]\n    then:", "run: [messages]",
			"run: [messages], scope: {id: 9}").Replace(messages(7)))
	for _, as := range []string{noon, "2020-01-01 00:00+00"} {
		for _, policy := range []string{"messages", "messages@tenant_a"} {
			if _, err := in.Call("CALL retention.run($1, $2)", policy, as); err == nil || err.Code != "22023" ||
				!strings.Contains(err.Hint, `{"id": 9}`) {
				t.Errorf("%s as of %s without a scope: got error %v, want 22023", policy, as, err)
			}
		}
		if _, err := in.Call("CALL retention.run_job('hourly', $1)", as); err != nil {
			t.Error(err)
		}
	}
	wanted := []string{"(messages@tenant_a,done,0)", "(messages@tenant_a,done,1)", "(messages@tenant_b,done,0)",
		"(messages@tenant_b,done,1)"}
	if diff := cmp.Diff(wanted, in.Rows("SELECT policy, state, taken FROM retention.run")); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`(messages@tenant_a,"{""id"": 9}",0)`, `(messages@tenant_b,"{""id"": 9}",0)`},
		in.Rows("SELECT policy, scope, due FROM retention.backlog")); diff != "" {
		t.Errorf("backlog (-want +got):\n%s", diff)
	}
}

// TestBrokenPolicyInTheBacklog checks that the backlog shows the error of a policy that cannot be
// evaluated. The other policies are counted.
func TestBrokenPolicyInTheBacklog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ breaks, problem string }{
		"column renamed":  {"ALTER TABLE m RENAME COLUMN at TO made_at", "at"},
		"column dropped":  {"ALTER TABLE m DROP COLUMN at CASCADE", "at"},
		"table renamed":   {"ALTER TABLE m RENAME TO n", "m"},
		"table elsewhere": {"CREATE SCHEMA s; ALTER TABLE m SET SCHEMA s", "m"},
		"division":        {"UPDATE m SET n = -1", "division by zero"},
		"function": {
			"CREATE OR REPLACE FUNCTION wanted(int) RETURNS bool LANGUAGE plpgsql AS 'BEGIN ASSERT false; END'",
			"assertion failed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, numbered+`CREATE FUNCTION wanted(int) RETURNS bool
					LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
				ALTER FUNCTION wanted(int) OWNER TO `+kit.Migrator, `
policies:
  broken: {table: m, where: "1 / (n + 1) >= 0 AND wanted(n)", due: {age: {column: at, older_than: 7 days}},
        then: [delete]}
  sound: {table: r, where: "m_id = 0", then: [delete]}`)
			in.Exec(t, c.breaks)
			got := pgtest.Column[string](t, in.Viewer(),
				"SELECT concat_ws(' ', policy, due, problem) FROM retention.backlog")
			if len(got) != 2 || !strings.HasPrefix(got[0], "broken ") || !strings.Contains(got[0], c.problem) ||
				got[1] != "sound 4" {
				t.Errorf("the backlog has %q, want the problem %q for broken and 4 rows for sound", got, c.problem)
			}
		})
	}
}

// tokens returns the rows of tok that are left.
func tokens(t testing.TB, in *kit.Installed) []int {
	t.Helper()
	return pgtest.Column[int](t, in, "SELECT id FROM tok ORDER BY id")
}

// TestScopeValues checks that the scope value of a job is converted to the type of the column. The
// job takes the rows for which PostgreSQL finds the column equal to the value. Verify finds no
// difference from the file.
func TestScopeValues(t *testing.T) {
	t.Parallel()
	columns, policies, jobs := "id int PRIMARY KEY", "", ""
	values := []struct{ name, typ, scope, others string }{
		{"a", "numeric", "'1.50'::numeric", "2, 1.49"}, {"b", "numeric(6,2)", "1.5", "1.51"}, {"c", "date",
			"'2024-1-2'::date", "'2024-02-01'"},
		{"d", "timestamptz", "'2024-01-01 00:00+02'::timestamptz", "'2024-01-01 00:00+00'"}, {"e", "timestamp",
			"'2024-01-01 7:00'", "'2024-01-01 07:01'"},
		{"f", "uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'"}, {"g",
			"char(4)", "'ab'", "'abc'"},
		{"h", "kind", "'low'::kind", "'high'"}, {"i", "text", "'007'", "'7'"}, {"j", "text", "'1e2'", "'100'"}, {"k",
			"boolean", "'yes'::boolean", "false"},
		{"l", "bigint", "-9223372036854775808", "0"}, {"m", "float8", "'1e2'", "101"}, {"n", "interval",
			"'90 minutes'", "'1 hour'"},
		{"o", "inet", "'10.0.0.1/32'", "'10.0.0.2'"}, {"p", "text", "'it''s \"x\"'", "'it'"},
	}
	for _, v := range values {
		columns += ", " + v.name + " " + v.typ
		policies += "\n  of_" + v.name + ": {table: v, scope: [" + v.name + "], where: \"id > 0\", then: [delete]}"
		jobs += "\n  job_" + v.name + ": {schedule: \"@daily\", run: [of_" + v.name + "], scope: {" + v.name +
			": " + strconv.Quote(v.scope) + "}}"
	}
	yaml := "install: {scheduler: none, search_path: [public]}\npolicies:" + policies + "\njobs:" + jobs
	in := kit.Install(t, "CREATE TYPE kind AS ENUM ('low', 'high'); CREATE TABLE v ("+columns+")", yaml)
	if found := in.Finding(t, yaml, "V009"); found != "" {
		t.Errorf("verify finds a difference from the file: %s", found)
	}
	for _, v := range values {
		in.Exec(t, "TRUNCATE v; INSERT INTO v (id, "+v.name+") VALUES (1, "+v.scope+"), (2, "+v.scope+")")
		for i, other := range strings.Split(v.others, ", ") {
			in.Exec(t, "INSERT INTO v (id, "+v.name+") VALUES ("+strconv.Itoa(i+10)+", "+other+")")
		}
		wanted := pgtest.Column[int](t, in, "SELECT id FROM v WHERE ("+v.name+" = "+v.scope+") IS NOT TRUE ORDER BY id")
		if _, err := in.Call("CALL retention.run_job($1)", "job_"+v.name); err != nil {
			t.Errorf("the job for type %s failed: %v", v.typ, err)
		}
		if diff := cmp.Diff(wanted, pgtest.Column[int](t, in, "SELECT id FROM v ORDER BY id")); diff != "" ||
			len(wanted) == 0 {
			t.Errorf("%s = %s (-want +got):\n%s", v.typ, v.scope, diff)
		}
	}
}
