package verifier

import (
	"testing"
	"time"

	"pgretain/internal/calendar"
)

func TestTicks(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 28, 12, 2, 30, 0, time.UTC) // the night after, Berlin skips 02:00 to 03:00
	const after = 2*time.Minute + 31*time.Second           // a tick at a whole hour, to the second
	for name, c := range map[string]struct {
		schedules []string
		zone      string
		deadline  string // with a budget of one minute; "" for none
		lag       time.Duration
	}{
		"every five minutes": {[]string{"*/5 * * * *"}, "GMT", "2026-03-28T12:11:00Z",
			7*time.Minute + 31*time.Second},
		"seconds":    {[]string{"30 seconds"}, "GMT", "2026-03-28T12:04:30Z", 2 * time.Minute},
		"one second": {[]string{"1 second"}, "GMT", "2026-03-28T12:03:32Z", 62 * time.Second},
		"word":       {[]string{"@hourly"}, "GMT", "2026-03-28T14:01:00Z", 62*time.Minute + 31*time.Second},
		"in pg_cron's zone": {[]string{"0 13 * * *"}, "Europe/Berlin", "2026-03-30T11:01:00Z",
			24*time.Hour + after},
		"in the hour skipped": {[]string{"30 2 * * *"}, "Europe/Berlin", "2026-03-31T00:31:00Z",
			34*time.Hour + 32*time.Minute + 31*time.Second},
		"the earliest of two": {[]string{"0 3 * * *", "0 15 * * *"}, "GMT", "2026-03-29T03:01:00Z",
			21*time.Hour + after},
		"reboot adds nothing": {[]string{"@reboot", "0 3 * * *"}, "GMT", "2026-03-30T03:01:00Z",
			33*time.Hour + after},
		"reboot alone":          {[]string{"@reboot"}, "GMT", "", 0},
		"last day of the month": {[]string{"0 3 $ * *"}, "GMT", "2026-04-30T03:01:00Z", 1353*time.Hour + after},
		"last day or a Sunday":  {[]string{"0 3 $ * 0"}, "GMT", "2026-03-31T03:01:00Z", 321*time.Hour + after},
		"Sunday as seven":       {[]string{"0 3 * * 7"}, "GMT", "2026-04-05T03:01:00Z", 321*time.Hour + after},
		"weekend with seven":    {[]string{"0 3 * * 6-7"}, "GMT", "2026-04-04T03:01:00Z", 153*time.Hour + after},
		"day or weekday":        {[]string{"0 3 1 * mon"}, "GMT", "2026-04-01T03:01:00Z", 297*time.Hour + after},
		"day and weekday":       {[]string{"0 3 */2 * mon"}, "GMT", "2026-04-27T03:01:00Z", 465*time.Hour + after},
		"a leap day":            {[]string{"0 0 29 feb *"}, "GMT", "2032-02-29T00:01:00Z", 53268*time.Hour + after},
		"yearly":                {[]string{"@yearly"}, "GMT", "2028-01-01T00:01:00Z", 10836*time.Hour + after},
		"twice in an hour": {[]string{"0 2 * * *", "15 2 * * *"}, "GMT", "2026-03-29T02:16:00Z",
			10*time.Hour + after},
		"never":   {[]string{"0 0 30 2 *"}, "GMT", "", 0},
		"nothing": {nil, "GMT", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			list := calendar.Parse(c.schedules, zone)
			until := ""
			if at := list.Deadline(from, time.Minute); !at.IsZero() {
				until = at.UTC().Format(time.RFC3339)
			}
			late, ok := lag(list, from, time.Minute)
			if until != c.deadline || late != c.lag || ok != (c.lag != 0) {
				t.Errorf("deadline %q, lag %s; want %q, %s", until, late, c.deadline, c.lag)
			}
		})
	}
}
