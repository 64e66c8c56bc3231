package verifier

import (
	"strconv"
	"strings"
	"time"
)

// ticks are the instants of one or several schedules of a policy file.
type ticks []schedule

// schedule gives the first instant after another one, zero when there is none.
type schedule interface {
	next(after time.Time) time.Time
}

// parseTicks reads schedules as pg_cron means them, in its time zone. "@reboot" has no instants.
func parseTicks(schedules []string, zone *time.Location) ticks {
	var list ticks
	for _, text := range schedules {
		if seconds, ok := strings.CutSuffix(strings.TrimSuffix(text, "s"), " second"); ok {
			if n, err := strconv.Atoi(seconds); err == nil && n > 0 {
				list = append(list, every(time.Duration(n)*time.Second))
			}
		} else if c, ok := parseCalendar(text, zone); ok {
			list = append(list, c)
		}
	}
	return list
}

// every is an interval.
type every time.Duration

func (e every) next(after time.Time) time.Time { return after.Add(time.Duration(e)) }

// next is the first tick after an instant, zero when there is none.
func (t ticks) next(after time.Time) time.Time {
	var first time.Time
	for _, schedule := range t {
		if at := schedule.next(after); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

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
