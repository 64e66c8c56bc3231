package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// probe is a testing.TB that ends with a message instead of a failure. A smaller scenario may fail
// in any way.
type probe struct {
	testing.TB
	message string
	after   []func()
}

func (p *probe) Cleanup(f func()) { p.after = append(p.after, f) }
func (p *probe) Failed() bool     { return false }

type probeEnd struct{}

func (p *probe) Fatalf(format string, args ...any) {
	p.message = fmt.Sprintf(format, args...)
	panic(probeEnd{})
}
func (p *probe) Fatal(args ...any)                 { p.Fatalf("%s", fmt.Sprint(args...)) }
func (p *probe) Errorf(format string, args ...any) { p.Fatalf(format, args...) }
func (p *probe) Error(args ...any)                 { p.Fatalf("%s", fmt.Sprint(args...)) }

// attempt calls do and returns its result, or the message with which the probe ended.
func attempt(t testing.TB, do func(testing.TB) string) (diff string) {
	p := &probe{TB: t}
	defer func() {
		for _, f := range slices.Backward(p.after) {
			f()
		}
	}()
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(probeEnd); !ok {
				panic(r)
			}
			diff = p.message
		}
	}()
	return do(p)
}

// compareAlone installs the scenario in its own database and returns the difference from the model.
func (s *scenario) compareAlone(t testing.TB) string {
	return attempt(t, func(t testing.TB) string {
		return s.compare(t, install(t, []*scenario{s}))
	})
}

// kindOf returns the kind of a difference. A smaller scenario whose difference is of another kind
// shows another failure.
func kindOf(diff string) string {
	if strings.Contains(diff, "(-model +database)") {
		return "differs"
	}
	if _, code, ok := strings.Cut(diff, "(SQLSTATE "); ok {
		return code[:5]
	}
	return diff[:min(len(diff), 30)]
}

// shrinkTime is the longest time that shrink takes.
const shrinkTime = 25 * time.Second

// shrink leaves out parts of a scenario as long as it differs in the same way.
func (s *scenario) shrink(t testing.TB, diff string) (*scenario, string) {
	end := time.Now().Add(shrinkTime)
	for again := true; again; {
		again = false
		for _, smaller := range s.smaller() {
			if time.Now().After(end) {
				return s, diff
			}
			if d := smaller.compareAlone(t); d != "" && kindOf(d) == kindOf(diff) {
				s, diff, again = smaller, d, true
				break
			}
		}
	}
	return s, diff
}

// smaller returns copies of the scenario that each lack one part. Copies that lack most rows come
// first.
func (s *scenario) smaller() (all []*scenario) {
	try := func(change func(c *scenario, p *policy)) {
		c, p := *s, *s.policy
		c.policy, c.data = &p, s.data.clone()
		change(&c, &p)
		all = append(all, &c)
	}
	for _, t := range s.tableSet.tables() {
		for _, share := range []int{1, 2, 4, 8} {
			size := (len(s.data[t]) + share - 1) / share
			if size == 0 || share > 1 && size == 1 || len(s.data[t]) > 12 && share == 8 || t == s.tableSet.steps {
				continue
			}
			for at := 0; at < len(s.data[t]); at += size {
				try(func(c *scenario, _ *policy) { c.drop(t, at, min(at+size, len(s.data[t]))) })
			}
		}
	}
	if len(s.calls) > 1 {
		try(func(c *scenario, _ *policy) { c.calls = c.calls[:1] })
		try(func(c *scenario, _ *policy) { c.calls = c.calls[1:] })
	}
	try(func(c *scenario, _ *policy) { c.between = nil })
	for i := range s.changes {
		try(func(c *scenario, _ *policy) { c.changes = slices.Delete(slices.Clone(c.changes), i, i+1) })
	}
	for i := range s.holds {
		try(func(c *scenario, _ *policy) { c.holds = slices.Delete(slices.Clone(c.holds), i, i+1) })
	}
	for i := range s.policy.keep {
		try(func(_ *scenario, p *policy) { p.keep = slices.Delete(slices.Clone(p.keep), i, i+1) })
	}
	for i := range s.policy.steps {
		try(func(_ *scenario, p *policy) { p.steps = slices.Delete(slices.Clone(p.steps), i, i+1) })
	}
	for i := range s.policy.joins {
		try(func(_ *scenario, p *policy) { p.joins = slices.Delete(slices.Clone(p.joins), i, i+1) })
	}
	for i := range s.policy.due {
		try(func(_ *scenario, p *policy) { p.due = slices.Delete(slices.Clone(p.due), i, i+1) })
	}
	if s.policy.where != nil {
		try(func(_ *scenario, p *policy) { p.where = nil })
	}
	try(func(_ *scenario, p *policy) { p.batch, p.budget, p.breakerRows, p.whole = 0, 0, 0, false })
	return slices.DeleteFunc(all, func(c *scenario) bool {
		return c.policy.yaml() == s.policy.yaml() && schema([]*scenario{c}) == schema([]*scenario{s}) &&
			len(c.calls) == len(s.calls) && len(c.holds) == len(s.holds) && len(c.between) == len(s.between) &&
			len(c.changes) == len(s.changes) ||
			len(c.data[c.tableSet.item]) == 0
	})
}

// drop removes rows from a table, together with the rows that refer to them.
func (s *scenario) drop(t *table, from, to int) {
	m := &model{scenario: s, data: s.data}
	for _, r := range slices.Clone(s.data[t][from:to]) {
		for _, below := range m.below(t, r) {
			m.data[below.table] = slices.DeleteFunc(m.data[below.table],
				func(x row) bool { return below.table.compareKeys(x, below.row) == 0 })
		}
		m.eachKey(t, func(f *table, key foreignKey) {
			for _, x := range m.referring(f, key, r) {
				m.data[f] = slices.DeleteFunc(m.data[f], func(y row) bool { return f.compareKeys(x, y) == 0 })
			}
		})
		if len(t.key) == 0 {
			continue
		}
		s.data[t] = slices.DeleteFunc(s.data[t], func(x row) bool { return t.compareKeys(x, r) == 0 })
	}
}

// String returns everything that a developer needs to reproduce the scenario by hand.
func (s *scenario) String() string {
	text := yaml([]*scenario{s}) + "\n" + schema([]*scenario{s})
	for _, h := range s.holds {
		text += fmt.Sprintf("place_hold('%s', '%s')\n", h.table.ref(), h.match())
	}
	if s.unit != nil {
		text += "the clock is " + s.unit.name + "\n"
	}
	return text + fmt.Sprintf("between batches %q\nruns %s\nchanges %s", s.between, s.calls, s.changes)
}

// deferCleanup is a testing.TB that registers cleanup functions with another test.
type deferCleanup struct {
	testing.TB
	of testing.TB
}

func (k deferCleanup) Cleanup(f func()) { k.of.Cleanup(f) }
