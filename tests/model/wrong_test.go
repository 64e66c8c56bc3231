package model

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wrongModels has changes of a policy that the comparison must notice. A change returns false if it
// does not apply to the policy.
var wrongModels = map[string]func(*scenario, *policy) bool{
	"the other inclusive": func(_ *scenario, p *policy) bool {
		if len(p.due) == 0 || p.due[0].clock == nil {
			return false
		}
		p.due = slices.Clone(p.due)
		c := *p.due[0].clock
		c.inclusive = !c.inclusive
		p.due[0].clock = &c
		return true
	},
	"without the first guard": func(_ *scenario, p *policy) bool {
		if len(p.keep) == 0 || p.due == nil {
			return false
		}
		p.keep = p.keep[1:]
		// A rank of due may read the guard.
		return !slices.ContainsFunc(p.due, func(e entry) bool { return e.rank != nil })
	},
	"one more place": func(_ *scenario, p *policy) bool {
		if len(p.due) != 1 || p.due[0].rank == nil {
			return false
		}
		r := *p.due[0].rank
		r.first++
		p.due = []entry{{p.due[0].clock, &r}}
		return true
	},
	"without holds":          func(s *scenario, _ *policy) bool { s.holds = nil; return true },
	"without where":          func(_ *scenario, p *policy) bool { p.where = nil; return true },
	"without the first step": func(_ *scenario, p *policy) bool { p.steps = p.steps[1:]; return true },
}

// TestComparisonFails checks that the comparison notices each wrong model.
func TestComparisonFails(t *testing.T) {
	t.Parallel()
	var right, others []*scenario
	var names []string
	all := slices.DeleteFunc(scenarios(t, 1), func(s *scenario) bool { return s.changes != nil })
	for name, change := range wrongModels {
		i := slices.IndexFunc(all, func(s *scenario) bool {
			return !slices.Contains(right, s) && s.changed(change) != nil
		})
		if i < 0 {
			t.Fatalf("%s: no policy of this seed has another outcome in the wrong model", name)
		}
		names, right, others = append(names, name), append(right, all[i]), append(others, all[i].changed(change))
	}
	in := install(t, right)
	for i, other := range others {
		if other.compare(t, in) == "" {
			t.Errorf("the comparison did not notice the wrong model %q of the policy:\n%s", names[i], right[i])
		}
	}
}

// changed returns the scenario with a changed policy, or nil if the model returns the same outcome
// for both.
func (s *scenario) changed(change func(*scenario, *policy) bool) *scenario {
	other, p := *s, *s.policy
	other.policy = &p
	if !change(&other, &p) || cmp.Equal(s.predicted(), other.predicted()) {
		return nil
	}
	return &other
}

// predicted returns the model's outcome of the first call, or nothing if the clock may trip that
// run.
func (s *scenario) predicted() outcome {
	m := &model{scenario: s, data: s.data.clone(), asOf: s.calls[0].at, scope: s.calls[0].rowScope()}
	if may, _ := m.clockTrips(); may {
		return outcome{}
	}
	return m.outcomeOf(s.calls[0])
}
