package calendar

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// calendar is a schedule of five fields, in bits. As in Vixie's cron, the day matches by both of its
// fields where one of them begins with "*", else by either.
type calendar struct {
	minute, hour, day, month, weekday uint64

	star    bool // the day of the month or that of the week begins with "*"
	lastDay bool // "$" in the place of the day of the month
	zone    *time.Location
}

var calendarWords = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

var (
	monthNames   = strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")
	weekdayNames = strings.Fields("sun mon tue wed thu fri sat")
)

// parseCalendar takes what the policy file may hold; false for "@reboot" and nonsense.
func parseCalendar(text string, zone *time.Location) (calendar, bool) {
	if word, ok := calendarWords[text]; ok {
		text = word
	}
	f := strings.Fields(text)
	if len(f) != 5 {
		return calendar{}, false
	}
	c := calendar{zone: zone, lastDay: f[2] == "$", star: f[2][0] == '*' || f[4][0] == '*'}
	ok := bits(f[0], 0, 59, nil, &c.minute) && bits(f[1], 0, 23, nil, &c.hour) && bits(f[3], 1, 12, monthNames, &c.month) &&
		bits(f[4], 0, 7, weekdayNames, &c.weekday) && (c.lastDay || bits(f[2], 1, 31, nil, &c.day))
	c.weekday |= c.weekday >> 7 & 1 // 7 is Sunday too
	return c, ok
}

// bits sets those of a field: a list of *, numbers, names and ranges, perhaps with a step.
func bits(field string, low, high int, names []string, into *uint64) bool {
	number := func(text string) (int, bool) {
		if i := slices.Index(names, strings.ToLower(text)); i >= 0 {
			return low + i, true
		}
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= low && n <= high
	}
	for item := range strings.SplitSeq(field, ",") {
		item, stepText, stepped := strings.Cut(item, "/")
		first, last, step := low, high, 1
		if item != "*" {
			from, to, ranged := strings.Cut(item, "-")
			var ok, okTo bool
			first, ok = number(from)
			last, okTo = first, true
			if ranged {
				last, okTo = number(to)
			}
			if !ok || !okTo {
				return false
			}
		}
		if stepped {
			var err error
			if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
				return false
			}
		}
		for n := first; n <= last; n += step {
			*into |= 1 << n
		}
	}
	return true
}

// horizon is beyond the longest gap that a calendar can have: eight years between two leap days.
const horizon = 9 * 366 * 24 * time.Hour

// next looks at minutes as pg_cron does, and passes days and hours that do not match as a whole. A
// minute that the zone skips has no tick, one that it repeats has two.
func (c calendar) next(after time.Time) time.Time {
	end := after.Add(horizon)
	for t := after.UTC().Truncate(time.Minute).Add(time.Minute); t.Before(end); {
		local := t.In(c.zone)
		switch {
		case !c.matches(local):
			t = later(t, time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, c.zone))
		case c.hour>>local.Hour()&1 == 0:
			t = t.Add(time.Duration(60-local.Minute()) * time.Minute)
		case c.minute>>local.Minute()&1 == 0:
			t = t.Add(time.Minute)
		default:
			return t
		}
	}
	return time.Time{}
}

// later is an instant, or the minute after t where a zone has no such midnight.
func later(t, midnight time.Time) time.Time {
	if midnight.After(t) {
		return midnight.UTC().Truncate(time.Minute)
	}
	return t.Add(time.Minute)
}

// matches says whether a local day is one of the schedule's.
func (c calendar) matches(local time.Time) bool {
	day := c.day>>local.Day()&1 == 1 || c.lastDay && local.Add(24*time.Hour).Day() == 1
	weekday := c.weekday>>local.Weekday()&1 == 1
	if c.month>>local.Month()&1 == 0 {
		return false
	}
	if c.star {
		return day && weekday
	}
	return day || weekday
}
