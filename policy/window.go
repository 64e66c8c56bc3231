package policy

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

var tierShape = shape{keys: []string{"when", "then", "else"}}

// window is an interval, a map for one from data, or a list of tiers: SQL's CASE, in which a row
// that meets no tier is never due. Zero says whether an interval of zero is allowed.
func (r *reader) window(f field, zero bool, s scope) Window {
	w := Window{Position: r.at(f.value)}
	switch resolve(f.value).Kind {
	case yaml.MappingNode:
		if d := r.windowData(f, s); d != nil {
			w.Tiers = []Tier{{Data: d, Position: d.Position}}
		}
	case yaml.SequenceNode:
		w.Tiers = r.tiers(f, zero, s)
	default:
		if i, ok := r.interval(f, zero); ok {
			w.Tiers = []Tier{{Interval: i, Position: i.Position}}
		}
	}
	return w
}

func (r *reader) tiers(f field, zero bool, s scope) []Tier {
	items := r.list(f)
	var tiers []Tier
	for i, item := range items {
		m, ok := r.mapping(item, "a tier", tierShape)
		if !ok {
			continue
		}
		if m.has("else") && i < len(items)-1 {
			r.add(codeTiers, r.at(m.fields["else"].key), `"else" must be the last tier`, "A tier behind it would never be reached.", "")
		}
		tiers = append(tiers, r.tier(m, zero, s))
	}
	if len(items) == 0 || len(items) == 1 && tierIsElse(items[0]) {
		r.add(codeTiers, r.at(f.value), fmt.Sprintf("%q has no tier with \"when\"", f.name()), "", "Write one interval, or {when: ..., then: ...} and {else: ...}.")
	}
	return tiers
}

func tierIsElse(item field) bool {
	node := resolve(item.value)
	return node.Kind == yaml.MappingNode && len(node.Content) == 2 && node.Content[0].Value == "else"
}

func (r *reader) tier(m mapping, zero bool, s scope) Tier {
	tier := Tier{Position: r.at(m.from.value)}
	value, isElse := m.fields["else"]
	if isElse && (m.has("when") || m.has("then")) {
		r.add(codeTiers, r.at(value.key), `"else" stands alone in its tier`, "", "Write it as a list item of its own, the last one.")
		return tier
	}
	if !isElse {
		when, ok := m.require("when")
		if ok {
			tier.When = r.expression(when, s)
		}
		if value, ok = m.require("then"); !ok {
			return tier
		}
	}
	if isNull(value) {
		tier.Never = true
		return tier
	}
	if resolve(value.value).Kind == yaml.MappingNode {
		tier.Data = r.windowData(value, s)
		return tier
	}
	tier.Interval, _ = r.interval(value, zero)
	return tier
}
