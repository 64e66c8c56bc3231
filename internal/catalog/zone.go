package catalog

import "strings"

// ZoneDecides says whether the comparison of two columns depends on the time zone of the session, by
// their types. Such a comparison is STABLE, and no index can hold it.
func ZoneDecides(a, b Column) bool {
	x, y := times[Unsized(a.Plain())], times[Unsized(b.Plain())]
	return x != "" && y != "" && x != y
}

// times says of each type for times whether it knows its zone.
var times = map[string]string{
	"timestamp with time zone": "zone", "timestamp without time zone": "local", "date": "local",
	"time with time zone": "zone", "time without time zone": "local",
}

// Unsized is a type without length or precision, as functions take arguments: "timestamp without time zone" for
// "timestamp(3) without time zone".
func Unsized(typ string) string {
	before, rest, ok := strings.Cut(typ, "(")
	if !ok || strings.Contains(typ, `"`) {
		return typ
	}
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}
