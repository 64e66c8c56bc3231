package model

import (
	"slices"
	"strings"
)

// outcome is the result of a run: its line in the run log, the preview before it, and all tables
// after it.
type outcome struct {
	State            string
	Due              int // number of due rows in the preview
	Taken, Refused   int
	Kept, KeptByNull map[string]int64
	Rows             map[string][]string
}

// run changes the data as a run must, and returns the expected outcome.
func (m *model) run() outcome {
	m.start = m.data.clone()
	j := m.evaluate()
	o := outcome{State: "done", Due: len(j.takes) - m.policy.stayCount(j.takes), Kept: j.kept, KeptByNull: j.keptByNull}
	p := m.policy
	if p.breakerRows > 0 && o.Due > p.breakerRows && (p.budget == 0 || p.budget > p.breakerRows) {
		j.takes, o.State, o.Kept = nil, "tripped", map[string]int64{}
	}
	var batch []dueRow
	for _, r := range j.takes {
		alone := *m
		alone.data = m.data.clone()
		switch {
		case p.budget > 0 && len(batch) == p.budget:
			o.State = "more"
		case alone.do([]dueRow{r}) != nil:
			o.Refused++ // refused rows do not count toward the budget
		default:
			batch = append(batch, r)
		}
	}
	if p.whole && o.Refused > 0 {
		batch, o = nil, outcome{State: "failed", Due: o.Due, Kept: map[string]int64{}, KeptByNull: o.KeptByNull}
	}
	o.Taken = len(batch) - p.stayCount(batch)
	if n := p.stayCount(batch); n > 0 {
		o.Kept["passed"] = int64(n)
	}
	if o.State == "done" && o.Taken == 0 && o.Refused > 0 {
		o.State = "failed" // every due row was refused
	}
	if err := m.do(batch); err != nil {
		panic(err)
	}
	if c := p.clock(); c != nil && c.watermark != nil && o.State == "done" {
		up := c.upTo.eval(&scope{data: m.start, asOf: m.asOf})
		if up != nil && compare(up, m.watermarkRow(c)["seq"]) > 0 {
			m.watermarkRow(c)["seq"] = up // a watermark never moves back
		}
	}
	o.Rows = m.rows()
	return o
}

func (m *model) do(batch []dueRow) error {
	for _, s := range m.policy.steps {
		if err := s.do(m, batch); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) rows() map[string][]string {
	rows := map[string][]string{}
	for _, t := range append(m.tableSet.tables(), events) {
		if lines := m.data.lines(t); len(lines) > 0 {
			rows[t.name] = lines
		}
	}
	return rows
}

// held reports whether a hold keeps a row. The hold is on the row itself, or on a row that a step
// or a foreign key would reach (S29).
func (m *model) held(e *scope) bool {
	if len(m.holds) == 0 {
		return false
	}
	j := dueRow{e.rows["t"], e}
	reach := []reached{{m.tableSet.item, j.row}}
	for _, s := range m.policy.steps {
		reach = append(reach, s.reaches(m, j)...)
	}
	return slices.ContainsFunc(reach, func(r reached) bool {
		return slices.ContainsFunc(m.holds, func(h hold) bool { return h.appliesTo(r.table) && h.matches(r.row) })
	})
}

func (h hold) matches(r row) bool {
	for i, name := range h.columns {
		if r[name] == nil || !same(r[name], h.values[i]) {
			return false
		}
	}
	return true
}

// match returns the second argument of place_hold.
func (h hold) match() string {
	if h.plain {
		return format(h.values[0], h.table.column(h.columns[0]).kind)
	}
	var o obj
	for i, name := range h.columns {
		k := h.table.column(name).kind
		if k == integer || k == bigint || k == boolean {
			o = append(o, field{name, h.values[i]})
		} else {
			o = append(o, field{name, format(h.values[i], k)})
		}
	}
	out, _ := marshal(o)
	return strings.TrimSpace(string(out))
}
