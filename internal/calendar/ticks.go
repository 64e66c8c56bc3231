// Package calendar knows when the schedules of a policy file start their jobs.
package calendar

import (
	"slices"
	"time"
)

// Ticks are the instants of one or several schedules of a policy file.
type Ticks []schedule

// Parse reads schedules as pg_cron means them, in its time zone. "@reboot" has no instants.
func Parse(schedules []string, zone *time.Location) Ticks {
	var list Ticks
	for _, text := range schedules {
		if s, fault := parse(text, zone); fault == "" && text != "@reboot" {
			list = append(list, s)
		}
	}
	return list
}

// Next is the first tick after an instant, zero when there is none.
func (t Ticks) Next(after time.Time) time.Time {
	var first time.Time
	for _, schedule := range t {
		if at := schedule.next(after); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// Deadline is when what was in order at an instant must be so again: at the second tick from there, so that one may be
// missed, and after the time that a run may take. Zero when there is none.
func (t Ticks) Deadline(from time.Time, budget time.Duration) time.Time {
	first := t.Next(from)
	if first.IsZero() {
		return first
	}
	second := t.Next(first)
	if second.IsZero() {
		return second
	}
	return second.Add(budget)
}

// Longest is no less than the longest time between two ticks by the clock on the wall, whatever its zone: that of the
// schedule where it is shortest. Zero without ticks.
func (t Ticks) Longest() time.Duration {
	var least time.Duration
	for _, schedule := range t {
		if d := schedule.longest(); d > 0 && (least == 0 || d < least) {
			least = d
		}
	}
	return least
}

// Covers says whether every tick of one is for certain a tick of the other as well: each schedule of the
// one lies within a schedule of the other. Intervals have no minute, and neither cover nor are covered.
func Covers(other, one Ticks) bool {
	return len(one) > 0 && !slices.ContainsFunc(one, func(inner schedule) bool {
		return !slices.ContainsFunc(other, func(outer schedule) bool { return outer.covers(inner) })
	})
}
