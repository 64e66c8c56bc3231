package calendar_test

import (
	"testing"
	"time"

	"pgretain/internal/calendar"
)

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		want       bool
	}{
		{"0 3 * * *", "0 * * * *", true},
		{"0 3 * * *", "@hourly", true},
		{"0 * * * *", "0 3 * * *", false},
		{"5 3 * * *", "0 * * * *", false},
		{"*/10 * * * *", "*/5 * * * *", true},
		{"* * * * *", "* * * * 1-5", false},
		{"0 3 $ * *", "0 3 28-31 * *", true},
		{"0 3 $ * *", "0 3 29-31 * *", false},
		{"0 3 29 2 *", "0 3 * * 0", false},
		{"0 3 1 1 *", "0 3 1 * 1", true}, // the first of a month, or a Monday
		{"0 3 30 2 *", "0 4 * * *", false},
		{"30 seconds", "* * * * *", false},
		{"* * * * *", "1 second", false},
		{"@reboot", "* * * * *", false},
	} {
		one, other := calendar.Parse([]string{c.one}, time.UTC), calendar.Parse([]string{c.other}, time.UTC)
		if got := calendar.Covers(other, one); got != c.want {
			t.Errorf("%q within %q: %v", c.one, c.other, got)
		}
	}
	both := calendar.Parse([]string{"0 1 * * *", "0 2 * * *"}, time.UTC)
	if !calendar.Covers(both, both) || calendar.Covers(both[:1], both) {
		t.Error("several schedules are not compared one by one")
	}
}
