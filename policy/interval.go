package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Zero says whether an interval is none.
func (i Interval) Zero() bool { return i.Months == 0 && i.Days == 0 && i.Time == 0 }

// LongerThan says whether i is longer than other, from whatever day both are counted back.
func (i Interval) LongerThan(other Interval) bool {
	more := Interval{Months: i.Months - other.Months, Days: i.Days - other.Days, Time: i.Time - other.Time}
	if more.Months >= 0 && more.Days >= 0 && more.Time >= 0 {
		return !more.Zero()
	}
	// What both have in common may be left out, or not: either is enough.
	margin := i.clockChange() + other.clockChange()
	return more.shortest() > margin || i.shortest()-other.longest() > margin
}

// NotLongerThan says so of at most as long.
func (i Interval) NotLongerThan(other Interval) bool {
	return i.Months == other.Months && i.Days == other.Days && i.Time == other.Time || other.LongerThan(i)
}

// shortest and longest are the hours that an interval has at least and at most, with months of 28 to 31 days and
// years of 365 and 366.
func (i Interval) shortest() float64 {
	if i.Months < 0 {
		return -Interval{Months: -i.Months, Days: -i.Days, Time: -i.Time}.longest()
	}
	return float64(i.Months/12*365+i.Months%12*28+i.Days)*24 + i.Time.Hours()
}

func (i Interval) longest() float64 {
	return float64(i.Months/12*366+i.Months%12*31+i.Days)*24 + i.Time.Hours()
}

// clockChange is by how many hours a change of the clocks moves an interval that counts days.
func (i Interval) clockChange() float64 {
	if i.Months == 0 && i.Days == 0 {
		return 0
	}
	return 1
}

// units are what one of a word adds to an interval.
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
	// maxYears keeps every cutoff inside the range of a timestamp.
	// https://www.postgresql.org/docs/current/datatype-datetime.html
	maxYears = 1000
	// maxTime is as much as hours, minutes and seconds may add up to: 100 years.
	maxTime = 100 * 366 * 24 * time.Hour

	intervalHint = `Write a PostgreSQL interval, for example "90 days", "1 month" or "24 hours".`
	shorterHint  = "Write a shorter window."
)

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
	if !r.tooLong(i, text) && !zero && i.Zero() {
		r.add(codeWindowBound, i.Position, fmt.Sprintf("window %q is zero", text), "Every row with a clock in the past would go.", "Write a longer window.")
	}
	i.Text = i.normal()
	return i, true
}

func (r *reader) tooLong(i Interval, text string) bool {
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
			for k, name := range []string{"hour", "minute", "second"} {
				if hint := i.addUnit(m[k+1], name); hint != "" {
					return hint
				}
			}
			return ""
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
	n, _ := strconv.Atoi(number) // "" where HH:MM has no seconds
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
	if n > maxYears*366*24*60*60 || u.Time > 0 && n > int(maxTime/u.Time) {
		return shorterHint
	}
	i.Months += n * u.Months
	i.Days += n * u.Days
	i.Time += time.Duration(n) * u.Time
	if i.Time < 0 || i.Time > maxTime {
		return shorterHint
	}
	return ""
}

// normal is the one spelling of an interval: years and months, days, and hours, minutes or
// seconds, whichever is exact.
func (i Interval) normal() string {
	var parts []string
	add := func(n int64, name string) {
		switch n {
		case 0:
		case 1:
			parts = append(parts, "1 "+name)
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", n, name))
		}
	}
	add(int64(i.Months/12), "year")
	add(int64(i.Months%12), "month")
	add(int64(i.Days), "day")
	switch {
	case i.Time%time.Hour == 0:
		add(int64(i.Time/time.Hour), "hour")
	case i.Time%time.Minute == 0:
		add(int64(i.Time/time.Minute), "minute")
	default:
		add(int64(i.Time/time.Second), "second")
	}
	if len(parts) == 0 {
		return "0 days"
	}
	return strings.Join(parts, " ")
}
