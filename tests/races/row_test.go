package races

import (
	"strings"
	"testing"
)

// rowRace is something that happens to row 15 of 30 while a statement, or a run, takes all of them.
type rowRace struct {
	name, schema, rule string
	locked             bool
	opens              string // in the application's transaction, before: what the others wait for
	goes               string // in the same transaction, once they wait; then it commits
	naive              string // default: the usual loop's statement
	naiveLeaves        []int  // what that leaves, which is wrong
	leaves             []int
	want               counts
}

// byValue is a policy whose guard compares a value of the row.
const byValue = `{table: m, due: {age: {column: at, older_than: 7 days}}, keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.v)"}, then: [delete], batch: {lock_timeout: 100s}}`

const usual = "DELETE FROM m WHERE id IN (SELECT id FROM m WHERE at < " + cutoff + " ORDER BY at LIMIT 1000)"

var rowRaces = []rowRace{
	{
		name: "refreshed", rule: simple,
		opens: "UPDATE m SET at = " + fresh + " WHERE id = 15", naive: usual,
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29},
	},
	{
		name: "refreshed, LOCKED", schema: signals, rule: guarded, locked: true,
		opens: "UPDATE m SET at = " + fresh + " WHERE id = 15", naive: usual,
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: 1},
	},
	{
		name: "no longer what the policy is about", rule: strings.Replace(simple, "due:", `where: "v = 0", due:`, 1),
		opens:  "UPDATE m SET v = 1 WHERE id = 15",
		naive:  "DELETE FROM m WHERE id IN (SELECT id FROM m WHERE v = 0 AND at < " + cutoff + " ORDER BY at LIMIT 1000)",
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29},
	},
	{
		name: "moved past the batch's end, still due", rule: simple,
		opens: "UPDATE m SET at = '2024-01-01 01:00+00', v = 1 WHERE id = 15",
		// Nothing is wrong with taking it, but it belongs to a later batch and must go once.
		leaves: nil,
		want:   counts{State: "done", Taken: 30},
	},
	{
		name: "moved back behind the batches done", rule: simple,
		opens:  "UPDATE m SET at = '2023-12-31 00:00+00', v = 1 WHERE id = 15",
		leaves: []int{15}, // no wrong row; the next run takes it
		want:   counts{State: "done", Taken: 29},
	},
	{
		name: "refreshed, guarded", schema: signals, rule: guarded,
		opens: "UPDATE m SET at = " + fresh + " WHERE id = 15", naive: usual,
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: either},
	},
	{
		name: "guarded by another value now", schema: signals, rule: byValue,
		opens:  "INSERT INTO sig VALUES (9); COMMIT; BEGIN; UPDATE m SET v = 9 WHERE id = 15",
		naive:  "DELETE FROM m t WHERE at < " + cutoff + " AND NOT EXISTS (SELECT FROM sig s WHERE s.m_id = t.v)",
		leaves: []int{15},
		want:   counts{State: "done", Taken: 29, Contended: either},
	},
	{
		name: "guarded by another value now, LOCKED", schema: signals, rule: byValue, locked: true,
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
		name: "updated and a signal placed in one transaction, LOCKED", schema: signals, rule: guarded, locked: true,
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
		want:   counts{State: "done", Taken: 29, Contended: either},
	},
}

// either is where it depends on who comes first: the batch gives way, or the row is free again.
const either = -1

// Each row race: the application holds row 15 when the run comes to it, and commits a change.
func TestRowChangedWhileTheRunIsThere(t *testing.T) {
	t.Parallel()
	for _, c := range rowRaces {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, c.rule)
			if c.locked {
				s.locked()
			}
			if c.naive != "" {
				s.refill(30)
				s.interrupt(c, func() *task { return s.start(s.Conn(t), c.naive) })
				s.leaves(c.naiveLeaves...)
			}
			s.refill(30)
			s.interrupt(c, func() *task { return s.run("p") })
			s.leaves(c.leaves...)
			if o := s.Last("p"); c.want.Contended == either && o.Contended+o.Kept["signal"] <= 1 {
				c.want.Contended, c.want.Kept = o.Contended, o.Kept
			}
			s.logged("p", c.want)
		})
	}
}

// interrupt lets the application hold row 15 until somebody waits for it.
func (s *stage) interrupt(c rowRace, start func() *task) {
	s.t.Helper()
	s.application("BEGIN; " + c.opens)
	k := start()
	k.waits()
	s.application(c.goes + "; COMMIT")
	k.ok()
}
