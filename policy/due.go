package policy

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

var (
	dueShape   = shape{keys: []string{"age", "expires", "beyond", "any"}, later: []string{"position"}}
	entryShape = shape{keys: []string{"age", "expires", "beyond"}, later: []string{"position"}}
)

// due reads one entry, or the entries of any. A rank here may read every guard.
func (r *reader) due(f field, s scope) *Due {
	if f.value == nil {
		return nil
	}
	m, ok := r.mapping(f, `"due"`, dueShape)
	if !ok {
		return nil
	}
	due := &Due{Position: r.at(f.key)}
	alternatives, ok := m.fields["any"]
	if !ok {
		due.Entries = r.entries(nil, m, s)
		return due
	}
	due.Any = true
	if len(m.order) > 1 {
		r.add(codeAny, r.at(alternatives.key), `"any" stands alone in "due"`, "", `Move the other keys into the entries of "any".`)
	}
	items := r.list(alternatives)
	if len(items) == 0 && resolve(alternatives.value).Kind == yaml.SequenceNode {
		r.add(codeAny, r.at(alternatives.key), `"any" has no entry`, "", "Write at least one map with age, expires or beyond.")
	}
	for _, item := range items {
		due.Entries = r.alternative(due.Entries, item, s)
	}
	return due
}

func (r *reader) alternative(entries []Entry, item field, s scope) []Entry {
	if node := resolve(item.value); node.Kind == yaml.MappingNode {
		for i := 0; i < len(node.Content); i += 2 {
			if node.Content[i].Value == "any" {
				r.add(codeAny, r.at(node.Content[i]), `"any" inside "any" is not allowed`, "", "List all entries in one \"any\".")
				return entries
			}
		}
	}
	if m, ok := r.mapping(item, `an entry of "any"`, entryShape); ok {
		entries = r.entries(entries, m, s)
	}
	return entries
}

func (r *reader) entries(entries []Entry, m mapping, s scope) []Entry {
	e := Entry{Position: r.fieldAt(m.from)}
	age, isAge := m.fields["age"]
	expires, isExpires := m.fields["expires"]
	if isAge && isExpires {
		r.add(codeConflict, r.at(expires.key), `"age" and "expires" exclude each other`, "", `For rows that exceed either, write due: {any: [{age: ...}, {expires: ...}]}.`)
	}
	clock := scope{names: s.names}
	if isExpires {
		e.Clock = r.clock(expires, "expires", clock)
	}
	if isAge {
		e.Clock = r.clock(age, "age", clock)
	}
	if beyond, ok := m.fields["beyond"]; ok {
		e.Beyond = r.rank(beyond, s)
	}
	if len(resolve(m.from.value).Content) == 0 {
		r.add(codeMissing, r.fieldAt(m.from), m.what+" is empty", "", "Write age, expires or beyond.")
	}
	return append(entries, e)
}

var (
	clockKeys    = []string{"column", "expression", "encoding", "nulls", "inclusive"}
	clockLater   = []string{"watermark", "up_to"}
	ageShape     = shape{keys: append([]string{"older_than"}, clockKeys...), later: clockLater}
	expiresShape = shape{keys: append([]string{"grace"}, clockKeys...), later: clockLater}
)

func (r *reader) clock(f field, kind string, s scope) *Clock {
	sh := ageShape
	if kind == "expires" {
		sh = expiresShape
	}
	m, ok := r.mapping(f, quoted(kind), sh)
	if !ok {
		return nil
	}
	c := &Clock{Kind: kind, Position: r.fieldAt(f)}
	r.clockValue(c, m, s)
	c.Encoding = r.encoding(m.fields["encoding"])
	c.NullsDue = r.choice(m.fields["nulls"], "keep", "due") == "due"
	c.Inclusive = r.boolean(m.fields["inclusive"])
	if kind == "expires" {
		c.Window = Window{Tiers: []Tier{{Interval: Interval{Text: "0 days", Position: c.Position}, Position: c.Position}}, Position: c.Position}
		if grace, ok := m.fields["grace"]; ok {
			c.Window = r.window(grace, true, s)
		}
		return c
	}
	if olderThan, ok := m.require("older_than"); ok {
		c.Window = r.window(olderThan, false, s)
	}
	return c
}

func (r *reader) clockValue(c *Clock, m mapping, s scope) {
	if m.has("column") == m.has("expression") {
		r.add(codeConflict, c.Position, m.what+` needs either "column" or "expression"`, "", "")
	}
	if column, ok := m.fields["column"]; ok {
		c.Column, c.ColumnPos = r.columnName(column), r.at(column.value)
	}
	if expression, ok := m.fields["expression"]; ok {
		c.Expression, c.ColumnPos = r.expression(expression, s), r.at(expression.value)
	}
}

func (r *reader) columnName(f field) string {
	parts, ok := r.identifier(f, "a column", 1)
	if !ok {
		return ""
	}
	return parts[0]
}

var snowflakeShape = shape{keys: []string{"shift", "epoch"}}

// encoding is a word, or the map of a snowflake key.
func (r *reader) encoding(f field) Encoding {
	if f.value == nil {
		return Encoding{}
	}
	e := Encoding{Position: r.at(f.value)}
	if resolve(f.value).Kind != yaml.MappingNode {
		if text, ok := r.text(f); ok && text == "snowflake" {
			r.add(codeMissing, e.Position, `"snowflake" needs the keys "shift" and "epoch"`, "", "Write {snowflake: {shift: 22, epoch: 1288834974657}}.")
		} else if ok {
			e.Kind = r.choice(f, "epoch_s", "epoch_ms", "uuidv7", "ulid")
		}
		return e
	}
	m, ok := r.mapping(f, `"encoding"`, shape{keys: []string{"snowflake"}})
	if !ok {
		return e
	}
	snowflake, ok := m.require("snowflake")
	if !ok {
		return e
	}
	return r.snowflake(snowflake, e)
}

func (r *reader) snowflake(f field, e Encoding) Encoding {
	m, ok := r.mapping(f, `"snowflake"`, snowflakeShape)
	if !ok {
		return e
	}
	e.Kind = "snowflake"
	if shift, ok := m.require("shift"); ok {
		e.Shift = int(r.between(shift, 0, 62, 0))
	}
	if epoch, ok := m.require("epoch"); ok {
		e.Epoch = r.between(epoch, 0, maxEpoch, 0)
	}
	return e
}

// maxEpoch is the year 9999 in milliseconds.
const maxEpoch = 253402300799999

var rankShape = shape{keys: []string{"first", "per", "order", "among", "with_ties"}}

func (r *reader) rank(f field, s scope) *Rank {
	m, ok := r.mapping(f, fmt.Sprintf("rank %q", f.name()), rankShape)
	if !ok {
		return nil
	}
	rank := &Rank{Position: r.fieldAt(f), WithTies: r.boolean(m.fields["with_ties"])}
	if first, ok := m.require("first"); ok {
		if kind := resolve(first.value).Kind; kind == yaml.MappingNode || kind == yaml.SequenceNode {
			r.notYet(r.at(first.value), `"first" from data`, "Write one number.")
		} else {
			rank.First = r.between(first, 1, 1000000000, 1)
		}
	}
	for _, item := range r.list(m.fields["per"]) {
		if e := r.expression(item, s); e != nil {
			rank.Per = append(rank.Per, *e)
		}
	}
	if order, ok := m.require("order"); ok {
		r.order(rank, order, s)
	}
	if among, ok := m.fields["among"]; ok {
		rank.Among = r.expression(among, s)
	}
	return rank
}
