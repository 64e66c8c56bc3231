package model

import (
	"slices"
	"strings"
)

// outcome is what the run log says, and all tables afterwards.
type outcome struct {
	State            string
	Due              int // by preview
	Taken, Refused   int
	Kept, KeptByNull map[string]int64
	Rows             map[string][]string
}

// run changes the data as a run has to.
func (m *model) run() outcome {
	m.start = m.data.clone()
	j := m.judge()
	o := outcome{State: "done", Due: len(j.takes) - m.policy.stay(j.takes), Kept: j.kept, KeptByNull: j.keptByNull}
	p := m.policy
	if p.fuse > 0 && o.Due > p.fuse && (p.budget == 0 || p.budget > p.fuse) {
		j.takes, o.State, o.Kept = nil, "tripped", map[string]int64{}
	}
	var batch []judged
	for _, r := range j.takes {
		alone := *m
		alone.data = m.data.clone()
		switch {
		case p.budget > 0 && len(batch) == p.budget:
			o.State = "more"
		case alone.do([]judged{r}) != nil:
			o.Refused++ // what is refused is no part of the budget
		default:
			batch = append(batch, r)
		}
	}
	if p.whole && o.Refused > 0 {
		batch, o = nil, outcome{State: "failed", Due: o.Due, Kept: map[string]int64{}, KeptByNull: o.KeptByNull}
	}
	o.Taken = len(batch) - p.stay(batch)
	if n := p.stay(batch); n > 0 {
		o.Kept["passed"] = int64(n)
	}
	if o.State == "done" && o.Taken == 0 && o.Refused > 0 {
		o.State = "failed" // no row could be taken
	}
	if err := m.do(batch); err != nil {
		panic(err)
	}
	if c := p.clock(); c != nil && c.watermark != nil && o.State == "done" {
		if up := c.upTo.eval(&scope{data: m.start, asOf: m.asOf}); up != nil && compare(up, m.mark(c)["seq"]) > 0 {
			m.mark(c)["seq"] = up // it never goes back
		}
	}
	o.Rows = m.rows()
	return o
}

func (m *model) do(batch []judged) error {
	for _, s := range m.policy.steps {
		if err := s.do(m, batch); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) rows() map[string][]string {
	rows := map[string][]string{}
	for _, t := range append(m.family.tables(), events) {
		if lines := m.data.lines(t); len(lines) > 0 {
			rows[t.name] = lines
		}
	}
	return rows
}

// held is whether a hold keeps a row: its own, or one on what a step or a foreign key would reach
// (S29).
func (m *model) held(e *scope) bool {
	if len(m.holds) == 0 {
		return false
	}
	j := judged{e.rows["t"], e}
	reach := []reached{{m.family.item, j.row}}
	for _, s := range m.policy.steps {
		reach = append(reach, s.reaches(m, j)...)
	}
	return slices.ContainsFunc(reach, func(r reached) bool {
		return slices.ContainsFunc(m.holds, func(h hold) bool { return h.concerns(r.table) && h.matches(r.row) })
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

// match is the second argument of place_hold.
func (h hold) match() string {
	if h.plain {
		return show(h.values[0], h.table.column(h.columns[0]).kind)
	}
	var o obj
	for i, name := range h.columns {
		k := h.table.column(name).kind
		if k == integer || k == bigint || k == boolean {
			o = append(o, field{name, h.values[i]})
		} else {
			o = append(o, field{name, show(h.values[i], k)})
		}
	}
	out, _ := marshal(o)
	return strings.TrimSpace(string(out))
}
