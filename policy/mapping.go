package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// shape is what may stand in a map: keys of this version, and keys of the language that come
// later. The zero shape takes any name.
type shape struct {
	keys  []string
	later []string
}

func (s shape) free() bool { return s.keys == nil }

// mapping is a YAML map whose keys were checked.
type mapping struct {
	r      *reader
	from   field
	what   string // for messages, e.g. policy "x"
	fields map[string]field
	order  []string // keys in the order of the file, merged ones last
}

// mapping reads a map: every key known, none written twice, merge keys (<<) followed.
func (r *reader) mapping(f field, what string, s shape) (mapping, bool) {
	m := mapping{r: r, from: f, what: what, fields: map[string]field{}}
	node, ok := r.kindOf(f, what, yaml.MappingNode, "a map")
	if !ok {
		return m, false
	}
	m.collect(node, s, map[*yaml.Node]bool{})
	return m, true
}

// collect adds the keys of node that are not there yet, then those of the maps that it merges.
func (m *mapping) collect(node *yaml.Node, s shape, seen map[*yaml.Node]bool) {
	if seen[node] {
		return
	}
	seen[node] = true
	own := map[string]*yaml.Node{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := resolve(node.Content[i]), node.Content[i+1]
		if key.Tag == "!!merge" {
			merges = append(merges, value)
			continue
		}
		if !m.key(key, own, s) {
			continue
		}
		if _, ok := m.fields[key.Value]; !ok {
			m.fields[key.Value] = field{key: key, value: value}
			m.order = append(m.order, key.Value)
		}
	}
	for _, value := range merges {
		m.merge(value, s, seen)
	}
}

func (m *mapping) merge(value *yaml.Node, s shape, seen map[*yaml.Node]bool) {
	node := resolve(value)
	switch node.Kind {
	case yaml.MappingNode:
		m.collect(node, s, seen)
	case yaml.SequenceNode:
		for _, item := range node.Content {
			if resolve(item).Kind == yaml.SequenceNode {
				m.r.add(codeKind, m.r.at(item), `"<<" merges maps, not a list`, "", "")
				continue
			}
			m.merge(item, s, seen)
		}
	default:
		m.r.add(codeKind, m.r.at(value), `"<<" merges maps, not `+kindName(node), "", "Name an anchor, for example <<: *base.")
	}
}

// key says whether the key is one, and allowed here.
func (m *mapping) key(key *yaml.Node, own map[string]*yaml.Node, s shape) bool {
	if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
		m.r.add(codeKind, m.r.at(key), "a key must be a name, not "+kindName(key), "", "Put the name in quotes.")
		return false
	}
	if first, ok := own[key.Value]; ok {
		m.r.add(codeDuplicate, m.r.at(key), fmt.Sprintf("key %q is already written in %s", key.Value, m.what),
			fmt.Sprintf("The first one is at %s.", m.r.at(first)), "")
		return false
	}
	own[key.Value] = key
	if s.free() || slices.Contains(s.keys, key.Value) {
		return true
	}
	m.unknown(key, s)
	return false
}

func (m *mapping) unknown(key *yaml.Node, s shape) {
	allowed := "Allowed here: " + strings.Join(s.keys, ", ") + "."
	if slices.Contains(s.later, key.Value) {
		m.r.notYet(m.r.at(key), quoted(key.Value), allowed)
		return
	}
	m.r.add(codeUnknownKey, m.r.at(key), fmt.Sprintf("unknown key %q in %s", key.Value, m.what), allowed, didYouMean(key.Value, s.keys))
}

// require is the field of a key that must be there.
func (m mapping) require(key string) (field, bool) {
	f, ok := m.fields[key]
	if !ok {
		m.r.add(codeMissing, m.r.fieldAt(m.from), fmt.Sprintf("%s needs the key %q", m.what, key), "", "")
	}
	return f, ok
}

// has says whether the key is written, whatever its value.
func (m mapping) has(key string) bool {
	_, ok := m.fields[key]
	return ok
}
