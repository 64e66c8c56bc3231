// Package calendar knows when the schedules of a policy file start their jobs.
package calendar

import (
	"strconv"
	"strings"
	"time"
)

// Ticks are the instants of one or several schedules of a policy file.
type Ticks []schedule

// schedule gives the first instant after another one, zero when there is none.
type schedule interface {
	next(after time.Time) time.Time
}

// Parse reads schedules as pg_cron means them, in its time zone. "@reboot" has no instants.
func Parse(schedules []string, zone *time.Location) Ticks {
	var list Ticks
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
