package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/pgparse"
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

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// isNumber says whether a value is a number of YAML.
func isNumber(f field) bool { return f.value != nil && kindName(f.value) == "a number" }

// literals is a list of values that are written out.
func (r *reader) literals(f field) []Expr {
	var values []Expr
	for _, item := range r.list(f) {
		if e := r.literal(item); e != nil {
			values = append(values, *e)
		}
	}
	return values
}

// literal is a value that is written out: a number, true, false, or a text in SQL's own quotes.
func (r *reader) literal(f field) *Expr {
	e, ok := r.raw(f)
	if !ok {
		return nil
	}
	if isNull(f) {
		r.add(codeLiteral, e.Position, f.label()+" cannot be null", "NULL equals nothing.", "Write a value.")
		return nil
	}
	parsed, err := pgparse.Expression(e.SQL)
	if err != nil {
		r.sqlError(e, "expression", err)
		return nil
	}
	if !parsed.Literal {
		r.add(codeLiteral, e.Position, quoted(e.SQL)+" is not a literal", "A number, true, false, or a text in SQL's quotes is one.", literalHint(parsed, e.SQL))
		return nil
	}
	return &e
}

func literalHint(parsed *pgparse.Expr, sql string) string {
	if len(parsed.Columns) == 1 && len(parsed.Functions) == 0 && !parsed.Subquery {
		return "A text needs SQL's own quotes: \"'" + sql + "'\"."
	}
	return "Write the value itself."
}

var durationText = regexp.MustCompile(`^([0-9]{1,9}) ?(ms|s|sec|min|m|h)$`)

var durationUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "sec": time.Second, "min": time.Minute, "m": time.Minute, "h": time.Hour,
}

// duration is a number with a unit from low to a day; null is the value none where that is >= 0.
func (r *reader) duration(f field, low, none, fallback time.Duration) time.Duration {
	if f.value == nil {
		return fallback
	}
	if none >= 0 && isNull(f) {
		return none
	}
	text, ok := r.scalar(f, "a duration", "!!str", "!!int", "!!float")
	if !ok {
		return fallback
	}
	match := durationText.FindStringSubmatch(text)
	if match == nil {
		r.add(codeDuration, r.at(f.value), fmt.Sprintf("invalid duration %q", text), "", "Write a number and one of ms, s, min, h, for example 100ms.")
		return fallback
	}
	n, _ := strconv.ParseInt(match[1], 10, 64)
	d := time.Duration(n) * durationUnits[match[2]]
	if d < low || n > int64(24*time.Hour/durationUnits[match[2]]) {
		r.add(codeDuration, r.at(f.value), fmt.Sprintf("duration %q is out of range", text), "", fmt.Sprintf("Write a duration from %s to 24h.", low))
		return fallback
	}
	return d
}

var fractionText = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{1,9})?)(%?)$`)

// fraction is 0 < f <= 1, written as 0.5 or 50%.
func (r *reader) fraction(f field, fallback float64) float64 {
	if f.value == nil {
		return fallback
	}
	text, ok := r.scalar(f, "a fraction", "!!str", "!!int", "!!float")
	if !ok {
		return fallback
	}
	match := fractionText.FindStringSubmatch(strings.TrimSpace(text))
	value := 0.0
	if match != nil {
		value, _ = strconv.ParseFloat(match[1], 64)
		if match[2] == "%" {
			value /= 100
		}
	}
	if value <= 0 || value > 1 {
		r.add(codeFraction, r.at(f.value), fmt.Sprintf("invalid %s %q", f.name(), text), "", "Write a number above 0 and at most 1, for example 0.5 or 50%.")
		return fallback
	}
	return value
}
