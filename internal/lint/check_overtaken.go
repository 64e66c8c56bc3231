package lint

import (
	"fmt"
)

var _ = register("L017", "a policy that another one leaves nothing for", checkOvertaken)

// checkOvertaken warns of a policy whose rows another one has deleted at a younger age.
func checkOvertaken(l *linter) {
	for _, policies := range l.tables() {
		l.overtaken(clockedPolicies(policies))
	}
}

func (l *linter) overtaken(policies []clocked) {
	for _, first := range policies {
		if !deletes(first.Policy) || first.unlimited || guarded(first.Policy) || len(first.Joins) > 0 || first.clock.UpTo != nil ||
			!l.runsWhole(first.Policy) {
			continue
		}
		for _, second := range policies {
			if second.Policy == first.Policy || !second.sameClock(first) || second.clock.NullsDue && !first.clock.NullsDue ||
				!longer(second.shortest, first.longest) || !l.within(second, first) {
				continue
			}
			l.warn(finding{at: second.clock.Window.Position, policy: second.Name,
				message: fmt.Sprintf("policy %q finds nothing: policy %q deletes its rows earlier", second.Name, first.Name),
				detail: fmt.Sprintf("Both go by %q; by %s the rows are gone, and this window is %s. ", first.clock.Column,
					first.longest.Text, second.shortest.Text) + place(first.Policy),
				hint: "Give the other policy a \"where\" or a guard that leaves these rows, or remove one of the two."})
		}
	}
}

// within says whether every row that one policy is about is one of the other's.
func (l *linter) within(second, first clocked) bool {
	r := l.rowOf(second.Policy)
	return r.possible(l.wanted(second.Policy)...) &&
		!r.possible(append(l.wanted(second.Policy), wish{c: l.condition(first.Where), is: no | null})...)
}
