package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// clocks are the keys of an entry that are clocks, entryKeys all that an entry has.
var (
	clocks    = []string{"age", "expires", "position"}
	entryKeys = append(slices.Clone(clocks), "beyond")
	clockKeys = map[string][]string{
		"age":      {"older_than", "column", "expression", "encoding", "nulls", "inclusive", "up_to"},
		"expires":  {"grace", "column", "expression", "encoding", "nulls", "inclusive", "up_to"},
		"position": {"column", "expression", "encoding", "up_to", "watermark"},
	}
)

// read reads one entry, or the entries of any.
func (due *Due) read(r *reader, f field) {
	m := r.mapping(f, `"due"`, append(slices.Clone(entryKeys), "any"))
	due.Position = r.at(f.key)
	alternatives, ok := m.fields["any"]
	if !ok {
		due.Entries = []Entry{r.entry(m)}
		return
	}
	if len(m.order) > 1 {
		r.add(codeAny, r.at(alternatives.key), `"any" stands alone in "due"`, "", `Move the other keys into the entries of "any".`)
	}
	items := r.list(alternatives)
	if len(items) == 0 {
		r.add(codeAny, r.at(alternatives.key), `"any" has no entry`, "", "Write at least one map with age, expires, position or beyond.")
	}
	for _, item := range items {
		r.try(func() {
			m := r.mapping(item, `an entry of "any"`, append(slices.Clone(entryKeys), "any"))
			m.refuse(codeAny, `%q inside "any" is not allowed`, "", "List all entries in one \"any\".", "any")
			due.Entries = append(due.Entries, r.entry(m))
		})
	}
	for _, e := range due.Entries {
		if e.Clock != nil && e.Clock.Watermark != nil {
			r.add(codeAny, e.Clock.Watermark.Position, `"watermark" inside "any" is not allowed`, "It moves past every row, whichever entry took it.", "Write a policy of its own for the position.")
		}
	}
}

// DueClocks are those of the entries of due.
func (p *Policy) DueClocks() []*Clock {
	clocks := lists.Map(p.DueEntries(), func(e Entry) *Clock { return e.Clock })
	return slices.DeleteFunc(clocks, func(c *Clock) bool { return c == nil })
}

// DueRanks are those of the entries of due.
func (p *Policy) DueRanks() []*Rank {
	ranks := lists.Map(p.DueEntries(), func(e Entry) *Rank { return e.Beyond })
	return slices.DeleteFunc(ranks, func(r *Rank) bool { return r == nil })
}

// DueEntries are those of due, none without it.
func (p *Policy) DueEntries() []Entry {
	if p.Due == nil {
		return nil
	}
	return p.Due.Entries
}

// entry reads a clock, of which there is one at most, and a rank.
func (r *reader) entry(m mapping) Entry {
	e := Entry{Position: r.fieldAt(m.from)}
	written := slices.DeleteFunc(slices.Clone(clocks), func(kind string) bool { return !m.has(kind) })
	for i, kind := range written {
		if i > 0 {
			m.exclusive(written[0], kind, "", fmt.Sprintf("For rows that exceed either, write due: {any: [{%s: ...}, {%s: ...}]}.", written[0], kind))
			continue
		}
		m.take(kind, &e.Clock, "")
	}
	m.take("beyond", &e.Beyond, "")
	if len(m.order) == 0 {
		r.add(codeMissing, e.Position, m.what+" is empty", "", "Write "+strings.Join(clocks, ", ")+" or beyond.")
	}
	return e
}

// read reads a clock; its key says which.
func (c *Clock) read(r *reader, f field) {
	c.Kind, c.Position = f.name(), r.fieldAt(f)
	m := r.mapping(f, f.label(), clockKeys[c.Kind])
	if r.policy.Partitions {
		m.refuse(codePartitions, notOfPartitions, "The clock of a partition is its upper bound, or its value in a list.", "Remove the key.",
			"column", "expression", "nulls", "inclusive", "watermark")
	} else {
		m.either(codeConflict, "column", "expression", "")
	}
	for _, key := range []string{"column", "expression"} {
		if m.has(key) {
			c.ColumnPos = r.at(m.fields[key].value)
		}
	}
	r.fill(m, c)
	if nulls, ok := m.fields["nulls"]; ok {
		r.try(func() { c.NullsDue = r.choice(nulls, "keep", "due") == "due" })
		c.NullsKept = !c.NullsDue
	}
	if c.UpTo != nil { // one value, read when the run starts, when there is no row yet
		if parsed := (Part{Expr: *c.UpTo, Kind: IsQuery}).Parsed(); parsed.Results > 1 {
			r.add(codeExpression, c.UpTo.Position, fmt.Sprintf("\"up_to\" is one value, and its query returns %d", parsed.Results), "", "Select one column.")
		}
	}
	switch c.Kind {
	case "age":
		m.require("older_than")
		m.take("older_than", &c.Window, "")
	case "expires":
		none := Interval{Text: "0 days", Position: c.Position}
		c.Window = Window{Tiers: []Tier{{Interval: none}}, Position: c.Position}
		m.take("grace", &c.Window, "")
	case "position":
		if !m.has("up_to", "watermark") {
			r.add(codeMissing, c.Position, `"position" needs "up_to" or "watermark"`, "Without both every row would be due.", "Say where the rows that are due end, or from where on they have not been worked off.")
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
		r.fail(codeMissing, e.Position, `"snowflake" needs the keys "shift" and "epoch"`, "", "Write {snowflake: {shift: 22, epoch: 1288834974657}}.")
	}
	e.Kind = r.choice(f, "epoch_s", "epoch_ms", "uuidv7", "ulid")
}

// snowflakeKey is how a key holds an instant; its greatest epoch is the year 9999 in milliseconds.
type snowflakeKey struct {
	Shift int   `yaml:"shift,required,0..62"`
	Epoch int64 `yaml:"epoch,required,0..253402300799999"`
}

// read reads a rank, whose first is a number or a map for one from data.
func (rank *Rank) read(r *reader, f field) {
	m := r.structure(f, fmt.Sprintf("rank %q", f.name()), rank)
	if first := m.fields["first"]; m.has("first") {
		r.try(func() { r.first(rank, first) })
	}
	if order := m.fields["order"]; m.has("order") {
		r.try(func() { rank.OrderText, rank.Order = r.order(order) })
	}
}

const maxFirst = 1000000000

var countKeys = append([]string{"count"}, boundaries...)

// first is how many rows of a rank have a place that counts: a number, or a map whose count the
// row gives. A map with a number is that number, and may be zero.
func (r *reader) first(rank *Rank, f field) {
	const none = "No row would have a place."
	if !f.is(yaml.MappingNode) {
		if isNumber(f) && resolve(f.value).Value == "0" {
			r.fail(codeNumber, r.at(f.value), "first 0 is out of range", none, "Write a number from 1 to 1000000000, or {count: 0, at_least: 0} where zero is meant.")
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
		r.fail(codeNumber, d.Position, `"first" is zero`, none, `Write a higher number, or "at_least: 0" beside it.`)
	}
	d.checkBounds(r, "the number", func(a, b int64) bool { return a > b },
		func(n int64) (string, diag.Position) { return strconv.FormatInt(n, 10), d.Position })
}
