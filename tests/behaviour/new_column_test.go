package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A column that a table and its archive have got since the policy was generated is not left behind: no row goes
// until the policy knows it.
func TestColumnSinceGenerate(t *testing.T) {
	t.Parallel()
	const delete = "delete: {cascades: [r]}"
	for name, c := range map[string]struct {
		then, added, keep string
		fails             bool
		kept              int // copies with what the new column had
	}{
		"own":                   {"archive: {into: a, set: {run_id: run.id}}, " + delete, "m", "", true, 30},
		"own, renamed":          {"archive: {into: a, columns: {gone: v, v: id}, set: {run_id: run.id, id: \"0\"}}, " + delete, "m", "", true, 30},
		"own in shape LOCKED":   {"archive: {into: a, set: {run_id: run.id}}, " + delete, "m", `keep: {none: "(SELECT false)"}, `, true, 30},
		"related":               {`archive: {table: r, as: r, where: "r.id = t.id", into: a, set: {run_id: run.id}}, ` + delete, "r", "", true, 30},
		"of another table":      {"archive: {into: a, set: {run_id: run.id}}, " + delete, "r", "", false, 0},
		"a document":            {"archive: {into: a, document: doc, set: {run_id: run.id}}, " + delete, "m", "", false, 30},
		"a document of later":   {`update: {set: {v: "2"}}, archive: {into: a, document: doc, set: {run_id: run.id}}, ` + delete, "m", "", true, 30},
		"a document of related": {`archive: {table: r, as: r, where: "r.id = t.id", into: a, document: doc, set: {run_id: run.id}}, ` + delete, "r", "", false, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policies := "policies: {p: {table: m, due: {age: {column: at, older_than: %d days}}, batch: {rows: 5, lock_timeout: 5s}, " + c.keep + "then: [" + c.then + "]}}"
			in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, v int, gone int);
				CREATE TABLE r (id int PRIMARY KEY REFERENCES m ON DELETE CASCADE, at timestamptz, v int, gone int);
				INSERT INTO m SELECT i, '2024-01-01', i FROM generate_series(1, 30) i;
				INSERT INTO r SELECT * FROM m;
				ALTER TABLE m DROP gone;
				ALTER TABLE r DROP gone;
				CREATE TABLE a (id int, at timestamptz, v int, gone int, doc jsonb, run_id bigint)`, fmt.Sprintf(policies, 7))
			in.Exec(t, "ALTER TABLE "+c.added+" ADD body text DEFAULT 'kept'; ALTER TABLE a ADD body text")
			if c.fails {
				o := in.Run("p", noon)
				if o.State != "tripped" || o.Taken != 0 || !strings.Contains(o.Message, "does not know: body") {
					t.Errorf("ended %s with %d taken: %s", o.State, o.Taken, o.Message)
				}
				if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); n != 30 {
					t.Errorf("%d rows are left of 30", n)
				}
				in.Migrate(t, fmt.Sprintf(policies, 8))
			}
			in.Done("p", noon)
			if n := pgtest.Value[int](t, in, "SELECT count(*) FROM a WHERE coalesce(body, doc ->> 'body') = 'kept'"); n != c.kept {
				t.Errorf("%d copies have what the new column had, want %d", n, c.kept)
			}
		})
	}
}

// The column comes between two runs of which the second goes on in shape RANGE.
func TestColumnSinceTheLastBatch(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 min' FROM generate_series(1, 300) i;
		CREATE TABLE a (id int, at timestamptz)`,
		"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, budget: {rows: 150}, then: [archive: {into: a}, delete]}}")
	if o := in.Run("p", noon); o.State != "more" || o.Taken < 100 {
		t.Fatalf("ended %s with %d taken: %s", o.State, o.Taken, o.Message)
	}
	in.Exec(t, "ALTER TABLE m ADD body text DEFAULT 'kept'; ALTER TABLE a ADD body text")
	before := pgtest.Value[int](t, in, "SELECT count(*) FROM m")
	if o := in.Run("p", noon); o.State != "tripped" || o.Taken != 0 {
		t.Errorf("ended %s with %d taken: %s", o.State, o.Taken, o.Message)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); n != before {
		t.Errorf("%d rows are left of %d", n, before)
	}
}
