package model

import "slices"

// place is a row's place in its group: how many are before it, by the order with the key, and by
// the order as written.
type place struct{ before, strictly int }

// places ranks the rows of where that among narrows, due or not, kept or not (S9); a row outside
// among, or whose first item is NULL, has none (S7, S10).
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

// compare is SQL's ORDER BY, where NULL is the greatest unless it is said.
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

// compareKeys breaks ties by the key in the direction of the last item (S11).
func (r *rank) compareKeys(a, b *scope) int {
	n := r.table.compareKeys(a.rows["t"], b.rows["t"])
	if r.order[len(r.order)-1].desc {
		return -n
	}
	return n
}

// number is how many are the first for a row, false for never (S14).
func (r *rank) number(e *scope) (int64, bool) {
	if r.of == nil {
		return r.first, true
	}
	return dataNumber(r.of.eval(e), r.instead, r.never, r.atLeast, r.atMost)
}

// firstOnes are the rows that have one of the first places. never is what becomes of one whose
// number is never.
func (r *rank) firstOnes(rows []*scope, never bool) []bool {
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

// beyond are the rows that come after the first ones.
func (r *rank) beyond(rows []*scope) []bool {
	first := r.firstOnes(rows, true)
	beyond := make([]bool, len(rows))
	for i := range r.places(rows) {
		beyond[i] = !first[i]
	}
	return beyond
}
