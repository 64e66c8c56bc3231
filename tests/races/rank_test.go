package races

import "testing"

// Rows of a rank change while a batch takes those past the first five. What becomes one of the
// first stays, and what goes from among the first makes room for nobody. A statement that misses a
// row is undone, and its rows are judged again as they are then, so that five stay. In way LOCKED a
// row that the batch has not seen stays whatever its place.
func TestRowsChangePlacesDuringABatch(t *testing.T) {
	t.Parallel()
	const rule = `{table: m, due: {beyond: {first: 5, per: [v], order: "at DESC"}}, then: [delete], batch: {lock_timeout: 100s}}`
	for name, c := range map[string]struct {
		opens  string
		locked bool
		leaves []int
	}{
		"one to the top": {"UPDATE m SET at = " + fresh + " WHERE id = 15", false,
			append([]int{15}, from(27, 30)...)},
		"one to the top, LOCKED": {"UPDATE m SET at = " + fresh + " WHERE id = 15", true,
			append([]int{15}, from(26, 30)...)},
		"to another group": {"UPDATE m SET v = 9 WHERE id = 15", false, append([]int{15}, from(26, 30)...)},
		"the first ones go": {"UPDATE m SET at = '2023-01-01' WHERE id = 15; DELETE FROM m WHERE id > 28", false,
			from(26, 28)},
		"a first one to the end": {"UPDATE m SET v = v WHERE id = 15; UPDATE m SET at = '2023-01-01' WHERE id = 27",
			false, from(26, 30)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", rule)
			s.SetBatch(100)
			if c.locked {
				s.locked()
			}
			s.refill(30)
			s.interrupt(rowRace{opens: c.opens}, func() *task { return s.run("p") })
			s.leaves(c.leaves...)
		})
	}
}
