package pgparse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRoutineUses checks which tables functions use, and trigger functions when they fire on
// DELETE.
func TestRoutineUses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"INSERT INTO app.log SELECT OLD.*":                                "app.log INSERT",
		"INSERT INTO log (id) VALUES (OLD.id) ON CONFLICT DO NOTHING":     "log INSERT",
		"INSERT INTO log VALUES (1) ON CONFLICT (id) DO UPDATE SET n = 2": "log INSERT, log UPDATE",
		"UPDATE app.sum SET n = n - 1 WHERE id = OLD.id":                  "app.sum SELECT, app.sum UPDATE",
		"UPDATE app.sum SET n = 0":                                        "app.sum UPDATE",
		"DELETE FROM a.p USING a.q WHERE p.id = q.id":                     "a.p DELETE, a.p SELECT, a.q SELECT",
		"TRUNCATE app.cache":                                              "app.cache TRUNCATE",
		"MERGE INTO a.p USING a.q ON p.id = q.id WHEN MATCHED THEN DELETE": "a.p DELETE, a.p SELECT, " +
			"a.q SELECT",

		"n := (SELECT count(*) FROM app.a)":       "app.a SELECT",
		"n = (SELECT count(*) FROM app.a)":        "app.a SELECT",
		"SELECT 1 INTO n FROM app.a":              "app.a SELECT",
		"PERFORM 1 FROM app.a":                    "app.a SELECT",
		"RAISE NOTICE '%', (SELECT 1 FROM app.a)": "app.a SELECT",
		"n := 1":                                 "",
		"EXECUTE 'INSERT INTO app.a VALUES (1)'": "",
		"FOR r IN SELECT * FROM a.p LOOP UPDATE a.q SET n = 1; END LOOP":    "a.p SELECT, a.q UPDATE",
		"WITH app AS (SELECT * FROM a.p) INSERT INTO a.q SELECT * FROM app": "a.p SELECT, a.q INSERT",

		"IF TG_OP = 'INSERT' THEN TRUNCATE p; END IF":                  "",
		"IF TG_OP = 'DELETE' THEN TRUNCATE p; ELSE TRUNCATE q; END IF": "p TRUNCATE",
		"IF TG_OP IN ('INSERT', 'UPDATE') THEN TRUNCATE p; ELSIF OLD.id > 5 THEN TRUNCATE q; " +
			"ELSE TRUNCATE r; END IF": "q TRUNCATE, r TRUNCATE",
		"IF NOT (tg_op <> 'DELETE') AND OLD.id > 5 THEN TRUNCATE p; END IF": "p TRUNCATE",
		"IF TG_OP = 'UPDATE' AND OLD.id > 5 THEN TRUNCATE p; END IF":        "",
	} {
		function := "CREATE OR REPLACE FUNCTION app.f() RETURNS trigger LANGUAGE plpgsql AS $function$\n" +
			"DECLARE n int; r record;\nBEGIN\n  " + body + ";\n  RETURN OLD;\nEND $function$\n"
		var got []string
		for _, use := range RoutineUses(function, "DELETE") {
			got = append(got, strings.TrimPrefix(fmt.Sprintf("%s.%s %s", use.Schema, use.Name, use.Privilege), "."))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	sql, atomic := "CREATE FUNCTION f(a int) RETURNS boolean LANGUAGE sql ", "BEGIN ATOMIC INSERT INTO x.a "
	for function, want := range map[string][]TableUse{
		"CREATE FUNCTION f() RETURNS trigger LANGUAGE c AS 'file', 'f'": nil,
		sql + "AS 'SELECT true; SELECT EXISTS (SELECT FROM x.a)'":       {{"x", "a", "SELECT"}},
		sql + "RETURN EXISTS (SELECT FROM x.a)":                         {{"x", "a", "SELECT"}},
		sql + atomic + "VALUES (1); SELECT true FROM b; END":            {{"", "b", "SELECT"}, {"x", "a", "INSERT"}},
		"CREATE FUNCTION f(p int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN p IN (SELECT n FROM b); END'": {
			{"", "b", "SELECT"}},
		"no function": nil,
	} {
		if diff := cmp.Diff(want, RoutineUses(function, "")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", function, diff)
		}
	}
}
