package model

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wrong are changes of a policy that a model must not take for the same.
var wrong = map[string]func(*scenario, *policy) bool{
	"the bound is inclusive": func(_ *scenario, p *policy) bool {
		if len(p.due) == 0 || p.due[0].clock == nil {
			return false
		}
		p.due = slices.Clone(p.due)
		c := *p.due[0].clock
		c.inclusive = !c.inclusive
		p.due[0].clock = &c
		return true
	},
	"a guard less": func(_ *scenario, p *policy) bool {
		if len(p.keep) == 0 || p.due == nil {
			return false
		}
		p.keep = p.keep[1:]
		return !slices.ContainsFunc(p.due, func(e entry) bool { return e.rank != nil }) // which may read it
	},
	"another place": func(_ *scenario, p *policy) bool {
		if len(p.due) != 1 || p.due[0].rank == nil {
			return false
		}
		r := *p.due[0].rank
		r.first++
		p.due = []entry{{p.due[0].clock, &r}}
		return true
	},
	"no holds":    func(s *scenario, _ *policy) bool { s.holds = nil; return true },
	"all rows":    func(_ *scenario, p *policy) bool { p.where = nil; return true },
	"a step less": func(_ *scenario, p *policy) bool { p.steps = p.steps[1:]; return true },
}

// TestComparisonFails compares policies with models of others, each of which has to be noticed.
func TestComparisonFails(t *testing.T) {
	t.Parallel()
	var right, others []*scenario
	var names []string
	all := slices.DeleteFunc(scenarios(t, 1), func(s *scenario) bool { return s.changes != nil })
	for name, change := range wrong {
		i := slices.IndexFunc(all, func(s *scenario) bool {
			return !slices.Contains(right, s) && s.changed(change) != nil
		})
		if i < 0 {
			t.Fatalf("%s: no policy of the seed shows it", name)
		}
		names, right, others = append(names, name), append(right, all[i]), append(others, all[i].changed(change))
	}
	in := install(t, right)
	for i, other := range others {
		if other.compare(t, in) == "" {
			t.Errorf("%s: the comparison does not notice it:\n%s", names[i], right[i])
		}
	}
}

// changed is the scenario with another policy, nil where the model says the same of both.
func (s *scenario) changed(change func(*scenario, *policy) bool) *scenario {
	other, p := *s, *s.policy
	other.policy = &p
	if !change(&other, &p) || cmp.Equal(s.foreseen(), other.foreseen()) {
		return nil
	}
	return &other
}

// foreseen returns what the model says of the first call; nothing where the clock may stop that
// run.
func (s *scenario) foreseen() outcome {
	m := &model{scenario: s, data: s.data.clone(), asOf: s.calls[0].at, scope: s.calls[0].narrows()}
	if may, _ := m.stopped(); may {
		return outcome{}
	}
	return m.called(s.calls[0])
}
