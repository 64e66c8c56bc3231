package behaviour

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const beforeChange = `CREATE TYPE mood AS ENUM ('sad', 'fine'); CREATE TABLE m (id int PRIMARY KEY, n numeric(12, 3), word varchar(20), m mood, state text NOT NULL DEFAULT 'open',
		len int GENERATED ALWAYS AS (length(word)) STORED, at timestamptz NOT NULL);
	CREATE TABLE old (id int, n numeric, word text, m mood, state text, len int, at timestamptz, run bigint); CREATE TABLE attic (body jsonb, run bigint)`

// changes of the table that a policy was generated for, and what restore says of each; ” where it does its work.
var changes = []struct{ sql, state string }{
	{"ALTER TABLE m DROP COLUMN n", "55000"},
	{"ALTER TABLE m RENAME COLUMN n TO number", "55000"},
	{"ALTER TABLE m RENAME COLUMN n TO number; ALTER TABLE m ADD COLUMN n numeric(12, 3) GENERATED ALWAYS AS (1) STORED", "55000"},
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

// A table that is not what it was when its rows were archived, or marked, gets nothing back, rather than part of it.
func TestRestoreIntoAChangedTable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then   string
		passes []string // changes of what an update does not touch
	}{
		"columns":  {"{archive: {into: old, set: {run: run.id}}}, delete", nil},
		"document": {"{archive: {into: attic, document: body, set: {run: run.id}}}, delete", nil},
		"undo": {`{update: {set: {state: "'shut'"}, undo: {state: "'open'", n: "n + 1"}}}`,
			[]string{"ALTER TYPE mood RENAME TO feeling", "ALTER TABLE m ALTER COLUMN len DROP EXPRESSION", "ALTER TABLE m DROP COLUMN len",
				"ALTER TABLE old DROP COLUMN n; ALTER TABLE attic DROP COLUMN body", "ALTER TABLE old DROP COLUMN run; ALTER TABLE attic DROP COLUMN run"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, beforeChange, fmt.Sprintf("policies: {p: {table: m, where: \"state = 'open'\", due: {age: {column: at, older_than: 7 days}}, then: [%s]}}", c.then))
			in.Exec(t, "INSERT INTO m (id, n, word, m, at) SELECT i, 1.125, 'w' || i, 'fine', '2024-01-01' FROM generate_series(1, 5) i")
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
				if want == "" && pgtest.Value[int](t, conn, "SELECT count(*)::int FROM m WHERE coalesce(to_jsonb(m) ->> 'later', '7') = '7'") != 5 {
					t.Errorf("%s: a later column has not got its default", change.sql)
				}
			}
			if got := pgtest.Value[string](t, in.Copy(t), call); got != "(5,0)" {
				t.Errorf("in the end: %s", got)
			}
		})
	}
}

// A document with a column that the policy does not know is refused, alone: its value would be lost.
func TestRestoreOfADocumentWithMore(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, beforeChange, "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [{archive: {into: attic, document: body, set: {run: run.id}}}, delete]}}")
	in.Exec(t, "ALTER TABLE m ADD COLUMN later int; INSERT INTO m (id, at, later) SELECT i, '2024-01-01', i FROM generate_series(1, 5) i")
	run := in.Done("p", noon)
	in.Exec(t, "UPDATE attic SET body = body - 'later' WHERE (body ->> 'id')::int > 2")
	if got, want := restore(t, in, "p", run.ID), (restored{3, 2}); got != want {
		t.Errorf("answered %v, want %v", got, want)
	}
	if got := in.Rows("SELECT body ->> 'id', body ->> 'later' FROM attic"); cmp.Diff([]string{"(1,1)", "(2,2)"}, got) != "" {
		t.Errorf("left in the archive: %v", got)
	}
}

// The types of columns that the policy makes sure of are written as people write them.
func TestRestoreOfEnsuredColumns(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE DOMAIN word AS text; CREATE TABLE attic (body jsonb, run bigint)", `policies: {p: {table: m,
		ensure: {a: {type: "varchar (9)"}, b: {type: "decimal(9, 2)"}, c: {type: timestamptz(3)}, d: {type: "int[]"}, e: {type: word}, f: {type: float8}},
		due: {age: {column: at, older_than: 7 days}}, then: [{archive: {into: attic, document: body, set: {run: run.id}}}, delete]}}`)
	in.Exec(t, "INSERT INTO m VALUES (1, '2024-01-01', 'x', 1.25, '2024-01-01', '{1,2}', 'y', 0.1)")
	before := in.Rows("SELECT * FROM m")
	if got, want := restore(t, in, "p", in.Done("p", noon).ID), (restored{1, 0}); got != want {
		t.Errorf("answered %v, want %v", got, want)
	}
	if diff := cmp.Diff(before, in.Rows("SELECT * FROM m")); diff != "" {
		t.Errorf("the table (-before +after):\n%s", diff)
	}
}
