package pgparse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCreated(t *testing.T) {
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
		got, err := ReadCreated(sql)
		if err != nil || got.Kind != want.Kind {
			t.Errorf("%s\n%v %+v", sql, err, got)
		} else if diff := cmp.Diff(want, *got.Routine); diff != "" {
			t.Errorf("%s\n%s", sql, diff)
		}
	}
	for _, sql := range []string{"", "SELECT 1", "CREATE FUNCTION f() RETURNS int", "CREATE", "CREATE TABLE",
		"GRANT CREATE ON SCHEMA s TO r",
		"CREATE FUNCTION", "CREATE FUNCTION f", "CREATE FUNCTION f)", "CREATE FUNCTION f(OUT", "CREATE FUNCTION f(OUT)",
		"CREATE FUNCTION f() RETURNS", "CREATE FUNCTION f() RETURNS TABLE LANGUAGE sql AS $a$$a$",
		"CREATE FUNCTION f() SET LANGUAGE sql AS $a$$a$", "CREATE FUNCTION f() LANGUAGE sql AS 'x'",
		"CREATE FUNCTION f() LANGUAGE sql AS $a$; SELECT 1", "CREATE FUNCTION f() LANGUAGE sql; SELECT $a$$a$"} {
		if _, err := ReadCreated(sql); err == nil {
			t.Errorf("ReadCreated accepts %q", sql)
		}
	}
}

// TestReadCreatedName checks the kind and the name of what a text creates, and which statements
// grant.
func TestReadCreatedName(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]Created{
		"-- CREATE VIEW a\nCREATE TABLE IF NOT EXISTS s.t (at text);": {Kind: "table", Name: "s.t"},
		"GRANT CREATE ON SCHEMA s TO r; CREATE OR REPLACE VIEW v AS SELECT 1": {Kind: "view", Name: "v",
			Grants: []string{"GRANT CREATE ON SCHEMA s TO r;"}},
		"-- a\nSET LOCAL ROLE r;\nCREATE TYPE v AS (a text);\n-- b\nSET LOCAL ROLE o;\nRESET x;\n": {Kind: "type",
			Name: "v", Grants: []string{"SET LOCAL ROLE r;", "SET LOCAL ROLE o;"}},
		`CREATE TYPE "S a"."t.b" AS (a text);`: {Kind: "type", Name: `"S a"."t.b"`},
	} {
		got, err := ReadCreated(sql)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("ReadCreated(%q): error %v (-want +got)\n%s", sql, err, diff)
		}
	}
}

// TestTextRows checks that TextRows returns the lists of text constants.
func TestTextRows(t *testing.T) {
	t.Parallel()
	got, err := TextRows("VALUES ('a', 'it''s',\n  'b\n c'), ('d'), (1, 'e'), ('f', 2), (), ('g'::text), ('h'")
	want := [][]string{{"a", "it's", "b\n c"}, {"d"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got)\n%s", err, diff)
	}
}
