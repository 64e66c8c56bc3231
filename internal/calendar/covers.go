package calendar

import (
	"sync"
	"time"
)

// Covers says whether every tick of one is for certain a tick of the other as well: each schedule of the
// one lies within a schedule of the other. Intervals have no minute, and neither cover nor are covered.
func Covers(other, one Ticks) bool {
	for _, s := range one {
		if !coveredBy(s, other) {
			return false
		}
	}
	return len(one) > 0
}

func coveredBy(s schedule, other Ticks) bool {
	inner, ok := s.(calendar)
	if !ok {
		return false
	}
	for _, o := range other {
		if outer, ok := o.(calendar); ok && outer.covers(inner) {
			return true
		}
	}
	return false
}

// covers compares minutes, hours, and all days that there are.
func (c calendar) covers(inner calendar) bool {
	if inner.minute&^c.minute != 0 || inner.hour&^c.hour != 0 {
		return false
	}
	if c.sameDays(inner) {
		return true
	}
	for _, day := range allDays() {
		if inner.matches(day) && !c.matches(day) {
			return false
		}
	}
	return true
}

// sameDays says whether two schedules write their days alike, as most do.
func (c calendar) sameDays(o calendar) bool {
	return c.day == o.day && c.month == o.month && c.weekday == o.weekday && c.star == o.star && c.lastDay == o.lastDay
}

// allDays are those of 28 years, after which weekdays and leap days come in the same order again.
var allDays = sync.OnceValue(func() []time.Time {
	var days []time.Time
	for day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2028; day = day.AddDate(0, 0, 1) {
		days = append(days, day)
	}
	return days
})
