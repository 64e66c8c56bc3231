package htmlreport

import (
	"fmt"
	"time"
	"unicode/utf8"

	"pgretain/internal/explain"
)

func count(n int64) string { return explain.Number(n) }

func times(n int, thing string) string { return explain.Count(n, thing) }

// at writes an instant to the minute, in the zone that it has.
func at(t time.Time) string { return t.Format("2 Jan 2006 15:04") }

// ago writes a duration in its two largest units.
func ago(d time.Duration) string {
	day := 24 * time.Hour
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < day:
		return two(d, time.Hour, "h", time.Minute, "min")
	case d < 60*day:
		return two(d, day, "d", time.Hour, "h")
	}
	return fmt.Sprintf("%s d", count(int64(d/day)))
}

func two(d, large time.Duration, unit string, small time.Duration, part string) string {
	if d%large < small {
		return fmt.Sprintf("%d %s", d/large, unit)
	}
	return fmt.Sprintf("%d %s %d %s", d/large, unit, d%large/small, part)
}

// shortened is text for a place with room for so many characters.
func shortened(text string, room int) string {
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	return string([]rune(text)[:room-1]) + "…"
}
