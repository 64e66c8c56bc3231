package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/parallel"
)

// reader reads the YAML tree of one file and collects the faults.
type reader struct {
	path   string
	source []byte
	lines  [][]rune
	model  *File
	policy *Policy // the policy that is being read
	diags  diag.List
	parse  func(piece) parsedPiece // parses each text of the file once
}

func newReader(path string, source []byte) *reader {
	r := &reader{path: path, source: source, parse: parallel.Remember(piece.parse)}
	for _, line := range strings.Split(strings.TrimPrefix(string(source), "\ufeff"), "\n") {
		r.lines = append(r.lines, []rune(strings.TrimSuffix(line, "\r")))
	}
	return r
}

// add reports a fault. Package messages has the faults.
func (r *reader) add(fault diag.Diagnostic, at diag.Position) {
	fault.Position = at
	r.diags.Add(fault)
}

// fault is the value of the panic that ends the reading of a value.
type fault struct{}

// fail reports a fault of a value, and ends the reading of the value.
func (r *reader) fail(message diag.Diagnostic, at diag.Position) {
	r.add(message, at)
	panic(fault{})
}

// try calls read, and reports whether it returned without a fault.
func (r *reader) try(read func()) (ok bool) {
	defer func() {
		if e := recover(); e != nil && e != any(fault{}) {
			panic(e)
		}
	}()
	read()
	return true
}

// field is a value with its key. key is nil for list items and the root.
type field struct {
	key, value *yaml.Node
	list       string // name of the list, if the field is an item of a list
	what       string // the name of the value in messages, if it is not the key
}

// name returns the text of the key, or for an item the name of its list.
func (f field) name() string {
	if f.key == nil {
		return f.list
	}
	return f.key.Value
}

// label returns the name of the value for messages.
func (f field) label() string {
	switch {
	case f.key != nil:
		return quoted(f.key.Value)
	case f.list != "":
		return "an item of " + quoted(f.list)
	}
	return "the file"
}

// title returns the name of a map for messages.
func (f field) title() string { return cmp.Or(f.what, f.label()) }

// The method "is" reports whether the YAML node of the value has this kind.
func (f field) is(kind yaml.Kind) bool { return resolve(f.value).Kind == kind }

func quoted(name string) string { return fmt.Sprintf("%q", name) }

// resolve returns the node that an alias stands for, or the node itself.
func resolve(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode && node.Alias != nil {
		node = node.Alias
	}
	return node
}

// fieldAt returns the position of the key, or of the value if there is no key.
func (r *reader) fieldAt(f field) diag.Position {
	if f.key != nil {
		return r.at(f.key)
	}
	return r.at(f.value)
}

var properties = regexp.MustCompile(`^(?:[&!]\S*\s+)+`)

// at returns the position of a node as it is written in the file. The position includes quotes, but
// no anchor and no tag.
func (r *reader) at(node *yaml.Node) diag.Position {
	node = resolve(node)
	p := diag.Position{File: r.path, Line: node.Line, Column: max(node.Column, 1), Width: 1}
	var line []rune
	if node.Line >= 1 && node.Line <= len(r.lines) {
		line = r.lines[node.Line-1]
		line = line[min(p.Column-1, len(line)):]
		skip := utf8.RuneCountInString(properties.FindString(string(line)))
		line, p.Column = line[skip:], p.Column+skip
	}
	if node.Kind == yaml.ScalarNode {
		p.Width = max(scalarWidth(string(line), node), 1)
	}
	return p
}

// written matches a scalar in a line with its quotes, by the style of the scalar.
var written = map[yaml.Style]*regexp.Regexp{
	yaml.DoubleQuotedStyle: regexp.MustCompile(`^"(?:[^"\\]|\\.)*"?`),
	yaml.SingleQuotedStyle: regexp.MustCompile(`^'(?:[^']|'')*'?`),
	yaml.LiteralStyle:      regexp.MustCompile(`^.`), yaml.FoldedStyle: regexp.MustCompile(`^.`),
}

// scalarWidth returns how many characters of the line belong to the scalar. For a plain scalar it
// returns the length of its text if the line begins with that text. Otherwise it returns the length
// of the line.
func scalarWidth(rest string, node *yaml.Node) int {
	if form := written[node.Style&^yaml.TaggedStyle]; form != nil {
		return utf8.RuneCountInString(form.FindString(rest))
	}
	if strings.HasPrefix(rest, node.Value) {
		return utf8.RuneCountInString(node.Value)
	}
	return utf8.RuneCountInString(strings.TrimRight(rest, " \t"))
}

// content returns the position of the first character of a scalar, after the quote. Its Width is
// the number of characters of the value only if the file contains them one by one; see Expr.At.
func (r *reader) content(node *yaml.Node) diag.Position {
	p := r.at(node)
	node = resolve(node)
	if node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		return p
	}
	n := utf8.RuneCountInString(node.Value)
	if strings.HasPrefix(string(r.lines[node.Line-1][p.Column:]), node.Value) && p.Width == n+2 {
		p.Column, p.Width = p.Column+1, n
	} else if p.Width == n {
		p.Width = 1
	}
	return p
}

// mapping is a YAML map whose keys were checked.
type mapping struct {
	r      *reader
	from   field
	what   string // name of the map in messages, for example policy "x"
	fields map[string]field
	order  []string // keys in the order of the file; merged keys come last
}

// mapping reads a map. Every key must be in the list "keys"; if the list is nil, every key is
// allowed. No key may be written twice. Merge keys (<<) are followed.
func (r *reader) mapping(f field, what string, keys []string) mapping {
	m := mapping{r: r, from: f, what: what, fields: map[string]field{}}
	m.collect(r.kindOf(f, what, yaml.MappingNode, "a map"), keys, map[*yaml.Node]bool{})
	return m
}

// collect adds the keys of a map that are not in the mapping yet. Then it adds the keys of the maps
// that are merged into this map.
func (m *mapping) collect(node *yaml.Node, keys []string, seen map[*yaml.Node]bool) {
	if seen[node] {
		return
	}
	seen[node] = true
	own := map[string]*yaml.Node{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := resolve(node.Content[i]), node.Content[i+1]
		if _, known := m.fields[key.Value]; key.Tag == "!!merge" {
			merges = append(merges, value)
		} else if m.key(key, own, keys) && !known {
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
				m.r.add(messages.MergesNoMap(kindName(item)), m.r.at(item))
			}
		}
	}
}

// The method "key" reports whether a key is a text, is written once, and is allowed in this map.
func (m *mapping) key(key *yaml.Node, own map[string]*yaml.Node, keys []string) bool {
	if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
		m.r.add(messages.KeyIsNoName(kindName(key)), m.r.at(key))
		return false
	}
	if first, ok := own[key.Value]; ok {
		m.r.add(messages.KeyTwice(key.Value, m.what, m.r.at(first)), m.r.at(key))
		return false
	}
	own[key.Value] = key
	if keys == nil || slices.Contains(keys, key.Value) {
		return true
	}
	m.r.add(messages.UnknownKey(key.Value, m.what, keys), m.r.at(key))
	return false
}

// require returns the field of a key, and reports a fault if the key is missing.
func (m mapping) require(key string) (field, bool) {
	f, ok := m.fields[key]
	if !ok {
		m.r.add(messages.NeedsKey(m.what, key), m.r.fieldAt(m.from))
	}
	return f, ok
}

// readKey reads the value of a key into a variable, if the key is written.
func (m mapping) readKey(key string, into any, kind string) {
	if f, ok := m.fields[key]; ok {
		m.r.value(f, into, kind)
	}
}

// The method "has" reports whether the map contains any of the keys, with any value.
func (m mapping) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return m.fields[key].value != nil })
}

// refuse reports a fault for each of the keys that the map contains.
func (m mapping) refuse(fault func(key string) diag.Diagnostic, keys ...string) {
	for _, key := range keys {
		if m.has(key) {
			m.r.add(fault(key), m.r.at(m.fields[key].key))
		}
	}
}

// exclusive reports a fault if the map contains both keys.
func (m mapping) exclusive(fault func(first, second string) diag.Diagnostic, first, second string) {
	if m.has(first) && m.has(second) {
		m.r.add(fault(first, second), m.r.at(m.fields[second].key))
	}
}

// either reports a fault unless the map contains exactly one of the two keys.
func (m mapping) either(fault func(in, first, second string) diag.Diagnostic, first, second string) {
	if m.has(first) == m.has(second) {
		m.r.add(fault(m.what, first, second), m.r.fieldAt(m.from))
	}
}
