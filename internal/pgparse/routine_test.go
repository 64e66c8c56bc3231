package pgparse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadRoutine(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]Routine{
		`-- CREATE FUNCTION is below.
SET LOCAL ROLE "Who";
DO $check$ BEGIN PERFORM 1; END $check$; DROP FUNCTION IF EXISTS f(text);
CREATE OR REPLACE FUNCTION retention.f(p_run bigint, "P, (" numeric(10, 2)[] DEFAULT NULL, -- no more
    x interval DEFAULT clock_timestamp() + interval '3 days', OUT y app."T (1)")
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, "select", pg_temp SET TimeZone = 'UTC' SET jit = off
AS $f$ BEGIN RETURN; END $f$;
`: {
			Kind: "function", Role: "Who", Language: "plpgsql", Body: " BEGIN RETURN; END ",
			Clauses:  []string{"STABLE", "SECURITY DEFINER"},
			Settings: []string{`search_path=pg_catalog, "select", pg_temp`, "timezone=UTC", "jit=off"},
			Parameters: []Parameter{{"IN", "p_run", "bigint", ""}, {"IN", "P, (", "numeric(10, 2)[]", "NULL"},
				{"IN", "x", "interval", "clock_timestamp() + interval '3 days'"}, {"OUT", "y", `app."T (1)"`, ""}},
		},
		"CREATE FUNCTION f(retention.batch_range)\n" +
			"RETURNS TABLE (rel oid, t app.item[], at double precision)\n" +
			"LANGUAGE sql AS $function$x$function$;\n": {
			Kind: "function", Returns: "TABLE", Set: true, Language: "sql", Body: "x",
			Clauses: []string{}, Settings: []string{},
			Parameters: []Parameter{{"IN", "", "retention.batch_range", ""}, {"TABLE", "rel", "oid", ""},
				{"TABLE", "t", "app.item[]", ""}, {"TABLE", "at", "double precision", ""}},
		},
		"CREATE FUNCTION f() RETURNS SETOF timestamp with time zone LANGUAGE sql IMMUTABLE STRICT ROWS 3 AS $a$$a$": {
			Kind: "function", Returns: "timestamp with time zone", Set: true, Language: "sql",
			Clauses: []string{"IMMUTABLE", "STRICT", "ROWS 3"}, Settings: []string{},
			Parameters: []Parameter{},
		},
		"CREATE OR REPLACE PROCEDURE f(a pg_catalog.text, INOUT b pg_catalog.int8[] DEFAULT NULL)\n" +
			"LANGUAGE plpgsql SECURITY INVOKER AS $procedure$y$procedure$;\n": {
			Kind: "procedure", Language: "plpgsql", Body: "y",
			Clauses: []string{"SECURITY INVOKER"}, Settings: []string{},
			Parameters: []Parameter{{"IN", "a", "pg_catalog.text", ""}, {"INOUT", "b", "pg_catalog.int8[]", "NULL"}},
		},
	} {
		got, err := ReadRoutine(sql)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s\n%v\n%s", sql, err, diff)
		}
	}
	for _, sql := range []string{"", "SELECT 1", "CREATE FUNCTION f() RETURNS int", "CREATE TABLE t (f function)",
		"CREATE FUNCTION", "CREATE FUNCTION f", "CREATE FUNCTION f)", "CREATE FUNCTION f(OUT", "CREATE FUNCTION f(OUT)",
		"CREATE FUNCTION f() RETURNS", "CREATE FUNCTION f() RETURNS TABLE LANGUAGE sql AS $a$$a$",
		"CREATE FUNCTION f() SET LANGUAGE sql AS $a$$a$", "CREATE FUNCTION f() LANGUAGE sql AS 'x'",
		"CREATE FUNCTION f() LANGUAGE sql AS $a$; SELECT 1", "CREATE FUNCTION f() LANGUAGE sql; SELECT $a$$a$"} {
		if _, err := ReadRoutine(sql); err == nil {
			t.Errorf("ReadRoutine accepts %q", sql)
		}
	}
}
