package lint

import (
	"fmt"

	"pgretain/internal/calendar"
)

var _ = register("L024", "a schedule that another of the job covers", checkScheduleTwice)

// checkScheduleTwice warns of two schedules of one job of which the second adds no start.
func checkScheduleTwice(l *linter) {
	for _, j := range l.file.Jobs {
		for i, s := range j.Schedules {
			for k, other := range j.Schedules {
				if i == k || !calendar.Covers(ticks(other), ticks(s)) || k > i && calendar.Covers(ticks(s), ticks(other)) {
					continue
				}
				l.warn(finding{at: s.Position, job: j.Name,
					message: fmt.Sprintf("schedule %q of job %q adds nothing to %q", s.Text, j.Name, other.Text),
					detail:  "Each of its starts is one of the other, so that the job starts twice, and one of the two ends \"busy\".",
					hint:    "Remove it."})
			}
		}
	}
}
