package lint

import (
	"maps"
	"slices"

	"pgretain/internal/pgparse"
)

// ternary is a set of what a condition may be.
type ternary uint8

const (
	yes ternary = 1 << iota
	no
	null
	anything = yes | no | null
)

// constraint says that a condition is one of a set.
type constraint struct {
	c     *pgparse.Condition
	is    ternary
	after *change // nil for the row as it is, else it is said of the row as a step leaves it
}

// change names the columns that a step sets.
type change struct {
	step    string
	columns map[string]bool
}

// name tells a column before a step from the same column after it, where the step sets it; "" stands for
// what may read any column.
func (c *change) name(column string) string {
	if c == nil || column != "" && !c.columns[column] {
		return ""
	}
	return c.step
}

// search looks for a row that meets all constraints. It may find one that cannot exist, because it does
// not understand everything; what it does not find does not exist.
type search struct {
	row   *row
	steps int
}

// most bounds the search: one that takes longer has found.
const most = 2000

// possible says whether a row may exist that meets all constraints.
func (r *row) possible(constraints ...constraint) bool {
	s := &search{row: r}
	return s.find(constraints, facts{})
}

func (s *search) find(constraints []constraint, known facts) bool {
	if s.steps++; s.steps > most || len(constraints) == 0 {
		return true
	}
	first, rest := constraints[0], constraints[1:]
	switch {
	case first.is == 0:
		return false
	case first.is == anything || first.c == nil:
		return s.find(rest, known)
	case first.c.Parts == nil:
		narrower, ok := known.with(s.row, first)
		return ok && s.find(rest, narrower)
	}
	return slices.ContainsFunc(first.alternatives(), func(parts []constraint) bool {
		return s.find(slices.Concat(parts, rest), known)
	})
}

// alternatives are the constraints on the parts of a condition, any of which fulfils the one on the whole.
func (w constraint) alternatives() [][]constraint {
	switch w.c.Form {
	case pgparse.Not:
		swapped := w.is & null
		if w.is&yes != 0 {
			swapped |= no
		}
		if w.is&no != 0 {
			swapped |= yes
		}
		return [][]constraint{{w.of(0, swapped)}}
	case pgparse.Is:
		var is ternary
		value := valueOf(w.c.Values[0])
		if w.is&yes != 0 {
			is |= value
		}
		if w.is&no != 0 {
			is |= anything &^ value
		}
		return [][]constraint{{w.of(0, is)}}
	case pgparse.All:
		return w.joined(yes, no)
	}
	return w.joined(no, yes)
}

// joined is AND; OR is the same with true and false changed about. It has its weak value where one of
// its parts has, its strong one where all have, and is NULL otherwise.
func (w constraint) joined(strong, weak ternary) [][]constraint {
	each := func(is ternary) []constraint {
		var all []constraint
		for i := range w.c.Parts {
			all = append(all, w.of(i, is))
		}
		return all
	}
	var list [][]constraint
	switch {
	case w.is&weak != 0:
		for i := range w.c.Parts {
			list = append(list, []constraint{w.of(i, w.is&^strong)})
		}
		if w.is&strong != 0 {
			list = append(list, each(strong))
		}
	case w.is == null:
		for i := range w.c.Parts {
			list = append(list, append(each(strong|null), w.of(i, null)))
		}
	default:
		list = append(list, each(w.is))
	}
	return list
}

func (w constraint) of(part int, is ternary) constraint {
	return constraint{w.c.Parts[part], is, w.after}
}

// valueOf is a literal as the value of a condition.
func valueOf(c pgparse.Constant) ternary {
	switch {
	case c.Kind == pgparse.NullConstant:
		return null
	case c.Text == "true":
		return yes
	case c.Text == "false":
		return no
	}
	return anything // 'yes' and the like
}

// facts are what is known of the columns of a row, and of conditions that are not understood.
type facts struct {
	columns map[string]values
	opaque  map[string]ternary
}

// with is what is known when a condition without parts is one of a set, false where that cannot be.
func (f facts) with(r *row, w constraint) (facts, bool) {
	switch w.c.Form {
	case pgparse.Fixed:
		return f, valueOf(w.c.Values[0])&w.is != 0
	case pgparse.Opaque:
		return f.unknown(r, w)
	}
	return f.compared(r, w)
}

// unknown keeps what two conditions with one text have in common, and that strict ones need values.
func (f facts) unknown(r *row, w constraint) (facts, bool) {
	is, ok := w.is, true
	if w.c.Never {
		is &^= null
	}
	if is&null == 0 {
		for _, column := range w.c.Strict {
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
		opaque := map[string]ternary{}
		maps.Copy(opaque, f.opaque)
		opaque[key] = is
		f.opaque = opaque
	}
	return f, is != 0
}

// test is a condition on one column: what it is where the column is NULL, where its value passes a comparison
// with constants, and where it does not.
type test struct {
	op                   string
	list                 []pgparse.Constant
	onNull, passed, fail ternary
}

func testOf(c *pgparse.Condition) test {
	t := test{op: "=", list: c.Values, onNull: null, passed: yes, fail: no}
	switch c.Form {
	case pgparse.IsNull: // no value passes
		return test{onNull: yes, fail: no}
	case pgparse.Distinct:
		t.op, t.onNull = "<>", yes
	case pgparse.Boolean:
		t.list = []pgparse.Constant{{Kind: pgparse.BooleanConstant, Text: "true"}}
	case pgparse.Compare:
		t.op = c.Op
	case pgparse.OneOf:
		if c.HasNull {
			t.fail = null
		}
	}
	return t
}

var contrary = map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// compared narrows a column to what gives its test one of the wanted values.
func (f facts) compared(r *row, w constraint) (facts, bool) {
	t := testOf(w.c)
	mayPass, mayFail := t.passed&w.is != 0, t.fail&w.is != 0
	op := t.op
	if !mayPass {
		op = contrary[t.op]
	}
	casts := []string{w.c.Left.Cast}
	if w.c.Left.Cast != "" { // NULL is NULL without the cast, too
		casts = []string{"", w.c.Left.Cast}
	}
	ok := true
	for i, cast := range casts {
		own := i == len(casts)-1
		f, ok = f.narrow(r, w, w.c.Left.Column, cast, func(v *values) {
			v.notNull = v.notNull || t.onNull&w.is == 0
			v.isNull = v.isNull || !mayPass && !mayFail
			if own && mayPass != mayFail {
				v.restrict(op, t.list, r.kind(w.c.Left.Column, cast))
			}
		})
		if !ok {
			return f, false
		}
	}
	return f, true
}

// narrow changes what is known of one column; false where nothing is left.
func (f facts) narrow(r *row, w constraint, column, cast string, change func(*values)) (facts, bool) {
	key := w.after.name(column) + "\x00" + column + "\x00" + cast
	v, ok := f.columns[key]
	if !ok {
		v = values{any: true, notNull: r.notNull(column)}
	}
	v.list, v.not = slices.Clone(v.list), slices.Clone(v.not)
	change(&v)
	columns := map[string]values{}
	maps.Copy(columns, f.columns)
	columns[key] = v
	f.columns = columns
	if v.isNull && v.notNull {
		return f, false
	}
	return f, !v.notNull || !v.empty(r.kind(column, cast))
}
