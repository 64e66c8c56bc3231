package calendar

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
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
	if m := spread.FindStringSubmatch(text); m != nil {
		if m[1] == "" {
			return ""
		}
		text = "*/" + m[1] + m[2]
	}
	c, fault := parse(text, time.UTC)
	if days, known := c.days(); known && fault == "" {
		return c.times(days)
	}
	return ""
}

// times are those at which a schedule starts its job on some days.
func (c schedule) times(days string) string {
	minutes, hours := set(c.minute), set(c.hour)
	every, whole := step(hours, 24), len(hours) == 24
	switch {
	case whole && step(minutes, 60) > 0 && len(minutes) > 1 && minutes[0] == 0:
		return evenly(fmt.Sprint(step(minutes, 60)), "minute") + days
	case len(minutes) > 3 || len(minutes)*len(hours) > 4 && every == 0:
		return ""
	case whole && len(minutes) == 1:
		return fmt.Sprintf("every hour at minute %d", minutes[0]) + days
	case whole:
		return "every hour at minutes " + spoken(lists.Map(minutes, strconv.Itoa)) + days
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
func (c schedule) days() (string, bool) {
	days, months, weekdays := set(c.day), set(c.month), set(c.weekday&0x7f)
	text := ""
	switch all := len(days) == 31; {
	case !c.star && !c.lastDay, (!all || c.lastDay) && len(weekdays) < 7,
		len(weekdays) > 3 && len(weekdays) < 7, !all && len(days) > 3:
		return "", false
	case c.lastDay:
		text = " on the last day of the month"
	case !all && len(days) == 1:
		text = fmt.Sprintf(" on day %d of the month", days[0])
	case !all:
		text = " on days " + spoken(lists.Map(days, strconv.Itoa)) + " of the month"
	case len(weekdays) < 7:
		text = " on " + spoken(lists.Map(weekdays, func(n int) string { return time.Weekday(n).String() + "s" }))
	}
	if len(months) < 12 {
		text += " in " + spoken(lists.Map(months, func(n int) string { return time.Month(n).String() }))
	}
	return text, len(months) == 12 || len(months) < 4
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
