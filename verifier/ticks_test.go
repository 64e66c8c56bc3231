package verifier

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

func TestTicks(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 28, 12, 2, 30, 0, time.UTC) // the night after, Berlin skips 02:00 to 03:00
	for name, c := range map[string]struct {
		schedules []string
		zone      string
		deadline  string // with a budget of one minute; "" for none
		lag       time.Duration
	}{
		"every five minutes":    {[]string{"*/5 * * * *"}, "GMT", "2026-03-28T12:11:00Z", 11 * time.Minute},
		"seconds":               {[]string{"30 seconds"}, "GMT", "2026-03-28T12:04:30Z", 2 * time.Minute},
		"one second":            {[]string{"1 second"}, "GMT", "2026-03-28T12:03:32Z", 62 * time.Second},
		"word":                  {[]string{"@hourly"}, "GMT", "2026-03-28T14:01:00Z", 2*time.Hour + time.Minute},
		"in pg_cron's zone":     {[]string{"0 13 * * *"}, "Europe/Berlin", "2026-03-30T11:01:00Z", 48*time.Hour + time.Minute},
		"in the hour skipped":   {[]string{"30 2 * * *"}, "Europe/Berlin", "2026-03-31T00:31:00Z", 48*time.Hour + time.Minute},
		"the earliest of two":   {[]string{"0 3 * * *", "0 15 * * *"}, "GMT", "2026-03-29T03:01:00Z", 24*time.Hour + time.Minute},
		"reboot adds nothing":   {[]string{"@reboot", "0 3 * * *"}, "GMT", "2026-03-30T03:01:00Z", 48*time.Hour + time.Minute},
		"reboot alone":          {[]string{"@reboot"}, "GMT", "", 0},
		"last day of the month": {[]string{"0 3 $ * *"}, "GMT", "2026-04-30T03:01:00Z", 60*24*time.Hour + time.Minute},
		"last day or a Sunday":  {[]string{"0 3 $ * 0"}, "GMT", "2026-03-31T03:01:00Z", 96*time.Hour + time.Minute},
		"Sunday as seven":       {[]string{"0 3 * * 7"}, "GMT", "2026-04-05T03:01:00Z", 14*24*time.Hour + time.Minute},
		"weekend with seven":    {[]string{"0 3 * * 6-7"}, "GMT", "2026-04-04T03:01:00Z", 12*24*time.Hour + time.Minute},
		"day or weekday":        {[]string{"0 3 1 * mon"}, "GMT", "2026-04-01T03:01:00Z", 96*time.Hour + time.Minute},
		"day and weekday":       {[]string{"0 3 */2 * mon"}, "GMT", "2026-04-27T03:01:00Z", 28*24*time.Hour + time.Minute},
		"a leap day":            {[]string{"0 0 29 feb *"}, "GMT", "2032-02-29T00:01:00Z", 2*1461*24*time.Hour + time.Minute},
		"yearly":                {[]string{"@yearly"}, "GMT", "2028-01-01T00:01:00Z", 730*24*time.Hour + time.Minute},
		"never":                 {[]string{"0 0 30 2 *"}, "GMT", "", 0},
		"nothing":               {nil, "GMT", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			list := parseTicks(c.schedules, zone)
			deadline := ""
			if at := list.deadline(from, time.Minute); !at.IsZero() {
				deadline = at.UTC().Format(time.RFC3339)
			}
			lag, ok := list.lag(from, time.Minute)
			if deadline != c.deadline || lag != c.lag || ok != (c.lag != 0) {
				t.Errorf("deadline %q, lag %s; want %q, %s", deadline, lag, c.deadline, c.lag)
			}
		})
	}
}

// TestTicksAgreeWithAnotherCron compares random schedules with an independent reading of cron's
// language, where both mean the same: seven as Sunday, "$" and steps from a star are pg_cron's own.
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
		at := time.Date(2026+random.IntN(4), time.Month(1+random.IntN(12)), 1+random.IntN(28), random.IntN(24), random.IntN(60), random.IntN(60), 0, time.UTC)
		for range 3 {
			want := other.Next(at)
			got := parseTicks([]string{text}, time.UTC).next(at)
			if want.IsZero() && got.After(at.AddDate(5, 0, 0)) {
				break // the other one looks five years ahead
			}
			if !got.Equal(want) {
				t.Fatalf("%q after %s: %s, want %s", text, at, got, want)
			}
			if at = want; want.IsZero() {
				break
			}
		}
	}
}
