package races

import (
	"strings"
	"testing"
)

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

// TestRankAndGuardChangeDuringABatch checks rows of a rank with a guard that reads another table.
// While the batch searches, another session commits a row of the guard's table, or changes ranks.
// The batch must see this before it takes a row. It takes no row that its search has not found.
func TestRankAndGuardChangeDuringABatch(t *testing.T) {
	t.Parallel()
	// The start of the run, which counts the rows of each group, does not wait at the gate.
	const gateOfBatches = signals + `
		CREATE FUNCTION gate_of_batches(stop boolean) RETURNS boolean LANGUAGE plpgsql AS $$
		BEGIN
			RETURN public.gate(stop AND EXISTS (SELECT FROM retention.batch));
		END $$;`
	const rule = `{table: m, where: "gate_of_batches(t.id = 15)",
		due: {beyond: {first: 5, per: [v], order: "at DESC"}},
		keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}, then: [delete],
		batch: {lock_timeout: 100s}}`
	const archive = "archive: {into: attic, create: true}, delete"
	for name, c := range map[string]struct {
		goes   string // SQL of the other session while the batch waits at row 15
		leaves []int
		want   counts
	}{
		"a guard's row": {"INSERT INTO sig VALUES (12)", append([]int{12}, numbers(26, 30)...),
			counts{State: "done", Taken: 24, Kept: map[string]int64{"signal": 1}}},
		"a guard's row moves": {"UPDATE sig SET m_id = 12", append([]int{12}, numbers(26, 30)...),
			counts{State: "done", Taken: 24, Kept: map[string]int64{"signal": 1}}},
		"a guard's row goes": {"DELETE FROM sig", numbers(26, 30), counts{State: "done", Taken: 25}},
		"one to the top": {"UPDATE m SET at = " + fresh + " WHERE id = 12", append([]int{12}, numbers(26, 30)...),
			counts{State: "done", Taken: 24, Contended: 1}},
		"one of the first goes": {"DELETE FROM m WHERE id = 28", append([]int{25, 26, 27}, 29, 30),
			counts{State: "done", Taken: 24}},
		"one of the first to the end": {"UPDATE m SET at = '2023-01-01' WHERE id = 28", numbers(25, 30),
			counts{State: "done", Taken: 24}},
		"one of the first to the end, and a guard's row for another": {
			"UPDATE m SET at = '2023-01-01' WHERE id = 28; INSERT INTO sig VALUES (12)",
			append([]int{12}, numbers(25, 30)...),
			counts{State: "done", Taken: 23, Kept: map[string]int64{"signal": 1}}},
	} {
		for _, then := range []string{"delete", archive} {
			t.Run(name+", "+strings.SplitN(then, ":", 2)[0], func(t *testing.T) {
				t.Parallel()
				s := newStage(t, gateOfBatches, strings.Replace(rule, "then: [delete]", "then: ["+then+"]", 1))
				s.SetBatch(100)
				s.refill(30)
				s.Exec(t, "INSERT INTO sig VALUES (30)") // keeps a row that is among the first five
				s.shutGate()
				run := s.run("p")
				run.mustWait()
				s.appExec(c.goes)
				s.openGate()
				run.mustSucceed()
				s.wantLeft(c.leaves...)
				want := c.want
				if then == archive {
					want.Related = map[string]int64{"public.attic": want.Taken}
				}
				s.wantRun("p", want)
			})
		}
	}
}
