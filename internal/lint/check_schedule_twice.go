package lint

import (
	"fmt"
)

var _ = register("L024", "a schedule that another of the job covers", checkScheduleTwice)

// checkScheduleTwice warns of two schedules of one job of which the second adds no start.
func checkScheduleTwice(l *linter) {
	for _, j := range l.file.Jobs {
		for i, s := range j.Schedules {
			for k, other := range j.Schedules {
				if i == k || s.Text == "@reboot" || !alwaysWith(ticks(s), ticks(other)) || k > i && alwaysWith(ticks(other), ticks(s)) {
					continue
				}
				l.warn(finding{at: s.Position,
					message: fmt.Sprintf("schedule %q of job %q adds nothing to %q", s.Text, j.Name, other.Text),
					detail:  "Each of its starts is one of the other, so that the job starts twice, and one of the two ends \"busy\".",
					hint:    "Remove it."})
			}
		}
	}
}
