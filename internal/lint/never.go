package lint

import (
	"slices"

	"pgretain/policy"
)

// checkWhere refuses a policy that is about no row.
func (l *linter) checkWhere(p *policy.Policy) {
	if !l.possible(p, says(p.Where, yes)) {
		l.refuse("L001", p.Where.Position, p, words{})
	}
}

// checkGuards refuses a policy whose guards leave nothing to take: a row goes only where all are false.
func (l *linter) checkGuards(p *policy.Policy) {
	where := says(p.Where, yes)
	if !l.possible(p, where) || l.possible(p, taken(p)...) {
		return
	}
	at, alone := p.Keep[0].Position, ""
	for _, g := range p.Keep {
		if g.Condition != nil && alone == "" && !l.possible(p, where, says(g.Condition, no)) {
			at, alone = g.Condition.Position, g.Name
		}
	}
	l.refuse("L002", at, p, words{"Alone": alone})
}

// checkTiers warns of a tier that the ones before it, "where" or the guards leave nothing for: rows that it was written
// for go by the window of another.
func (l *linter) checkTiers(p *policy.Policy, k *policy.Clock) {
	before := taken(p)
	if !l.possible(p, before...) {
		return
	}
	for i, t := range k.Window.Tiers {
		if t.When == nil {
			continue // a last "else" that nothing reaches is no mistake
		}
		if !l.possible(p, append(slices.Clip(before), says(t.When, yes))...) {
			l.warn("L004", t.When.Position, p, words{"Number": i + 1})
		}
		before = append(before, says(t.When, no|null))
	}
}

// checkSteps warns of a step whose "where" no row of a batch meets: an archive, for example, before a delete.
func (l *linter) checkSteps(p *policy.Policy) {
	for _, s := range p.Then {
		if s.Where != nil && l.excludes(p, taken(p), says(s.Where, yes)) {
			l.warn("L006", s.Where.Position, p, words{})
		}
	}
}
