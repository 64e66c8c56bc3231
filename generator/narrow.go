package generator

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A written type is what format_type makes of one: a name, and the last number that stands in parentheses, -1 for none.
type writtenType struct {
	name   string
	digits int
}

var lastDigits = regexp.MustCompile(`\((?:-?\d+,)?(-?\d+)\)`)

func writtenTypeOf(text string) writtenType {
	t := writtenType{strings.TrimRight(text, "[]"), -1}
	if m := lastDigits.FindStringSubmatch(t.name); m != nil {
		t.digits, _ = strconv.Atoi(m[1])
		t.name = lastDigits.ReplaceAllString(t.name, "")
	}
	return t
}

// narrows says whether an assignment to a column of type to changes some values of type from without an error: numbers
// and times are rounded, zones and the ends of names dropped. What raises an error instead is not narrow, nor are types
// of which nothing is known here. https://www.postgresql.org/docs/current/typeconv-query.html
func narrows(from, to string) bool {
	a, b := writtenTypeOf(from), writtenTypeOf(to)
	switch {
	case strings.HasPrefix(a.name, "interval") && strings.HasPrefix(b.name, "interval"):
		return from != to && b != (writtenType{"interval", -1})
	case a.name == "numeric" && b.name == "numeric", slices.Contains(times, a.name) && slices.Contains(times, b.name):
		if b.digits >= 0 && (a.digits < 0 || a.digits > b.digits) {
			return true
		}
	}
	return slices.Contains(narrower[a.name], b.name)
}

var times = []string{"timestamp with time zone", "timestamp without time zone", "time with time zone", "time without time zone"}

// narrower lists for each type the other types that do not hold all its values, and to which it is assigned without an
// error.
var narrower = map[string][]string{
	"integer":                     {"real"},
	"bigint":                      {"real", "double precision"},
	"numeric":                     {"smallint", "integer", "bigint", "real", "double precision"},
	"real":                        {"smallint", "integer", "bigint", "numeric"},
	"double precision":            {"smallint", "integer", "bigint", "numeric", "real"},
	"timestamp with time zone":    {"timestamp without time zone", "date", "time with time zone", "time without time zone"},
	"timestamp without time zone": {"date", "time without time zone"},
	"time with time zone":         {"time without time zone"},
	"interval":                    {"time without time zone"},
	"text":                        {"character", "name", `"char"`},
	"character varying":           {"character", "name", `"char"`},
	"character":                   {"name", `"char"`},
}
