package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

func kindName(node *yaml.Node) string {
	node = resolve(node)
	switch {
	case node.Kind == yaml.MappingNode:
		return "a map"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	}
	switch node.Tag {
	case "!!null":
		return "null"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	case "!!timestamp":
		return "a date"
	}
	return "text"
}

// kind is the node of f when it has the wanted kind and no tag of the user's.
func (r *reader) kind(f field, kind yaml.Kind, wanted string) (*yaml.Node, bool) {
	return r.kindOf(f, f.label(), kind, wanted)
}

func (r *reader) kindOf(f field, what string, kind yaml.Kind, wanted string) (*yaml.Node, bool) {
	node := resolve(f.value)
	if node.Style&yaml.TaggedStyle != 0 && node.Tag != "!!str" {
		r.add(codeKind, r.at(node), "a YAML tag is not allowed here", "", fmt.Sprintf("Remove %q.", node.Tag))
		return nil, false
	}
	if node.Kind != kind {
		r.wrongKind(f, what, wanted)
		return nil, false
	}
	return node, true
}

func (r *reader) wrongKind(f field, what, wanted string) {
	r.add(codeKind, r.at(f.value), fmt.Sprintf("%s must be %s, not %s", what, wanted, kindName(f.value)), "", "")
}

func (r *reader) scalar(f field, wanted string, tags ...string) (string, bool) {
	node, ok := r.kind(f, yaml.ScalarNode, wanted)
	if !ok {
		return "", false
	}
	if !slices.Contains(tags, node.Tag) {
		r.wrongKind(f, f.label(), wanted)
		return "", false
	}
	return node.Value, true
}

// text is a string; a date stays the text that it is in the file.
func (r *reader) text(f field) (string, bool) { return r.scalar(f, "text", "!!str", "!!timestamp") }

func (r *reader) boolean(f field) bool {
	if f.value == nil {
		return false
	}
	text, ok := r.scalar(f, "true or false", "!!bool")
	return ok && strings.EqualFold(text, "true")
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// integer is a whole number in plain decimal digits: YAML's other notations (010, 0x1f, 1_000)
// mean different things to different readers.
func (r *reader) integer(f field) (int64, bool) {
	text, ok := r.scalar(f, "a whole number", "!!int")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !decimal.MatchString(text) {
		r.add(codeNumber, r.at(f.value), fmt.Sprintf("%q is not a plain whole number", text), "", "Write decimal digits only, for example 5000.")
		return 0, false
	}
	return n, true
}

// between is a whole number within bounds, or otherwise the fallback.
func (r *reader) between(f field, low, high, fallback int64) int64 {
	if f.value == nil {
		return fallback
	}
	n, ok := r.integer(f)
	if !ok {
		return fallback
	}
	if n < low || n > high {
		r.add(codeNumber, r.at(f.value), fmt.Sprintf("%s %d is out of range", f.name(), n), "", fmt.Sprintf("Write a number from %d to %d.", low, high))
		return fallback
	}
	return n
}

func isNull(f field) bool {
	node := resolve(f.value)
	return node.Kind == yaml.ScalarNode && node.Tag == "!!null"
}

// choice is one of the options, or otherwise the first of them.
func (r *reader) choice(f field, options ...string) string {
	if f.value == nil {
		return options[0]
	}
	text, ok := r.text(f)
	if ok && !slices.Contains(options, text) {
		r.add(codeChoice, r.at(f.value), fmt.Sprintf("%q is no value of %q", text, f.name()),
			"Choices: "+strings.Join(options, ", ")+".", didYouMean(text, options))
	}
	if !slices.Contains(options, text) {
		return options[0]
	}
	return text
}

// list is the items of a list.
func (r *reader) list(f field) []field {
	if f.value == nil {
		return nil
	}
	node, ok := r.kind(f, yaml.SequenceNode, "a list")
	if !ok {
		return nil
	}
	items := make([]field, 0, len(node.Content))
	for _, item := range node.Content {
		items = append(items, field{value: item, list: f.name()})
	}
	return items
}
