package lint

import (
	"fmt"
)

var _ = register("L006", "a step that never acts", checkSteps)

// checkSteps warns of a step whose "where" no row of a batch meets.
func checkSteps(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if !r.possible(l.taken(p)...) {
			continue
		}
		for _, s := range p.Then {
			if s.Where == nil || len(l.slips(s.Where)) > 0 ||
				r.possible(append(l.taken(p), wish{c: l.condition(s.Where), is: yes})...) {
				continue
			}
			l.warn(finding{at: s.Where.Position, policy: p.Name,
				message: fmt.Sprintf("this step of policy %q never acts", p.Name),
				detail:  "No row that \"where\" and the guards let through meets its condition; steps read the row as it was when it was judged.",
				hint:    "Repair the condition, or remove the step."})
		}
	}
}
