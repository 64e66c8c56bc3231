package lint

import (
	"fmt"
	"time"
)

var _ = register("L022", "a job that may take longer than until its next start", checkBudget)

// checkBudget warns of a job whose policies may together take longer than the time between two starts.
// Only budgets that the file writes count: nobody chose the built-in one.
func checkBudget(l *linter) {
	for _, j := range l.file.Jobs {
		var sum time.Duration
		for _, run := range j.Run {
			if p := l.policies[run.Name]; p != nil && p.Budget.TimePosition.File != "" {
				sum += p.Budget.Time
			}
		}
		if sum == 0 {
			continue
		}
		gap := shortestGap(l.ticksOf(j))
		if gap == 0 || sum <= gap {
			continue
		}
		l.warn(finding{at: j.Position, job: j.Name,
			message: fmt.Sprintf("job %q starts again after %s, and the budgets of its policies add up to %s", j.Name, spoken(gap), spoken(sum)),
			detail:  "While a run goes on, pg_cron puts off the next ones, and other schedulers may start one that ends \"busy\".",
			hint:    "Write shorter budgets (budget: {time: ...}), or start the job less often."})
	}
}
