package model

import "slices"

// place is a row's place in its group, as the number of rows before it. before counts by order and
// key, strictly by order alone.
type place struct{ before, strictly int }

// places returns the places of the rows that among selects, whether they are due or kept (S9). A
// row that among excludes has no place, and neither has a row whose first order item is NULL (S7,
// S10).
func (r *rank) places(rows []*scope) map[int]place {
	var in []int
	for i, e := range rows {
		if (r.among == nil || isTrue(r.among.eval(e))) && r.order[0].expr.eval(e) != nil {
			in = append(in, i)
		}
	}
	places := map[int]place{}
	for _, i := range in {
		p := place{}
		for _, other := range in {
			if !r.sameGroup(rows[i], rows[other]) {
				continue
			}
			n := r.compare(rows[other], rows[i])
			if n < 0 {
				p.strictly++
			}
			if n == 0 {
				n = r.compareKeys(rows[other], rows[i])
			}
			if n < 0 {
				p.before++
			}
		}
		places[i] = p
	}
	return places
}

func (r *rank) sameGroup(a, b *scope) bool {
	return !slices.ContainsFunc(r.per, func(x expr) bool { return !same(x.eval(a), x.eval(b)) })
}

// compare compares two rows like ORDER BY. NULL is the greatest value unless the item says
// otherwise.
func (r *rank) compare(a, b *scope) int {
	for _, o := range r.order {
		x, y := o.expr.eval(a), o.expr.eval(b)
		nullsFirst := o.nulls == "FIRST" || o.nulls == "" && o.desc
		n := 0
		switch {
		case x == nil && y == nil:
		case x == nil || y == nil:
			n = 1
			if (x == nil) == nullsFirst {
				n = -1
			}
		case o.desc:
			n = compare(y, x)
		default:
			n = compare(x, y)
		}
		if n != 0 {
			return n
		}
	}
	return 0
}

// compareKeys compares two rows with equal order items by the key, in the direction of the last
// item (S11).
func (r *rank) compareKeys(a, b *scope) int {
	n := r.table.compareKeys(a.rows["t"], b.rows["t"])
	if r.order[len(r.order)-1].desc {
		return -n
	}
	return n
}

// number returns how many places the group of a row keeps, and false for "never" (S14).
func (r *rank) number(e *scope) (int64, bool) {
	if r.of == nil {
		return r.first, true
	}
	return dataNumber(r.of.eval(e), r.instead, r.never, r.atLeast, r.atMost)
}

// firstRows reports for each row whether it has one of the first places. never is the result for a
// row whose number is "never".
func (r *rank) firstRows(rows []*scope, never bool) []bool {
	first := make([]bool, len(rows))
	for i, p := range r.places(rows) {
		n, ok := r.number(rows[i])
		at := p.before
		if r.withTies {
			at = p.strictly
		}
		first[i] = ok && int64(at) < n || !ok && never
	}
	return first
}

// beyond reports for each row whether it comes after the first places.
func (r *rank) beyond(rows []*scope) []bool {
	first := r.firstRows(rows, true)
	beyond := make([]bool, len(rows))
	for i := range r.places(rows) {
		beyond[i] = !first[i]
	}
	return beyond
}
