package races

import (
	"fmt"
	"slices"
	"testing"
)

// descendants creates child, leaf and twig, which refer to m through one, two and three foreign
// keys. Child 2000 refers to no row of m.
const descendants = `CREATE TABLE child (id int PRIMARY KEY, m_id int %s);
	CREATE TABLE leaf (id int PRIMARY KEY, child_id int REFERENCES child ON DELETE CASCADE);
	CREATE TABLE twig (id int PRIMARY KEY, leaf_id int REFERENCES leaf ON DELETE CASCADE);`

// TestHeldRowMovesBelowADueRow checks a held row while another session changes a foreign key, so
// that the held row then refers to a due row along several foreign keys. The run waits for that
// session. The held row must stay, with all rows to which it refers.
func TestHeldRowMovesBelowADueRow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ foreignKey, then, move, held string }{
		"two keys away": {"REFERENCES m ON DELETE CASCADE", "{delete: {cascades: [child, leaf, twig]}}",
			"UPDATE leaf SET child_id = 1015 WHERE id = 2000", "leaf"},
		"three keys away": {"REFERENCES m ON DELETE CASCADE", "{delete: {cascades: [child, leaf, twig]}}",
			"UPDATE twig SET leaf_id = 1015 WHERE id = 2000", "twig"},
		"of a related row": {"",
			`{delete: {table: child, as: c, where: "c.m_id = t.id", cascades: [leaf, twig]}}, delete`,
			"UPDATE twig SET leaf_id = 1015 WHERE id = 2000", "twig"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, fmt.Sprintf(descendants, c.foreignKey),
				"{table: m, due: {age: {column: at, older_than: 7 days}}, then: ["+c.then+"], batch: {lock_timeout: "+
					"100s}}")
			s.refill(30)
			s.Exec(t, `INSERT INTO child SELECT 1000 + id, id FROM m;
				INSERT INTO child VALUES (2000, NULL);
				INSERT INTO leaf SELECT id, id FROM child;
				INSERT INTO twig SELECT id, id FROM leaf`)
			if err := s.Operator("SELECT retention.place_hold('public." + c.held + "', '2000', 'case 7')"); err != nil {
				t.Fatal(err)
			}
			s.appExec("BEGIN; " + c.move)
			run := s.run("p")
			run.mustWait()
			s.appExec("COMMIT")
			run.mustSucceed()
			s.wantLeft(15)
			if got := s.ids(c.held); !slices.Contains(got, 2000) {
				t.Errorf("a run took the held row: %s has rows %v", c.held, got)
			}
		})
	}
}
