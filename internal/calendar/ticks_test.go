package calendar_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"

	"pgretain/internal/calendar"
)

// TestTicksAgreeWithAnotherCron compares the ticks of random schedules with those of another cron
// parser. It leaves out what only pg_cron accepts: 7 for Sunday, "$" and steps after a star.
func TestTicksAgreeWithAnotherCron(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	field := func(low, high int) string {
		a, b := low+random.IntN(high-low+1), low+random.IntN(high-low+1)
		switch random.IntN(5) {
		case 0, 1:
			return "*"
		case 2:
			return fmt.Sprint(a)
		case 3:
			return fmt.Sprintf("%d-%d/%d", min(a, b), max(a, b), 1+random.IntN(4))
		}
		return fmt.Sprintf("%d,%d", a, b)
	}
	for range 3000 {
		text := strings.Join([]string{field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6)}, " ")
		other, err := cron.ParseStandard("CRON_TZ=UTC " + text)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026+random.IntN(4), time.Month(1+random.IntN(12)), 1+random.IntN(28), random.IntN(24),
			random.IntN(60), random.IntN(60), 0, time.UTC)
		for range 3 {
			want := other.Next(at)
			got := calendar.Parse([]string{text}, time.UTC).Next(at)
			if want.IsZero() && got.After(at.AddDate(5, 0, 0)) {
				break // the other parser searches five years only
			}
			if !got.Equal(want) {
				t.Fatalf("next tick of %q after %s: got %s, want %s", text, at, got, want)
			}
			if at = want; want.IsZero() {
				break
			}
		}
	}
}

// TestLongest compares Longest with known values, and with the ticks of one year if a year is long
// enough.
func TestLongest(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for schedule, want := range map[string]time.Duration{
		"30 seconds":         30 * time.Second,
		"* * * * *":          time.Minute,
		"*/7 * * * *":        7 * time.Minute,
		"0 */7 * * *":        7 * time.Hour,
		"@daily":             day,
		"15,45 9-17 * * 1-5": 2*day + 15*time.Hour + 30*time.Minute,
		"@weekly":            7 * day,
		"0 3 $ * *":          31 * day,
		"0 3 31 * *":         61 * day,
		"* * * 1 *":          335*day + time.Minute,
		"0 0 29 2 *":         (8*365 + 1) * day,
		"@reboot":            0,
		"0 0 30 2 *":         0,
		"0 3 1 * 1":          7 * day,
	} {
		ticks := calendar.Parse([]string{schedule}, time.UTC)
		if got := ticks.Longest(); got != want {
			t.Errorf("Longest of %q: got %v, want %v", schedule, got, want)
		}
		if want < time.Hour || want > 7*day {
			continue
		}
		var longest time.Duration
		at := ticks.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
		for end := at.AddDate(1, 0, 0); at.Before(end); {
			next := ticks.Next(at)
			longest, at = max(longest, next.Sub(at)), next
		}
		if longest != want {
			t.Errorf("longest time between two ticks of %q in one year: got %v, want %v", schedule, longest, want)
		}
	}
	if got := calendar.Parse([]string{"@daily", "@weekly", "@reboot"}, time.UTC).Longest(); got != day {
		t.Errorf("Longest of several schedules: got %v, want %v", got, day)
	}
}
