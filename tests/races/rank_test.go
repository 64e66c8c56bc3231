package races

import "testing"

// TestRowsChangeRankDuringABatch checks rows whose rank changes while a batch takes the rows beyond
// the first five. A row that becomes one of the first five stays. No other row gets the place of a
// row that leaves the first five. If a batch of one statement misses a row, the batch is rolled
// back and its rows are rechecked, so that five rows stay. A batch that works row by row takes only
// rows that its scan returned.
func TestRowsChangeRankDuringABatch(t *testing.T) {
	t.Parallel()
	const rule = `{table: m, due: {beyond: {first: 5, per: [v], order: "at DESC"}}, then: [delete],
		batch: {lock_timeout: 100s}}`
	for name, c := range map[string]struct {
		opens  string
		locked bool
		leaves []int
	}{
		"one to the top": {"UPDATE m SET at = " + fresh + " WHERE id = 15", false,
			append([]int{15}, numbers(27, 30)...)},
		"one to the top, row by row": {"UPDATE m SET at = " + fresh + " WHERE id = 15", true,
			append([]int{15}, numbers(26, 30)...)},
		"to another group": {"UPDATE m SET v = 9 WHERE id = 15", false, append([]int{15}, numbers(26, 30)...)},
		"the first ones go": {"UPDATE m SET at = '2023-01-01' WHERE id = 15; DELETE FROM m WHERE id > 28", false,
			numbers(26, 28)},
		"a first one to the end": {"UPDATE m SET v = v WHERE id = 15; UPDATE m SET at = '2023-01-01' WHERE id = 27",
			false, numbers(26, 30)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", rule)
			s.SetBatch(100)
			if c.locked {
				s.useRowByRow()
			}
			s.refill(30)
			s.raceOnRow15(rowRace{opens: c.opens}, func() *task { return s.run("p") })
			s.wantLeft(c.leaves...)
		})
	}
}
