// Package calendar knows when the schedules of a policy file start their jobs.
package calendar

import (
	"slices"
	"strconv"
	"time"
)

// Ticks are the instants of one or several schedules of a policy file.
type Ticks []schedule

// schedule gives the first instant after another one, zero when there is none, and the longest time between two of them.
type schedule interface {
	next(after time.Time) time.Time
	longest() time.Duration
}

// Parse reads schedules as pg_cron means them, in its time zone. "@reboot" has no instants.
func Parse(schedules []string, zone *time.Location) Ticks {
	var list Ticks
	for _, text := range schedules {
		if m := cronSeconds.FindStringSubmatch(text); m != nil {
			seconds, _ := strconv.Atoi(m[1])
			list = append(list, every(time.Duration(seconds)*time.Second))
		} else if c, fault := parseCalendar(text, zone); fault == "" {
			list = append(list, c)
		}
	}
	return list
}

// every is an interval.
type every time.Duration

func (e every) next(after time.Time) time.Time { return after.Add(time.Duration(e)) }
func (e every) longest() time.Duration         { return time.Duration(e) }

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
	covered := func(s schedule) bool {
		inner, ok := s.(calendar)
		return ok && slices.ContainsFunc(other, func(o schedule) bool {
			outer, ok := o.(calendar)
			return ok && outer.covers(inner)
		})
	}
	return len(one) > 0 && !slices.ContainsFunc(one, func(s schedule) bool { return !covered(s) })
}
