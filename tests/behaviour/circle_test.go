package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
)

// Row 1 is due; deleting it takes 2, and with 2 the held row 3, along a foreign key that leads back to its own table.
// 5 and 6 refer to each other, and lead to no held row. Released, all of them go.
func TestHoldAtTheEndOfACircle(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL,
			parent_id int REFERENCES m ON DELETE CASCADE);
		INSERT INTO m VALUES (1, '2024-01-01', NULL), (2, '2024-03-31', 1), (3, '2024-03-31', 2), (4, '2024-03-31', NULL),
			(5, '2024-01-01', NULL), (6, '2024-03-31', 5);
		UPDATE m SET parent_id = 6 WHERE id = 5`,
		`
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then: [delete: {cascades: [m]}]
`)
	hold(t, in, "'m', '3', 'case 1'")
	due, _ := in.Count("p", noon)
	if o := in.Done("p", noon); o.Taken != 1 || o.Kept["hold"] != 1 || due != 1 {
		t.Errorf("%+v; %d due", o, due)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4}, ids(t, in)); diff != "" {
		t.Errorf("with the hold, rows differ (-want +got):\n%s", diff)
	}
	if err := in.Operator("SELECT retention.release_hold(1, 'closed')"); err != nil {
		t.Fatal(err)
	}
	in.Done("p", noon)
	if diff := cmp.Diff([]int{4}, ids(t, in)); diff != "" {
		t.Errorf("after release, rows differ (-want +got):\n%s", diff)
	}
}
