package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones are checked on machines without a zone database too

	"go.yaml.in/yaml/v3"

	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
)

// kinds are what values of one tag are called in messages.
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

// kindOf is the node of f when it has the wanted kind and no tag of the user's.
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

func (r *reader) notEmpty(f field) {
	if node := resolve(f.value); len(node.Content) == 0 && node.Kind != yaml.ScalarNode {
		r.add(codeMissing, r.fieldAt(f), quoted(f.name())+" is empty", "", "Write at least one.")
	}
}

// list is the items of a list.
func (r *reader) list(f field) []field {
	node, ok := r.kindOf(f, f.label(), yaml.SequenceNode, "a list")
	if !ok {
		return nil
	}
	return lists.Map(node.Content, func(item *yaml.Node) field { return field{value: item, list: f.name()} })
}

func (r *reader) scalar(f field, wanted string, tags ...string) (string, bool) {
	node, ok := r.kindOf(f, f.label(), yaml.ScalarNode, wanted)
	if ok && !slices.Contains(tags, node.Tag) {
		r.wrongKind(f, f.label(), wanted)
		ok = false
	}
	if !ok {
		return "", false
	}
	return node.Value, true
}

// text is a string that PostgreSQL can hold; a date stays the text that it is in the file.
func (r *reader) text(f field) (string, bool) {
	text, ok := r.scalar(f, "text", "!!str", "!!timestamp")
	if ok && strings.ContainsRune(text, 0) {
		r.add(codeKind, r.at(f.value), f.label()+" has a NUL character", "", `PostgreSQL has none in texts. Remove "\0".`)
		return "", false
	}
	return text, ok
}

func (r *reader) boolean(f field) bool {
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

// within is a whole number within bounds.
func (r *reader) within(f field, low, high int64) (int64, bool) {
	n, ok := r.integer(f)
	if ok && (n < low || n > high) {
		r.add(codeNumber, r.at(f.value), fmt.Sprintf("%s %d is out of range", f.name(), n), "", fmt.Sprintf("Write a number from %d to %d.", low, high))
		return 0, false
	}
	return n, ok
}

// choice is one of the options, or otherwise the first of them.
func (r *reader) choice(f field, options ...string) string {
	text, ok := r.text(f)
	if slices.Contains(options, text) {
		return text
	}
	if ok {
		r.add(codeChoice, r.at(f.value), fmt.Sprintf("%q is no value of %q", text, f.name()),
			"Choices: "+strings.Join(options, ", ")+".", DidYouMean(text, options))
	}
	return options[0]
}

var durationText = regexp.MustCompile(`^([0-9]{1,9}) ?(ms|s|sec|min|m|h)$`)

var durationUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "sec": time.Second, "min": time.Minute, "m": time.Minute, "h": time.Hour,
}

// duration is a number with a unit from low to a day.
func (r *reader) duration(f field, low time.Duration) time.Duration {
	text, ok := r.scalar(f, "a duration", "!!str", "!!int", "!!float")
	if !ok {
		return low
	}
	match := durationText.FindStringSubmatch(text)
	if match == nil {
		r.add(codeDuration, r.at(f.value), fmt.Sprintf("invalid duration %q", text), "", "Write a number and one of ms, s, min, h, for example 100ms.")
		return low
	}
	n, _ := strconv.ParseInt(match[1], 10, 64)
	d := time.Duration(n) * durationUnits[match[2]]
	if d < low || n > int64(24*time.Hour/durationUnits[match[2]]) {
		r.add(codeDuration, r.at(f.value), fmt.Sprintf("duration %q is out of range", text), "", fmt.Sprintf("Write a duration from %s to 24h.", low))
	}
	return d
}

var rateText = regexp.MustCompile(`^([1-9][0-9]{0,8}) ?(kB|MB|GB)/s$`)

var rateUnits = map[string]Rate{"kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}

// read reads a number with PostgreSQL's units of size, by the second.
func (v *Rate) read(r *reader, f field) bool {
	text, ok := r.scalar(f, "a rate", "!!str", "!!int", "!!float")
	if !ok {
		return false
	}
	match := rateText.FindStringSubmatch(text)
	if match == nil {
		r.add(codeNumber, r.at(f.value), fmt.Sprintf("invalid rate %q", text), "", "Write a number and one of kB/s, MB/s, GB/s, for example 64MB/s.")
		return false
	}
	n, _ := strconv.ParseInt(match[1], 10, 64)
	*v = Rate(n) * rateUnits[match[2]]
	return true
}

// String is in the greatest unit that divides it, as it may be written.
func (v Rate) String() string {
	for _, unit := range []string{"GB", "MB"} {
		if of := rateUnits[unit]; v%of == 0 {
			return fmt.Sprintf("%d%s/s", v/of, unit)
		}
	}
	return fmt.Sprintf("%dkB/s", v/rateUnits["kB"])
}

var fractionText = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{1,9})?)(%?)$`)

// fraction is 0 < f <= 1, written as 0.5 or 50%.
func (r *reader) fraction(f field) float64 {
	text, ok := r.scalar(f, "a fraction", "!!str", "!!int", "!!float")
	if !ok {
		return 1
	}
	value := 0.0
	if match := fractionText.FindStringSubmatch(strings.TrimSpace(text)); match != nil {
		value, _ = strconv.ParseFloat(match[1], 64)
		if match[2] == "%" {
			value /= 100
		}
	}
	if value <= 0 || value > 1 {
		r.add(codeFraction, r.at(f.value), fmt.Sprintf("invalid %s %q", f.name(), text), "", "Write a number above 0 and at most 1, for example 0.5 or 50%.")
	}
	return value
}

const maxName = 40 // leaves room in PostgreSQL's 63 bytes for what generated names add

var (
	ownName    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	systemName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	eventName  = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)
	payloadKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
)

// word is a text; kind says of what.
func (r *reader) word(f field, kind string) (string, bool) {
	switch kind {
	case "column", "role", "trigger", "schema":
		return r.identifier(f, kind)
	case "alias":
		name, ok := r.text(f)
		if ok {
			r.named(f, name, "alias")
		}
		return name, ok
	}
	text, ok := r.text(f)
	if !ok {
		return "", false
	}
	at := r.at(f.value)
	switch kind {
	case "schedule":
		return r.schedule(f, text)
	case "check", "subject", "object", "reason", "day":
		r.suppressionText(at, kind, text)
	case "system": // the name of a role or schema of the install
		if !systemName.MatchString(text) || len(text) > 50 {
			r.add(codeName, at, fmt.Sprintf("invalid %s name %q", f.name(), text), "", "Use at most 50 lower-case letters, digits and underscores, and begin with a letter.")
		} else if strings.HasPrefix(text, "pg_") || slices.Contains([]string{"public", "none", "cron", "information_schema"}, text) {
			r.add(codeReserved, at, fmt.Sprintf("%s name %q is reserved", f.name(), text), "", "Choose another name.")
		}
	case "database": // a plain name, which is quoted where it is used
		if text == "" || len(text) > 63 || strings.ContainsAny(text, "\x00\r\n") {
			r.add(codeName, at, fmt.Sprintf("invalid database name %q", text), "", "Write a name of 1 to 63 bytes in one line.")
		}
	case "zone":
		if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
			r.add(codeTimeZone, at, fmt.Sprintf("unknown time zone %q", text), "", `Write a name of the time zone database, for example "Europe/Berlin" or "UTC".`)
		}
	case "event":
		if !eventName.MatchString(text) || len(text) > 63 {
			r.add(codeName, at, fmt.Sprintf("invalid event name %q", text), "", "Use at most 63 lower-case letters, digits and underscores, with dots between words if you like.")
		}
	case "type":
		if err := pgparse.TypeName(text); err != nil {
			r.add(codeType, at, fmt.Sprintf("invalid column type %q", text), fmt.Sprintf("PostgreSQL's grammar says: %s.", err), "Write a type only, for example timestamptz; the default has a key of its own.")
		}
	}
	return text, true
}

// named checks a name that the file defines: of a policy, guard, join, job or alias.
func (r *reader) named(f field, name, what string) {
	at := r.at(f.value)
	if f.key != nil && f.key.Value == name {
		at = r.at(f.key)
	}
	switch {
	case slices.Contains(reserved, name):
		r.add(codeReserved, at, fmt.Sprintf("%s name %q is reserved", what, name), "Reserved: "+strings.Join(reserved, ", ")+".", "Choose another name.")
	case !ownName.MatchString(name):
		r.add(codeName, at, fmt.Sprintf("invalid %s name %q", what, name), "", "Use lower-case letters, digits and underscores, and begin with a letter.")
	case len(name) > maxName:
		r.add(codeName, at, fmt.Sprintf("%s name %q is too long", what, name), "", fmt.Sprintf("Use at most %d characters.", maxName))
	}
}

// identifier reads a name by SQL's rules; that of a table may have two parts, and a role must be one that
// can be granted to.
func (r *reader) identifier(f field, what string) (string, bool) {
	parts, ok := r.dotted(f, what, 1)
	if !ok {
		return "", false
	}
	if what == "role" && (parts[0] == "public" || parts[0] == "none") {
		r.add(codeReserved, r.at(f.value), fmt.Sprintf("role %q is reserved", parts[0]), "", "Name the roles that may call the function.")
	}
	return parts[0], true
}

// dotted reads a name by SQL's rules, of at most most parts.
func (r *reader) dotted(f field, what string, most int) ([]string, bool) {
	text, ok := r.text(f)
	if !ok {
		return nil, false
	}
	parts, err := pgparse.Name(text)
	if err == nil && len(parts) <= most {
		return parts, true
	}
	detail := ""
	if err != nil && strings.Contains(err.Error(), "63 bytes") {
		detail = "A name has at most 63 bytes."
	}
	r.add(codeIdentifier, r.at(f.value), fmt.Sprintf("%q is not the name of a %s", text, what), detail,
		"Write it as in SQL; a name with capitals, spaces or a reserved word goes in double quotes, within the YAML text.")
	return nil, false
}

// table reads schema.name or name, which is in schema public.
func (r *reader) table(f field) (Table, bool) {
	parts, ok := r.dotted(f, "table", 2)
	if !ok {
		return Table{}, false
	}
	if len(parts) == 1 {
		parts = []string{"public", parts[0]}
	}
	return Table{Schema: parts[0], Name: parts[1], Position: r.at(f.value)}, true
}
