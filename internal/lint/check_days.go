package lint

import (
	"fmt"

	"pgretain/policy"
)

var _ = register("L030", "a window of hours on a clock of days", checkDays)

// checkDays warns of a window that is finer than its clock: a date has no hours.
func checkDays(l *linter) {
	l.eachClock(func(p *policy.Policy, k *policy.Clock, typ string) {
		if typ != "date" {
			return
		}
		for _, i := range intervals(k.Window) {
			if i.Time%day != 0 {
				l.warn(finding{at: i.Position, policy: p.Name,
					message: fmt.Sprintf("the clock %q holds days, and the window %q counts hours", k.Column, i.Text),
					detail:  "A row of a day is due when the whole day is older than the window, so that it may stay for a day longer.",
					hint:    "Write the window in days."})
			}
		}
	})
}
