package policy

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// mapping is a YAML map whose keys were checked.
type mapping struct {
	r      *reader
	from   field
	what   string // for messages, e.g. policy "x"
	fields map[string]field
	order  []string // keys in the order of the file, merged ones last
}

// mapping reads a map: every key one of keys, or any name where keys is nil; none written twice; merge
// keys (<<) followed.
func (r *reader) mapping(f field, what string, keys []string) mapping {
	m := mapping{r: r, from: f, what: what, fields: map[string]field{}}
	m.collect(r.kindOf(f, what, yaml.MappingNode, "a map"), keys, map[*yaml.Node]bool{})
	return m
}

// collect adds the keys of a map that are not there yet, then those of the maps that it merges.
func (m *mapping) collect(node *yaml.Node, keys []string, seen map[*yaml.Node]bool) {
	if seen[node] {
		return
	}
	seen[node] = true
	own := map[string]*yaml.Node{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := resolve(node.Content[i]), node.Content[i+1]
		if _, there := m.fields[key.Value]; key.Tag == "!!merge" {
			merges = append(merges, value)
		} else if m.key(key, own, keys) && !there {
			m.fields[key.Value] = field{key: key, value: value}
			m.order = append(m.order, key.Value)
		}
	}
	for _, value := range merges {
		maps := []*yaml.Node{value}
		if list := resolve(value); list.Kind == yaml.SequenceNode {
			maps = list.Content
		}
		for _, item := range maps {
			if base := resolve(item); base.Kind == yaml.MappingNode {
				m.collect(base, keys, seen)
			} else {
				m.r.add("P004 merge", m.r.at(item), kindName(item))
			}
		}
	}
}

// key says whether the key is one, and allowed here.
func (m *mapping) key(key *yaml.Node, own map[string]*yaml.Node, keys []string) bool {
	if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
		m.r.add("P004 key", m.r.at(key), kindName(key))
		return false
	}
	if first, ok := own[key.Value]; ok {
		m.r.add("P003 key", m.r.at(key), words{"Key": key.Value, "In": m.what, "First": m.r.at(first)})
		return false
	}
	own[key.Value] = key
	if keys == nil || slices.Contains(keys, key.Value) {
		return true
	}
	m.r.add("P002 key", m.r.at(key), words{"Name": key.Value, "In": m.what, "Known": keys})
	return false
}

// require is the field of a key that must be there.
func (m mapping) require(key string) (field, bool) {
	f, ok := m.fields[key]
	if !ok {
		m.r.add("P005 key", m.r.fieldAt(m.from), words{"In": m.what, "Key": key})
	}
	return f, ok
}

// take reads the value of a key, if it is written.
func (m mapping) take(key string, into any, kind string) {
	if f, ok := m.fields[key]; ok {
		m.r.value(f, into, kind)
	}
}

// has says whether one of the keys is written, whatever its value.
func (m mapping) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return m.fields[key].value != nil })
}

// refuse reports each of some keys that is written.
func (m mapping) refuse(name string, keys ...string) {
	for _, key := range keys {
		if m.has(key) {
			m.r.add(name, m.r.at(m.fields[key].key), key)
		}
	}
}

// exclusive refuses a key where the map has another one.
func (m mapping) exclusive(name, first, second string) {
	if m.has(first) && m.has(second) {
		m.r.add(name, m.r.at(m.fields[second].key), words{"First": first, "Second": second})
	}
}

// either holds that one of two keys is written, and not the other.
func (m mapping) either(name, first, second string) {
	if m.has(first) == m.has(second) {
		m.r.add(name, m.r.fieldAt(m.from), words{"In": m.what, "First": first, "Second": second})
	}
}
