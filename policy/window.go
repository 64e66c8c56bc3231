package policy

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
)

// read reads a window: an interval, a map for a window from data, or a list of tiers. The list
// works like SQL's CASE: if no tier applies to a row, the row is never due. Only the window "grace"
// may be zero.
func (w *Window) read(r *reader, f field) {
	w.Position = r.at(f.value)
	zero := f.name() == "grace"
	if !f.is(yaml.SequenceNode) {
		w.Tiers = make([]Tier, 1)
		w.Tiers[0].length(r, f, zero)
		return
	}
	before := len(r.diags)
	items := r.list(f)
	w.Tiers = make([]Tier, len(items))
	for i, item := range items {
		r.try(func() { w.Tiers[i].read(r, item, i == len(items)-1, zero) })
	}
	if len(r.diags) == before && !slices.ContainsFunc(w.Tiers, func(t Tier) bool { return t.When != nil }) {
		r.add(messages.TiersWithoutWhen(f.name()), w.Position)
	}
}

var tierKeys = []string{"when", "then", "else"}

func (t *Tier) read(r *reader, f field, last, zero bool) {
	m := r.mapping(f, "a tier", tierKeys)
	value, isElse := m.fields["else"]
	if isElse && !last {
		r.add(messages.ElseNotLast, r.at(value.key))
	}
	if isElse && m.has("when", "then") {
		r.fail(messages.ElseNotAlone, r.at(value.key))
	}
	if !isElse {
		m.require("when")
		m.readKey("when", &t.When, "")
		var ok bool
		if value, ok = m.require("then"); !ok {
			return
		}
	}
	if t.Never = isNull(value); !t.Never {
		t.length(r, value, zero)
	}
}

// length reads an interval, or a map for a window from data.
func (t *Tier) length(r *reader, f field, zero bool) {
	if f.is(yaml.MappingNode) {
		t.Data = r.windowData(f)
	} else {
		t.Interval = r.interval(f, zero)
	}
}

var (
	windowUnits = []string{"years", "months", "weeks", "days", "hours", "minutes", "seconds", "interval"}
	boundaries  = []string{"else", "never", "at_least", "at_most"}
	windowKeys  = slices.Concat(windowUnits, boundaries)
)

// windowData reads a window that comes from the row, or a constant window with bounds.
func (r *reader) windowData(f field) *WindowData {
	m := r.mapping(f, fmt.Sprintf("window %q", f.name()), windowKeys)
	units := slices.DeleteFunc(slices.Clone(windowUnits), func(unit string) bool { return !m.has(unit) })
	if len(units) != 1 {
		r.fail(messages.OneUnit(m.what, windowUnits), r.fieldAt(m.from))
	}
	d := &WindowData{Unit: units[0]}
	d.fill(r, m, m.fields[d.Unit], func(f field) Interval { return r.amount(f, d.Unit) })
	maybeZero := d.AtLeast != nil && d.AtLeast.Zero()
	switch {
	case d.Else != nil && d.Else.Zero() && !maybeZero:
		r.fail(messages.ZeroWindow(f.name(), true), d.Else.Position)
	case d.AtMost != nil && d.AtMost.Zero() && !maybeZero:
		r.fail(messages.AtMostZero, d.AtMost.Position)
	}
	d.checkBounds(r, "the window", Interval.LongerThan,
		func(i Interval) (string, diag.Position) { return i.Text, i.Position })
	return d
}

// fill reads a value with its bounds. The value is an expression on the row, or a constant number.
// fill calls the function "amount" to read a constant.
func (d *Data[T]) fill(r *reader, m mapping, value field, amount func(field) T) {
	d.Position = r.at(m.from.value)
	bound := func(f field, into **T) {
		r.try(func() { *into = new(amount(f)) })
	}
	constant := d.Unit != "interval" && isNumber(value)
	if constant {
		bound(value, &d.Else)
		m.refuse(messages.KeyOfConstant, "else", "never")
	} else {
		r.try(func() {
			r.refuseConstant(value, d.Unit)
			r.read(value, &d.Value, "")
		})
		m.readKey("never", &d.NeverValues, "literal")
		if m.has("else") && !isNull(m.fields["else"]) {
			bound(m.fields["else"], &d.Else)
		}
	}
	for key, into := range map[string]**T{"at_least": &d.AtLeast, "at_most": &d.AtMost} {
		if m.has(key) {
			bound(m.fields[key], into)
		}
	}
}

// refuseConstant refuses an interval or a bare number where an expression is expected.
func (r *reader) refuseConstant(f field, unit string) {
	node := resolve(f.value)
	switch {
	case unit == "" || node.Kind != yaml.ScalarNode:
	case isNumber(f): // of unit "interval"
		r.wrongKind(f, f.label(), "an SQL expression of type interval")
	case new(Interval).parse(node.Value) == "":
		r.fail(messages.ConstantUnit(unit, node.Value), r.at(f.value))
	}
}

// amount reads a number of the unit, or an interval.
func (r *reader) amount(f field, unit string) Interval {
	if !isNumber(f) || unit == "interval" {
		return r.interval(f, true)
	}
	i, number := Interval{Position: r.at(f.value)}, strconv.FormatInt(r.within(f, 0, 999999999), 10)
	hint := i.addUnit(number, unit)
	i.bounded(r, number+" "+unit, hint)
	return i
}

// checkBounds checks that a constant, or the amount for NULL, lies within the bounds. The hint says
// what either value would have to be. A constant has no key of its own that the hint could name.
func (d *Data[T]) checkBounds(r *reader, what string, above func(a, b T) bool, show func(T) (string, diag.Position)) {
	least, most, other := `"at_least"`, `"at_most"`, "else"
	if d.Value == nil {
		other = ""
	}
	for _, pair := range []struct {
		low, high         *T
		lowName, highName string
		lowKey, highKey   string
	}{
		{d.AtLeast, d.AtMost, least, most, "at_least", "at_most"},
		{d.AtLeast, d.Else, least, what, "at_least", other},
		{d.Else, d.AtMost, what, most, other, "at_most"},
	} {
		if pair.low != nil && pair.high != nil && above(*pair.low, *pair.high) {
			low, _ := show(*pair.low)
			high, at := show(*pair.high)
			r.add(messages.Contradict(messages.Bounds{Low: pair.lowName + " " + low, High: pair.highName + " " + high,
				LowKey: pair.lowKey, Lower: high, HighKey: pair.highKey, Higher: low}), at)
		}
	}
}

// SettableWindow returns the window that may be set at run time. It returns nil if the policy has
// no such window, or more than one. For a claim it is the time to live.
func (p *Policy) SettableWindow() *WindowData {
	windows := lists.Map(p.DueClocks(), func(c *Clock) Window { return c.Window })
	if p.Claim != nil {
		windows = []Window{p.Claim.TTL}
	}
	var found []*WindowData
	for _, w := range windows {
		if len(w.Tiers) == 1 {
			if d := w.Tiers[0].Data; d != nil && d.AtLeast != nil && d.Else != nil {
				found = append(found, d)
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}
