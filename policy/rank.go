package policy

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

var rankShape = shape{keys: []string{"first", "per", "order", "among", "with_ties"}}

func (r *reader) rank(f field, s scope) *Rank {
	m, ok := r.mapping(f, fmt.Sprintf("rank %q", f.name()), rankShape)
	if !ok {
		return nil
	}
	rank := &Rank{Position: r.fieldAt(f), WithTies: r.boolean(m.fields["with_ties"])}
	if first, ok := m.require("first"); ok {
		if kind := resolve(first.value).Kind; kind == yaml.MappingNode || kind == yaml.SequenceNode {
			r.notYet(r.at(first.value), `"first" from data`, "Write one number.")
		} else {
			rank.First = r.between(first, 1, 1000000000, 1)
		}
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
