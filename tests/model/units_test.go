package model

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// unit is the encoding in which the application really writes a clock. It may differ from the
// encoding in the policy.
type unit struct {
	name  string
	kinds []kind
	write func(time.Time, dice) value
}

// counted returns a unit whose values are (milliseconds - start) * times / per.
func counted(name string, start, times, per int64, kinds ...kind) unit {
	return unit{name, kinds, func(at time.Time, _ dice) value {
		n := new(big.Int).Mul(big.NewInt(at.UnixMilli()-start), big.NewInt(times))
		return n.Quo(n, big.NewInt(per)).Int64()
	}}
}

// units has the encodings of policies, by name, and other encodings that applications use.
var units = []unit{
	counted("epoch_s", 0, 1, 1000, integer, bigint, float, decimal),
	counted("epoch_ms", 0, 1, 1, bigint, float, decimal),
	counted("snowflake", snowflakeEpoch, 1<<snowflakeShift, 1, bigint, decimal),
	counted("microseconds", 0, 1000, 1, bigint, decimal),
	counted("nanoseconds", 0, 1000000, 1, bigint, decimal),
	counted("minutes", 0, 1, 60000, integer, bigint, float, decimal),
	counted("hours", 0, 1, 3600000, integer, bigint),
	counted("days", 0, 1, 86400000, integer, bigint),
	counted("seconds since 2001", 978307200000, 1, 1000, integer, bigint, float, decimal),
	counted("microseconds since 1601", -11644473600000, 1000, 1, bigint, decimal),
	counted("100 ns since 1601", -11644473600000, 10000, 1, bigint, decimal),
	counted("snowflake of another epoch", 1420070400000, 1<<22, 1, bigint),
	counted("snowflake of another shift", 1314220021721, 1<<23, 1, bigint),
	counted("milliseconds before 16 bits", 0, 1<<16, 1, bigint),
	{"uuidv7", []kind{uuid}, func(at time.Time, d dice) value { return uuidOf(at.UnixMilli(), 1+d.IntN(2)) }},
	{"random uuid", []kind{uuid}, func(_ time.Time, d dice) value {
		return text(fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", d.Uint32(), d.IntN(1<<16), d.IntN(1<<12),
			d.IntN(1<<12), d.Int64N(1<<48)))
	}},
	{"uuid of version 6", []kind{uuid}, func(at time.Time, d dice) value {
		n := (at.UnixMilli() + 12219292800000) * 10000 // 100 ns since 1582
		return text(fmt.Sprintf("%08x-%04x-6%03x-a%03x-%012x", n>>28, n>>12&0xffff, n&0xfff, d.IntN(1<<12),
			d.Int64N(1<<48)))
	}},
	{"ulid", []kind{ulid}, func(at time.Time, d dice) value { return ulidOf(at.UnixMilli(), 1+d.IntN(2)) }},
	{"lower-case ulid", []kind{ulid}, func(at time.Time, d dice) value {
		return text(strings.ToLower(string(ulidOf(at.UnixMilli(), 1+d.IntN(2)))))
	}},
	{"object id", []kind{ulid}, func(at time.Time, d dice) value {
		return text(fmt.Sprintf("%08x%016x", at.Unix(), d.Int64()))
	}},
}

// laterInstants has the times of runs for clocks in a wrong unit. pgretain recognizes the unit by
// values near the time of the run. In 2024, nanoseconds would look like snowflake keys of 2023.
var laterInstants = []string{"2025-06-15T12:00:00Z", "2025-03-09T07:30:00Z", "2025-03-30T01:00:00Z",
	"2025-05-04T05:30:00.123456Z", "2025-03-31T22:10:00Z"}

// mistake chooses the unit in which the application writes the policy's clock. It may be the right
// one.
func (a *author) mistake() {
	c := a.policy.clock()
	if !a.present || c == nil || c.encoding == "" {
		return
	}
	fits := slices.DeleteFunc(slices.Clone(units), func(u unit) bool { return !slices.Contains(u.kinds, c.kind) })
	u := pick(a.dice, fits...)
	a.unit = &u
	if a.oneIn(4) && strings.HasPrefix(c.encoding, "epoch_") {
		c.since = "1970-01-02"
	}
}

// writeTime sets the policy's clock as the application writes it, and column seen to the true time.
// Some clocks get a value that is not a time.
func (a *author) writeTime(r row) {
	c := a.policy.clock()
	if a.oneIn(12) {
		r[c.column], r[a.col("seen")] = int64(0), nil
		switch c.kind {
		case uuid:
			r[c.column] = keyValue(uuid, a.IntN(100))
		case ulid:
			r[c.column] = text("01J00000000000000000000I00")
		}
		return
	}
	at := a.clockValue(timestamptz).(moment).time().Truncate(time.Second)
	r[c.column], r[a.col("seen")] = a.unit.write(at, a.dice), moment(at)
}

// isBeforeSince reports whether an encoded clock is before since. Such a row is never due.
func (c *clock) isBeforeSince(v value) bool {
	first := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	if c.since != "" {
		first, _ = time.Parse("2006-01-02", c.since)
	}
	switch c.encoding {
	case "":
		return false
	case "snowflake":
		return v.(int64) < 3600*1000<<snowflakeShift // one hour after the epoch
	}
	return c.compareTo(v, first, time.UTC) < 0
}

// dueOnlyByWrongUnit reports whether a row is due by its clock as the policy reads it, but not by
// the true time.
func (m *model) dueOnlyByWrongUnit(j dueRow) bool {
	clock := m.policy.clock()
	if m.unit == nil || clock == nil || j.row[clock.column] == nil {
		return false
	}
	if clock.valueOf(j.row) == nil && m.unit.name == clock.encoding {
		return false // the value is no key, so key nulls of the policy decides
	}
	c := *clock
	c.column, c.kind, c.encoding, c.upTo, c.nulls = m.tableSet.style("seen"), timestamptz, "", nil, false
	return !m.isDue(&c, j.env)
}

// clockTrips reports whether the clock's values may trip a run, and whether they must. They must if
// the run would take a row that is not due by its true time. They may if the application writes
// another unit, or if more values are no keys than are keys.
func (m *model) clockTrips() (may, must bool) {
	keys, others := 0, 0
	for _, r := range m.data[m.tableSet.item] {
		e := m.joined(r)
		if m.policy.where != nil && !isTrue(m.policy.where.eval(e)) {
			continue
		}
		for _, entry := range m.policy.due {
			c := entry.clock
			switch {
			case c == nil || c.encoding == "" || r[c.column] == nil:
			case c.valueOf(r) == nil:
				others++
			default:
				keys++
			}
		}
	}
	c := m.policy.clock()
	if m.unit == nil || c == nil {
		return others > keys, false
	}
	must = slices.ContainsFunc(m.evaluate().takes, m.dueOnlyByWrongUnit)
	return must || others > keys || m.unit.name != c.encoding, must
}
