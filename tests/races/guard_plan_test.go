package races

import (
	"testing"

	"pgretain/tests/pgtest"
)

// TestGuardIsEvaluatedOnce checks how often batches that lock their rows first evaluate a guard.
// The function of the guard counts its calls in a sequence, which no rollback sets back.
func TestGuardIsEvaluatedOnce(t *testing.T) {
	t.Parallel()
	kept := counts{State: "done", Taken: 29, Kept: map[string]int64{"g": 1}}
	for name, c := range map[string]struct {
		guard string
		want  counts
		left  []int
	}{
		"keeps no row":       {"used(t.id) AND t.id < 0", counts{State: "done", Taken: 30}, nil},
		"keeps row 15":       {"used(t.id) AND t.id = 15", kept, []int{15}},
		"is NULL for row 15": {"used(nullif(t.id, 15)) AND t.id < 0 OR t.id = 15 AND NULL", kept, []int{15}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `CREATE SEQUENCE calls; GRANT ALL ON SEQUENCE calls TO PUBLIC;
				CREATE FUNCTION used(int) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
				BEGIN PERFORM nextval('calls'); RETURN true; END $$;`,
				`{table: m, due: {age: {column: at, older_than: 7 days}}, keep: {g: "`+c.guard+`"}, then: [delete],
				breaker: {rows: 1000000, fraction: 1}, batch: {lock_timeout: 100s}}`)
			s.refill(30)
			s.run("p").mustSucceed()
			s.wantLeft(c.left...)
			s.wantRun("p", c.want)
			if n := pgtest.Value[int](t, s.watch, "SELECT last_value FROM calls"); n != 30 {
				t.Errorf("the guard was evaluated %d times for 30 rows, want once a row", n)
			}
		})
	}
}

// TestGuardUsesAGinIndex checks that a batch reads a guard's table by a GIN index, which supports
// bitmap scans only.
func TestGuardUsesAGinIndex(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"one statement", "row by row"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `CREATE TABLE doc (tags int[] NOT NULL);
				CREATE INDEX doc_tags ON doc USING gin (tags);
				INSERT INTO doc SELECT ARRAY[-n, -n - 1] FROM generate_series(1, 20000) n;
				INSERT INTO doc VALUES ('{15,16}');`,
				`{table: m, due: {age: {column: at, older_than: 7 days}},
				keep: {tagged: "EXISTS (SELECT FROM doc d WHERE d.tags @> ARRAY[t.id])"}, then: [delete],
				batch: {lock_timeout: 100s}}`)
			if mode == "row by row" {
				s.useRowByRow()
			}
			s.refill(30)
			s.Exec(t, "VACUUM ANALYZE doc")
			run := s.run("p")
			run.mustSucceed()
			s.wantLeft(15, 16)
			s.wantRun("p", counts{State: "done", Taken: 28, Kept: map[string]int64{"tagged": 2}})
			// The statistics are there once the session has ended.
			if err := run.conn.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.waitForTrue("SELECT idx_scan >= 30 FROM pg_stat_user_indexes WHERE indexrelname = 'doc_tags'")
		})
	}
}
