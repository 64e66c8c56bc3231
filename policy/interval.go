package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pgretain/internal/messages"
)

// Zero reports whether the interval is zero.
func (i Interval) Zero() bool { return i.Months == 0 && i.Days == 0 && i.Time == 0 }

// LongerThan reports whether interval i is longer than the other interval, from whichever timestamp
// both are subtracted.
func (i Interval) LongerThan(other Interval) bool {
	more := Interval{Months: i.Months - other.Months, Days: i.Days - other.Days, Time: i.Time - other.Time}
	if more.Months >= 0 && more.Days >= 0 && more.Time >= 0 {
		return !more.Zero()
	}
	margin := 0.0 // hours: one for each interval with days or months, because clocks may change
	for _, each := range []Interval{i, other} {
		if each.Months != 0 || each.Days != 0 {
			margin++
		}
	}
	// The first comparison leaves out the part that both intervals share. If either comparison is
	// true, i is longer.
	return more.shortest() > margin || i.shortest()-other.hours(31, 366) > margin
}

// NotLongerThan reports whether interval i is at most as long as the other interval, from whichever
// timestamp both are subtracted.
func (i Interval) NotLongerThan(other Interval) bool {
	return i.Months == other.Months && i.Days == other.Days && i.Time == other.Time || other.LongerThan(i)
}

// hours returns the length in hours. The parameters are the number of days in a month and in a
// year.
func (i Interval) hours(month, year int) float64 {
	return float64(i.Months/12*year+i.Months%12*month+i.Days)*24 + i.Time.Hours()
}

// shortest returns the least length of the interval in hours. A negative number of months counts
// with the longest months.
func (i Interval) shortest() float64 {
	if i.Months < 0 {
		return i.hours(31, 366)
	}
	return i.hours(28, 365)
}

// units maps the name of a unit to the interval of one such unit.
var units = map[string]Interval{
	"year": {Months: 12}, "yr": {Months: 12}, "y": {Months: 12},
	"month": {Months: 1}, "mon": {Months: 1},
	"week": {Days: 7}, "w": {Days: 7},
	"day": {Days: 1}, "d": {Days: 1},
	"hour": {Time: time.Hour}, "hr": {Time: time.Hour}, "h": {Time: time.Hour},
	"minute": {Time: time.Minute}, "min": {Time: time.Minute},
	"second": {Time: time.Second}, "sec": {Time: time.Second}, "s": {Time: time.Second},
}

var (
	intervalPart = regexp.MustCompile(`^\s*([0-9]{1,9}) ?([a-zA-Z]+)(?:\s+|$)`)
	clockPart    = regexp.MustCompile(`^\s*([0-9]{1,6}):([0-5][0-9])(?::([0-5][0-9]))?\s*$`)
)

const (
	// maxYears limits an interval so that every cutoff stays inside the range of a timestamp.
	// https://www.postgresql.org/docs/current/datatype-datetime.html
	maxYears = 1000
	// maxTime is the maximum sum of hours, minutes and seconds: 100 years.
	maxTime = 100 * 366 * 24 * time.Hour

	intervalHint = `Write a PostgreSQL interval, for example "90 days", "1 month" or "24 hours".`
)

// interval reads numbers with units and HH:MM[:SS]. This is the unambiguous part of PostgreSQL's
// interval syntax.
// https://www.postgresql.org/docs/current/datatype-datetime.html#DATATYPE-INTERVAL-INPUT
func (r *reader) interval(f field, zero bool) Interval {
	text := r.scalar(f, "an interval", "!!str", "!!int", "!!float", "!!timestamp")
	i := Interval{Position: r.at(f.value)}
	if hint := i.parse(text); hint != "" {
		r.fail(messages.InvalidWindow(text, hint), i.Position)
	}
	i.bounded(r, text, "")
	if !zero && i.Zero() {
		r.fail(messages.ZeroWindow(text, false), i.Position)
	}
	return i
}

// bounded refuses an interval that is too long, and sets its normalized text. A hint that is not
// empty means that the caller has already found a mistake.
func (i *Interval) bounded(r *reader, text, hint string) {
	if years := float64(i.Months)/12 + float64(i.Days)/365 + i.Time.Hours()/(24*365); years > maxYears {
		hint = fmt.Sprintf("A window is at most %d years.", maxYears)
	}
	if hint != "" {
		r.fail(messages.LongWindow(text, hint), i.Position)
	}
	i.Text = i.normal()
}

// parse sets months, days and time from text. It returns a hint if text is not an interval,
// otherwise "".
func (i *Interval) parse(text string) string {
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, "-") {
		return "A window counts back from the run and is never negative."
	}
	for {
		if m := clockPart.FindStringSubmatch(rest); m != nil {
			return cmp.Or(i.addUnit(m[1], "hour"), i.addUnit(m[2], "minute"), i.addUnit(m[3], "second"))
		}
		m := intervalPart.FindStringSubmatch(rest)
		if m == nil {
			return intervalHint
		}
		hint := i.addUnit(m[1], m[2])
		if rest = rest[len(m[0]):]; hint != "" || rest == "" {
			return hint
		}
	}
}

func (i *Interval) addUnit(number, name string) string {
	n, _ := strconv.Atoi(number) // number is "" if HH:MM has no seconds
	name = strings.ToLower(name)
	if name == "m" {
		return `"m" may be read as minutes or months: write "min" or "months".`
	}
	u, ok := units[name]
	if !ok && len(name) > 2 {
		u, ok = units[strings.TrimSuffix(name, "s")]
	}
	if !ok {
		return intervalHint
	}
	if u.Time > 0 && n > int((maxTime-i.Time)/u.Time) {
		return "Write a shorter window."
	}
	i.Months += n * u.Months
	i.Days += n * u.Days
	i.Time += time.Duration(n) * u.Time
	return ""
}

// normal returns the normalized text of an interval: years, months, days and a time. The time has
// the largest exact unit of hours, minutes and seconds.
func (i Interval) normal() string {
	unit, name := time.Second, "second"
	switch {
	case i.Time%time.Hour == 0:
		unit, name = time.Hour, "hour"
	case i.Time%time.Minute == 0:
		unit, name = time.Minute, "minute"
	}
	text := ""
	for _, part := range []struct {
		n    int
		name string
	}{{i.Months / 12, "year"}, {i.Months % 12, "month"}, {i.Days, "day"}, {int(i.Time / unit), name}} {
		switch part.n {
		case 0:
		case 1:
			text += " 1 " + part.name
		default:
			text += fmt.Sprintf(" %d %ss", part.n, part.name)
		}
	}
	return cmp.Or(strings.TrimPrefix(text, " "), "0 days")
}
