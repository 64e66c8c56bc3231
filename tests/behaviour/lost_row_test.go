package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// Which holds by a key have lost their row.
func TestLostRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TYPE colour AS ENUM ('red', 'blue');
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE c (a text, b colour, n numeric, PRIMARY KEY (a, b, n));
		CREATE TABLE shut (id int PRIMARY KEY);
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 3) i;
		INSERT INTO c VALUES ('x', 'red', 1.50), ('x', 'blue', 2);
		INSERT INTO shut VALUES (1)`,
		"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
	in.Exec(t, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO retention_worker")
	for _, held := range []string{"'m', '1'", "'m', '2'", `'c', '{"a": "x", "b": "red", "n": 1.5}'`, `'c', '{"a": "x", "b": "blue", "n": 2.0}'`, "'public.shut', '1'",
		"'m', '9'", `'m', '{"at": "2024-01-01"}'`} {
		hold(t, in, held+", 'case'")
	}
	lost := func() []string {
		t.Helper()
		return pgtest.Column[string](t, in, "SELECT l.hold_id || ' ' || l.fault FROM retention._lost_rows(100) l ORDER BY l.hold_id")
	}
	if diff := cmp.Diff([]string{}, lost()); diff != "" {
		t.Errorf("as they were placed (-want +got):\n%s", diff)
	}
	in.Exec(t, "DELETE FROM m WHERE id = 2; UPDATE c SET n = 3 WHERE b = 'blue'; UPDATE c SET n = 1.500 WHERE b = 'red'; REVOKE SELECT ON shut FROM retention_worker")
	if diff := cmp.Diff([]string{"2 gone", "4 gone", "5 denied"}, lost()); diff != "" {
		t.Errorf("lost rows differ (-want +got):\n%s", diff)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention._lost_rows(4)"); n != 2 {
		t.Errorf("%d of the newest holds", n)
	}
}
