package policy

import "fmt"

var rankShape = shape{keys: []string{"first", "per", "order", "among", "with_ties"}}

func (r *reader) rank(f field, s scope) *Rank {
	m, ok := r.mapping(f, fmt.Sprintf("rank %q", f.name()), rankShape)
	if !ok {
		return nil
	}
	rank := &Rank{Position: r.fieldAt(f), WithTies: r.boolean(m.fields["with_ties"])}
	if first, ok := m.require("first"); ok {
		r.first(rank, first, s)
	}
	for _, item := range r.list(m.fields["per"]) {
		if e := r.expression(item, s); e != nil {
			rank.Per = append(rank.Per, *e)
		}
	}
	if order, ok := m.require("order"); ok {
		r.order(rank, order, s)
	}
	if among, ok := m.fields["among"]; ok {
		rank.Among = r.expression(among, s)
	}
	return rank
}
