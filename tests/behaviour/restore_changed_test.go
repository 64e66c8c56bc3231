package behaviour

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const beforeChange = `CREATE TYPE mood AS ENUM ('sad', 'fine');
	CREATE TABLE m (id int PRIMARY KEY, n numeric(12, 3), word varchar(20), m mood,
		state text NOT NULL DEFAULT 'open',
		len int GENERATED ALWAYS AS (length(word)) STORED, at timestamptz NOT NULL);
	CREATE TABLE old (id int, n numeric, word text, m mood, state text, len int, at timestamptz, run bigint);
	CREATE TABLE attic (body jsonb, run bigint)`

// changes lists changes of a table after its rows were archived or marked. Each has the SQLSTATE
// that restore() raises. The SQLSTATE is empty if restore() must succeed.
var changes = []struct{ sql, state string }{
	{"ALTER TABLE m DROP COLUMN n", "55000"},
	{"ALTER TABLE m RENAME COLUMN n TO number", "55000"},
	{
		`ALTER TABLE m RENAME COLUMN n TO number;
			ALTER TABLE m ADD COLUMN n numeric(12, 3) GENERATED ALWAYS AS (1) STORED`,
		"55000",
	},
	{"ALTER TABLE m ALTER COLUMN n TYPE numeric(10, 1)", "55000"},
	{"ALTER TABLE m ALTER COLUMN n TYPE text", "55000"},
	{"ALTER TABLE m ALTER COLUMN state TYPE varchar(3) USING left(state, 3)", "55000"},
	{"ALTER TABLE m DROP CONSTRAINT m_pkey", "55000"},
	{"ALTER TABLE m DROP CONSTRAINT m_pkey; ALTER TABLE m ADD PRIMARY KEY (id, at)", "55000"},
	{"ALTER TABLE m ALTER COLUMN id TYPE text", "55000"},
	{"ALTER TABLE m RENAME TO n", "42P01"},
	{"ALTER TYPE mood RENAME TO feeling", "55000"},
	{"ALTER TABLE m ALTER COLUMN len DROP EXPRESSION", "55000"},
	{"ALTER TABLE m DROP COLUMN len", "55000"},
	{"ALTER TABLE old DROP COLUMN n; ALTER TABLE attic DROP COLUMN body", "42703"},
	{"ALTER TABLE old DROP COLUMN run; ALTER TABLE attic DROP COLUMN run", "42703"},
	{"ALTER TABLE m ADD COLUMN later int NOT NULL DEFAULT 7", ""},
}

// TestRestoreIntoAChangedTable checks that restore() fails if the table was changed in a way that
// could lose or alter values. It must not restore a part of a row.
func TestRestoreIntoAChangedTable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then   string
		passes []string // changes that do not concern an update with undo
	}{
		"columns": {"{archive: {into: old, set: {run: run.id}}}, delete", nil},
		"renamed": {
			`{archive: {into: old, columns: {word: state, state: word, len: id, id: len}, set: {run: run.id}}},
				delete`,
			nil,
		},
		"document": {"{archive: {into: attic, document: body, set: {run: run.id}}}, delete", nil},
		"undo": {
			`{update: {set: {state: "'shut'"}, undo: {state: "'open'", n: "n + 1"}}}`,
			[]string{
				"ALTER TYPE mood RENAME TO feeling", "ALTER TABLE m ALTER COLUMN len DROP EXPRESSION",
				"ALTER TABLE m DROP COLUMN len",
				"ALTER TABLE old DROP COLUMN n; ALTER TABLE attic DROP COLUMN body",
				"ALTER TABLE old DROP COLUMN run; ALTER TABLE attic DROP COLUMN run",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, beforeChange,
				fmt.Sprintf(`policies: {p: {table: m, where: "state = 'open'",
					due: {age: {column: at, older_than: 7 days}}, then: [%s]}}`, c.then))
			in.Exec(t, `INSERT INTO m (id, n, word, m, at) SELECT i, 1.125, 'w' || i, 'fine', '2024-01-01'
				FROM generate_series(1, 5) i`)
			call := fmt.Sprintf("SELECT r::text FROM retention.restore('p', %d) r", in.Done("p", noon).ID)
			for _, change := range changes {
				conn := in.Copy(t).Conn(t)
				want := change.state
				if slices.Contains(c.passes, change.sql) {
					want = ""
				}
				pgtest.Exec(t, conn, change.sql)
				var got string
				err := conn.QueryRow(t.Context(), call).Scan(&got)
				if sqlState(err) != want || want == "" && got != "(5,0)" {
					t.Errorf("%s: %q %v, want %q", change.sql, got, err, want)
				}
				if want == "" &&
					pgtest.Value[int](t, conn, `SELECT count(*)::int FROM m
						WHERE coalesce(to_jsonb(m) ->> 'later', '7') = '7'`) != 5 {
					t.Errorf("%s: the added column of a restored row does not have its default", change.sql)
				}
			}
			if got := pgtest.Value[string](t, in.Copy(t), call); got != "(5,0)" {
				t.Errorf("in the end: %s, want (5,0)", got)
			}
		})
	}
}

// TestRestoreOfDocumentWithUnknownColumn checks archived documents with a column that the policy
// does not know. restore() refuses these rows, because it would lose the value. It restores the
// others.
func TestRestoreOfDocumentWithUnknownColumn(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, beforeChange, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
		then: [{archive: {into: attic, document: body, set: {run: run.id}}}, delete]}}`)
	in.Exec(t, `ALTER TABLE m ADD COLUMN later int;
		INSERT INTO m (id, at, later) SELECT i, '2024-01-01', i FROM generate_series(1, 5) i`)
	run := in.Done("p", noon)
	in.Exec(t, "UPDATE attic SET body = body - 'later' WHERE (body ->> 'id')::int > 2")
	if got, want := restore(t, in, "p", run.ID), (restored{3, 2}); got != want {
		t.Errorf("answered %v, want %v", got, want)
	}
	if got := in.Rows("SELECT body ->> 'id', body ->> 'later' FROM attic"); cmp.Diff([]string{"(1,1)", "(2,2)"},
		got) != "" {
		t.Errorf("the archive has the documents %v, want 1 and 2", got)
	}
}

// TestRestoreOfEnsuredColumns checks columns that the policy creates, whose types are written with
// aliases and spaces.
func TestRestoreOfEnsuredColumns(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE DOMAIN word AS text;
		CREATE TABLE attic (body jsonb, run bigint)`,
		`policies: {p: {table: m,
			ensure: {a: {type: "varchar (9)"}, b: {type: "decimal(9, 2)"}, c: {type: timestamptz(3)},
			d: {type: "int[]"}, e: {type: word}, f: {type: float8}},
			due: {age: {column: at, older_than: 7 days}},
			then: [{archive: {into: attic, document: body, set: {run: run.id}}}, delete]}}`)
	in.Exec(t, "INSERT INTO m VALUES (1, '2024-01-01', 'x', 1.25, '2024-01-01', '{1,2}', 'y', 0.1)")
	before := in.Rows("SELECT * FROM m")
	if got, want := restore(t, in, "p", in.Done("p", noon).ID), (restored{1, 0}); got != want {
		t.Errorf("answered %v, want %v", got, want)
	}
	if diff := cmp.Diff(before, in.Rows("SELECT * FROM m")); diff != "" {
		t.Errorf("the table (-before +after):\n%s", diff)
	}
}

// TestRestoreOneRow checks restore() with match. The key may be written in the DateStyle of the
// session. Only this row is restored, and it is held afterwards.
func TestRestoreOneRow(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE m (day date, id numeric(9,2), at timestamptz NOT NULL,
			gone boolean NOT NULL DEFAULT false, PRIMARY KEY (day, id));
		CREATE TABLE attic (body jsonb, run bigint);
		CREATE TABLE kept (id bigint GENERATED ALWAYS AS IDENTITY, at timestamptz, "The day" date,
			m_id numeric(9,2), gone boolean, run bigint);
		INSERT INTO m SELECT '2024-02-01'::date + i % 2, i,
			'2024-03-31 12:00+00'::timestamptz - i * interval '1 day' FROM generate_series(1, 12) i`
	for name, step := range map[string]string{
		"archive":  "{archive: {into: old, create: true, set: {run: run.id}}}, delete",
		"renamed":  `{archive: {into: kept, columns: {m_id: id, "\"The day\"": day}, set: {run: run.id}}}, delete`,
		"document": "{archive: {into: attic, document: body, set: {run: run.id}}}, delete",
		"undo":     "{update: {set: {gone: true}, undo: {gone: false}}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, schema, `policies: {p: {table: m, where: NOT gone,
				due: {age: {column: at, older_than: 7 days}}, then: [`+step+"]}}")
			in.SetBatch(2)
			run, unmarked := in.Done("p", noon), "SELECT id::int FROM m WHERE NOT gone ORDER BY id"
			conn := in.Conn(t)
			pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION retention_operator; SET datestyle = 'German'")
			one := func(match string) (got restored, state string) {
				t.Helper()
				err := conn.QueryRow(t.Context(), `SELECT restored, refused
					FROM retention.restore('p', $1, match => $2)`, run.ID, match).Scan(&got.Restored, &got.Refused)
				return got, sqlState(err)
			}
			for _, c := range []struct{ match, state string }{
				{`{"day": "02.02.2024", "id": 3}`, "P0002"}, {`{"day": "01.02.2024", "id": 9}`, "P0002"}, {`{"id": 9}`,
					"22023"}, {`9`, "0A000"}, {`{}`, "22023"},
				{`{"day": "02.02.2024", "id": 9, "at": "2024-01-01"}`, "22023"}, {`{"day": "02.02.2024", "id": "x"}`,
					"22P02"},
			} {
				if _, state := one(c.match); state != c.state {
					t.Errorf("%s: %q, want %q", c.match, state, c.state)
				}
			}
			const nine = `{"day": "02.02.2024", "id": 9}`
			if got, state := one(nine); state != "" || got != (restored{1, 0}) {
				t.Errorf("restore of one row returned %v and SQLSTATE %q, want 1 restored row", got, state)
			}
			if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 9}, pgtest.Column[int](t, in, unmarked)); diff != "" {
				t.Errorf("rows that are there (-want +got):\n%s", diff)
			}
			if held := in.Rows("SELECT match FROM retention.hold WHERE reason = 'restored run " +
				fmt.Sprint(run.ID) + "' AND until > now() + interval '29 days'"); len(held) != 1 {
				t.Errorf("holds on the restored row: %v, want 1", held)
			}
			if _, state := one(nine); state != "P0002" {
				t.Errorf("again: %q, want P0002", state)
			}
			if name != "undo" {
				in.Exec(t, "INSERT INTO m VALUES ('2024-02-01', 10, now())")
				if got, state := one(`{"day": "01.02.2024", "id": 10}`); state != "" || got != (restored{0, 1}) {
					t.Errorf("restore of a key that exists again returned %v and SQLSTATE %q, want 1 refused row",
						got, state)
				}
				in.Exec(t, "DELETE FROM m WHERE id = 10")
			}
			if o := in.Done("p", noon); o.Taken != 0 || o.Kept["hold"] != 1 {
				t.Errorf("want a run with taken 0, kept by hold 1; got %+v", o)
			}
			if got := restore(t, in, "p", run.ID); got != (restored{4, 0}) {
				t.Errorf("restore of the other rows returned %v, want 4 restored rows", got)
			}
			if n := len(pgtest.Column[int](t, in, unmarked)); n != 12 {
				t.Errorf("%d rows are there, want 12", n)
			}
		})
	}
	in := kit.Install(t, family, familyRule)
	in.Exec(t, sqlAt(familyData))
	run := in.Done("p", noon)
	_, err := in.Conn(t).Exec(t.Context(), fmt.Sprintf("SELECT retention.restore('p', %d, match => '7')", run.ID))
	if sqlState(err) != "0A000" {
		t.Errorf("restore of one row with related rows: got %v, want 0A000", err)
	}
}
