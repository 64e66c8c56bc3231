package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestDoneLeavesNothingDue changes what keeps rows of a large table between two runs of a job. The
// next run must take all rows that are due then, or must not end "done".
func TestDoneLeavesNothingDue(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE g (m_id int PRIMARY KEY);
		CREATE TABLE w (days int NOT NULL);
		-- Young rows make the table large.
		INSERT INTO m SELECT i, '2024-03-31 12:00+00' FROM generate_series(10001, 110000) i;
		INSERT INTO m SELECT i, '2024-03-31 12:00+00'::timestamptz - i * interval '2 minutes'
			FROM generate_series(1, 8000) i;
		INSERT INTO g SELECT i FROM generate_series(1, 8000) i;
		INSERT INTO w VALUES (7);
		ANALYZE`, `
policies:
  p:
    table: m
    join: {w: {table: w, where: "true"}}
    due: {age: {column: at, older_than: {days: w.days}}}
    keep: {g: "EXISTS (SELECT FROM g WHERE g.m_id = t.id)"}
    breaker: {fraction: 100%}
    then: [delete]
jobs: {often: {schedule: "* * * * *", run: [p]}}`)
	const due = `SELECT count(*) FROM m, w WHERE m.at < '2024-03-31 12:00+00'::timestamptz - w.days * interval '1 day'
		AND NOT EXISTS (SELECT FROM g WHERE g.m_id = m.id)`
	job := func(want int64) {
		t.Helper()
		if _, err := in.Call("CALL retention.run_job('often', $1)", noon); err != nil {
			t.Fatal(err)
		}
		if o := in.Last("p"); o.State != "done" || o.Taken != want {
			t.Errorf("took %d rows of %d: want a run with state done; got %+v", o.Taken, want, o)
		}
	}
	job(0)
	for name, change := range map[string]string{
		"a guard's row goes":    "DELETE FROM g WHERE m_id BETWEEN 7001 AND 7100",
		"rows are written":      "INSERT INTO m SELECT -i, '2024-01-01' FROM generate_series(1, 100) i",
		"a window gets shorter": "UPDATE w SET days = 6; DELETE FROM g WHERE m_id BETWEEN 4501 AND 4600",
		"a column is changed": `UPDATE m SET at = '2024-01-01' WHERE id BETWEEN 1 AND 100;
			DELETE FROM g WHERE m_id BETWEEN 1 AND 100`,
		"rows were locked":            "",
		"a hold on a row is released": "",
	} {
		if name == "rows were locked" {
			in.Exec(t, "DELETE FROM g WHERE m_id BETWEEN 6001 AND 6100")
			other := in.Conn(t)
			pgtest.Exec(t, other, "BEGIN; SELECT FROM m WHERE id BETWEEN 6001 AND 6100 FOR UPDATE")
			job(0)
			pgtest.Exec(t, other, "COMMIT")
		} else if change == "" {
			in.Exec(t, "DELETE FROM g WHERE m_id = 6501")
			hold(t, in, "'m', '6501', 'case 1'")
			job(0)
			if err := in.Operator("SELECT retention.release_hold(id, 'it is over') FROM retention.hold"); err != nil {
				t.Fatal(err)
			}
		} else {
			for part := range strings.SplitSeq(change, "; ") {
				in.Exec(t, part)
			}
		}
		want := pgtest.Value[int64](t, in, due)
		if want == 0 {
			t.Fatalf("%s: no row is due, so the case tests nothing", name)
		}
		job(want)
		if left := pgtest.Value[int64](t, in, due); left != 0 {
			t.Errorf("%s: the run ended done, and %d rows are due, want 0", name, left)
		}
	}
}

// TestRunWrapsAround deletes rows of a guard between the runs of a job. Each run uses up its budget
// and starts after the last row of the run before. No run ends "done" before a full pass over the
// table.
func TestRunWrapsAround(t *testing.T) {
	t.Parallel()
	for name, due := range map[string]string{
		"one pass":    "{age: {column: at, older_than: 7 days}}",
		"two passes":  "{any: [{age: {column: at, older_than: 7 days}}, {expires: {column: until}}]}",
		"by key":      "{}",
		"rank by age": "{age: {column: at, older_than: 7 days}, beyond: {first: 1, order: at DESC}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule := "due: " + due
			if due == "{}" {
				rule = "where: at < '2024-03-24 12:00+00'"
			}
			in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, until timestamptz);
				CREATE TABLE g (m_id int);
				INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 minute'
					FROM generate_series(1, 40) i;
				INSERT INTO m VALUES (100, '2024-03-31');
				INSERT INTO m SELECT 200 + i, '2024-03-31', '2024-01-01'::timestamptz + i * interval '1 minute'
					FROM generate_series(1, 5) i`,
				`
policies: {p: {table: m, `+rule+`, keep: {g: "EXISTS (SELECT FROM g WHERE g.m_id = t.id)"}, batch: {rows: 5},
      budget: {rows: 10}, breaker: {fraction: 100%}, then: [delete]}}
jobs: {often: {schedule: "* * * * *", run: [p]}}`)
			in.Exec(t, "INSERT INTO g SELECT i FROM generate_series(1, 10) i")
			left := func() []int { return pgtest.Column[int](t, in, "SELECT id FROM m WHERE id < 100 ORDER BY id") }
			job := func(want ...int) string {
				t.Helper()
				before := left()
				if _, err := in.Call("CALL retention.run_job('often', $1)", noon); err != nil {
					t.Fatal(err)
				}
				after := left()
				taken := slices.DeleteFunc(before, func(id int) bool { return slices.Contains(after, id) })
				if diff := cmp.Diff(want, taken); diff != "" {
					t.Errorf("taken (-want +got):\n%s", diff)
				}
				return in.Last("p").State
			}
			span := func(first, last int) (ids []int) {
				for id := first; id <= last; id++ {
					ids = append(ids, id)
				}
				return ids
			}
			if state := job(span(11, 20)...); state != "more" {
				t.Errorf("the first run ended %s, want more", state)
			}
			in.Exec(t, "DELETE FROM g WHERE m_id <= 5")
			if state := job(span(21, 30)...); state != "more" { // rows 1 to 5 are due, but this run starts after them
				t.Errorf("the second run ended %s, want more", state)
			}
			// A call by hand starts at the beginning of the table.
			in.Exec(t, "UPDATE retention.policy SET budget_rows = 3")
			if o := in.Run("p", noon); o.State != "more" || left()[0] != 4 {
				t.Errorf("the run by hand: want state more and first row 4, got row %d and %+v", left()[0], o)
			}
			in.Exec(t, "UPDATE retention.policy SET budget_rows = 10")
			in.Exec(t, "DELETE FROM g WHERE m_id <= 8")
			if state := job(append(span(4, 8), span(31, 35)...)...); state != "more" {
				t.Errorf("the third run of the job ended %s, want more", state)
			}
			in.Exec(t, "DELETE FROM g")
			if name == "two passes" { // the five rows of the second entry would exceed the budget
				in.Exec(t, "UPDATE retention.policy SET budget_rows = 12")
			}
			if state := job(append(span(9, 10), span(36, 40)...)...); name != "two passes" && state != "done" {
				t.Errorf("the last run ended %s, want done: %+v", state, in.Last("p"))
			}
			if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE until IS NOT NULL"); name == "two passes" &&
				n != 0 {
				t.Errorf("%d rows of the second entry are left, want 0", n)
			}
		})
	}
}
