package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// window is an interval, a map for one from data, or a list of tiers: SQL's CASE, in which a row
// that meets no tier is never due. Only a grace may be zero.
func (w *Window) read(r *reader, f field) bool {
	zero := f.name() == "grace"
	w.Position = r.at(f.value)
	switch resolve(f.value).Kind {
	case yaml.MappingNode:
		if d := r.windowData(f); d != nil {
			w.Tiers = []Tier{{Data: d, Position: d.Position}}
		}
	case yaml.SequenceNode:
		w.Tiers = r.tiers(f, zero)
	default:
		if i, ok := r.interval(f, zero); ok {
			w.Tiers = []Tier{{Interval: i, Position: i.Position}}
		}
	}
	return true
}

var tierKeys = []string{"when", "then", "else"}

func (r *reader) tiers(f field, zero bool) []Tier {
	items := r.list(f)
	var tiers []Tier
	for i, item := range items {
		m, ok := r.mapping(item, "a tier", tierKeys)
		if !ok {
			continue
		}
		if m.has("else") && i < len(items)-1 {
			r.add(codeTiers, r.at(m.fields["else"].key), `"else" must be the last tier`, "A tier behind it would never be reached.", "")
		}
		tiers = append(tiers, r.tier(m, zero))
	}
	if len(items) == 0 || len(items) == 1 && keyNode(items[0], "else") != nil && len(resolve(items[0].value).Content) == 2 {
		r.add(codeTiers, r.at(f.value), fmt.Sprintf("%q has no tier with \"when\"", f.name()), "", "Write one interval, or {when: ..., then: ...} and {else: ...}.")
	}
	return tiers
}

func (r *reader) tier(m mapping, zero bool) Tier {
	tier := Tier{Position: r.at(m.from.value)}
	value, isElse := m.fields["else"]
	if isElse && (m.has("when") || m.has("then")) {
		r.add(codeTiers, r.at(value.key), `"else" stands alone in its tier`, "", "Write it as a list item of its own, the last one.")
		return tier
	}
	if !isElse {
		if when, ok := m.require("when"); ok {
			r.value(when, &tier.When, "")
		}
		var ok bool
		if value, ok = m.require("then"); !ok {
			return tier
		}
	}
	switch {
	case isNull(value):
		tier.Never = true
	case value.is(yaml.MappingNode):
		tier.Data = r.windowData(value)
	default:
		tier.Interval, _ = r.interval(value, zero)
	}
	return tier
}

var (
	windowUnits = []string{"years", "months", "weeks", "days", "hours", "minutes", "seconds", "interval"}
	boundaries  = []string{"else", "never", "at_least", "at_most"}
	windowKeys  = slices.Concat(windowUnits, boundaries)
)

// windowData is a window that the row gives, or a constant one with bounds.
func (r *reader) windowData(f field) *WindowData {
	m, ok := r.mapping(f, fmt.Sprintf("window %q", f.name()), windowKeys)
	if !ok {
		return nil
	}
	units := slices.DeleteFunc(slices.Clone(m.order), func(key string) bool { return !slices.Contains(windowUnits, key) })
	if len(units) != 1 {
		r.add(codeConflict, r.fieldAt(m.from), m.what+" needs exactly one unit", "Units: "+strings.Join(windowUnits, ", ")+".", `Write for example {days: "o.days", else: 30, at_least: 7}.`)
		return nil
	}
	d := &WindowData{Unit: units[0]}
	d.fill(r, m, m.fields[d.Unit], func(f field) *Interval { return r.amount(f, d.Unit) })
	r.windowBounds(d, f.name())
	return d
}

// fill reads a value that the row gives, or a number that is always there, with its bounds; amount reads one of these.
func (d *Data[T]) fill(r *reader, m mapping, value field, amount func(field) *T) {
	d.Position = r.at(m.from.value)
	constant := d.Unit != "interval" && isNumber(value)
	switch {
	case constant:
		d.Else = amount(value)
	case d.Unit == "" || !r.isConstant(value, d.Unit):
		r.value(value, &d.Value, "")
	}
	for _, key := range boundaries {
		f, ok := m.fields[key]
		switch {
		case !ok:
		case constant && (key == "else" || key == "never"):
			r.add(codeConflict, r.at(f.key), fmt.Sprintf("a constant cannot have %q", key), "The value is a number, so it is never NULL.", "Put an SQL expression in quotes, or remove the key.")
		case key == "never":
			r.value(f, &d.NeverValues, "literal")
		case key == "at_least":
			d.AtLeast = amount(f)
		case key == "at_most":
			d.AtMost = amount(f)
		case !isNull(f):
			d.Else = amount(f)
		}
	}
}

// isConstant refuses an interval or a bare number in the place of an expression.
func (r *reader) isConstant(f field, unit string) bool {
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

// amount is a number in the unit, or an interval.
func (r *reader) amount(f field, unit string) *Interval {
	if !isNumber(f) || unit == "interval" {
		if i, ok := r.interval(f, true); ok {
			return &i
		}
		return nil
	}
	n, ok := r.within(f, 0, 999999999)
	if !ok {
		return nil
	}
	i := Interval{Position: r.at(f.value)}
	if hint := i.addUnit(strconv.FormatInt(n, 10), unit); hint != "" {
		r.add(codeWindowBound, i.Position, fmt.Sprintf("window \"%d %s\" is too long", n, unit), "", hint)
		return nil
	}
	r.tooLong(i, fmt.Sprintf("%d %s", n, unit))
	i.Text = i.normal()
	return &i
}

// windowBounds checks what the bounds of a window say of each other and of its else.
func (r *reader) windowBounds(d *WindowData, name string) {
	maybeZero := d.AtLeast != nil && d.AtLeast.Zero()
	switch {
	case d.Else != nil && d.Else.Zero() && !maybeZero:
		r.add(codeWindowBound, d.Else.Position, fmt.Sprintf("window %q is zero", name), "Every row with a clock in the past would go.", `Write a longer window, or "at_least: 0" beside it.`)
		return
	case d.AtMost != nil && d.AtMost.Zero() && !maybeZero:
		r.add(codeBounds, d.AtMost.Position, `"at_most" is zero`, "", `Write a longer interval, or "at_least: 0" beside it.`)
		return
	}
	d.checkBounds(r, "the window", Interval.LongerThan,
		func(i Interval) (string, diag.Position) { return i.Text, i.Position })
}

// checkBounds holds that what data give lies within its bounds, where it is a constant or missing.
func (d *Data[T]) checkBounds(r *reader, what string, above func(a, b T) bool, show func(T) (string, diag.Position)) {
	for _, pair := range []struct {
		low, high         *T
		lowName, highName string
	}{
		{d.AtLeast, d.AtMost, `"at_least"`, `"at_most"`},
		{d.AtLeast, d.Else, `"at_least"`, what},
		{d.Else, d.AtMost, what, `"at_most"`},
	} {
		if pair.low != nil && pair.high != nil && above(*pair.low, *pair.high) {
			low, _ := show(*pair.low)
			high, at := show(*pair.high)
			r.add(codeBounds, at, fmt.Sprintf("%s %s is above %s %s", pair.lowName, low, pair.highName, high), "", "Correct one of the two.")
		}
	}
}

// SettableWindow is the window that may be set at run time; nil where there is none, or more than one. Of a claim it is
// the time to live.
func (p *Policy) SettableWindow() *WindowData {
	var windows []Window
	if p.Claim != nil {
		windows = append(windows, p.Claim.TTL)
	} else {
		windows = lists.Map(p.DueClocks(), func(c *Clock) Window { return c.Window })
	}
	var found []*WindowData
	for _, window := range windows {
		if len(window.Tiers) != 1 {
			continue
		}
		if d := window.Tiers[0].Data; d != nil && d.AtLeast != nil && d.Else != nil {
			found = append(found, d)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}
