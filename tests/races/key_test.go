package races

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// TestKeyIsNotUnique checks a step that finds rows by a key, after the key has lost its unique
// index. A row that is not due has the same key as a due row. The step must take no row.
func TestKeyIsNotUnique(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, then, table string }{
		"own rows": {"", `{update: {set: {v: "t.v + 1"}}}, delete`, "m"},
		"related rows": {`
			CREATE TABLE body (id int PRIMARY KEY, m_id int, v int NOT NULL DEFAULT 0);
			INSERT INTO body SELECT i, i FROM generate_series(1, 30) i;`,
			`{update: {table: body, as: b, where: "b.m_id = t.id", set: {v: "t.v + 1"}}}, delete`, "body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, "{table: m, due: {age: {column: at, older_than: 7 days}}, then: ["+
				c.then+"], batch: {lock_timeout: 100s}}")
			s.refill(30)
			s.Exec(t, "ALTER TABLE "+c.table+" DROP CONSTRAINT "+c.table+"_pkey")
			twin := "INSERT INTO m VALUES (15, now())"
			if c.table == "body" {
				twin = "INSERT INTO body VALUES (15, 1000)"
			}
			s.Exec(t, twin)
			before := pgtest.Column[string](t, s.watch, "SELECT x::text FROM "+c.table+" x ORDER BY 1")
			if err := s.run("p").wait(); err == nil || !strings.Contains(err.Message, "not unique any more") {
				t.Errorf("the run ended with %v, want an error about a key that is not unique", err)
			}
			after := pgtest.Column[string](t, s.watch, "SELECT x::text FROM "+c.table+" x ORDER BY 1")
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the run changed rows (-before +after):\n%s", diff)
			}
		})
	}
}
