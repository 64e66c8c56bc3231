package lint

import (
	"fmt"
)

var _ = register("L016", "rows that are destroyed as soon as they are marked", checkGrace)

// checkGrace warns of a policy that marks rows and another that deletes the marked ones at the same age
// or earlier, by the same clock: nobody ever has time to look at a marked row.
func checkGrace(l *linter) {
	for _, policies := range l.tables() {
		l.grace(clockedPolicies(policies))
	}
}

func (l *linter) grace(policies []clocked) {
	for _, mark := range policies {
		if len(ownUpdates(mark.Policy)) == 0 || deletes(mark.Policy) || sets(mark.Policy, mark.clock.Column) {
			continue
		}
		for _, destroy := range policies {
			if destroy.Policy == mark.Policy || !destroy.sameClock(mark) || !deletes(destroy.Policy) || destroy.unlimited || destroy.clock.UpTo != nil ||
				guarded(destroy.Policy) || !notLonger(destroy.longest, mark.shortest) || !l.needsMark(mark, destroy) {
				continue
			}
			l.warn(finding{at: destroy.clock.Window.Position, policy: destroy.Name,
				message: fmt.Sprintf("policy %q deletes rows as soon as policy %q has marked them", destroy.Name, mark.Name),
				detail: fmt.Sprintf("Both go by %q, which the mark leaves as it is, and a row is marked when it is older than %s. ", mark.clock.Column,
					mark.shortest.Text) + place(mark.Policy),
				hint: "Let the second window run from the mark, from a column that the first policy sets to as_of, or make it longer than the first."})
		}
	}
}

// needsMark says whether the second policy is about rows that the first has marked, and no others.
func (l *linter) needsMark(mark, destroy clocked) bool {
	r := l.rowOf(destroy.Policy)
	if len(mark.Joins)+len(destroy.Joins) > 0 {
		return false // one name may mean two things
	}
	return r.possible(l.wanted(destroy.Policy)...) && !r.possible(append(l.wanted(destroy.Policy), l.wanted(mark.Policy)...)...)
}
