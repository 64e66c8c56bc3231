package policy

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

const maxFirst = 1000000000

var countShape = shape{keys: append([]string{"count"}, boundaries...)}

// first is how many rows of a rank have a place that counts: a number, or a map whose count the
// row gives. A map with a number is that number, and may be zero.
func (r *reader) first(rank *Rank, f field, s scope) {
	if resolve(f.value).Kind != yaml.MappingNode {
		rank.First = r.firstNumber(f)
		return
	}
	m, ok := r.mapping(f, `"first"`, countShape)
	if !ok {
		return
	}
	count, ok := m.require("count")
	if !ok {
		return
	}
	d := &CountData{Position: r.at(f.value)}
	d.AtLeast, d.AtMost = r.number0(m.fields["at_least"]), r.number0(m.fields["at_most"])
	if isNumber(count) {
		r.constant(m)
		if d.Else = r.number0(count); d.Else != nil {
			rank.First = *d.Else
		}
		r.countBounds(d)
		return
	}
	if e := r.expression(count, scope{names: s.names}); e != nil {
		d.Value = *e
	}
	d.NeverValues = r.literals(m.fields["never"])
	if otherwise, ok := m.fields["else"]; ok && !isNull(otherwise) {
		d.Else = r.number0(otherwise)
	}
	r.countBounds(d)
	rank.Count = d
}

func (r *reader) firstNumber(f field) int64 {
	n, ok := r.integer(f)
	switch {
	case ok && n == 0:
		r.add(codeNumber, r.at(f.value), "first 0 is out of range", "No row would have a place.", "Write a number from 1 to 1000000000, or {count: 0, at_least: 0} where zero is meant.")
	case ok && (n < 0 || n > maxFirst):
		r.add(codeNumber, r.at(f.value), fmt.Sprintf("first %d is out of range", n), "", fmt.Sprintf("Write a number from 1 to %d.", maxFirst))
	case ok:
		return n
	}
	return 1
}

// number0 is a number from zero, nil where there is none.
func (r *reader) number0(f field) *int64 {
	if f.value == nil {
		return nil
	}
	n, ok := r.integer(f)
	if !ok {
		return nil
	}
	if n < 0 || n > maxFirst {
		r.add(codeNumber, r.at(f.value), fmt.Sprintf("%s %d is out of range", f.name(), n), "", fmt.Sprintf("Write a number from 0 to %d.", maxFirst))
		return nil
	}
	return &n
}

func (r *reader) countBounds(d *CountData) {
	if d.Else != nil && *d.Else == 0 && (d.AtLeast == nil || *d.AtLeast != 0) {
		r.add(codeNumber, d.Position, `"first" is zero`, "No row would have a place.", `Write a higher number, or "at_least: 0" beside it.`)
		return
	}
	for _, pair := range []struct {
		low, high *int64
		message   string
	}{
		{d.AtLeast, d.AtMost, `"at_least" %d is above "at_most" %d`},
		{d.AtLeast, d.Else, `"at_least" %d is above the number %d`},
		{d.Else, d.AtMost, `the number %d is above "at_most" %d`},
	} {
		if pair.low != nil && pair.high != nil && *pair.low > *pair.high {
			r.add(codeBounds, d.Position, fmt.Sprintf(pair.message, *pair.low, *pair.high), "", "Correct one of the two.")
		}
	}
}
