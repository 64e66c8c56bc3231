package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
)

// kinds maps the tag of a value to the word for it in messages.
var kinds = map[string]string{
	"!!null": "null", "!!bool": "true or false", "!!int": "a number", "!!float": "a number", "!!timestamp": "a date",
}

func kindName(node *yaml.Node) string {
	node = resolve(node)
	switch node.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	return cmp.Or(kinds[node.Tag], "text")
}

func isNull(f field) bool { return kindName(f.value) == "null" }

func isNumber(f field) bool { return kindName(f.value) == "a number" }

// kindOf returns the node of f. It fails if the node has another kind, or if the user wrote a tag.
func (r *reader) kindOf(f field, what string, kind yaml.Kind, wanted string) *yaml.Node {
	node := resolve(f.value)
	if node.Style&yaml.TaggedStyle != 0 && node.Tag != "!!str" {
		r.fail(messages.Tagged(node.Tag), r.at(node))
	}
	if node.Kind != kind {
		r.wrongKind(f, what, wanted)
	}
	return node
}

func (r *reader) wrongKind(f field, what, wanted string) {
	r.fail(messages.WrongType(what, wanted, kindName(f.value)), r.at(f.value))
}

// list returns the items of a list.
func (r *reader) list(f field) []field {
	node := r.kindOf(f, f.label(), yaml.SequenceNode, "a list")
	return lists.Map(node.Content, func(item *yaml.Node) field { return field{value: item, list: f.name()} })
}

func (r *reader) scalar(f field, wanted string, tags ...string) string {
	node := r.kindOf(f, f.label(), yaml.ScalarNode, wanted)
	if !slices.Contains(tags, node.Tag) {
		r.wrongKind(f, f.label(), wanted)
	}
	return node.Value
}

// text returns a string that PostgreSQL can store. For a date it returns the text in the file.
func (r *reader) text(f field) string {
	text := r.scalar(f, "text", "!!str", "!!timestamp")
	if strings.ContainsRune(text, 0) {
		r.fail(messages.ContainsNul(f.label()), r.at(f.value))
	}
	return text
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// integer reads a whole number in plain decimal digits. Other notations of YAML (010, 0x1f, 1_000)
// are refused, because readers disagree on their value.
func (r *reader) integer(f field) int64 {
	text := r.scalar(f, "a whole number", "!!int")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !decimal.MatchString(text) {
		r.fail(messages.NotWhole(text), r.at(f.value))
	}
	return n
}

// within reads a whole number and checks that it lies between two limits.
func (r *reader) within(f field, low, high int64) int64 {
	n := r.integer(f)
	if n < low || n > high {
		r.fail(messages.OutOfRange(f.name(), n, low, high), r.at(f.value))
	}
	return n
}

// choice reads a word and checks that it is one of the options.
func (r *reader) choice(f field, options ...string) string {
	text := r.text(f)
	if !slices.Contains(options, text) {
		r.fail(messages.NoChoice(text, f.name(), options), r.at(f.value))
	}
	return text
}

// measured reads a number with a unit.
func (r *reader) measured(f field, form *regexp.Regexp, fault func(text string) diag.Diagnostic, what string) (
	number float64, unit, text string) {
	text = strings.TrimSpace(r.scalar(f, "a "+what, "!!str", "!!int", "!!float"))
	match := form.FindStringSubmatch(text)
	if match == nil {
		r.fail(fault(text), r.at(f.value))
	}
	number, _ = strconv.ParseFloat(match[1], 64)
	return number, match[2], text
}

var (
	durationForm = regexp.MustCompile(`^([0-9]{1,9}) ?(ms|s|sec|min|m|h)$`)
	rateForm     = regexp.MustCompile(`^([1-9][0-9]{0,8}) ?(kB|MB|GB)/s$`)
	fractionForm = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{1,9})?)(%?)$`)

	durationUnits = map[string]time.Duration{
		"ms": time.Millisecond, "s": time.Second, "sec": time.Second,
		"min": time.Minute, "m": time.Minute, "h": time.Hour,
	}
	rateUnits = map[string]Rate{"kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
)

// duration reads a duration. It must be at most one day and not shorter than the parameter "low".
func (r *reader) duration(f field, low time.Duration) time.Duration {
	n, unit, text := r.measured(f, durationForm, messages.InvalidDuration, "duration")
	if n*durationUnits[unit].Hours() > 24 || time.Duration(n)*durationUnits[unit] < low {
		r.fail(messages.DurationOutOfRange(text, low), r.at(f.value))
	}
	return time.Duration(n) * durationUnits[unit]
}

// read reads a rate in kB/s, MB/s or GB/s. A kB is 1,024 bytes.
func (v *Rate) read(r *reader, f field) {
	n, unit, _ := r.measured(f, rateForm, messages.InvalidRate, "rate")
	*v = Rate(n) * rateUnits[unit]
}

// String returns the rate in the largest unit that divides it, in the syntax of a policy file.
func (v Rate) String() string {
	for _, unit := range []string{"GB", "MB"} {
		if of := rateUnits[unit]; v%of == 0 {
			return fmt.Sprintf("%d%s/s", v/of, unit)
		}
	}
	return fmt.Sprintf("%dkB/s", v/rateUnits["kB"])
}

// fraction reads a fraction 0 < f <= 1, written as 0.5 or 50%.
func (r *reader) fraction(f field) float64 {
	n, percent, text := r.measured(f, fractionForm, messages.InvalidFraction, "fraction")
	if percent != "" {
		n /= 100
	}
	if n <= 0 || n > 1 {
		r.fail(messages.InvalidFraction(text), r.at(f.value))
	}
	return n
}

// dotted reads a name by SQL's rules. The parameter "most" limits the number of its parts.
func (r *reader) dotted(f field, what string, most int) []string {
	text := r.text(f)
	parts, err := pgparse.Name(text)
	if err != nil || len(parts) > most {
		long := err != nil && strings.Contains(err.Error(), "63 bytes")
		r.fail(messages.InvalidSQLName(text, what, long), r.at(f.value))
	}
	return parts
}

// table reads schema.name, or the name of a table in schema public.
func (r *reader) table(f field) Table {
	parts := r.dotted(f, "table", 2)
	if len(parts) == 1 {
		parts = []string{"public", parts[0]}
	}
	return Table{Schema: parts[0], Name: parts[1], Position: r.at(f.value)}
}
