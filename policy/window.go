package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

var tierShape = shape{keys: []string{"when", "then", "else"}}

// window is an interval, a map for one from data, or a list of tiers: SQL's CASE, in which a row
// that meets no tier is never due. Zero says whether an interval of zero is allowed.
func (r *reader) window(f field, zero bool, s scope) Window {
	w := Window{Position: r.at(f.value)}
	switch resolve(f.value).Kind {
	case yaml.MappingNode:
		if d := r.windowData(f, s); d != nil {
			w.Tiers = []Tier{{Data: d, Position: d.Position}}
		}
	case yaml.SequenceNode:
		w.Tiers = r.tiers(f, zero, s)
	default:
		if i, ok := r.interval(f, zero); ok {
			w.Tiers = []Tier{{Interval: i, Position: i.Position}}
		}
	}
	return w
}

func (r *reader) tiers(f field, zero bool, s scope) []Tier {
	items := r.list(f)
	var tiers []Tier
	for i, item := range items {
		m, ok := r.mapping(item, "a tier", tierShape)
		if !ok {
			continue
		}
		if m.has("else") && i < len(items)-1 {
			r.add(codeTiers, r.at(m.fields["else"].key), `"else" must be the last tier`, "A tier behind it would never be reached.", "")
		}
		tiers = append(tiers, r.tier(m, zero, s))
	}
	if len(items) == 0 || len(items) == 1 && tierIsElse(items[0]) {
		r.add(codeTiers, r.at(f.value), fmt.Sprintf("%q has no tier with \"when\"", f.name()), "", "Write one interval, or {when: ..., then: ...} and {else: ...}.")
	}
	return tiers
}

func tierIsElse(item field) bool {
	node := resolve(item.value)
	return node.Kind == yaml.MappingNode && len(node.Content) == 2 && node.Content[0].Value == "else"
}

func (r *reader) tier(m mapping, zero bool, s scope) Tier {
	tier := Tier{Position: r.at(m.from.value)}
	value, isElse := m.fields["else"]
	if isElse && (m.has("when") || m.has("then")) {
		r.add(codeTiers, r.at(value.key), `"else" stands alone in its tier`, "", "Write it as a list item of its own, the last one.")
		return tier
	}
	if !isElse {
		when, ok := m.require("when")
		if ok {
			tier.When = r.expression(when, s)
		}
		if value, ok = m.require("then"); !ok {
			return tier
		}
	}
	if isNull(value) {
		tier.Never = true
		return tier
	}
	if resolve(value.value).Kind == yaml.MappingNode {
		tier.Data = r.windowData(value, s)
		return tier
	}
	tier.Interval, _ = r.interval(value, zero)
	return tier
}

var (
	windowUnits = []string{"years", "months", "weeks", "days", "hours", "minutes", "seconds", "interval"}
	boundaries  = []string{"else", "never", "at_least", "at_most"}
	windowShape = shape{keys: append(append([]string{}, windowUnits...), boundaries...)}
)

// windowData is a window that the row gives, or a constant one with bounds.
func (r *reader) windowData(f field, s scope) *WindowData {
	m, ok := r.mapping(f, fmt.Sprintf("window %q", f.name()), windowShape)
	if !ok {
		return nil
	}
	d := &WindowData{Position: r.at(f.value), Unit: r.unit(m)}
	if d.Unit == "" {
		return d
	}
	d.AtLeast = r.amount(m.fields["at_least"], d.Unit)
	d.AtMost = r.amount(m.fields["at_most"], d.Unit)
	if value := m.fields[d.Unit]; d.Unit != "interval" && isNumber(value) {
		d.Else = r.amount(value, d.Unit)
		r.constant(m)
	} else {
		if !r.writtenOut(value, d.Unit) {
			d.Value = r.expression(value, s)
		}
		d.NeverValues = r.literals(m.fields["never"])
		if otherwise, ok := m.fields["else"]; ok && !isNull(otherwise) {
			d.Else = r.amount(otherwise, d.Unit)
		}
	}
	r.windowBounds(d, f.name())
	return d
}

// writtenOut refuses an interval or a bare number in the place of an expression.
func (r *reader) writtenOut(f field, unit string) bool {
	var i Interval
	node := resolve(f.value)
	if isNumber(f) { // of type interval
		r.wrongKind(f, f.label(), "an SQL expression of type interval")
		return true
	}
	if node.Kind != yaml.ScalarNode || i.parse(node.Value) != "" {
		return false
	}
	r.add(codeWindow, r.at(f.value), fmt.Sprintf("%q takes an expression, not %q", unit, node.Value), "", "Write a constant as a number with its unit, for example {days: 7, at_least: 1}.")
	return true
}

// unit is the one key that says how the value counts.
func (r *reader) unit(m mapping) string {
	var units []string
	for _, key := range m.order {
		if contains(windowUnits, key) {
			units = append(units, key)
		}
	}
	if len(units) == 1 {
		return units[0]
	}
	r.add(codeConflict, r.fieldAt(m.from), m.what+" needs exactly one unit", "Units: "+strings.Join(windowUnits, ", ")+".", `Write for example {days: "o.days", else: 30, at_least: 7}.`)
	return ""
}

// constant refuses what a number that is always there cannot need.
func (r *reader) constant(m mapping) {
	for _, key := range []string{"else", "never"} {
		if f, ok := m.fields[key]; ok {
			r.add(codeConflict, r.at(f.key), fmt.Sprintf("a constant cannot have %q", key), "The value is a number, so it is never NULL.", "Put an SQL expression in quotes, or remove the key.")
		}
	}
}

// amount is a number in the unit, or an interval.
func (r *reader) amount(f field, unit string) *Interval {
	if f.value == nil {
		return nil
	}
	if !isNumber(f) || unit == "interval" {
		if i, ok := r.interval(f, true); ok {
			return &i
		}
		return nil
	}
	n, ok := r.integer(f)
	if !ok {
		return nil
	}
	i := Interval{Position: r.at(f.value)}
	if n < 0 || n > 999999999 {
		r.add(codeNumber, i.Position, fmt.Sprintf("%s %d is out of range", f.name(), n), "", "Write a number from 0 to 999999999.")
		return nil
	}
	if hint := i.addUnit(strconv.FormatInt(n, 10), unit); hint != "" {
		r.add(codeWindowBound, i.Position, fmt.Sprintf("window \"%d %s\" is too long", n, unit), "", hint)
		return nil
	}
	r.longest(i, fmt.Sprintf("%d %s", n, unit))
	i.Text = i.normal()
	return &i
}

// windowBounds checks what the bounds of a window say of each other and of its else.
func (r *reader) windowBounds(d *WindowData, name string) {
	if d.Else != nil && d.Else.zero() && (d.AtLeast == nil || !d.AtLeast.zero()) {
		r.add(codeWindowBound, d.Else.Position, fmt.Sprintf("window %q is zero", name), "Every row with a clock in the past would go.", `Write a longer window, or "at_least: 0" beside it.`)
		return
	}
	if d.AtMost != nil && d.AtMost.zero() && (d.AtLeast == nil || !d.AtLeast.zero()) {
		r.add(codeBounds, d.AtMost.Position, `"at_most" is zero`, "", `Write a longer interval, or "at_least: 0" beside it.`)
		return
	}
	r.above(d.AtLeast, d.AtMost, `"at_least" %s is above "at_most" %s`)
	r.above(d.AtLeast, d.Else, `"at_least" %s is above the window %s`)
	r.above(d.Else, d.AtMost, `the window %s is above "at_most" %s`)
}

func (r *reader) above(low, high *Interval, message string) {
	if low != nil && high != nil && low.surelyLonger(*high) {
		r.add(codeBounds, high.Position, fmt.Sprintf(message, low.Text, high.Text), "", "Correct one of the two.")
	}
}

func (i Interval) zero() bool { return i.Months == 0 && i.Days == 0 && i.Time == 0 }

// surelyLonger says whether i is longer than other, from whatever day both are counted back: a
// year has 365 or 366 days, a month 28 to 31, and a change of the clocks moves a day.
func (i Interval) surelyLonger(other Interval) bool {
	months, days, rest := i.Months-other.Months, i.Days-other.Days, i.Time-other.Time
	switch {
	case months == 0 && days == 0:
		return rest > 0
	case months == 0 && rest == 0:
		return days > 0
	case days == 0 && rest == 0:
		return months > 0
	}
	perYear, perMonth := 365, 28
	if months < 0 {
		perYear, perMonth = 366, 31
	}
	shortest := months/12*perYear + months%12*perMonth + days
	return float64(shortest-1)*24+rest.Hours() > 0
}

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
