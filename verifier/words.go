package verifier

import (
	"slices"
	"strings"
	"time"
)

func quoted(text string) string { return `"` + text + `"` }

func excerpt(line string) string {
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > 80 {
		line = string(runes[:80]) + "..."
	}
	return quoted(line)
}

// reason is what somebody gave, for the end of a sentence.
func reason(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// distinct sorts, and drops repetitions; it is never nil, which would be NULL to the server.
func distinct(names []string) []string {
	list := append([]string{}, names...)
	slices.Sort(list)
	return slices.Compact(list)
}
