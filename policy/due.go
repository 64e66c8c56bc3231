package policy

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
)

// clocks lists the keys of a due entry that define a clock. entryKeys lists all keys of a due
// entry. clockKeys lists the keys below each clock.
var (
	clocks    = []string{"age", "expires", "position"}
	entryKeys = append(slices.Clone(clocks), "beyond")
	clockKeys = map[string][]string{
		"age":      {"older_than", "column", "expression", "encoding", "since", "nulls", "inclusive", "up_to"},
		"expires":  {"grace", "column", "expression", "encoding", "since", "nulls", "inclusive", "up_to"},
		"position": {"column", "expression", "encoding", "up_to", "watermark"},
	}
)

// read reads one entry, or the entries of "any".
func (due *Due) read(r *reader, f field) {
	m := r.mapping(f, `"due"`, append(slices.Clone(entryKeys), "any"))
	due.Position = r.at(f.key)
	alternatives, ok := m.fields["any"]
	if !ok {
		due.Entries = []Entry{r.entry(m)}
		return
	}
	if len(m.order) > 1 {
		r.add(messages.AnyNotAlone, r.at(alternatives.key))
	}
	items := r.list(alternatives)
	if len(items) == 0 {
		r.add(messages.EmptyAny, r.at(alternatives.key))
	}
	for _, item := range items {
		r.try(func() {
			m := r.mapping(item, `an entry of "any"`, append(slices.Clone(entryKeys), "any"))
			m.refuse(messages.NestedAny, "any")
			due.Entries = append(due.Entries, r.entry(m))
		})
	}
	for _, e := range due.Entries {
		if e.Clock != nil && e.Clock.Watermark != nil {
			r.add(messages.WatermarkInAny, e.Clock.Watermark.Position)
		}
	}
}

// DueClocks lists the clocks of all due entries.
func (p *Policy) DueClocks() []*Clock {
	clocks := lists.Map(p.DueEntries(), func(e Entry) *Clock { return e.Clock })
	return slices.DeleteFunc(clocks, func(c *Clock) bool { return c == nil })
}

// DueRanks lists the ranks of all due entries.
func (p *Policy) DueRanks() []*Rank {
	ranks := lists.Map(p.DueEntries(), func(e Entry) *Rank { return e.Beyond })
	return slices.DeleteFunc(ranks, func(r *Rank) bool { return r == nil })
}

// DueEntries lists the entries of "due". A policy without "due" has none.
func (p *Policy) DueEntries() []Entry {
	if p.Due == nil {
		return nil
	}
	return p.Due.Entries
}

// entry reads one rank, one clock, or both.
func (r *reader) entry(m mapping) Entry {
	e := Entry{Position: r.fieldAt(m.from)}
	written := slices.DeleteFunc(slices.Clone(clocks), func(kind string) bool { return !m.has(kind) })
	for i, kind := range written {
		if i > 0 {
			m.exclusive(messages.TwoClocks, written[0], kind)
			continue
		}
		m.readKey(kind, &e.Clock, "")
	}
	m.readKey("beyond", &e.Beyond, "")
	if len(m.order) == 0 {
		r.add(messages.EmptyDue(m.what), e.Position)
	}
	return e
}

// read reads a clock. The key of the field is the kind of the clock.
func (c *Clock) read(r *reader, f field) {
	c.Kind, c.Position = f.name(), r.fieldAt(f)
	m := r.mapping(f, f.label(), clockKeys[c.Kind])
	if r.policy.Partitions {
		m.refuse(messages.ClockKeyOfPartitions, "column", "expression", "nulls", "inclusive", "watermark")
	} else {
		m.either(messages.ColumnOrExpression, "column", "expression")
	}
	for _, key := range []string{"column", "expression"} {
		if m.has(key) {
			c.ColumnPos = r.at(m.fields[key].value)
		}
	}
	r.fill(m, c)
	if m.has("since") && c.Encoding.Kind == "" {
		r.add(messages.SinceNeedsEncoding, r.fieldAt(m.fields["since"]))
	}
	if nulls, ok := m.fields["nulls"]; ok {
		r.try(func() { c.NullsDue = r.choice(nulls, "keep", "due") == "due" })
		c.NullsKept = !c.NullsDue
	}
	if c.UpTo != nil { // one value, which a run reads at its start, before any row
		if results := c.UpTo.parsed.Results; results > 1 {
			r.add(messages.UpToColumns(results), c.UpTo.Position)
		}
	}
	switch c.Kind {
	case "age":
		m.require("older_than")
		m.readKey("older_than", &c.Window, "")
	case "expires":
		none := Interval{Text: "0 days", Position: c.Position}
		c.Window = Window{Tiers: []Tier{{Interval: none}}, Position: c.Position}
		m.readKey("grace", &c.Window, "")
	case "position":
		if !m.has("up_to", "watermark") {
			r.add(messages.PositionNeedsEnd, c.Position)
		}
	}
}

// read reads a word, or the map of a snowflake key.
func (e *Encoding) read(r *reader, f field) {
	e.Position = r.at(f.value)
	if f.is(yaml.MappingNode) {
		var key struct {
			Snowflake snowflakeKey `yaml:"snowflake,required"`
		}
		r.structure(f, f.title(), &key)
		e.Kind, e.Shift, e.Epoch = "snowflake", key.Snowflake.Shift, key.Snowflake.Epoch
		return
	}
	if r.text(f) == "snowflake" {
		r.fail(messages.SnowflakeNeedsKeys, e.Position)
	}
	e.Kind = r.choice(f, "epoch_s", "epoch_ms", "uuidv7", "ulid")
}

// snowflakeKey says which bits of a key hold a timestamp. The greatest epoch is the year 9999 in
// milliseconds.
type snowflakeKey struct {
	Shift int   `yaml:"shift,required,0..62"`
	Epoch int64 `yaml:"epoch,required,0..253402300799999"`
}

// read reads a rank. Its "first" is a number, or a map that takes the number from data.
func (rank *Rank) read(r *reader, f field) {
	m := r.structure(f, fmt.Sprintf("rank %q", f.name()), rank)
	if first := m.fields["first"]; m.has("first") {
		r.try(func() { r.rankSize(rank, first) })
	}
	if order := m.fields["order"]; m.has("order") {
		r.try(func() { rank.OrderText, rank.Order = r.order(order) })
	}
}

const maxFirst = 1000000000

var countKeys = append([]string{"count"}, boundaries...)

// rankSize reads the number of rows that a rank selects: a number, or a map whose "count" is an
// expression on the row. In a map, a constant count may be zero.
func (r *reader) rankSize(rank *Rank, f field) {
	if !f.is(yaml.MappingNode) {
		if isNumber(f) && resolve(f.value).Value == "0" {
			r.fail(messages.FirstNone, r.at(f.value))
		}
		rank.First = r.within(f, 1, maxFirst)
		return
	}
	m := r.mapping(f, `"first"`, countKeys)
	count, ok := m.require("count")
	if !ok {
		return
	}
	d := &CountData{}
	d.fill(r, m, count, func(f field) int64 { return r.within(f, 0, maxFirst) })
	if !isNumber(count) {
		rank.Count = d
	} else if d.Else != nil {
		rank.First = *d.Else
	}
	if d.Else != nil && *d.Else == 0 && (d.AtLeast == nil || *d.AtLeast != 0) {
		r.fail(messages.FirstZero, d.Position)
	}
	d.checkBounds(r, "the number", func(a, b int64) bool { return a > b },
		func(n int64) (string, diag.Position) { return strconv.FormatInt(n, 10), d.Position })
}
