package model

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"time"
)

// model computes what a run must do.
type model struct {
	*scenario
	data  database
	asOf  time.Time
	scope row      // values that rows must have for the call; nil for all rows
	start database // the data at the start of the run
}

// evaluation has the rows that a run takes and the counts of rows that it keeps.
type evaluation struct {
	takes            []dueRow // ordered by the clock, then by the key
	kept, keptByNull map[string]int64
}

// dueRow is a row to take, as it was when the model evaluated it.
type dueRow struct {
	row row
	env *scope
}

// evaluate applies where, then due, then keep (S8).
func (m *model) evaluate() evaluation {
	j := evaluation{kept: map[string]int64{}, keptByNull: map[string]int64{}}
	var rows []*scope
	for _, r := range m.data[m.tableSet.item] {
		e := m.joined(r)
		if m.policy.where == nil || isTrue(m.policy.where.eval(e)) {
			rows = append(rows, e)
		}
	}
	by, byNull := m.guards(rows)
	due := m.due(rows)
	for i, e := range rows {
		if !due[i] || !e.rows["t"].has(m.scope) {
			continue
		}
		name := by[i]
		if name == "" && m.held(e) {
			name = "hold"
		}
		if name != "" {
			j.kept[name]++
			if byNull[i] {
				j.keptByNull[name]++
			}
			continue
		}
		j.takes = append(j.takes, dueRow{e.rows["t"].clone(), e})
	}
	slices.SortStableFunc(j.takes, m.older)
	return j
}

// older compares two rows by the order of batches, which is the clock, then the key.
func (m *model) older(a, b dueRow) int {
	if c := m.policy.clock(); c != nil {
		x, y := c.valueOf(a.row), c.valueOf(b.row)
		switch {
		case x == nil && y != nil:
			return 1
		case x != nil && y == nil:
			return -1
		case x != nil && compare(x, y) != 0:
			return compare(x, y)
		}
	}
	return m.tableSet.item.compareKeys(a.row, b.row)
}

// clock returns the policy's only clock, or nil.
func (p *policy) clock() *clock {
	for _, e := range p.due {
		if e.clock != nil && !p.any {
			return e.clock
		}
	}
	return nil
}

// joined returns the row with its joins. A join finds one row at most. A join without a row has
// NULL columns (S15).
func (m *model) joined(r row) *scope {
	e := &scope{rows: map[string]row{"t": r}, data: m.data, asOf: m.asOf, kept: map[string]bool{}}
	for _, j := range m.policy.joins {
		if j.query != nil {
			e = e.with(j.name, row{"found": j.query.eval(e)})
			continue
		}
		from := m.data
		if j.once {
			from = m.start
		}
		for _, o := range from[j.from] {
			if isTrue(j.where.eval(e.with(j.name, o))) {
				e = e.with(j.name, o)
				break
			}
		}
	}
	return e
}

// guards returns for each row the name of the first guard that is not false (S17), and whether that
// guard was NULL. It stores all results in the scopes of the rows, where ranks read them.
func (m *model) guards(rows []*scope) (by []string, byNull []bool) {
	by, byNull = make([]string, len(rows)), make([]bool, len(rows))
	for _, g := range m.policy.keep {
		var first []bool
		if g.rank != nil {
			first = g.rank.firstRows(rows, true)
		}
		for i, e := range rows {
			kept, null := g.rank != nil && first[i], false
			if g.rank == nil {
				v := g.cond.eval(e)
				kept, null = !isFalse(v), v == nil
			}
			e.kept[g.name] = kept
			if kept && by[i] == "" {
				by[i], byNull[i] = g.name, null
			}
		}
	}
	for _, e := range rows {
		e.kept["hold"] = m.held(e)
	}
	return by, byNull
}

// due reports for each row whether it is due. All entries are evaluated on the same rows (S12,
// S13).
func (m *model) due(rows []*scope) []bool {
	due := make([]bool, len(rows))
	if len(m.policy.due) == 0 {
		for i := range due {
			due[i] = true
		}
	}
	for _, entry := range m.policy.due {
		in := make([]bool, len(rows))
		for i := range in {
			in[i] = true
		}
		if entry.clock != nil {
			for i, e := range rows {
				in[i] = m.isDue(entry.clock, e)
			}
		}
		if entry.rank != nil {
			for i, past := range entry.rank.beyond(rows) {
				in[i] = in[i] && past
			}
		}
		for i := range due {
			due[i] = due[i] || in[i]
		}
	}
	return due
}

// valueOf returns the value of the clock for a row.
func (c *clock) valueOf(r row) value {
	switch v, _ := r[c.column].(text); {
	case c.encoding == "uuidv7" && v != "" && v[14] != '7', c.encoding == "ulid" && !isULID.MatchString(string(v)):
		return nil // a uuid of another version and a text that is no ULID have no time
	}
	if v := r[c.column]; v != nil || c.other == "" {
		return v
	}
	return r[c.other]
}

// isDue reports whether a row is due by the clock.
func (m *model) isDue(c *clock, e *scope) bool {
	v := c.valueOf(e.rows["t"])
	if c.upTo != nil {
		// The query runs once, at the start of the run, so it has no current row.
		up := c.upTo.eval(&scope{data: m.start, asOf: m.asOf})
		if up == nil || v != nil && compare(v, up) > 0 {
			return false
		}
	}
	if c.key == "position" {
		if v == nil {
			return false
		}
		return c.watermark == nil || compare(v, m.watermarkRow(c)["seq"]) > 0
	}
	length, ok := span{}, true
	if c.window != nil {
		length, ok = c.window.length(e)
	}
	switch {
	case !ok:
		return false
	case v == nil:
		return c.nulls
	case c.isBeforeSince(v):
		return false
	}
	n := c.compareTo(v, length.before(m.asOf, m.zone), m.zone)
	return n < 0 || n == 0 && c.inclusive
}

// watermarkRow returns the row that has the policy's watermark.
func (m *model) watermarkRow(c *clock) row {
	for _, r := range m.data[c.watermark] {
		if r["kind"] == text("mine") {
			return r
		}
	}
	panic("no watermark")
}

// compareTo compares a clock value with the cutoff. The cutoff is rounded down to the clock's type
// (S4).
func (c *clock) compareTo(v value, cutoff time.Time, zone *time.Location) int {
	if unit := map[string]int64{"epoch_s": 1000000, "epoch_ms": 1000}[c.encoding]; c.kind == float ||
		c.kind == decimal {
		// such a clock has fractions, so the cutoff is not rounded
		return new(big.Int).Mul(big.NewInt(v.(int64)), big.NewInt(unit)).Cmp(big.NewInt(cutoff.UnixMicro()))
	}
	switch c.encoding {
	case "epoch_s":
		return compare(v, cutoff.Unix())
	case "epoch_ms":
		return compare(v, cutoff.UnixMilli())
	case "uuidv7":
		return compare(v, uuidOf(cutoff.UnixMilli(), 0))
	case "ulid":
		return compare(v, ulidOf(cutoff.UnixMilli(), 0))
	case "snowflake": // the smallest key of the cutoff's millisecond
		return compare(v, (cutoff.UnixMilli()-snowflakeEpoch)<<snowflakeShift)
	}
	at := v.(moment).time()
	switch c.kind {
	case timestamptz:
		return at.Compare(cutoff)
	case timestamp, millis:
		return instantOf(at, zone).Compare(cutoff)
	case date:
		day := wallOf(cutoff, zone).Truncate(24 * time.Hour)
		if n := at.Compare(day); n < 0 || !instantOf(day, zone).After(cutoff) {
			return n
		}
		return 1 // midnight occurs twice on that day; it means the second instant, which is after the cutoff
	}
	panic(c.kind)
}

// length returns the window of a row, and false if the row never becomes due.
func (w *window) length(e *scope) (span, bool) {
	switch {
	case w == nil:
		return span{}, false
	case w.tiers != nil:
		for _, t := range w.tiers {
			if t.when == nil || isTrue(t.when.eval(e)) {
				return t.then.length(e)
			}
		}
		return span{}, false
	case w.fixed != nil:
		return *w.fixed, true
	}
	n, ok := dataNumber(w.of.eval(e), w.instead, w.never, w.atLeast, w.atMost)
	switch w.unit {
	case "hours":
		return span{Time: time.Duration(n) * time.Hour}, ok
	case "days":
		return span{Days: int(n)}, ok
	case "weeks":
		return span{Days: 7 * int(n)}, ok
	case "months":
		return span{Months: int(n)}, ok
	}
	panic(w.unit)
}

// dataNumber returns a number that is read from data. It returns false for "never": for negative
// numbers, and for 0 unless at_least is 0.
func dataNumber(v value, instead *int64, never []int64, atLeast, atMost *int64) (int64, bool) {
	if v == nil {
		if instead == nil {
			return 0, false
		}
		v = *instead
	}
	n := v.(int64)
	if slices.Contains(never, n) || n < 0 || n == 0 && (atLeast == nil || *atLeast != 0) {
		return 0, false
	}
	if atLeast != nil {
		n = max(n, *atLeast)
	}
	if atMost != nil {
		n = min(n, *atMost)
	}
	return n, true
}

// uuidOf returns a uuid of version 7. With low 0 it is the smallest of its millisecond.
func uuidOf(ms int64, low int) text {
	return text(fmt.Sprintf("%08x-%04x-7000-8000-%012x", ms>>16, ms&0xffff, low))
}

var isULID = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

// ulidOf returns a ULID. With low 0 it is the smallest of its millisecond.
func ulidOf(ms int64, low int) text {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	key := make([]byte, 10)
	for i := range key {
		key[9-i] = digits[ms>>(5*i)&31]
	}
	return text(fmt.Sprintf("%s%016d", key, low))
}
