package races

import (
	"strings"
	"testing"
)

// rowRace is a change of row 15 of 30 by the application, while a statement or a run takes all
// rows.
type rowRace struct {
	name, schema, rule string
	locked             bool
	opens              string // SQL that the application executes first; its locks make the statement or the run wait
	goes               string // SQL that the application executes in the same transaction, once the other session waits
	naive              string // a common statement for the same purpose; empty: the case is tested with the run only
	naiveLeft          []int  // rows that naive leaves; this is the wrong result
	leaves             []int
	want               counts
}

// byValue is a policy whose guard compares a value that the row can change.
const byValue = `{table: m, due: {age: {column: at, older_than: 7 days}},
	keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.v)"}, then: [delete],
	batch: {lock_timeout: 100s}}`

const usual = "DELETE FROM m WHERE id IN (SELECT id FROM m WHERE at < " + cutoff + " ORDER BY at LIMIT 1000)"

var rowRaces = []rowRace{
	{
		name: "refreshed", rule: simple,
		opens: "UPDATE m SET at = " + fresh + " WHERE id = 15", naive: usual,
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29},
	},
	{
		name: "refreshed, row by row", schema: signals, rule: guarded, locked: true,
		opens: "UPDATE m SET at = " + fresh + " WHERE id = 15", naive: usual,
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: 1},
	},
	{
		name: "no longer what the policy is about", rule: strings.Replace(simple, "due:", `where: "v = 0", due:`, 1),
		opens: "UPDATE m SET v = 1 WHERE id = 15",
		naive: `DELETE FROM m WHERE id IN (
			SELECT id FROM m WHERE v = 0 AND at < ` + cutoff + ` ORDER BY at LIMIT 1000)`,
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29},
	},
	{
		name: "moved past the batch's end, still due", rule: simple,
		opens: "UPDATE m SET at = '2024-01-01 01:00+00', v = 1 WHERE id = 15",
		// The run may take the row, but in a later batch, and only once.
		leaves: nil,
		want:   counts{State: "done", Taken: 30},
	},
	{
		name: "moved back behind the batches done", rule: simple,
		opens:  "UPDATE m SET at = '2023-12-31 00:00+00', v = 1 WHERE id = 15",
		leaves: []int{15}, // the run may leave row 15; the next run takes it
		want:   counts{State: "done", Taken: 29},
	},
	{
		name: "refreshed, guarded", schema: signals, rule: guarded,
		opens: "UPDATE m SET at = " + fresh + " WHERE id = 15", naive: usual,
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: anyCount},
	},
	{
		name: "guarded by another value now", schema: signals, rule: byValue,
		opens:  "INSERT INTO sig VALUES (9); COMMIT; BEGIN; UPDATE m SET v = 9 WHERE id = 15",
		naive:  "DELETE FROM m t WHERE at < " + cutoff + " AND NOT EXISTS (SELECT FROM sig s WHERE s.m_id = t.v)",
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: anyCount},
	},
	{
		name: "guarded by another value now, row by row", schema: signals, rule: byValue, locked: true,
		opens:  "INSERT INTO sig VALUES (9); COMMIT; BEGIN; UPDATE m SET v = 9 WHERE id = 15",
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: 1},
	},
	{
		name: "guarded by its own column now", rule: strings.Replace(simple, "then:", `keep: {used: "v > 0"}, then:`,
			1),
		opens:  "UPDATE m SET v = 1 WHERE id = 15",
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Kept: map[string]int64{"used": 1}},
	},
	{
		name:   "updated and a signal placed in one transaction, row by row",
		schema: signals, rule: guarded, locked: true,
		opens:  "UPDATE m SET v = 7 WHERE id = 15",
		goes:   "INSERT INTO sig VALUES (15)",
		naive:  "DELETE FROM m t WHERE at < " + cutoff + " AND NOT EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)",
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: 1},
	},
	{
		name: "updated and a signal placed in one transaction", schema: signals, rule: guarded,
		opens:  "UPDATE m SET v = 7 WHERE id = 15",
		goes:   "INSERT INTO sig VALUES (15)",
		naive:  "DELETE FROM m t WHERE at < " + cutoff + " AND NOT EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)",
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: anyCount},
	},
}

// anyCount stands for a count that depends on timing. Either the batch gives way to the lock, or
// the lock is released before.
const anyCount = -1

// TestRowChangedDuringARun checks all rowRaces. The application has row 15 locked when the run
// reaches it, and then commits a change.
func TestRowChangedDuringARun(t *testing.T) {
	t.Parallel()
	for _, c := range rowRaces {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, c.rule)
			if c.locked {
				s.useRowByRow()
			}
			if c.naive != "" {
				s.refill(30)
				s.raceOnRow15(c, func() *task { return s.start(s.Conn(t), c.naive) })
				s.wantLeft(c.naiveLeft...)
			}
			s.refill(30)
			s.raceOnRow15(c, func() *task { return s.run("p") })
			s.wantLeft(c.leaves...)
			if o := s.Last("p"); c.want.Contended == anyCount && o.Contended+o.Kept["signal"] <= 1 {
				c.want.Contended, c.want.Kept = o.Contended, o.Kept
			}
			s.wantRun("p", c.want)
		})
	}
}

// raceOnRow15 makes the application lock row 15, starts the other session, and commits once that
// session waits.
func (s *stage) raceOnRow15(c rowRace, start func() *task) {
	s.t.Helper()
	s.appExec("BEGIN; " + c.opens)
	k := start()
	k.waitsOrEnds()
	s.appExec(c.goes + "; COMMIT")
	k.mustSucceed()
}
