package lint

import (
	"time"

	"pgretain/policy"
)

const day = 24 * time.Hour

// longer says whether one interval is longer than another wherever in the calendar both begin.
func longer(a, b policy.Interval) bool {
	if a.Months >= b.Months && a.Days >= b.Days && a.Time >= b.Time {
		return a.Months > b.Months || a.Days > b.Days || a.Time > b.Time
	}
	return atLeast(a) > atMost(b)
}

// notLonger says so of at most as long.
func notLonger(a, b policy.Interval) bool {
	return a.Months <= b.Months && a.Days <= b.Days && a.Time <= b.Time || atMost(a) <= atLeast(b)
}

// atLeast and atMost are what an interval is at least and at most, with months of 28 to 31 days, years of
// 365 and 366, and a day on which the clocks are changed.
func atLeast(i policy.Interval) time.Duration {
	days := i.Months/12*365 + i.Months%12*28 + i.Days
	return time.Duration(days)*day + i.Time - clockChange(days)
}

func atMost(i policy.Interval) time.Duration {
	days := i.Months/12*366 + i.Months%12*31 + i.Days
	return time.Duration(days)*day + i.Time + clockChange(days)
}

func clockChange(days int) time.Duration {
	if days == 0 {
		return 0
	}
	return time.Hour
}
