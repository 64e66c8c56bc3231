package races

import (
	"fmt"
	"slices"
	"testing"
)

// family is a row of m with children and leaves; nobody knows the child 2000.
const family = `CREATE TABLE child (id int PRIMARY KEY, m_id int %s);
	CREATE TABLE leaf (id int PRIMARY KEY, child_id int REFERENCES child ON DELETE CASCADE);
	CREATE TABLE twig (id int PRIMARY KEY, leaf_id int REFERENCES leaf ON DELETE CASCADE);`

// A held row comes, while the run waits, below a row that is to go, further away than one foreign
// key: it stays, and so does all above it.
func TestHeldRowMovesBelowWhatGoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ foreignKey, then, move, held string }{
		"two keys away": {"REFERENCES m ON DELETE CASCADE", "{delete: {cascades: [child, leaf, twig]}}",
			"UPDATE leaf SET child_id = 1015 WHERE id = 2000", "leaf"},
		"three keys away": {"REFERENCES m ON DELETE CASCADE", "{delete: {cascades: [child, leaf, twig]}}",
			"UPDATE twig SET leaf_id = 1015 WHERE id = 2000", "twig"},
		"of a related row": {"", `{delete: {table: child, as: c, where: "c.m_id = t.id", cascades: [leaf, twig]}}, delete`,
			"UPDATE twig SET leaf_id = 1015 WHERE id = 2000", "twig"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, fmt.Sprintf(family, c.foreignKey),
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
			s.application("BEGIN; " + c.move)
			run := s.run("p")
			run.mustWait()
			s.application("COMMIT")
			run.ok()
			s.leaves(15)
			if got := s.ids(c.held); !slices.Contains(got, 2000) {
				t.Errorf("the held row is gone; %s has %v", c.held, got)
			}
		})
	}
}
