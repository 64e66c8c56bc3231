package tests

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// referencing maps tables that reference app.item to their indexes. The plan of a generic statement
// shows whether PostgreSQL uses the index to find the rows of one item.
var referencing = map[string]string{
	"none":            "",
	"plain":           "CREATE INDEX ON app.%s (item_id)",
	"leading":         "CREATE INDEX ON app.%s (item_id DESC, id)",
	"trailing":        "CREATE INDEX ON app.%s (id, item_id)",
	"included":        "CREATE INDEX ON app.%s (id) INCLUDE (item_id)",
	"not_null":        "CREATE INDEX ON app.%s (item_id) WHERE item_id IS NOT NULL",
	"partial":         "CREATE INDEX ON app.%s (item_id) WHERE id > 10",
	"other_not_null":  "CREATE INDEX ON app.%s (item_id) WHERE id IS NOT NULL",
	"hashed":          "CREATE INDEX ON app.%s USING hash (item_id)",
	"ranges":          "CREATE INDEX ON app.%s USING brin (item_id)",
	"expression":      "CREATE INDEX ON app.%s ((item_id + 0))",
	"Some name":       "CREATE INDEX ON app.%s (item_id)",
	"unique_together": "ALTER TABLE app.%s ADD UNIQUE (item_id, id)",
}

// referencingTwo is the same for a foreign key of two columns, the second one of type text.
var referencingTwo = map[string]string{
	"two_none":      "",
	"two_plain":     "CREATE INDEX ON app.%s (a, b)",
	"two_turned":    "CREATE INDEX ON app.%s (b, id) INCLUDE (a); CREATE INDEX ON app.%[1]s (b, a)",
	"two_first":     "CREATE INDEX ON app.%s (a)",
	"two_not_null":  "CREATE INDEX ON app.%s (b, a) WHERE b IS NOT NULL AND a IS NOT NULL",
	"two_collation": "CREATE INDEX ON app.%s (b COLLATE \"POSIX\")",
	"two_pattern":   "CREATE INDEX ON app.%s (b text_pattern_ops, a)",
	"two_apart":     "CREATE INDEX ON app.%s (b, id, a)",
}

// TestReferencingIndexServesWhereThePlannerTakesIt checks that verify reports a missing index exactly
// for the tables that PostgreSQL's planner reads as a whole.
func TestReferencingIndexServesWhereThePlannerTakesIt(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, reachSchema, reachPolicy+`
  items_done:
    table: app.item
    where: done
    then: [delete: {cascades: [app.part]}]
`)
	in.DB.Exec(t, `ALTER TABLE app.item ADD a bigint DEFAULT 1, ADD b text COLLATE "C";
		INSERT INTO app.item (id) SELECT generate_series(6, 2000);
		UPDATE app.item SET a = id, b = id; ALTER TABLE app.item ADD UNIQUE (a, b)`)
	plans := map[string]bool{}
	for name, index := range referencing {
		table := `"` + name + `"`
		in.DB.Exec(t, fmt.Sprintf(`CREATE TABLE app.%s (id bigint, item_id bigint REFERENCES app.item);
			INSERT INTO app.%[1]s SELECT n, 1 + n %% 2000 FROM generate_series(1, 8000) n; `, table))
		if index != "" {
			in.DB.Exec(t, fmt.Sprintf(index, table))
		}
		plans["app."+name] = reads(t, in, table, "bigint", "$1 OPERATOR(pg_catalog.=) item_id", "1")
	}
	for name, index := range referencingTwo {
		in.DB.Exec(t, fmt.Sprintf(`
			CREATE TABLE app.%s (
				id bigint, a bigint, b text COLLATE "C", FOREIGN KEY (a, b) REFERENCES app.item (a, b));
			INSERT INTO app.%[1]s SELECT n, 1 + n %% 2000, 1 + n %% 2000 FROM generate_series(1, 8000) n; `, name))
		if index != "" {
			in.DB.Exec(t, fmt.Sprintf(index, name))
		}
		plans["app."+name] = reads(t, in, name, "bigint, text",
			"$1 OPERATOR(pg_catalog.=) a AND $2 OPERATOR(pg_catalog.=) b", "1, '1'")
	}
	found := map[string]bool{}
	report, err := verifier.Verify(t.Context(), in.Conn(t), in.File, nil, verifier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Code.String() == "V026" {
			found[f.Object] = found[f.Object] || f.Severity != verifier.Info
		}
	}
	for table, whole := range plans {
		if found[table] != whole {
			t.Errorf("%s: the planner reads the whole table: %v; verify reports that: %v", table, whole, found[table])
		}
	}
}

// reads reports whether the query that a foreign key executes would read the whole table.
func reads(t *testing.T, in *kit.Installed, table, types, condition, values string) bool {
	t.Helper()
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "ANALYZE app."+table+"; SET plan_cache_mode = force_generic_plan")
	pgtest.Exec(t, conn, fmt.Sprintf("PREPARE q (%s) AS SELECT 1 FROM ONLY app.%s x WHERE %s FOR KEY SHARE OF x",
		types, table, condition))
	plan := strings.Join(pgtest.Column[string](t, conn, "EXPLAIN EXECUTE q ("+values+")"), "\n")
	return strings.Contains(plan, "Seq Scan")
}
