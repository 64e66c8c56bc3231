package lint

import (
	"fmt"

	"pgretain/policy"
)

var _ = register("L002", "guards that spare every row", checkGuards)

// checkGuards refuses a policy whose guards leave nothing to take: a row goes only where all are false.
func checkGuards(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if !guarded(p) || !r.possible(l.wanted(p)...) {
			continue
		}
		alone := false
		for _, g := range p.Keep {
			if g.Condition == nil || len(l.slips(g.Condition)) > 0 {
				continue
			}
			if !r.possible(append(l.wanted(p), wish{c: l.condition(g.Condition), is: no})...) {
				alone = true
				l.refuse(finding{at: g.Condition.Position, policy: p.Name,
					message: fmt.Sprintf("guard %q spares every row of policy %q", g.Name, p.Name),
					detail:  "A row goes only where the guard is false, and it is false for none that \"where\" lets through.",
					hint:    "Write the guard for the rows that are to stay, or remove the policy."})
			}
		}
		if !alone && !l.slipped(p) && !r.possible(l.taken(p)...) {
			l.refuse(finding{at: p.Keep[0].Position, policy: p.Name,
				message: fmt.Sprintf("the guards of policy %q together spare every row", p.Name),
				detail:  "A row goes only where all of them are false, and there is no row for which they are.",
				hint:    "Write the guards for the rows that are to stay, or remove the policy."})
		}
	}
}

// slipped says whether another check speaks of a guard already.
func (l *linter) slipped(p *policy.Policy) bool {
	for _, g := range p.Keep {
		if len(l.slips(g.Condition)) > 0 {
			return true
		}
	}
	return false
}
