package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestDeniedPolicies checks that _denied returns exactly the policies whose function reads a table
// that the worker may not read. There are more policies than one statement evaluates. It does not
// evaluate the policy of a table whose owner is not trusted. One table no longer exists, and an
// assertion in a guard fails.
func TestDeniedPolicies(t *testing.T) {
	t.Parallel()
	var policies strings.Builder
	policies.WriteString("policies:\n")
	add := func(n int, table string) {
		fmt.Fprintf(&policies, "  p%03d: {table: %s, due: {age: {column: at, older_than: 1 day}}, "+
			"keep: {x: \"f(%d)\"}, then: [delete]}\n", n, table, n)
	}
	for n := range 70 {
		add(n, "m")
	}
	add(200, "dropped")
	add(201, "stranger")
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
		CREATE TABLE dropped (LIKE m INCLUDING ALL);
		CREATE TABLE stranger (LIKE m INCLUDING ALL);
		CREATE TABLE shut (n int);
		CREATE TABLE asked (n int);
		INSERT INTO m VALUES (1);
		INSERT INTO stranger VALUES (1);
		INSERT INTO asked SELECT unnest('{0,20,63,64,69,200,201}'::int[]);
		CREATE FUNCTION f(p int) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN
			ASSERT p <> 30;
			PERFORM set_config('denied.seen', 'yes', false);
			IF EXISTS (SELECT FROM public.asked a WHERE a.n = p) THEN
				RETURN EXISTS (SELECT FROM public.shut);
			END IF;
			RETURN false;
		END $$`, policies.String())
	in.Exec(t, `GRANT SELECT ON asked TO retention_worker;
		DROP TABLE dropped;
		CREATE ROLE denied_stranger;
		ALTER TABLE stranger OWNER TO denied_stranger`)
	got := pgtest.Column[string](t, in, `
		SELECT concat_ws(' ', d.policy, d.message, d.routine)
		FROM retention._denied(ARRAY(SELECT name FROM retention.policy)) d`)
	var want []string
	for _, n := range []int{0, 20, 63, 64, 69} {
		want = append(want, fmt.Sprintf("p%03d permission denied for table shut f(integer)", n))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("denied policies (-want +got):\n%s", diff)
	}
	if got := pgtest.Column[string](t, in, "SELECT coalesce(current_setting('denied.seen', true), '')"); got[0] != "" {
		t.Errorf("the evaluation of a policy left a setting with the value %q", got[0])
	}
}

// TestPlansOfFailingPolicies checks that verify plans each policy, also if planning another one
// fails because of an assertion.
func TestPlansOfFailingPolicies(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE FUNCTION f(p int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN p > 1; END'`, `
policies:
  first: {table: m, where: "f(1)", due: {age: {column: at, older_than: 1 day}}, keep: {x: "f(2)"}, then: [delete]}
  second: {table: m, where: "f(3)", due: {age: {column: at, older_than: 1 day}}, keep: {x: "f(2)"}, then: [delete]}
`)
	in.Exec(t, `CREATE OR REPLACE FUNCTION f(p int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
		'BEGIN ASSERT p > 1; RETURN true; END'`)
	want := []string{"first P0004 assertion failed", "second"}
	for _, function := range []string{"_plans('{first,second}', true)", "_guard_plans('{first,second}')"} {
		got := pgtest.Column[string](t, in, `
			SELECT concat_ws(' ', x.policy, x.code, x.message) FROM retention.`+function+" x ORDER BY 1")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the result of %s (-want +got):\n%s", function, diff)
		}
	}
}
