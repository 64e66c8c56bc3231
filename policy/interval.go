package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// unit is what one of a word adds to an interval.
type unit struct {
	months, days int
	time         time.Duration
}

var units = map[string]unit{
	"year": {months: 12}, "yr": {months: 12}, "y": {months: 12},
	"month": {months: 1}, "mon": {months: 1},
	"week": {days: 7}, "w": {days: 7},
	"day": {days: 1}, "d": {days: 1},
	"hour": {time: time.Hour}, "hr": {time: time.Hour}, "h": {time: time.Hour},
	"minute": {time: time.Minute}, "min": {time: time.Minute},
	"second": {time: time.Second}, "sec": {time: time.Second}, "s": {time: time.Second},
}

var (
	intervalPart = regexp.MustCompile(`^\s*([0-9]{1,9}) ?([a-zA-Z]+)(?:\s+|$)`)
	clockPart    = regexp.MustCompile(`^\s*([0-9]{1,6}):([0-5][0-9])(?::([0-5][0-9]))?\s*$`)
)

// maxYears keeps every cutoff inside the range of a timestamp.
// https://www.postgresql.org/docs/current/datatype-datetime.html
const maxYears = 1000

const intervalHint = `Write a PostgreSQL interval, for example "90 days", "1 month" or "24 hours".`

// interval reads numbers with units and HH:MM[:SS], the part of PostgreSQL's interval grammar that
// is not ambiguous.
// https://www.postgresql.org/docs/current/datatype-datetime.html#DATATYPE-INTERVAL-INPUT
func (r *reader) interval(f field, zero bool) (Interval, bool) {
	text, ok := r.scalar(f, "an interval", "!!str", "!!int", "!!float", "!!timestamp")
	if !ok {
		return Interval{}, false
	}
	i := Interval{Position: r.at(f.value)}
	if hint := i.parse(text); hint != "" {
		r.add(codeWindow, i.Position, fmt.Sprintf("invalid window %q", text), "", hint)
		return i, false
	}
	if !r.longest(i, text) && !zero && i.zero() {
		r.add(codeWindowBound, i.Position, fmt.Sprintf("window %q is zero", text), "Every row with a clock in the past would go.", "Write a longer window.")
	}
	i.Text = i.normal()
	return i, true
}

// longest says whether a window is too long.
func (r *reader) longest(i Interval, text string) bool {
	years := float64(i.Months)/12 + float64(i.Days)/365 + i.Time.Hours()/(24*365)
	if years > maxYears {
		r.add(codeWindowBound, i.Position, fmt.Sprintf("window %q is too long", text), "", fmt.Sprintf("A window is at most %d years.", maxYears))
	}
	return years > maxYears
}

// parse fills the parts from text and returns a hint when it is no interval.
func (i *Interval) parse(text string) string {
	rest := strings.TrimSpace(text)
	if rest == "" {
		return intervalHint
	}
	if strings.HasPrefix(rest, "-") {
		return "A window counts back from the run and is never negative."
	}
	for rest != "" {
		if m := clockPart.FindStringSubmatch(rest); m != nil {
			return i.addClock(m)
		}
		m := intervalPart.FindStringSubmatch(rest)
		if m == nil {
			return intervalHint
		}
		if hint := i.addUnit(m[1], m[2]); hint != "" {
			return hint
		}
		rest = rest[len(m[0]):]
	}
	return ""
}

func (i *Interval) addUnit(number, name string) string {
	n, _ := strconv.Atoi(number)
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
	const longest = maxYears * 366 * 24 * 60 * 60
	if n > longest || u.time > 0 && n > int(longestTime/u.time) {
		return "Write a shorter window."
	}
	i.Months += n * u.months
	i.Days += n * u.days
	i.Time += time.Duration(n) * u.time
	if i.Time < 0 || i.Time > longestTime {
		return "Write a shorter window."
	}
	return ""
}

// longestTime is as much as hours, minutes and seconds may add up to: 100 years.
const longestTime = 100 * 366 * 24 * time.Hour

func (i *Interval) addClock(m []string) string {
	for k, u := range []time.Duration{time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi("0" + m[k+1])
		if n > int(longestTime/u) {
			return "Write a shorter window."
		}
		i.Time += time.Duration(n) * u
	}
	if i.Time > longestTime {
		return "Write a shorter window."
	}
	return ""
}

// normal is the one spelling of an interval: years and months, days, and hours, minutes or
// seconds, whichever is exact.
func (i Interval) normal() string {
	var parts []string
	parts = counted(parts, int64(i.Months/12), "year")
	parts = counted(parts, int64(i.Months%12), "month")
	parts = counted(parts, int64(i.Days), "day")
	switch {
	case i.Time%time.Hour == 0:
		parts = counted(parts, int64(i.Time/time.Hour), "hour")
	case i.Time%time.Minute == 0:
		parts = counted(parts, int64(i.Time/time.Minute), "minute")
	default:
		parts = counted(parts, int64(i.Time/time.Second), "second")
	}
	if len(parts) == 0 {
		return "0 days"
	}
	return strings.Join(parts, " ")
}

func counted(parts []string, n int64, name string) []string {
	switch n {
	case 0:
		return parts
	case 1:
		return append(parts, "1 "+name)
	}
	return append(parts, fmt.Sprintf("%d %ss", n, name))
}
