package calendar

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"pgretain/internal/lists"
)

// Words say when a schedule starts its job, as in "daily at 03:00"; "" for one that is better read as it is written.
func Words(text string) string {
	if text == "@reboot" {
		return "when the server starts"
	}
	if m := cronSeconds.FindStringSubmatch(text); m != nil {
		return evenly(m[1], "second")
	}
	if m := spread.FindStringSubmatch(text); m != nil && m[1] != "" {
		text = "*/" + m[1] + m[2]
	}
	s, fault := parse(text, time.UTC)
	days, known := s.days()
	minutes, hours := set(s.minute), set(s.hour)
	switch whole, every := len(hours) == 24, step(hours, 24); {
	case fault != "" || !known || text[0] == 'H':
		return ""
	case whole && step(minutes, 60) > 0 && len(minutes) > 1 && minutes[0] == 0:
		return evenly(fmt.Sprint(step(minutes, 60)), "minute") + days
	case whole && len(minutes) == 1:
		return fmt.Sprintf("every hour at minute %d", minutes[0]) + days
	case len(hours) > 2 && every > 0 && len(minutes) == 1:
		return fmt.Sprintf("every %d hours from %02d:%02d on", every, hours[0], minutes[0]) + days
	case len(minutes)*len(hours) > 4:
		return ""
	}
	var times []string
	for _, hour := range hours {
		for _, minute := range minutes {
			times = append(times, fmt.Sprintf("%02d:%02d", hour, minute))
		}
	}
	if days == "" {
		return "daily at " + spoken(times)
	}
	return "at " + spoken(times) + days
}

// days are those on which a schedule starts anything, "" for all; false where words would be longer than the fields.
func (s schedule) days() (string, bool) {
	days, weekdays := set(s.day), set(s.weekday&0x7f)
	all, anyWeekday := len(days) == 31, len(weekdays) == 7
	switch {
	case len(set(s.month)) < 12:
		return "", false
	case s.lastDay && anyWeekday:
		return " on the last day of the month", true
	case s.star && all && !anyWeekday && len(weekdays) < 4:
		return " on " + spoken(lists.Map(weekdays, func(n int) string { return time.Weekday(n).String() + "s" })), true
	case s.star && anyWeekday && len(days) == 1:
		return fmt.Sprintf(" on day %d of the month", days[0]), true
	}
	return "", s.star && all && anyWeekday
}

// set lists the numbers whose bits are set.
func set(field uint64) []int {
	var list []int
	for ; field > 0; field &= field - 1 {
		list = append(list, bits.TrailingZeros64(field))
	}
	return list
}

// step is by how much numbers follow each other, also from the last one to the first of the next turn; 0 where they
// do not evenly.
func step(list []int, turn int) int {
	if len(list) == 0 || turn%len(list) != 0 {
		return 0
	}
	by := turn / len(list)
	if slices.ContainsFunc(list, func(n int) bool { return (n-list[0])%by != 0 }) {
		return 0
	}
	return by
}

func evenly(n, unit string) string {
	if n == "1" {
		return "every " + unit
	}
	return "every " + n + " " + unit + "s"
}

// spoken joins words with commas and "and".
func spoken(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
