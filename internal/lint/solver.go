package lint

import (
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

// most bounds a search: one that takes longer has found.
const most = 2000

// possible says whether a row may exist that meets all constraints. It may find one that cannot exist, because not
// everything is understood; what it does not find does not exist.
func (r *row) possible(constraints ...constraint) bool {
	steps := 0
	var find func(todo, plain []constraint) bool
	find = func(todo, plain []constraint) bool {
		if steps++; steps > most || len(todo) == 0 {
			return true
		}
		first, rest := todo[0], todo[1:]
		switch {
		case first.is == 0:
			return false
		case first.is == anything || first.c == nil:
			return find(rest, plain)
		case first.c.Parts == nil:
			plain = append(slices.Clip(plain), first)
			return r.consistent(plain) && find(rest, plain)
		}
		return slices.ContainsFunc(first.alternatives(), func(parts []constraint) bool {
			return find(slices.Concat(parts, rest), plain)
		})
	}
	return find(constraints, nil)
}

// excludes says whether there are rows that meet some constraints, and none of them meets more.
func (r *row) excludes(known []constraint, more ...constraint) bool {
	return r.possible(known...) && !r.possible(slices.Concat(known, more)...)
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

// facts are what constraints say of the columns of a row, and of conditions that are not understood.
type facts struct {
	row     *row
	columns map[string]*values
	opaque  map[string]ternary
}

// consistent says whether a row may meet constraints on conditions without parts.
func (r *row) consistent(plain []constraint) bool {
	f := facts{r, map[string]*values{}, map[string]ternary{}}
	return !slices.ContainsFunc(plain, func(w constraint) bool { return !f.add(w) })
}

// add is false where a constraint contradicts those before it. Of conditions that are not understood, two with one text
// agree, and strict ones need values.
func (f facts) add(w constraint) bool {
	is := w.is
	switch {
	case w.c.Form == pgparse.Fixed:
		return valueOf(w.c.Values[0])&is != 0
	case w.c.Form != pgparse.Opaque:
		return f.compare(w)
	case w.c.Never:
		is &^= null
	}
	if is&null == 0 {
		for _, column := range w.c.Strict {
			if !f.narrow(w, column, "", func(v *values) { v.notNull = true }) {
				return false
			}
		}
	}
	if w.c.Stable && w.c.Text != "" {
		key := w.after.name("") + "\x00" + w.c.Text
		if before, ok := f.opaque[key]; ok {
			is &= before
		}
		f.opaque[key] = is
	}
	return is != 0
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

// compare narrows a column to what gives its test one of the wanted values.
func (f facts) compare(w constraint) bool {
	t := testOf(w.c)
	mayPass, mayFail := t.passed&w.is != 0, t.fail&w.is != 0
	op := t.op
	if !mayPass {
		op = contrary[t.op]
	}
	nulls := func(v *values) {
		v.notNull = v.notNull || t.onNull&w.is == 0
		v.isNull = v.isNull || !mayPass && !mayFail
	}
	column, cast := w.c.Left.Column, w.c.Left.Cast
	return f.narrow(w, column, "", nulls) && f.narrow(w, column, cast, func(v *values) { // NULL is NULL without the cast, too
		nulls(v)
		if mayPass != mayFail {
			v.passes = append(v.passes, comparison{op, t.list})
		}
	})
}

// narrow changes what is known of one column; false where nothing is left.
func (f facts) narrow(w constraint, column, cast string, change func(*values)) bool {
	key := w.after.name(column) + "\x00" + column + "\x00" + cast
	v := f.columns[key]
	if v == nil {
		v = &values{notNull: f.row.notNull(column), of: f.row.kind(column, cast)}
		f.columns[key] = v
	}
	change(v)
	return !v.notNull || !v.isNull && !v.empty()
}
