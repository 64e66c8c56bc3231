package lint

import (
	"fmt"
)

var _ = register("L021", "a schedule that never comes", checkNever)

// checkNever refuses a day that no calendar has, 31 February for example.
func checkNever(l *linter) {
	for _, j := range l.file.Jobs {
		for _, s := range j.Schedules {
			if s.Text != "@reboot" && ticks(s).Next(someDay).IsZero() {
				l.refuse(finding{at: s.Position, job: j.Name,
					message: fmt.Sprintf("schedule %q of job %q never comes", s.Text, j.Name),
					detail:  "No month that it names has such a day.",
					hint:    "Write \"$\" for the last day of a month (pg_cron 1.6), or another day."})
			}
		}
	}
}
