package verifier

import (
	"time"

	"pgretain/internal/calendar"
)

// ticks are the instants at which a job is started, and what they promise.
type ticks calendar.Ticks

func parseTicks(schedules []string, zone *time.Location) ticks {
	return ticks(calendar.Parse(schedules, zone))
}

func (t ticks) next(after time.Time) time.Time { return calendar.Ticks(t).Next(after) }

// deadline is when a policy that was in order at an instant must be so again: the second tick from
// there, so that one may be missed, and the time that a run may take. Zero when there is none.
func (t ticks) deadline(from time.Time, budget time.Duration) time.Time {
	first := t.next(from)
	if first.IsZero() {
		return time.Time{}
	}
	second := t.next(first)
	if second.IsZero() {
		return time.Time{}
	}
	return second.Add(budget)
}

// lag is how long a row may be due before it must be gone: two intervals and the budget.
func (t ticks) lag(now time.Time, budget time.Duration) (time.Duration, bool) {
	first := t.next(now)
	if first.IsZero() {
		return 0, false
	}
	second := t.next(first)
	if second.IsZero() {
		return 0, false
	}
	return 2*second.Sub(first) + budget, true
}
