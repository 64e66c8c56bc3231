package lint

import (
	"fmt"

	"pgretain/policy"
)

var _ = register("L004", "a tier that never applies", checkTiers)

// checkTiers warns of a tier that the ones before it, "where" or the guards leave nothing for.
func checkTiers(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if p.Due == nil || !r.possible(l.taken(p)...) {
			continue
		}
		for _, entry := range p.Due.Entries {
			if entry.Clock != nil {
				l.checkTiersOf(p, r, entry.Clock.Window)
			}
		}
	}
}

func (l *linter) checkTiersOf(p *policy.Policy, r *row, w policy.Window) {
	before := l.taken(p)
	for i, t := range w.Tiers {
		if t.When == nil {
			continue // a last "else" that nothing reaches is no mistake
		}
		when := l.condition(t.When)
		if len(l.slips(t.When)) == 0 && !r.possible(append(before[:len(before):len(before)], wish{c: when, is: yes})...) {
			l.warn(finding{at: t.When.Position, policy: p.Name,
				message: fmt.Sprintf("tier %d of policy %q never applies", i+1, p.Name),
				detail:  "No row that \"where\" and the guards let through, and that the tiers before it leave, meets its condition.",
				hint:    "Move it up, repair its condition, or remove it."})
		}
		before = append(before, wish{c: when, is: no | null})
	}
}
