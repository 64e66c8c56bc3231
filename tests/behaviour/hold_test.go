package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const held = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
	CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
	CREATE TABLE leaf (a int, b text, child_id int REFERENCES child ON DELETE SET NULL, PRIMARY KEY (a, b));
	CREATE TABLE blob (id int PRIMARY KEY, m_id int);
	INSERT INTO m SELECT i, '2024-01-01 00:00+00'::timestamptz + i * interval '1 hour' FROM generate_series(1, 12) i;
	INSERT INTO child SELECT i, i FROM generate_series(1, 12) i;
	INSERT INTO leaf SELECT i, 'x,"y' || i, i FROM generate_series(1, 12) i;
	INSERT INTO blob SELECT i, i FROM generate_series(1, 12) i`

const heldPolicy = `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    batch: {rows: 5}
    then:
      - delete: {cascades: [child, leaf]}
      - delete: {table: blob, as: b, where: "b.m_id = t.id"}
`

// ids returns the ids of the rows that are left in m.
func ids(t *testing.T, in *kit.Installed) []int {
	t.Helper()
	return pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY id")
}

// hold places a hold as an operator. sql has the arguments of place_hold. It may end with "; until"
// and a timestamp in the past, which place_hold would refuse.
func hold(t *testing.T, in *kit.Installed, sql string) {
	t.Helper()
	call, until, over := strings.Cut(sql, "; until ")
	if err := in.Operator("SELECT retention.place_hold(" + call + ")"); err != nil {
		t.Fatal(err)
	}
	if over {
		in.Exec(t, "UPDATE retention.hold SET until = '"+until+"' WHERE id = (SELECT max(id) FROM retention.hold)")
	}
}

// place_hold refuses a table name without a schema if the name could mean the table of a policy in
// another schema.
func TestHoldNamesItsSchema(t *testing.T) {
	t.Parallel()
	const table = "m (id int PRIMARY KEY, at timestamptz NOT NULL); INSERT INTO "
	const rows = "m SELECT i, '2024-01-01' FROM generate_series(1, 3) i; "
	in := kit.Install(t, "CREATE SCHEMA app; CREATE TABLE app."+table+"app."+rows+"CREATE TABLE "+table+rows,
		"policies: {p: {table: app.m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
	if err := in.Operator("SELECT retention.place_hold('m', '2', 'case')"); err == nil ||
		!strings.Contains(err.Error(), `could be "app.m"`) {
		t.Errorf("a hold on \"m\" returned %v, want a message with app.m", err)
	}
	hold(t, in, "'app.m', '2', 'case'")
	in.Done("p", noon)
	if diff := cmp.Diff([]int{2}, pgtest.Column[int](t, in, "SELECT id FROM app.m")); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, held, heldPolicy)
	hold(t, in, "'m', '2', 'case 1'")                                                  // the row itself
	hold(t, in, "'child', '4', 'case 1'")                                              // deleted with its parent
	hold(t, in, `'leaf', '{"a": 6, "b": "x,\"y6"}', 'case 1'`)                         // changed through its parent
	hold(t, in, "'blob', '8', 'case 1'")                                               // deleted by a step
	hold(t, in, "'m', '10', 'until after as_of'; until 2024-03-31 12:00:00.000001+00") // still in force
	hold(t, in, "'m', '11', 'until as_of'; until 2024-03-31 12:00:00+00")              // ended
	hold(t, in, "'m', '12', 'before'; until 2024-02-01 12:00:00+00")                   // ended

	due, kept := in.Count("p", noon)
	var o kit.Outcome
	if unknown := in.CheckPreview(t, "p", noon, nil, func() { o = in.Done("p", noon) }); len(unknown) > 0 {
		t.Errorf("the preview does not know: %q", unknown)
	}
	if diff := cmp.Diff([]int{2, 4, 6, 8, 10}, ids(t, in)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	for _, table := range []string{"child", "leaf", "blob"} {
		const ofKept = ` x WHERE to_jsonb(x)::text ~ 'id": (2|4|6|8|10)[,}]'`
		if got := pgtest.Value[int](t, in, "SELECT count(*) FROM "+table+ofKept); got != 5 {
			t.Errorf("%d rows of %s are left with their parents", got, table)
		}
	}
	if o.Taken != 7 || o.Kept["hold"] != 5 || o.Related["public.blob"] != 7 || o.Cascaded["public.child"] != 7 ||
		o.Cascaded["public.leaf"] != 7 {
		t.Errorf("got %+v", o)
	}
	if due != 7 || kept["hold"] != 5 { // row 8 is kept, because a step would reach a held row
		t.Errorf("preview counts %d due, %v kept", due, kept)
	}

	if err := in.Operator(`SELECT retention.release_hold(id, 'closed') FROM retention.hold
		WHERE reason = 'case 1'`); err != nil {
		t.Fatal(err)
	}
	in.Exec(t, "DELETE FROM retention.run")
	if o := in.Done("p", noon); o.Taken != 4 {
		t.Errorf("after the release: %+v", o)
	}
	if diff := cmp.Diff([]int{10}, ids(t, in)); diff != "" {
		t.Errorf("after the release, rows differ (-want +got):\n%s", diff)
	}
	if err := in.Operator("SELECT retention.release_hold(1, 'again')"); err == nil {
		t.Error("a hold was released twice")
	}
}

// place_hold refuses a hold that identifies no row, and a hold with invalid arguments. Only
// place_hold writes holds: operators and the runner cannot change the tables.
func TestHoldsRefused(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, held+"; CREATE TABLE bare (id int)", heldPolicy)
	for _, sql := range []string{
		"'leaf', '6', 'half a key'",
		"'m', '{1,2}', 'no object'",
		"'m', '1', ''",
		"'bare', '1', 'no key'",
		"'m', NULL, 'none'",
		"'m', 'NULL', 'none'",
		"'m', 'x', 'no number'",
		"'m', '1', 'over', clock_timestamp()",
	} {
		if err := in.Operator("SELECT retention.place_hold(" + sql + ")"); err == nil {
			t.Errorf("place_hold(%s) was accepted", sql)
		}
	}
	for _, sql := range []string{
		"DELETE FROM m",
		`INSERT INTO retention.hold (table_name, rel, columns, attnums, types, match, reason)
			VALUES ('public.m', 1, '{}', '{}', '{}', '{}', 'x')`,
		"DELETE FROM retention.run",
		"SELECT retention.p_take(NULL)",
		"UPDATE retention.setting SET value = ''",
	} {
		if err := in.Operator(sql); err == nil {
			t.Errorf("an operator could %s", sql)
		}
		if _, err := in.Runner().Exec(t.Context(), sql); err == nil {
			t.Errorf("the runner could %s", sql)
		}
	}
}

// A hold compares the value of the key, not its spelling. The settings of the session that places
// it do not matter.
func TestHoldsByKeysOfManySpellings(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE m (id timestamptz PRIMARY KEY);
		INSERT INTO m SELECT '2024-01-01 05:00+00'::timestamptz + i * interval '1 hour'
			FROM generate_series(0, 3) i;
		CREATE TABLE u (id uuid, d date, PRIMARY KEY (id, d));
		CREATE TABLE n (id numeric(10, 2) PRIMARY KEY, name varchar(3)); INSERT INTO n VALUES (1.5), (2.5);
		CREATE TABLE c (id char(5) PRIMARY KEY); INSERT INTO c VALUES ('ab'), ('abc');
		INSERT INTO u VALUES ('aaaaaaaa-0000-0000-0000-000000000001', '2024-02-01'),
			('aaaaaaaa-0000-0000-0000-000000000002', '2024-02-01')`,
		`policies: {p: {table: m, where: true, then: [delete]}, u: {table: u, where: true, then: [delete]},
		n: {table: n, where: true, then: [delete]}, c: {table: c, where: true, then: [delete]}}`)
	conn := in.Conn(t)
	pgtest.Exec(t, conn, `SET TimeZone = 'America/New_York';
		SET DateStyle = 'SQL, DMY';
		SET SESSION AUTHORIZATION retention_operator`)
	for _, sql := range []string{
		"SELECT rows_held FROM retention.place_hold('m', '2024-01-01 00:00-05', 'New Year there')",
		"SELECT rows_held FROM retention.place_hold('m', ('2024-01-01 06:00+00'::timestamptz)::text, 'as shown here')",
		"SELECT rows_held FROM retention.place_hold('n', '1.5', 'a digit less')",
		"SELECT rows_held FROM retention.place_hold('c', 'abc', 'no blanks')",
		`SELECT rows_held FROM retention.place_hold('u',
			'{"id": "AAAAAAAA-0000-0000-0000-000000000001", "d": "01/02/2024"}', 'in capitals')`,
	} {
		if n := pgtest.Value[int64](t, conn, sql); n != 1 {
			t.Errorf("%s holds %d rows", sql, n)
		}
	}
	if zone := pgtest.Value[string](t, conn, "SHOW TimeZone"); zone != "America/New_York" {
		t.Errorf("place_hold changed the session's time zone to %s", zone)
	}
	if o := in.Done("p", noon); o.Taken != 2 || o.Kept["hold"] != 2 {
		t.Errorf("instants: %+v", o)
	}
	for _, policy := range []string{"u", "n", "c"} {
		if o := in.Done(policy, noon); o.Taken != 1 || o.Kept["hold"] != 1 {
			t.Errorf("%s: %+v", policy, o)
		}
	}
}

func TestHoldsInRanks(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, g int);
		INSERT INTO m SELECT i, i % 2 FROM generate_series(1, 12) i`, `
policies:
  first_places: {table: m, due: {beyond: {first: 2, per: [g], order: "keep.hold DESC, id DESC"}}, then: [delete]}
  no_places: {table: m, due: {beyond: {first: 2, per: [g], among: "NOT keep.hold", order: "id DESC"}}, then: [delete]}`)
	in.SetBatch(2)
	for _, id := range []string{"1", "2", "4"} {
		hold(t, in, "'m', '"+id+"', 'x'")
	}
	all := "INSERT INTO m SELECT i, i % 2 FROM generate_series(1, 12) i ON CONFLICT DO NOTHING"
	for _, c := range []struct {
		policy string
		want   []int
	}{{"first_places", []int{1, 2, 4, 11}}, {"no_places", []int{1, 2, 4, 9, 10, 11, 12}}} {
		in.Exec(t, all)
		due, _ := in.Count(c.policy, noon)
		o := in.Done(c.policy, noon)
		if diff := cmp.Diff(c.want, ids(t, in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.policy, diff)
		}
		if due != o.Taken {
			t.Errorf("%s: %d due, %d taken", c.policy, due, o.Taken)
		}
	}
}

func TestHoldsOnPartitions(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at))
			PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01 00:00+00') TO ('2024-02-01 00:00+00');
		CREATE TABLE m_2 PARTITION OF m DEFAULT;
		INSERT INTO m SELECT i, '2023-12-30 00:00+00'::timestamptz + i * interval '1 day'
			FROM generate_series(1, 9) i`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}`)
	hold(t, in, "'m', '{\"id\": 3, \"at\": \"2024-01-02 00:00:00+00\"}', 'root'")
	hold(t, in, "'m_1', '{\"id\": 5, \"at\": \"2024-01-04 00:00:00+00\"}', 'partition'")
	if o := in.Done("p", noon); o.Taken != 7 || o.Kept["hold"] != 2 {
		t.Errorf("took %d rows and kept %d, want 7 and 2: %+v", o.Taken, o.Kept["hold"], o)
	}
	if diff := cmp.Diff([]int{3, 5}, ids(t, in)); diff != "" {
		t.Errorf("rows left (-want +got):\n%s", diff)
	}
}

// No run overwrites a held row of an archive. A run whose step replaces existing rows trips.
func TestHoldInAnArchive(t *testing.T) {
	t.Parallel()
	for existing, state := range map[string]string{"refuse": "done", "keep": "done", "replace": "tripped"} {
		t.Run(existing, func(t *testing.T) {
			t.Parallel()
			// The archive already has rows 1 and 2. With "refuse", the second run finds no other
			// rows than these two, and fails.
			released := map[bool]string{true: "failed", false: "done"}[existing == "refuse"]
			in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
				CREATE TABLE old (id int PRIMARY KEY, at timestamptz);
				INSERT INTO old VALUES (1, '2000-01-01'), (2, '2000-01-01')`,
				`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
					then: [{archive: {into: old, existing: `+existing+"}}, delete]}}")
			in.Exec(t, "INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 3) i")
			hold(t, in, "'old', '1', 'case'")
			before, rows := in.Rows("SELECT * FROM old WHERE id = 1"), in.Rows("TABLE m")
			if o := in.Run("p", noon); o.State != state {
				t.Errorf("the run ended %s: %s", o.State, o.Message)
			}
			if diff := cmp.Diff(before, in.Rows("SELECT * FROM old WHERE id = 1")); diff != "" {
				t.Errorf("the held row (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(rows, in.Rows("TABLE m")); state == "tripped" && diff != "" {
				t.Errorf("the table (-want +got):\n%s", diff)
			}
			if err := in.Operator("SELECT retention.release_hold(max(id), 'over') FROM retention.hold"); err != nil {
				t.Fatal(err)
			}
			if o := in.Run("p", noon); o.State != released {
				t.Errorf("after the release the run ended %s: %s", o.State, o.Message)
			}
		})
	}
}
