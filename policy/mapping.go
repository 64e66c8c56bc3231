package policy

import (
	"fmt"
	"slices"
	"strings"

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
				m.r.add(codeKind, m.r.at(item), `"<<" merges maps, not `+kindName(item), "", "Name an anchor, for example <<: *base.")
			}
		}
	}
}

// key says whether the key is one, and allowed here.
func (m *mapping) key(key *yaml.Node, own map[string]*yaml.Node, keys []string) bool {
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
	if keys == nil || slices.Contains(keys, key.Value) {
		return true
	}
	m.r.add(codeUnknownKey, m.r.at(key), fmt.Sprintf("unknown key %q in %s", key.Value, m.what),
		"Allowed here: "+strings.Join(keys, ", ")+".", DidYouMean(key.Value, keys))
	return false
}

// require is the field of a key that must be there.
func (m mapping) require(key string) (field, bool) {
	f, ok := m.fields[key]
	if !ok {
		m.r.add(codeMissing, m.r.fieldAt(m.from), fmt.Sprintf("%s needs the key %q", m.what, key), "", "")
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

// refuse reports each of some keys that is written; the message has it for %q.
func (m mapping) refuse(code, message, detail, hint string, keys ...string) {
	for _, key := range keys {
		if m.has(key) {
			m.r.add(code, m.r.at(m.fields[key].key), strings.ReplaceAll(message, "%q", quoted(key)), detail, hint)
		}
	}
}

// exclusive refuses a key where the map has another one.
func (m mapping) exclusive(first, second, detail, hint string) {
	if m.has(first) {
		m.refuse(codeConflict, `"`+first+`" and %q exclude each other`, detail, hint, second)
	}
}

// either holds that one of two keys is written, and not the other.
func (m mapping) either(code, first, second, hint string) {
	if m.has(first) == m.has(second) {
		m.r.add(code, m.r.fieldAt(m.from), fmt.Sprintf("%s needs either %q or %q", m.what, first, second), "", hint)
	}
}
