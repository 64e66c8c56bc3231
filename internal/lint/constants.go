package lint

import (
	"maps"
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

// facts are what is known of the columns of a row, and of conditions that are not understood.
type facts struct {
	columns map[string]values
	opaque  map[string]truth
}

// values are what a column may be.
type values struct {
	notNull, isNull bool
	any             bool // no list
	list            []pgparse.Constant
	not             []pgparse.Constant
	low, high       *bound
}

// bound is an end of a range.
type bound struct {
	value  pgparse.Constant
	strict bool
}

// with is what is known when a condition without parts is one of a set, false where that cannot be.
func (f facts) with(r *row, w wish) (facts, bool) {
	switch w.c.Form {
	case pgparse.Fixed:
		return f, valueOf(w.c.Values[0])&w.is != 0
	case pgparse.IsNull:
		return f.nullness(r, w, w.is&yes != 0, w.is&no != 0)
	case pgparse.Distinct:
		return f.distinct(r, w)
	case pgparse.Compare, pgparse.OneOf, pgparse.Boolean:
		return f.compared(r, w)
	}
	return f.unknown(r, w)
}

// unknown keeps what two conditions with one text have in common, and that strict ones need values.
func (f facts) unknown(r *row, w wish) (facts, bool) {
	is := w.is
	if w.c.Never {
		is &^= null
	}
	if is&null == 0 {
		for _, column := range w.c.Strict {
			var ok bool
			if f, ok = f.narrow(r, w, column, "", func(v *values) { v.notNull = true }); !ok {
				return f, false
			}
		}
	}
	if w.c.Stable && w.c.Text != "" {
		key := w.after.name("") + "\x00" + w.c.Text
		if before, ok := f.opaque[key]; ok {
			is &= before
		}
		f.opaque = maps.Clone(f.opaque)
		if f.opaque == nil {
			f.opaque = map[string]truth{}
		}
		f.opaque[key] = is
	}
	return f, is != 0
}

// narrow changes what is known of one column; false where nothing is left.
func (f facts) narrow(r *row, w wish, column, cast string, change func(*values)) (facts, bool) {
	key := w.after.name(column) + "\x00" + column + "\x00" + cast
	v, ok := f.columns[key]
	if !ok {
		v = values{any: true, notNull: r.notNull(column)}
	}
	v.list, v.not = slices.Clone(v.list), slices.Clone(v.not)
	change(&v)
	f.columns = maps.Clone(f.columns)
	if f.columns == nil {
		f.columns = map[string]values{}
	}
	f.columns[key] = v
	if v.isNull && v.notNull {
		return f, false
	}
	return f, !v.notNull || !v.empty(r.kind(column, cast))
}

func (f facts) nullness(r *row, w wish, mayBe, mayNot bool) (facts, bool) {
	if mayBe && mayNot {
		return f, true
	}
	var ok bool
	for _, cast := range casts(w.c.Left.Cast) {
		if f, ok = f.narrow(r, w, w.c.Left.Column, cast, func(v *values) {
			v.isNull, v.notNull = v.isNull || mayBe, v.notNull || mayNot
		}); !ok {
			return f, false
		}
	}
	return f, true
}

// casts are the ways in which a column may have been named: NULL is NULL under each.
func casts(cast string) []string {
	if cast == "" {
		return []string{""}
	}
	return []string{"", cast}
}

func (f facts) distinct(r *row, w wish) (facts, bool) {
	switch w.is &^ null {
	case yes | no:
		return f, true
	case yes: // NULL is distinct, too
		return f.narrow(r, w, w.c.Left.Column, w.c.Left.Cast, func(v *values) { v.not = append(v.not, w.c.Values...) })
	case no:
		return f.oneValue(r, w, true, false)
	}
	return f, false
}

// compared is a comparison with constants: it is NULL exactly where the column is, or the list has one.
func (f facts) compared(r *row, w wish) (facts, bool) {
	is := w.is
	if w.c.HasNull {
		if is&null != 0 {
			return f, true
		}
		is &^= no
	}
	switch is {
	case 0:
		return f, false
	case null, yes | no:
		return f.nullness(r, w, is == null, is != null)
	}
	return f.oneValue(r, w, is&yes != 0, is&null != 0)
}

// oneValue is a comparison that is true, or false, of a column that has a value, or perhaps none.
func (f facts) oneValue(r *row, w wish, holds, orNull bool) (facts, bool) {
	list, op := w.c.Values, w.c.Op
	switch w.c.Form {
	case pgparse.Boolean:
		list, op = []pgparse.Constant{{Kind: pgparse.BooleanConstant, Text: "true"}}, "="
	case pgparse.OneOf, pgparse.Distinct:
		op = "="
	}
	if !holds {
		op = contrary[op]
	}
	if !orNull {
		var ok bool
		if f, ok = f.nullness(r, w, false, true); !ok {
			return f, false
		}
	}
	of := r.kind(w.c.Left.Column, w.c.Left.Cast)
	return f.narrow(r, w, w.c.Left.Column, w.c.Left.Cast, func(v *values) {
		switch op {
		case "=":
			v.only(list, of)
		case "<>":
			v.not = append(v.not, list...)
		case "<", "<=":
			v.below(bound{list[0], op == "<"})
		default:
			v.above(bound{list[0], op == ">"})
		}
	})
}

var contrary = map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
