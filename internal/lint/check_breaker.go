package lint

import (
	"fmt"
)

var _ = register("L025", "a breaker below the budget", checkBreaker)

// checkBreaker warns of a budget that no run can spend, because more due rows than the breaker allows
// trip it first.
func checkBreaker(l *linter) {
	for _, p := range l.file.Policies {
		if p.Budget.Rows == 0 || p.Breaker.Rows >= p.Budget.Rows {
			continue
		}
		at := p.Breaker.RowsPosition
		if at.File == "" {
			at = p.Budget.RowsPosition
		}
		l.warn(finding{at: at, policy: p.Name,
			message: fmt.Sprintf("the breaker of policy %q trips at %d rows, before its budget of %d is spent", p.Name, p.Breaker.Rows, p.Budget.Rows),
			detail:  "A budget takes the oldest rows and leaves the rest for the next run; the breaker touches nothing and waits for accept().",
			hint:    "Make the breaker at least as great as the budget, or take the budget away."})
	}
}
