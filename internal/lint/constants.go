package lint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/pgparse"
)

// kind is what literals mean beside a column.
type kind int

const (
	unclear  kind = iota // a text may be anything: a time, an address, a document
	numbers              // numbers of any width
	letters              // texts, of which two may still be equal to their collation
	labels               // of a type of the user's: an enumeration, or a domain
	booleans             // true and false
)

var (
	isoDay   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	label    = regexp.MustCompile(`^[A-Za-z][A-Za-z _-]*$`)
	switches = strings.Fields("t true y yes on f false n no off now today tomorrow yesterday epoch infinity allballs")
)

// differ says whether two literals are two values for certain.
func differ(a, b pgparse.Constant, of kind) bool {
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == pgparse.NumberConstant:
		x, y, ok := asNumbers(a, b)
		return ok && x != y
	case a.Kind == pgparse.BooleanConstant:
		return a.Text != b.Text
	case of == letters:
		return plain(a.Text) && plain(b.Text) && folded(a.Text) != folded(b.Text)
	case of == labels:
		return isLabel(a.Text) && isLabel(b.Text) && folded(a.Text) != folded(b.Text)
	case isoDay.MatchString(a.Text) && isoDay.MatchString(b.Text):
		return a.Text != b.Text
	}
	return false
}

// less says whether a is below b for certain.
func less(a, b pgparse.Constant) bool {
	if a.Kind == pgparse.NumberConstant && b.Kind == pgparse.NumberConstant {
		x, y, ok := asNumbers(a, b)
		return ok && x < y
	}
	return a.Kind == pgparse.TextConstant && b.Kind == pgparse.TextConstant &&
		isoDay.MatchString(a.Text) && isoDay.MatchString(b.Text) && a.Text < b.Text
}

// asNumbers reads two numbers with as many digits as a double precision has, in which PostgreSQL may
// compare them, so that what differs here differs there.
func asNumbers(a, b pgparse.Constant) (x, y float64, ok bool) {
	x, wrong := strconv.ParseFloat(a.Text, 64)
	y, alsoWrong := strconv.ParseFloat(b.Text, 64)
	return x, y, wrong == nil && alsoWrong == nil
}

func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 126 })
}

// folded leaves what no collation passes over.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(text))
}

func isLabel(text string) bool {
	return label.MatchString(text) && !slices.Contains(switches, strings.ToLower(text))
}

// only intersects the list of values with another.
func (v *values) only(list []pgparse.Constant, of kind) {
	if v.any {
		v.any, v.list = false, slices.Clone(list)
		return
	}
	v.list = slices.DeleteFunc(v.list, func(a pgparse.Constant) bool {
		return !slices.ContainsFunc(list, func(b pgparse.Constant) bool { return !differ(a, b, of) })
	})
}

// below and above keep the narrower bound, where it can be told.
func (v *values) below(b bound) {
	if v.high == nil || less(b.value, v.high.value) || b.strict && b.value == v.high.value {
		v.high = &b
	}
}

func (v *values) above(b bound) {
	if v.low == nil || less(v.low.value, b.value) || b.strict && b.value == v.low.value {
		v.low = &b
	}
}

// empty says whether no value is left for certain.
func (v *values) empty(of kind) bool {
	if v.low != nil && v.high != nil && (less(v.high.value, v.low.value) ||
		v.low.value == v.high.value && (v.low.strict || v.high.strict)) {
		return true
	}
	list := v.list
	if v.any {
		if of != booleans {
			return false
		}
		list = []pgparse.Constant{{Kind: pgparse.BooleanConstant, Text: "true"}, {Kind: pgparse.BooleanConstant, Text: "false"}}
	}
	return !slices.ContainsFunc(list, v.admits)
}

// admits is false where a value is excluded for certain.
func (v *values) admits(c pgparse.Constant) bool {
	switch {
	case slices.Contains(v.not, c):
		return false
	case v.low != nil && (less(c, v.low.value) || v.low.strict && c == v.low.value):
		return false
	case v.high != nil && (less(v.high.value, c) || v.high.strict && c == v.high.value):
		return false
	}
	return true
}
