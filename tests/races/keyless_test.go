package races

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// newKeylessStage is newStage for a table m without a key.
func newKeylessStage(t *testing.T, schema, rule string) *stage {
	t.Helper()
	return newStageOf(t, strings.Replace(tableM, "id int PRIMARY KEY", "id int NOT NULL", 1)+schema,
		"policies: {p: "+rule+"}")
}

// place returns where row 15 is stored.
func (s *stage) place() string {
	return pgtest.Value[string](s.t, s.watch, "SELECT ctid::text FROM m WHERE id = 15")
}

// TestRowMovesDuringARunWithoutAKey updates row 15 of a table without a key while a run waits for
// the row. The update moves the row to another place. All rows have the same clock, so only their
// places order them.
func TestRowMovesDuringARunWithoutAKey(t *testing.T) {
	t.Parallel()
	const equal = "UPDATE m SET at = '2024-01-01'"
	for name, c := range map[string]struct {
		schema, rule, update string
		locked               bool
		leaves               []int
		taken                int64
	}{
		"refreshed": {"", simple, "UPDATE m SET at = " + fresh + " WHERE id = 15", false, []int{15}, 29},
		"still due": {"", simple, "UPDATE m SET v = 1 WHERE id = 15", false, nil, 30},
		"kept by a guard": {"", strings.Replace(simple, "then:", `keep: {used: "v > 0"}, then:`, 1),
			"UPDATE m SET v = 1 WHERE id = 15", false, []int{15}, 29},
		"refreshed, row by row": {signals, guarded, "UPDATE m SET at = " + fresh + " WHERE id = 15", true,
			[]int{15}, 29},
		"still due, row by row": {signals, guarded, "UPDATE m SET v = 1 WHERE id = 15", true, nil, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newKeylessStage(t, c.schema, c.rule)
			if c.locked {
				s.useRowByRow()
			}
			if name == "refreshed" { // the usual statement takes the refreshed row
				s.refill(30)
				s.appExec("BEGIN; " + c.update)
				naive := s.start(s.Conn(t), usual)
				naive.mustWait()
				s.appExec("COMMIT")
				naive.mustSucceed()
				s.wantLeft()
			}
			s.refill(30)
			s.Exec(t, equal)
			s.Exec(t, "VACUUM FULL m")
			before := s.place()
			s.appExec("BEGIN; " + c.update)
			run := s.run("p")
			if !c.locked { // row by row, the run does not wait for the row
				run.mustWait()
			}
			s.waitForTrue("SELECT EXISTS (SELECT FROM retention.batch WHERE taken > 0)")
			s.appExec("COMMIT")
			run.mustSucceed()
			if len(c.leaves) > 0 && s.place() == before {
				t.Error("row 15 has not moved, so the case tests nothing")
			}
			if o := s.Last("p"); o.Taken < c.taken { // the run may leave the moved row to the next one
				s.run("p").mustSucceed()
				if again := s.Last("p"); o.Taken+again.Taken != c.taken {
					t.Errorf("two runs took %d and %d rows, want %d", o.Taken, again.Taken, c.taken)
				}
			}
			s.wantLeft(c.leaves...)
		})
	}
}

// TestWritersWithoutAKey lets runs and four writers work on a table without a key at the same time.
// The writers move rows, refresh rows and insert rows with the same clock. The log must count
// exactly the deleted rows, and each deleted row must have been due in its last version.
func TestWritersWithoutAKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		layout, then string
		locked       bool
	}{
		"one statement": {"", "[archive: {into: old}, delete]", false},
		"row by row":    {"", "[archive: {into: old}, delete]", true},
		"partitions": {` PARTITION BY HASH (id);
			CREATE TABLE m_0 PARTITION OF m FOR VALUES WITH (MODULUS 2, REMAINDER 0);
			CREATE TABLE m_1 PARTITION OF m FOR VALUES WITH (MODULUS 2, REMAINDER 1)`,
			"[archive: {into: old}, delete]", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, `
				CREATE TABLE m (id int NOT NULL, at date NOT NULL, v int NOT NULL DEFAULT 0)`+c.layout+`;
				CREATE TABLE old (id int, at date, v int);
				CREATE INDEX ON m (id);
				CREATE TABLE refreshed (id int);`, `
policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, breaker: {fraction: 100%}, then: `+c.then+`}}`)
			s.SetBatch(150)
			if c.locked {
				s.useRowByRow()
			}
			s.Exec(t, "INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 3000) i")
			var writers []*task
			for w := range 4 {
				// Each writer has its own rows. It records a row that it refreshes.
				writers = append(writers, s.start(s.Conn(t), fmt.Sprintf(`DO $$
					DECLARE v_id int;
					BEGIN
						FOR i IN 1 .. 250 LOOP
							v_id := 1 + 4 * ((i * 37) %% 750) + %d;
							UPDATE m SET v = v + 1 WHERE id = v_id;
							COMMIT;
							IF i %% 5 = 0 THEN
								UPDATE m SET at = '2024-05-31' WHERE id = v_id;
								IF FOUND THEN INSERT INTO refreshed VALUES (v_id); END IF;
								COMMIT;
							END IF;
							IF i %% 7 = 0 THEN
								INSERT INTO m VALUES (10000 + i * 4 + %[1]d, '2024-01-01');
								COMMIT;
							END IF;
						END LOOP;
					END $$`, w)))
			}
			var taken int64
			run := func() {
				s.run("p").mustSucceed()
				o := s.Last("p")
				if taken += o.Taken; o.State != "done" {
					t.Errorf("the run ended %s: %s", o.State, o.Message)
				}
			}
			for _, w := range writers {
				run()
				w.mustSucceed()
			}
			run() // nobody writes now, so this run takes all due rows that are left
			const ids = "SELECT id FROM %s ORDER BY id"
			refreshed := pgtest.Column[int](t, s.watch, fmt.Sprintf(ids, "refreshed"))
			if diff := cmp.Diff(refreshed, s.ids("m")); diff != "" {
				t.Errorf("rows left (-refreshed +left):\n%s", diff)
			}
			if len(refreshed) == 0 {
				t.Error("no row was refreshed before a run took it, so the test tests nothing")
			}
			old := pgtest.Column[int](t, s.watch, fmt.Sprintf(ids, "old"))
			if int64(len(old)) != taken {
				t.Errorf("the runs took %d rows, the archive has %d", taken, len(old))
			}
			all := pgtest.Column[int](t, s.watch, `SELECT x FROM (SELECT generate_series(1, 3000)
				UNION ALL SELECT 10000 + i * 4 + w FROM generate_series(7, 250, 7) i, generate_series(0, 3) w) x (x)
				ORDER BY 1`)
			both := pgtest.Column[int](t, s.watch, "SELECT id FROM m UNION ALL SELECT id FROM old ORDER BY 1")
			if diff := cmp.Diff(all, both); diff != "" {
				t.Errorf("each row is in the table or in the archive, once (-want +got):\n%s", diff)
			}
			if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM old WHERE at > '2024-05-01'"); n > 0 {
				t.Errorf("%d refreshed rows were taken, want none", n)
			}
		})
	}
}
