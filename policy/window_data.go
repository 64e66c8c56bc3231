package policy

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
