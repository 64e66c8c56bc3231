package pgparse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTriggerUses checks which tables a trigger function uses when it fires on DELETE.
func TestTriggerUses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"INSERT INTO app.log SELECT OLD.*":                                "app.log INSERT",
		"INSERT INTO log (id) VALUES (OLD.id) ON CONFLICT DO NOTHING":     "log INSERT",
		"INSERT INTO log VALUES (1) ON CONFLICT (id) DO UPDATE SET n = 2": "log INSERT, log UPDATE",
		"UPDATE app.sum SET n = n - 1 WHERE id = OLD.id":                  "app.sum SELECT, app.sum UPDATE",
		"UPDATE app.sum SET n = 0":                                        "app.sum UPDATE",
		"DELETE FROM app.part p USING app.whole w WHERE p.id = w.id":      "app.part DELETE, app.part SELECT, app.whole SELECT",
		"TRUNCATE app.cache":                                              "app.cache TRUNCATE",
		"MERGE INTO app.sum s USING app.day d ON s.id = d.id WHEN MATCHED THEN DELETE": "app.day SELECT, " +
			"app.sum DELETE, app.sum SELECT",
		"n := (SELECT count(*) FROM app.a)":                                                                "app.a SELECT",
		"n = (SELECT count(*) FROM app.a)":                                                                 "app.a SELECT",
		"SELECT 1 INTO n FROM app.a":                                                                       "app.a SELECT",
		"PERFORM 1 FROM app.a":                                                                             "app.a SELECT",
		"RAISE NOTICE '%', (SELECT 1 FROM app.a)":                                                          "app.a SELECT",
		"FOR r IN SELECT * FROM app.a LOOP UPDATE app.b SET n = 1; END LOOP":                               "app.a SELECT, app.b UPDATE",
		"WITH app AS (SELECT * FROM app.a) INSERT INTO app.b SELECT * FROM app":                            "app.a SELECT, app.b INSERT",
		"IF TG_OP = 'INSERT' THEN INSERT INTO app.a VALUES (1); END IF":                                    "",
		"IF TG_OP = 'DELETE' THEN INSERT INTO app.a VALUES (1); ELSE INSERT INTO app.b VALUES (1); END IF": "app.a INSERT",
		"IF TG_OP IN ('INSERT', 'UPDATE') THEN INSERT INTO app.a VALUES (1); " +
			"ELSIF OLD.id > 5 THEN INSERT INTO app.b VALUES (1); ELSE INSERT INTO app.c VALUES (1); END IF": "app.b INSERT, app.c INSERT",
		"IF NOT (tg_op <> 'DELETE') AND OLD.id > 5 THEN INSERT INTO app.a VALUES (1); END IF": "app.a INSERT",
		"IF TG_OP = 'UPDATE' AND OLD.id > 5 THEN INSERT INTO app.a VALUES (1); END IF":        "",
		"EXECUTE 'INSERT INTO app.a VALUES (1)'":                                              "",
		"n := 1":                                                                              "",
	} {
		function := "CREATE OR REPLACE FUNCTION app.f() RETURNS trigger LANGUAGE plpgsql AS $function$\n" +
			"DECLARE n int; r record;\nBEGIN\n  " + body + ";\n  RETURN OLD;\nEND $function$\n"
		var got []string
		for _, use := range TriggerUses(function, "DELETE") {
			got = append(got, strings.TrimPrefix(fmt.Sprintf("%s.%s %s", use.Schema, use.Name, use.Privilege), "."))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	if uses := TriggerUses("CREATE FUNCTION f() RETURNS trigger LANGUAGE c AS 'file', 'f'", "DELETE"); uses != nil {
		t.Errorf("a function in C uses %v", uses)
	}
}
