package policy

import (
	"fmt"
	"math"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
)

var (
	dueShape   = shape{keys: []string{"age", "expires", "position", "beyond", "any"}}
	entryShape = shape{keys: []string{"age", "expires", "position", "beyond"}}
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
		r.add(codeAny, r.at(alternatives.key), `"any" has no entry`, "", "Write at least one map with age, expires, position or beyond.")
	}
	for _, item := range items {
		due.Entries = r.alternative(due.Entries, item, s)
	}
	r.noWatermark(due)
	return due
}

// noWatermark refuses what would pass by the rows that the other entries take later.
func (r *reader) noWatermark(due *Due) {
	for _, e := range due.Entries {
		if e.Clock != nil && e.Clock.Watermark != nil {
			r.add(codeAny, e.Clock.Watermark.Position, `"watermark" inside "any" is not allowed`, "It moves past every row, whichever entry took it.", "Write a policy of its own for the position.")
		}
	}
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
	if f, kind := r.oneClock(m); kind != "" {
		e.Clock = r.clock(f, kind, scope{names: s.names, partitions: s.partitions})
	}
	if beyond, ok := m.fields["beyond"]; ok {
		e.Beyond = r.rank(beyond, s)
	}
	r.emptyEntry(m)
	return append(entries, e)
}

func (r *reader) clock(f field, kind string, s scope) *Clock {
	m, ok := r.mapping(f, quoted(kind), clockShapes[kind])
	if !ok {
		return nil
	}
	c := &Clock{Kind: kind, Position: r.fieldAt(f)}
	if s.partitions {
		r.partitionClock(m)
	} else {
		r.clockValue(c, m, s)
	}
	c.Encoding = r.encoding(m.fields["encoding"])
	c.NullsDue = r.choice(m.fields["nulls"], "keep", "due") == "due"
	c.NullsKept = m.has("nulls") && !c.NullsDue
	c.Inclusive = r.boolean(m.fields["inclusive"])
	c.UpTo = r.upTo(m.fields["up_to"], s)
	switch kind {
	case "age":
		if olderThan, ok := m.require("older_than"); ok {
			c.Window = r.window(olderThan, false, s)
		}
	case "expires":
		c.Window = r.grace(c, m, s)
	case "position":
		r.position(c, m)
	}
	return c
}

func (r *reader) grace(c *Clock, m mapping, s scope) Window {
	if grace, ok := m.fields["grace"]; ok {
		return r.window(grace, true, s)
	}
	none := Tier{Interval: Interval{Text: "0 days", Position: c.Position}, Position: c.Position}
	return Window{Tiers: []Tier{none}, Position: c.Position}
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

var (
	encodingShape  = shape{keys: []string{"snowflake"}}
	snowflakeShape = shape{keys: []string{"shift", "epoch"}}
)

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
	m, ok := r.mapping(f, `"encoding"`, encodingShape)
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

// bounds is what defaults and policies both may set.
type bounds struct {
	batch    Batch
	budget   Budget
	breaker  Breaker
	throttle Throttle
}

// mostRows is how many rows a batch that is sized by time has at most.
const mostRows = 50000

var builtInBounds = bounds{
	batch:    Batch{Rows: mostRows, Time: 50 * time.Millisecond, LockTimeout: 100 * time.Millisecond},
	budget:   Budget{Time: 10 * time.Minute},
	breaker:  Breaker{Rows: 5000000, Fraction: 0.5},
	throttle: Throttle{Busy: 1},
}

// Default is a policy with nothing but what holds where a file says nothing.
func Default() *Policy {
	b := builtInBounds
	return &Policy{Batch: b.batch, Budget: b.budget, Breaker: b.breaker, Throttle: b.throttle}
}

var boundKeys = []string{"batch", "budget", "breaker", "throttle"}

var (
	defaultsShape = shape{keys: boundKeys}
	batchShape    = shape{keys: []string{"rows", "time", "lock_timeout"}}
	budgetShape   = shape{keys: []string{"rows", "time"}}
	breakerShape  = shape{keys: []string{"rows", "fraction"}}
	throttleShape = shape{keys: []string{"busy"}, later: []string{"replica_lag", "wal_rate", "pending_archival", "autovacuum"}}
)

// bounds reads the map of defaults; what it does not set stays as in base.
func (r *reader) bounds(f field, what string, base bounds) bounds {
	if f.value == nil {
		return base
	}
	m, ok := r.mapping(f, quoted(what), defaultsShape)
	if !ok {
		return base
	}
	return r.boundsOf(m, base)
}

func (r *reader) boundsOf(m mapping, b bounds) bounds {
	if m, ok := r.part(m, "batch", batchShape); ok {
		b.batch = r.batch(m, b.batch)
	}
	if m, ok := r.part(m, "budget", budgetShape); ok {
		b.budget.Rows = r.unlessNull(m.fields["rows"], b.budget.Rows)
		b.budget.Time = r.duration(m.fields["time"], time.Second, 0, b.budget.Time)
		b.budget.RowsPosition = r.placed(m, "rows", b.budget.RowsPosition)
		b.budget.TimePosition = r.placed(m, "time", b.budget.TimePosition)
	}
	if m, ok := r.part(m, "breaker", breakerShape); ok {
		b.breaker.Rows = r.between(m.fields["rows"], 1, math.MaxInt64, b.breaker.Rows)
		b.breaker.Fraction = r.fraction(m.fields["fraction"], b.breaker.Fraction)
		b.breaker.RowsPosition = r.placed(m, "rows", b.breaker.RowsPosition)
	}
	if m, ok := r.part(m, "throttle", throttleShape); ok {
		b.throttle.Busy = r.fraction(m.fields["busy"], b.throttle.Busy)
	}
	return b
}

// batch reads rows and time: rows alone are exact.
func (r *reader) batch(m mapping, b Batch) Batch {
	rows, timed := m.fields["rows"], m.fields["time"].value != nil
	switch {
	case timed && rows.value == nil && b.Time == 0:
		b.Rows = mostRows
	case !timed && rows.value != nil:
		b.Time = 0
	}
	b.Rows = int(r.between(rows, 1, 1000000, int64(b.Rows)))
	b.Time = r.duration(m.fields["time"], time.Millisecond, -1, b.Time)
	b.LockTimeout = r.duration(m.fields["lock_timeout"], time.Millisecond, -1, b.LockTimeout)
	return b
}

// placed is where a key's value stands, or else where the defaults have it.
func (r *reader) placed(m mapping, key string, fallback diag.Position) diag.Position {
	if f, ok := m.fields[key]; ok {
		return r.at(f.value)
	}
	return fallback
}

// unlessNull is a number of rows; null takes away the bound of the defaults.
func (r *reader) unlessNull(f field, fallback int64) int64 {
	if f.value != nil && isNull(f) {
		return 0
	}
	return r.between(f, 1, math.MaxInt64, fallback)
}

// part is the map under a key that may be absent.
func (r *reader) part(m mapping, key string, s shape) (mapping, bool) {
	f, ok := m.fields[key]
	if !ok {
		return mapping{}, false
	}
	return r.mapping(f, fmt.Sprintf("%q of %s", key, m.what), s)
}
