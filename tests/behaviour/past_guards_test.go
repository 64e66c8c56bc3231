package behaviour

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
)

// Rows that refer to each other go from the last to the first, and one below which a row is kept stays, with a guard that
// keeps what is referred to; without it a kept row would go by cascade, and the policy is refused.
func TestGuardsAndCascadesToTheOwnTable(t *testing.T) {
	t.Parallel()
	const policy = `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete: {cascades: [public.m]}], keep: {pinned: pinned%s}}}`
	const guard = `, referred_to: "EXISTS (SELECT FROM m c WHERE c.parent = t.id)"`
	in := kit.Prepare(t, "CREATE TABLE m (id int PRIMARY KEY, parent int REFERENCES m ON DELETE CASCADE, pinned boolean NOT NULL, at timestamptz NOT NULL DEFAULT '2024-01-01')", fmt.Sprintf(policy, guard))
	if _, list := in.Compile(t, fmt.Sprintf(policy, "")); len(list) != 1 || list[0].Code != "P065" {
		t.Errorf("without a guard: %v", list)
	}
	in.Migrate(t, fmt.Sprintf(policy, guard))
	in.Exec(t, "INSERT INTO m VALUES (1, NULL, false), (2, 1, false), (3, 2, true), (4, 2, false), (5, NULL, false), (6, 5, false), (7, 6, false)")
	for range 3 { // a level a run
		in.Done("p", noon)
	}
	if diff := cmp.Diff([]string{"(1)", "(2)", "(3)"}, in.Rows("SELECT id FROM m ORDER BY id")); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}
