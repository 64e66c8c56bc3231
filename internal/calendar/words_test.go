package calendar

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"* * * * *":                "every minute",
		"*/5 * * * *":              "every 5 minutes",
		"0-59/15 * * * *":          "every 15 minutes",
		"0,20,40 * * * *":          "every 20 minutes",
		"*/5 * * * 1":              "every 5 minutes on Mondays",
		"5 * * * *":                "every hour at minute 5",
		"5,35 * * * *":             "",
		"0 3 * * *":                "daily at 03:00",
		"@daily":                   "daily at 00:00",
		"@hourly":                  "every hour at minute 0",
		"@weekly":                  "at 00:00 on Sundays",
		"@yearly":                  "",
		"0 1,13 * * *":             "daily at 01:00 and 13:00",
		"0,30 1,13 * * *":          "daily at 01:00, 01:30, 13:00 and 13:30",
		"30 */6 * * *":             "every 6 hours from 00:30 on",
		"30 2-22/4 * * *":          "every 4 hours from 02:30 on",
		"0 4 * * 0":                "at 04:00 on Sundays",
		"0 4 * * 7":                "at 04:00 on Sundays",
		"0 4 * * mon,thu":          "at 04:00 on Mondays and Thursdays",
		"0 4 13 * *":               "at 04:00 on day 13 of the month",
		"0 4 1,15 * *":             "",
		"0 4 $ * *":                "at 04:00 on the last day of the month",
		"0 4 1 jan,jul *":          "",
		"30 seconds":               "every 30 seconds",
		"1 second":                 "every second",
		"@reboot":                  "when the server starts",
		"*/7 * * * *":              "", // 56 is followed by 0
		"2-59/5 * * * *":           "",
		"0 9-17 * * *":             "",
		"* 3 * * *":                "",
		"0 4 * * 1-5":              "",
		"0 4 13 * 5":               "", // either
		"0 4 1-31 * 5":             "", // either: every day
		"0 4 */2 * 5":              "",
		"0 4 $ * 5":                "",
		"0 4 1,2,3,4 * *":          "",
		"0 4 1 1,2,3,4 *":          "",
		"H/5 * * * *":              "every 5 minutes",
		"H 3 * * *":                "",
		"not one":                  "",
		"1,2,3,4 * * * *":          "",
		"0,10,20,30 1,2,3,4 * * *": "",
	} {
		if got := Words(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestWordsTellSchedulesApart: what is said in the same words starts at the same minutes.
func TestWordsTellSchedulesApart(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	field := func(low, high, star int) string {
		n := func() int { return low + random.IntN(high-low+1) }
		switch random.IntN(star + 3) {
		case 0:
			return fmt.Sprint(n())
		case 1:
			return fmt.Sprintf("%d,%d", n(), n())
		case 2:
			return fmt.Sprintf("*/%d", 1+random.IntN(high))
		}
		return "*"
	}
	starts := map[string]string{}
	said := 0
	for range 4000 {
		text := fmt.Sprint(field(0, 59, 1), " ", field(0, 23, 3), " ", field(1, 28, 9), " ", field(1, 12, 9), " ", field(0, 6, 9))
		words := Words(text)
		if words == "" {
			continue
		}
		said++
		ticks, at := "", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 40 {
			at = Parse([]string{text}, time.UTC).Next(at)
			ticks += at.Format(" 0102-1504")
		}
		if starts[words] == "" {
			starts[words] = ticks
		}
		if starts[words] != ticks {
			t.Errorf("%q is said of %s, but also of a schedule with other starts:\n%s\n%s", words, text, ticks, starts[words])
		}
	}
	if said < 500 {
		t.Errorf("%d schedules in words only", said)
	}
}
