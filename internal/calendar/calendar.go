// Package calendar computes when the schedules of a policy file start their jobs.
package calendar

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Ticks are the start times of one or several schedules of a policy file.
type Ticks []schedule

// Parse reads schedules as pg_cron does, in the given time zone. It skips invalid schedules and
// "@reboot", because they have no start times.
func Parse(schedules []string, zone *time.Location) Ticks {
	var list Ticks
	for _, text := range schedules {
		if s, fault := parse(text, zone); fault == "" && text != "@reboot" {
			list = append(list, s)
		}
	}
	return list
}

// Next returns the first tick after a time, or the zero time if there is none.
func (t Ticks) Next(after time.Time) time.Time {
	return Earliest(t, func(s schedule) time.Time { return s.next(after) })
}

// Earliest calls a function for each item of a list, and returns the earliest of the resulting
// times. It ignores zero times. If all are zero, it returns the zero time.
func Earliest[T any](list []T, of func(T) time.Time) (first time.Time) {
	for _, item := range list {
		if at := of(item); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// Deadline returns the time by which the next success must follow a success at the time "from". It
// is the second tick after "from" plus the budget, so that one tick may be missed. It returns the
// zero time if there is no tick.
func (t Ticks) Deadline(from time.Time, budget time.Duration) time.Time {
	second := t.Next(t.Next(from)) // if there is no first tick, there is no second tick either
	if !second.IsZero() {
		second = second.Add(budget)
	}
	return second
}

// Longest returns an upper limit of the longest time between two ticks, in local time of any zone.
// It uses the schedule with the shortest such time. It returns zero without ticks.
func (t Ticks) Longest() time.Duration {
	var least time.Duration
	for _, schedule := range t {
		if d := schedule.longest(); d > 0 && (least == 0 || d < least) {
			least = d
		}
	}
	return least
}

// schedule is an interval, or five fields as bit sets. As in Vixie cron, a day must match both day
// fields if one of them begins with "*". Otherwise it must match one of them.
type schedule struct {
	every time.Duration

	minute, hour, day, month, weekday uint64

	star    bool // the day of the month or of the week begins with "*"
	lastDay bool // the day of the month is "$", the last day
	zone    *time.Location
}

// cronField is one of the five fields of a schedule.
type cronField struct {
	name      string
	low, high int
	words     []string // names of low, low+1, ...
}

var cronFields = []cronField{
	{name: "minute", high: 59},
	{name: "hour", high: 23},
	{name: "day of the month", low: 1, high: 31},
	{name: "month", low: 1, high: 12, words: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
	{name: "day of the week", high: 7, words: strings.Fields("sun mon tue wed thu fri sat")},
}

var (
	cronWords   = []string{"@reboot", "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
	wordMeans   = strings.Split(",0 0 1 1 *,0 0 1 1 *,0 0 1 * *,0 0 * * 0,0 0 * * *,0 0 * * *,0 * * * *", ",")
	cronSeconds = regexp.MustCompile(`^([1-9]|[1-5][0-9]) seconds?$`)
)

// spread matches a schedule whose minute is H or H/n.
var spread = regexp.MustCompile(`^H(?:/([1-9]|[1-5][0-9]))?( .*)$`)

// SpreadOver reports whether the minute of a schedule is H or H/n. It returns the number of
// possible minutes, and the text that follows the minute.
func SpreadOver(text string) (minutes int, rest string, ok bool) {
	m := spread.FindStringSubmatch(text)
	switch {
	case m == nil:
		return 0, "", false
	case m[1] == "":
		return 60, m[2], true
	}
	minutes, _ = strconv.Atoi(m[1])
	return minutes, "-59/" + m[1] + m[2], true
}

// Spread replaces H in a schedule by a minute that depends on the job's name. The minute is
// computed from the first 28 bits of an MD5 hash. Migrations for several databases use the same
// computation in SQL. Spread returns any other schedule unchanged.
func Spread(text, name string) string {
	minutes, rest, ok := SpreadOver(text)
	if !ok {
		return text
	}
	sum := md5.Sum([]byte(name))
	return fmt.Sprint(binary.BigEndian.Uint32(sum[:4])>>4%uint32(minutes)) + rest
}

// Fault returns why pg_cron would refuse a schedule, or "" if it would not. A schedule is five
// fields, a word, or 1 to 59 seconds. Fault is stricter than general cron parsers, because pg_cron
// refuses unknown syntax only at run time. https://github.com/citusdata/pg_cron#what-is-pg_cron
func Fault(text string) string {
	_, fault := parse(text, time.UTC)
	return fault
}

// parse reads a schedule. If it is invalid, parse returns the reason in fault. "@reboot" gives a
// schedule without start times.
func parse(text string, zone *time.Location) (s schedule, fault string) {
	if m := cronSeconds.FindStringSubmatch(text); m != nil {
		seconds, _ := strconv.Atoi(m[1])
		return schedule{every: time.Duration(seconds) * time.Second}, ""
	}
	if strings.HasPrefix(text, "@") {
		i := slices.Index(cronWords, text)
		switch i {
		case -1:
			return s, "Words: " + strings.Join(cronWords, ", ") + "."
		case 0:
			return s, ""
		}
		text = wordMeans[i]
	}
	if of, rest, ok := SpreadOver(text); ok {
		text = fmt.Sprintf("%d%s", of-1, rest) // the latest possible minute
	}
	fields := strings.Fields(text)
	if len(fields) != len(cronFields) {
		return s, fmt.Sprintf("It has %d of 5 fields.", len(fields))
	}
	s.zone = zone
	into := []*uint64{&s.minute, &s.hour, &s.day, &s.month, &s.weekday}
	for i, field := range fields {
		s.star = s.star || (i == 2 || i == 4) && field[0] == '*'
		if i == 2 && field == "$" { // the last day of the month, in pg_cron's syntax
			s.lastDay = true
			continue
		}
		for item := range strings.SplitSeq(field, ",") {
			if f := cronFields[i]; !f.set(item, into[i]) {
				return s, fmt.Sprintf("%q is not a valid %s (%d-%d).", item, f.name, f.low, f.high)
			}
		}
	}
	s.weekday |= s.weekday >> 7 & 1 // 7 is Sunday too
	return s, ""
}

var cronItem = regexp.MustCompile(`^(?:\*|(\w+)|(\w+)-(\w+))(?:/(\d+))?$`)

// The method "set" sets the bits for an asterisk, a number, a name or a range. An asterisk and a
// range may have a step. It returns false for anything else.
func (f cronField) set(item string, into *uint64) bool {
	m := cronItem.FindStringSubmatch(item)
	if m == nil || m[1] != "" && m[4] != "" {
		return false
	}
	first, last, step := f.low, f.high, 1
	if item[0] != '*' {
		first, last = f.value(m[1]+m[2]), f.value(m[1]+m[3])
	}
	if m[4] != "" {
		step, _ = strconv.Atoi(m[4]) // an error gives the greatest number, which is refused below
	}
	if first < f.low || first > last || last > f.high || step < 1 || step > f.high {
		return false
	}
	for n := first; n <= last; n += step {
		*into |= 1 << n
	}
	return true
}

// value returns the value of a number or name, or -1 for anything else.
func (f cronField) value(text string) int {
	if i := slices.Index(f.words, strings.ToLower(text)); i >= 0 {
		return f.low + i
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return -1
}

// horizon is longer than the longest gap in a calendar, which is eight years between two leap days.
const horizon = 9 * 366 * 24 * time.Hour

// next returns the first start after a time, or the zero time if there is none. Like pg_cron it
// checks minutes; it skips days, hours and minutes that do not match. A minute that the time zone
// skips has no start, and a repeated minute has two.
func (s schedule) next(after time.Time) time.Time {
	if s.every > 0 {
		return after.Add(s.every)
	}
	end := after.Add(horizon)
	for t := after.UTC().Truncate(time.Minute).Add(time.Minute); t.Before(end); {
		local, pass := t.In(s.zone), time.Minute
		hour, minute, _ := local.Clock()
		switch {
		case !s.matches(local):
			midnight := time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, s.zone)
			// in some time zones this midnight does not exist
			pass = max(midnight.Truncate(time.Minute).Sub(t), pass)
		case s.hour>>hour&1 == 0:
			pass = time.Duration(60-minute) * time.Minute
		case s.minute>>minute&1 == 1:
			return t
		default:
			pass = time.Duration(min(bits.TrailingZeros64(s.minute>>minute), 60-minute)) * time.Minute
		}
		t = t.Add(pass)
	}
	return time.Time{}
}

// longest returns the longest time between two starts, or zero if there are none. It checks nine
// years around 2100. That year is no leap year, so the range contains the longest gap between two
// leap days.
func (s schedule) longest() time.Duration {
	if s.every > 0 {
		return s.every
	}
	var minutes []int // matching minutes of a day
	for minute := range 24 * 60 {
		if (s.hour>>(minute/60))&(s.minute>>(minute%60))&1 == 1 {
			minutes = append(minutes, minute)
		}
	}
	if len(minutes) == 0 {
		return 0
	}
	gap, last := 0, -1
	for i := 1; i < len(minutes); i++ {
		gap = max(gap, minutes[i]-minutes[i-1])
	}
	day := time.Date(2096, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range int(horizon / (24 * time.Hour)) {
		if s.matches(day.Add(time.Duration(n) * 24 * time.Hour)) {
			if last >= 0 {
				gap = max(gap, (n-last)*24*60+minutes[0]-minutes[len(minutes)-1])
			}
			last = n
		}
	}
	if last < 0 {
		return 0
	}
	return max(time.Duration(gap)*time.Minute, time.Minute)
}

// matches reports whether the schedule includes a local day.
func (s schedule) matches(local time.Time) bool {
	_, month, date := local.Date()
	if s.month>>month&1 == 0 {
		return false
	}
	day := s.day>>date&1 == 1 || s.lastDay && local.Add(24*time.Hour).Day() == 1
	weekday := s.weekday>>local.Weekday()&1 == 1
	if s.star {
		return day && weekday
	}
	return day || weekday
}
