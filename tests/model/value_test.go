package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgretain/internal/quote"
)

// value is the value of a column. nil is NULL; other values are int64, bool, text, cents or moment.
type value any

// text is a text or a uuid. All texts of a column have letters of one case, so that the collation
// does not matter.
type text string

// cents is a numeric(10,2), in hundredths.
type cents int64

// moment is a timestamptz. For timestamp and date it is the local time, as if in UTC.
type moment time.Time

// kind is the data type of a column.
type kind string

const (
	integer     kind = "integer"
	bigint      kind = "bigint"
	boolean     kind = "boolean"
	textual     kind = "text"
	uuid        kind = "uuid"
	numeric     kind = "numeric(10,2)"
	timestamptz kind = "timestamptz"
	timestamp   kind = "timestamp"
	millis      kind = "timestamp(3)"
	date        kind = "date"
	smallint    kind = "smallint"
	float       kind = "double precision"
	decimal     kind = "numeric"
	varchar     kind = "varchar(9)"
	bytea       kind = "bytea"
	ulid        kind = "varchar(26)"
)

// literal returns a value as an SQL literal.
func literal(v value, k kind) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	}
	return quote.Literal(format(v, k)) + "::" + string(k)
}

// format returns a value as PostgreSQL prints it in UTC with DateStyle ISO.
func format(v value, k kind) string {
	switch v := v.(type) {
	case nil:
		return "~"
	case cents:
		sign := ""
		if v < 0 {
			sign, v = "-", -v
		}
		return fmt.Sprintf("%s%d.%02d", sign, v/100, v%100)
	case moment:
		if k == date {
			return time.Time(v).Format("2006-01-02")
		}
		s := time.Time(v).Format("2006-01-02 15:04:05.999999")
		if k == timestamptz {
			s += "+00"
		}
		return s
	default:
		return fmt.Sprint(v)
	}
}

// compare returns the order of two values of one column that are not NULL.
func compare(a, b value) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case cents:
		return cmp.Compare(a, b.(cents))
	case text:
		return strings.Compare(string(a), string(b.(text)))
	case moment:
		return time.Time(a).Compare(time.Time(b.(moment)))
	case bool:
		if a == b.(bool) {
			return 0
		} else if a {
			return 1
		}
		return -1
	}
	panic(fmt.Sprintf("values of type %T have no order", a))
}

// span is an interval with the three parts that PostgreSQL stores separately.
type span struct {
	Months, Days int
	Time         time.Duration
}

func (s span) String() string {
	var parts []string
	if s.Months != 0 {
		parts = append(parts, fmt.Sprintf("%d months", s.Months))
	}
	if s.Days != 0 {
		parts = append(parts, fmt.Sprintf("%d days", s.Days))
	}
	if h := int(s.Time.Hours()); h != 0 {
		parts = append(parts, fmt.Sprintf("%d hours", h))
	}
	if m := int(s.Time.Minutes()) % 60; m != 0 {
		parts = append(parts, fmt.Sprintf("%d min", m))
	}
	if len(parts) == 0 {
		return "0 days"
	}
	return strings.Join(parts, " ")
}

// before returns asOf minus s. It subtracts first months, then days, by the calendar of zone, and
// last the time in UTC. A day after the end of the month becomes the month's last day (S3).
func (s span) before(asOf time.Time, zone *time.Location) time.Time {
	t := asOf
	if s.Months != 0 {
		wall := wallOf(t, zone)
		first := time.Date(wall.Year(), wall.Month()-time.Month(s.Months), 1, 0, 0, 0, 0, time.UTC)
		day := min(wall.Day(), first.AddDate(0, 1, -1).Day())
		t = instantOf(first.AddDate(0, 0, day-1).Add(wall.Sub(wall.Truncate(24*time.Hour))), zone)
	}
	if s.Days != 0 {
		t = instantOf(wallOf(t, zone).AddDate(0, 0, -s.Days), zone)
	}
	return t.Add(-s.Time)
}

// wallOf returns the local time in zone at the instant t, as if in UTC.
func wallOf(t time.Time, zone *time.Location) time.Time {
	l := t.In(zone)
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC)
}

// instantOf returns the instant at which zone has the local time wall. If that local time occurs
// twice, it returns the second instant (S4). If the clock change skips that local time, it returns
// what PostgreSQL returns: the instant by the offset before the change.
func instantOf(wall time.Time, zone *time.Location) time.Time {
	_, early := wall.Add(-26 * time.Hour).In(zone).Zone()
	_, late := wall.Add(26 * time.Hour).In(zone).Zone()
	at := func(offset int) (time.Time, bool) {
		t := wall.Add(-time.Duration(offset) * time.Second)
		return t, wallOf(t, zone).Equal(wall)
	}
	if t, ok := at(late); ok {
		return t.UTC()
	}
	t, _ := at(early)
	return t.UTC()
}

// row has the values of a row by column name.
type row map[string]value

type database map[*table][]row

func (d database) clone() database {
	c := database{}
	for t, rows := range d {
		c[t] = nil
		for _, r := range rows {
			c[t] = append(c[t], r.clone())
		}
	}
	return c
}

func (r row) clone() row {
	c := row{}
	for k, v := range r {
		c[k] = v
	}
	return c
}

// lines returns all rows of a table, sorted, in the format of table.query.
func (d database) lines(t *table) []string {
	lines := []string{}
	for _, r := range d[t] {
		values := make([]string, len(t.columns))
		for i, c := range t.columns {
			values[i] = format(r[c.name], c.kind)
		}
		lines = append(lines, t.name+": "+strings.Join(values, " | "))
	}
	slices.Sort(lines)
	return lines
}
