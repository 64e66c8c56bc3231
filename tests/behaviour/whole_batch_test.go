package behaviour

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
)

// With "whole" an error that a row causes, wherever it is raised, undoes the batch and ends the run; batches before it
// stay. Without the error the next run takes all. What others lock, or a hold keeps, is passed by as ever.
func TestWholeBatch(t *testing.T) {
	t.Parallel()
	const schema = plain + `; CREATE TABLE child (m_id int REFERENCES m DEFERRABLE INITIALLY DEFERRED); CREATE TABLE gone (id int PRIMARY KEY, at timestamptz, run bigint);
		CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$`
	for name, c := range map[string]struct{ more, step, fault, mend, state string }{
		"foreign key": {"", "", "INSERT INTO child VALUES (12)", "DELETE FROM child", "23503"},
		"trigger":     {"", "", "CREATE TRIGGER no BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 12) EXECUTE FUNCTION no()", "DROP TRIGGER no ON m", "P0001"},
		"condition":   {`where: "1 / (id - 12) IS NOT NULL", `, "", "", "UPDATE m SET id = 120 WHERE id = 12", "22012"},
		"guard":       {`keep: {some: "1 / (id - 12) > 7"}, `, "", "", "UPDATE m SET id = 120 WHERE id = 12", "22012"},
		"archive":     {"", "{archive: {into: gone, set: {run: run.id}}}, ", "INSERT INTO gone VALUES (12)", "DELETE FROM gone WHERE run IS NULL", "23505"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := fmt.Sprintf("policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, %sbatch: {rows: 1000, whole: true}, then: [%sdelete]}}", c.more, c.step)
			in := kit.Install(t, schema, yaml)
			all := in.Rows("SELECT * FROM m")
			fails := func(rows, taken int) {
				t.Helper()
				in.SetBatch(rows)
				if o := in.Run("p", noon); o.State != "failed" || o.SQLState != c.state || o.Taken != int64(taken) || o.Refused != 0 {
					t.Errorf("batches of %d: %+v", rows, o)
				}
				if left := len(in.Rows("SELECT FROM m")); left != 20-taken {
					t.Errorf("batches of %d: %d rows are left", rows, left)
				}
			}
			in.Exec(t, c.fault)
			fails(1000, 0)
			if diff := cmp.Diff(all, in.Rows("SELECT * FROM m")); diff != "" {
				t.Errorf("rows changed:\n%s", diff)
			}
			fails(1, 8) // 20 to 13 go first
			in.Exec(t, c.mend)
			if o := in.Done("p", noon); o.Taken != 5 || len(in.Rows("SELECT FROM m")) != 7 {
				t.Errorf("after that: %+v", o)
			}
		})
	}
	t.Run("held and locked", func(t *testing.T) {
		t.Parallel()
		in := kit.Install(t, schema, "defaults: {batch: {whole: true}}\n"+old("batch: {rows: 1000}, "))
		hold(t, in, "'m', '9', 'case 1'")
		other := in.Conn(t)
		if _, err := other.Exec(t.Context(), "BEGIN; SELECT FROM m WHERE id = 15 FOR UPDATE"); err != nil {
			t.Fatal(err)
		}
		if o := in.Done("p", noon); o.Taken != 11 || o.Kept["hold"] != 1 || o.Contended != 1 {
			t.Errorf("%+v", o)
		}
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 9, 15}, ids(t, in)); diff != "" {
			t.Error(diff)
		}
		if _, err := other.Exec(t.Context(), "COMMIT; INSERT INTO child VALUES (15)"); err != nil {
			t.Fatal(err)
		}
		if o := in.Run("p", noon); o.State != "failed" || o.SQLState != "23503" { // "whole" is that of the defaults
			t.Errorf("%+v", o)
		}
	})
}
