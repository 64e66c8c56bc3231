package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// Which holds have no row, of every kind of key: the answer is compared with a list that was written by hand.
func TestLostRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE DOMAIN code AS text;
		CREATE TYPE colour AS ENUM ('red', 'blue');
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE z (at timestamptz PRIMARY KEY);
		CREATE TABLE c (a code, b colour, n numeric, PRIMARY KEY (a, b, n));
		CREATE TABLE typed (id int PRIMARY KEY);
		CREATE TABLE wider (id int PRIMARY KEY, other int NOT NULL DEFAULT 1);
		CREATE TABLE bare (id int PRIMARY KEY);
		CREATE TABLE shut (id int PRIMARY KEY);
		CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id);
		CREATE TABLE p_1 PARTITION OF p FOR VALUES FROM (0) TO (10);
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 3) i;
		INSERT INTO z VALUES ('2024-01-01 00:00+00'), ('2024-06-01 00:00+00');
		INSERT INTO c VALUES ('x,"y', 'red', 1.50), ('x', 'blue', 2);
		INSERT INTO typed VALUES (1), (2);
		INSERT INTO wider VALUES (1);
		INSERT INTO bare VALUES (1);
		INSERT INTO shut VALUES (1);
		INSERT INTO p VALUES (1), (2)`, `
install: {time_zone: America/New_York, scheduler: none}
policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}`)
	in.Exec(t, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO retention_owner")
	for _, held := range []string{"'m', '{1}'", "'m', '{2}'", "'z', '{2024-01-01 00:00+00}'", "'z', '{2024-06-01 00:00+00}'",
		`'c', ARRAY['x,"y', 'red', '1.5']`, "'c', '{x,blue,2.0}'", "'typed', '{1}'", "'typed', '{2}'", "'wider', '{1}'", "'bare', '{1}'", "'shut', '{1}'",
		"'p', '{1}'", "'p', '{2}'", "'m', '{9}'"} {
		if !strings.HasPrefix(held, "'p'") {
			held = strings.Replace(held, "'", "'public.", 1)
		} else {
			held = strings.Replace(held, "'p'", "'public.p'", 1)
		}
		hold(t, in, held+", 'case'")
	}
	lost := func() []string {
		t.Helper()
		return pgtest.Column[string](t, in, `SELECT h.table_name || ' ' || h.key::text || ' ' || l.fault || ' ' || h.row_seen
			FROM retention._lost_rows(100) l JOIN retention.hold h ON h.id = l.hold_id ORDER BY h.id`)
	}
	if diff := cmp.Diff([]string{"public.m {9} gone false"}, lost()); diff != "" {
		t.Errorf("as they were placed (-want +got):\n%s", diff)
	}
	in.Exec(t, `DELETE FROM m WHERE id = 2; DELETE FROM z WHERE at > '2024-03-01'; UPDATE c SET n = 3 WHERE a = 'x';
		DELETE FROM typed WHERE id = 2; ALTER TABLE typed ALTER id TYPE text USING 'x' || id;
		UPDATE typed SET id = '1';
		ALTER TABLE wider DROP CONSTRAINT wider_pkey, ADD PRIMARY KEY (id, other);
		ALTER TABLE bare DROP CONSTRAINT bare_pkey;
		REVOKE SELECT ON shut FROM retention_owner;
		DELETE FROM p WHERE id = 2`)
	want := []string{"public.m {2} gone true", `public.z {"2024-05-31 20:00:00-04"} gone true`, "public.c {x,blue,2} gone true", "public.typed {2} gone true",
		"public.wider {1} key true", "public.bare {1} key true", "public.shut {1} denied true", "public.p {2} gone true", "public.m {9} gone false"}
	if diff := cmp.Diff(want, lost()); diff != "" {
		t.Errorf("lost rows differ (-want +got):\n%s", diff)
	}
	// A key of which a type could not read one hold's text any more is compared by its spelling.
	in.Exec(t, "ALTER TABLE typed ALTER id TYPE uuid USING '00000000-0000-0000-0000-000000000001'")
	want[3] = "public.typed {1} gone true"
	want = append(want[:4:4], append([]string{"public.typed {2} gone true"}, want[4:]...)...)
	if diff := cmp.Diff(want, lost()); diff != "" {
		t.Errorf("with a key of another type (-want +got):\n%s", diff)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention._lost_rows(1)"); n != 1 {
		t.Errorf("%d of the newest hold", n)
	}
	in.Exec(t, "CREATE ROLE lost_row_stranger; ALTER TABLE z OWNER TO lost_row_stranger")
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention._lost_rows(100) l JOIN retention.hold h ON h.id = l.hold_id WHERE h.table_name = 'public.z' AND l.fault = 'denied'"); n != 2 {
		t.Errorf("%d holds on a stranger's table were not looked at, want 2", n)
	}
}
