package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// needs passes a test by where the server has not what it is about: no version number says so.
func needs(t *testing.T, what, sql string) {
	t.Helper()
	if !pgtest.Value[bool](t, pgtest.Database(t), sql) {
		t.Skipf("this server has no %s", what)
	}
}

const (
	hasVirtual  = "SELECT EXISTS (SELECT FROM pg_get_keywords() WHERE word = 'virtual')"
	hasTemporal = "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'pg_constraint'::regclass AND attname = 'conperiod')"
	hasEnforced = "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'pg_constraint'::regclass AND attname = 'conenforced')"
)

// TestVirtualColumns has a clock, a condition, a rank and a copy of columns that no index can hold.
func TestVirtualColumns(t *testing.T) {
	t.Parallel()
	needs(t, "virtual generated columns", hasVirtual)
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, seconds bigint NOT NULL, kind text,
			at timestamptz NOT NULL GENERATED ALWAYS AS (to_timestamp(seconds)) VIRTUAL,
			short text GENERATED ALWAYS AS (left(kind, 1)) VIRTUAL);
		CREATE TABLE old (LIKE m);
		INSERT INTO m SELECT i, extract(epoch FROM timestamptz '2024-04-01 00:00Z' - i * interval '1 hour'), (ARRAY['ab', 'ac', 'b', NULL])[i % 4 + 1]
		FROM generate_series(1, 400) i;
		CREATE TABLE n AS SELECT * FROM m;`, `
policies:
  aged:
    table: public.m
    where: "short = 'a'"
    due:   {age: {column: at, older_than: 7 days}}
    keep:  {few: {first: 10, per: [short], order: "at"}}
    then:  [{archive: {into: public.old}}, delete]
  newest:
    table: public.m
    where: "id > 300"
    due:   {beyond: {first: 3, per: [short], order: at DESC}}
    then:  [delete]
`)
	in.SetBatch(7)
	const want = `id IN (SELECT id FROM (SELECT *, row_number() OVER (PARTITION BY short ORDER BY at) AS place FROM n WHERE short = 'a') x
		WHERE at < timestamptz '2024-03-25 00:00Z' AND place > 10)`
	in.Done("aged", "2024-04-01 00:00Z")
	same(t, in, "m WHERE true", "n WHERE NOT "+want)
	same(t, in, "old", "n WHERE "+want)
	in.DB.Exec(t, "TRUNCATE n; INSERT INTO n SELECT * FROM m")
	in.Done("newest", "2024-04-01 00:00Z")
	same(t, in, "m", `n WHERE id <= 300 OR id IN (SELECT id FROM
		(SELECT *, row_number() OVER (PARTITION BY short ORDER BY at DESC) AS place FROM n WHERE id > 300) x WHERE place <= 3)`)
}

// TestNotNullNotValid has NULL in a column that is NOT NULL, for new rows only: they are a group like any other.
func TestNotNullNotValid(t *testing.T) {
	t.Parallel()
	needs(t, "NOT NULL NOT VALID", hasEnforced)
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, kind text, at timestamptz NOT NULL);
		INSERT INTO m SELECT i, CASE WHEN i > 4 THEN 'a' END, '2024-01-01' FROM generate_series(1, 8) i;
		ALTER TABLE m ADD CONSTRAINT strict NOT NULL kind NOT VALID`,
		"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {few: {first: 2, per: [kind], order: id DESC}}, then: [delete]}}")
	in.Done("p", noon)
	if diff := cmp.Diff([]int{3, 4, 7, 8}, pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY id")); diff != "" {
		t.Error(diff)
	}
}

// same compares the rows of two tables, each perhaps with a condition.
func same(t *testing.T, in *kit.Installed, got, want string) {
	t.Helper()
	const rows = "SELECT concat_ws(' ', id, at, short) FROM "
	if diff := cmp.Diff(pgtest.Column[string](t, in, rows+want+" ORDER BY id"), pgtest.Column[string](t, in, rows+got+" ORDER BY id")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", got, diff)
	}
}

// TestWithoutOverlaps purges a table whose key holds a range, to which another one refers by PERIOD: a row
// that is referred to is refused, a held one is kept, and neither stops the others.
func TestWithoutOverlaps(t *testing.T) {
	t.Parallel()
	needs(t, "keys WITHOUT OVERLAPS", hasTemporal)
	in := kit.Install(t, `
		CREATE TABLE booking (room int, during tstzrange, note text, PRIMARY KEY (room, during WITHOUT OVERLAPS));
		CREATE TABLE payment (id int PRIMARY KEY, room int NOT NULL, during tstzrange NOT NULL,
			FOREIGN KEY (room, PERIOD during) REFERENCES booking (room, PERIOD during));
		INSERT INTO booking SELECT r, tstzrange(timestamptz '2024-04-01 00:00Z' - d * interval '1 day', timestamptz '2024-04-01 00:00Z' - (d - 1) * interval '1 day')
		FROM generate_series(1, 3) r, generate_series(1, 20) d;
		INSERT INTO payment VALUES (1, 2, '[2024-03-20 06:00Z, 2024-03-21 06:00Z)');`, `
policies:
  aged:
    table: public.booking
    due:  {age: {expression: "(upper(during))::timestamptz", older_than: 7 days}}
    then: [delete]
`, kit.Before("CREATE EXTENSION btree_gist"))
	in.SetBatch(5)
	if err := in.Operator(`SELECT retention.place_hold('public.booking', '{"room": 3, "during": "[2024-03-15 00:00Z, 2024-03-16 00:00Z)"}', 'case 1')`); err != nil {
		t.Fatal(err)
	}
	o := in.Run("aged", "2024-04-01 00:00Z")
	if o.State != "done" || o.Refused != 2 || o.Kept["hold"] != 1 {
		t.Errorf("ended %s with %d refused, kept %v: %s", o.State, o.Refused, o.Kept, o.Message)
	}
	got := pgtest.Column[string](t, in, "SELECT room || ' ' || lower(during)::date FROM booking WHERE upper(during) < '2024-03-25 00:00Z' ORDER BY 1")
	if diff := cmp.Diff([]string{"2 2024-03-20", "2 2024-03-21", "3 2024-03-15"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestNotEnforced has a foreign key that does nothing: it is no way to other rows, until it is enforced.
func TestNotEnforced(t *testing.T) {
	t.Parallel()
	needs(t, "constraints that are NOT ENFORCED", hasEnforced)
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE child (id int PRIMARY KEY, m_id int CONSTRAINT child_of REFERENCES m ON DELETE CASCADE NOT ENFORCED);
		INSERT INTO m SELECT i, timestamptz '2024-04-01 00:00Z' - i * interval '1 day' FROM generate_series(1, 20) i;
		INSERT INTO child SELECT i, i FROM generate_series(1, 40) i;`, `
protect: [public.child]
policies:
  aged:
    table: public.m
    due:  {age: {column: at, older_than: 7 days}}
    then: [delete]
`)
	if o := in.Done("aged", "2024-04-01 00:00Z"); o.Taken != 13 || len(o.Cascaded) > 0 {
		t.Errorf("took %d rows, cascaded %v", o.Taken, o.Cascaded)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM child"); n != 40 {
		t.Errorf("%d children are left of 40", n)
	}
	in.DB.Exec(t, "DELETE FROM child WHERE m_id NOT IN (SELECT id FROM m); ALTER TABLE child ALTER CONSTRAINT child_of ENFORCED")
	if o := in.Run("aged", "2024-04-07 00:00Z"); o.State != "tripped" {
		t.Errorf("with the foreign key in force the run ended %s: %s", o.State, o.Message)
	}
}
