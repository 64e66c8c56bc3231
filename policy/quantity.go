package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var durationText = regexp.MustCompile(`^([0-9]{1,9}) ?(ms|s|sec|min|m|h)$`)

var durationUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "sec": time.Second, "min": time.Minute, "m": time.Minute, "h": time.Hour,
}

// duration is a number with a unit from low to a day; null is the value none where that is >= 0.
func (r *reader) duration(f field, low, none, fallback time.Duration) time.Duration {
	if f.value == nil {
		return fallback
	}
	if none >= 0 && isNull(f) {
		return none
	}
	text, ok := r.scalar(f, "a duration", "!!str", "!!int", "!!float")
	if !ok {
		return fallback
	}
	match := durationText.FindStringSubmatch(text)
	if match == nil {
		r.add(codeDuration, r.at(f.value), fmt.Sprintf("invalid duration %q", text), "", "Write a number and one of ms, s, min, h, for example 100ms.")
		return fallback
	}
	n, _ := strconv.ParseInt(match[1], 10, 64)
	d := time.Duration(n) * durationUnits[match[2]]
	if d < low || n > int64(24*time.Hour/durationUnits[match[2]]) {
		r.add(codeDuration, r.at(f.value), fmt.Sprintf("duration %q is out of range", text), "", fmt.Sprintf("Write a duration from %s to 24h.", low))
		return fallback
	}
	return d
}

var fractionText = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{1,9})?)(%?)$`)

// fraction is 0 < f <= 1, written as 0.5 or 50%.
func (r *reader) fraction(f field, fallback float64) float64 {
	if f.value == nil {
		return fallback
	}
	text, ok := r.scalar(f, "a fraction", "!!str", "!!int", "!!float")
	if !ok {
		return fallback
	}
	match := fractionText.FindStringSubmatch(strings.TrimSpace(text))
	value := 0.0
	if match != nil {
		value, _ = strconv.ParseFloat(match[1], 64)
		if match[2] == "%" {
			value /= 100
		}
	}
	if value <= 0 || value > 1 {
		r.add(codeFraction, r.at(f.value), fmt.Sprintf("invalid %s %q", f.name(), text), "", "Write a number above 0 and at most 1, for example 0.5 or 50%.")
		return fallback
	}
	return value
}
