package verifier

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// ticks are the instants of one or several pg_cron schedules.
type ticks []cron.Schedule

// parseTicks reads schedules as pg_cron means them, in its time zone. "@reboot" has no instants,
// nor has a schedule that only pg_cron understands ("$").
func parseTicks(schedules []string, zone string) ticks {
	var list ticks
	for _, text := range schedules {
		if seconds, ok := strings.CutSuffix(strings.TrimSuffix(text, "s"), " second"); ok {
			text = "@every " + seconds + "s"
		} else if text == "@reboot" {
			continue
		} else {
			text = "CRON_TZ=" + knownZone(zone) + " " + text
		}
		if schedule, err := cron.ParseStandard(text); err == nil {
			list = append(list, schedule)
		}
	}
	return list
}

// knownZone is a zone that this machine knows; pg_cron counts in GMT by itself.
func knownZone(name string) string {
	if _, err := time.LoadLocation(name); err != nil || strings.ContainsAny(name, " =") {
		return "UTC"
	}
	return name
}

// next is the first tick after an instant, zero when there is none.
func (t ticks) next(after time.Time) time.Time {
	var first time.Time
	for _, schedule := range t {
		if at := schedule.Next(after); !at.IsZero() && (first.IsZero() || at.Before(first)) {
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
