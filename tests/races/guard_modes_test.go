package races

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// guardKind is a guard with its table. Column n of table m numbers the rows.
type guardKind struct {
	key, clock string // types of the columns id and at of m
	id         string // expression for the id of row n
	schema     string
	guard      string
	place      string // statement after which the guard keeps row 15
	remove     string
}

var guardKinds = map[string]guardKind{
	"a table": {"bigint", "timestamptz", "n",
		"CREATE TABLE sig (m_id bigint NOT NULL)", "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)",
		"INSERT INTO sig SELECT id FROM m WHERE n = 15", "DELETE FROM sig"},
	"a table whose row is moved": {"text", "timestamp", "'k' || n",
		"CREATE TABLE sig (m_id text NOT NULL); INSERT INTO sig VALUES ('none')",
		"EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)",
		"UPDATE sig SET m_id = 'k15'", "UPDATE sig SET m_id = 'none'"},
	"a view": {"uuid", "timestamp(3)", "md5(n::text)::uuid",
		`
			CREATE TABLE raw (m_id uuid NOT NULL, live boolean DEFAULT true);
			CREATE VIEW sig AS SELECT m_id FROM raw WHERE live`,
		"EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)",
		"INSERT INTO raw SELECT id FROM m WHERE n = 15", "UPDATE raw SET live = false"},
	"two joins": {"varchar(40)", "date", "'k' || n",
		`
			CREATE TABLE kind (id int PRIMARY KEY, keeps boolean);
			CREATE TABLE sig (m_id varchar(40), kind int REFERENCES kind);
			INSERT INTO kind VALUES (1, false);
			INSERT INTO sig SELECT 'k15', 1`,
		"EXISTS (SELECT FROM sig s JOIN kind k ON k.id = s.kind WHERE s.m_id = t.id AND k.keeps)",
		"UPDATE kind SET keeps = true", "UPDATE kind SET keeps = false"},
	"its own table": {"integer", "timestamptz(0)", "n",
		"SELECT", "EXISTS (SELECT FROM m o WHERE o.parent = t.id)",
		"UPDATE m SET parent = 15 WHERE n = 31", "UPDATE m SET parent = NULL WHERE n = 31"},
	"its own column": {"numeric", "timestamptz", "n",
		"SELECT", "t.parent IS NOT NULL",
		"UPDATE m SET parent = 1 WHERE n = 15", "UPDATE m SET parent = NULL WHERE n = 15"},
}

// TestGuardsInBothModes checks guards on rows that another session has locked. While that session
// has not committed, the run skips the row as locked. After it has added the signal, the guard
// keeps the row. A signal whose removal is not committed still keeps the row, also if the other
// session has locked the row itself. Row 31 is not due.
func TestGuardsInBothModes(t *testing.T) {
	t.Parallel()
	for name, k := range guardKinds {
		for _, mode := range []string{"one statement", "row by row"} {
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				s := newStageOf(t, `CREATE TABLE m (id `+k.key+` PRIMARY KEY, n int NOT NULL, at `+
					k.clock+` NOT NULL, parent `+k.key+`); `+k.schema,
					`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
						keep: {signal: "`+k.guard+`"}, then: [delete],
						batch: {lock_timeout: 20ms}}}`)
				if mode == "row by row" {
					s.useRowByRow()
				}
				runs := func(want counts, left ...int) {
					t.Helper()
					s.run("p").mustSucceed()
					if diff := cmp.Diff(left, pgtest.Column[int](t, s.watch,
						"SELECT n FROM m ORDER BY n")); diff != "" {
						t.Errorf("rows left (-want +got):\n%s", diff)
					}
					o := s.wantRun("p", want)
					if n := pgtest.Value[int](t, s.watch,
						"SELECT count(*) FROM retention.batch WHERE run_id = $1 AND mode = 'range'", o.ID); n > 0 &&
						mode == "row by row" {
						t.Errorf("%d batches were one statement:\n%s", n, s.batches(o.ID))
					}
				}
				s.Exec(t, "INSERT INTO m SELECT "+k.id+", n, '2024-01-01'::timestamp + n * interval '1 minute' FROM "+
					"generate_series(1, 30) n")
				s.Exec(t, "INSERT INTO m SELECT "+k.id+", n, '2024-05-31' FROM (VALUES (31)) x (n)")

				s.appExec("BEGIN; SELECT FROM m WHERE n = 15 FOR UPDATE; " + k.place)
				runs(counts{State: "done", Taken: 29, Contended: 1}, 15, 31)
				s.appExec("COMMIT")
				kept := counts{State: "done", Kept: map[string]int64{"signal": 1}}
				runs(kept, 15, 31)
				s.appExec("BEGIN; " + k.remove)
				runs(kept, 15, 31)
				s.appExec("COMMIT")
				runs(counts{State: "done", Taken: 1}, 31)
			})
		}
	}
}
