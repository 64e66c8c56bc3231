package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
)

// reader walks the YAML tree of one file and collects what is wrong with it.
type reader struct {
	path   string
	source []byte
	lines  [][]rune
	diags  diag.List
}

// field is a value with the key that it belongs to; key is nil for list items and the root, list
// is the name of an item's list.
type field struct {
	key, value *yaml.Node
	list       string
}

// name is the key's text, for an item that of its list.
func (f field) name() string {
	if f.key == nil {
		return f.list
	}
	return f.key.Value
}

// label names the value in messages.
func (f field) label() string {
	switch {
	case f.key != nil:
		return quoted(f.key.Value)
	case f.list != "":
		return "an item of " + quoted(f.list)
	}
	return "the file"
}

func newReader(path string, source []byte) *reader {
	r := &reader{path: path, source: source}
	for _, line := range strings.Split(strings.TrimPrefix(string(source), "\ufeff"), "\n") {
		r.lines = append(r.lines, []rune(strings.TrimSuffix(line, "\r")))
	}
	return r
}

func (r *reader) add(code string, at diag.Position, message, detail, hint string) {
	r.diags.Add(diag.Diagnostic{Position: at, Code: code, Message: message, Detail: detail, Hint: hint})
}

// fieldAt is the place of the key, or of the value where there is no key.
func (r *reader) fieldAt(f field) diag.Position {
	if f.key != nil {
		return r.at(f.key)
	}
	return r.at(f.value)
}

// at is the place of a node as written, quotes included.
func (r *reader) at(node *yaml.Node) diag.Position {
	node = resolve(node)
	line, column := r.start(node)
	p := diag.Position{File: r.path, Line: node.Line, Column: column, Width: 1}
	if node.Kind == yaml.ScalarNode {
		p.Width = max(scalarWidth(line[min(column-1, len(line)):], node), 1)
	}
	return p
}

var properties = regexp.MustCompile(`^(?:[&!]\S*\s+)+`)

// start is the line of a node and its column behind anchor and tag, where the value begins.
func (r *reader) start(node *yaml.Node) ([]rune, int) {
	if node.Line < 1 || node.Line > len(r.lines) {
		return nil, max(node.Column, 1)
	}
	line := r.lines[node.Line-1]
	from := min(max(node.Column, 1)-1, len(line))
	skip := properties.FindString(string(line[from:]))
	return line, from + 1 + utf8.RuneCountInString(skip)
}

// scalarWidth is how much of the line the scalar takes: all of its text when it stands there as
// is, or else what is written up to the closing quote or the end of the line.
func scalarWidth(rest []rune, node *yaml.Node) int {
	quote := quoteOf(node)
	if quote == 0 {
		if n := utf8.RuneCountInString(node.Value); n <= len(rest) && string(rest[:n]) == node.Value {
			return n
		}
		if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			return 1
		}
		return len([]rune(strings.TrimRight(string(rest), " \t")))
	}
	return quotedWidth(rest, quote)
}

func quotedWidth(rest []rune, quote rune) int {
	for i := 1; i < len(rest); i++ {
		switch {
		case quote == '"' && rest[i] == '\\', quote == '\'' && rest[i] == '\'' && i+1 < len(rest) && rest[i+1] == '\'':
			i++
		case rest[i] == quote:
			return i + 1
		}
	}
	return len(rest)
}

func quoteOf(node *yaml.Node) rune {
	switch {
	case node.Style&yaml.DoubleQuotedStyle != 0:
		return '"'
	case node.Style&yaml.SingleQuotedStyle != 0:
		return '\''
	}
	return 0
}

// content is the place of a scalar's first character, behind the quote. Its Width is the number
// of characters of the value exactly when these stand in the file one by one; see Expr.At.
func (r *reader) content(node *yaml.Node) diag.Position {
	p := r.at(node)
	node = resolve(node)
	if quoteOf(node) == 0 {
		return p
	}
	line := r.lines[node.Line-1]
	n := utf8.RuneCountInString(node.Value)
	if end := p.Column + n; end < len(line) && string(line[p.Column:end]) == node.Value {
		p.Column, p.Width = p.Column+1, n
	} else if p.Width == n {
		p.Width = 1
	}
	return p
}

// resolve follows an alias to what it stands for.
func resolve(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode && node.Alias != nil {
		node = node.Alias
	}
	return node
}

func quoted(name string) string { return fmt.Sprintf("%q", name) }

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
