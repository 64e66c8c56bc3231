package lint

import (
	"fmt"
	"strings"
	"time"

	"pgretain/internal/calendar"
	"pgretain/policy"
)

// someDay is where ticks are counted from: the answer must not depend on the day of the question. The
// four years from there have a leap day.
var someDay = time.Date(2023, 12, 31, 23, 59, 0, 0, time.UTC)

// ticks are those of some schedules, in UTC: how far apart they are is the same in every zone but for two
// hours a year.
func ticks(schedules ...policy.Schedule) calendar.Ticks {
	var texts []string
	for _, s := range schedules {
		texts = append(texts, s.Text)
	}
	return calendar.Parse(texts, time.UTC)
}

// compared is how many ticks are looked at.
const compared = 60

// spoken is a time in the words of the policy file, "1 h 30 min".
func spoken(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if n := d / unit.of; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			d -= n * unit.of
		}
	}
	return strings.Join(parts, " ")
}

// shortestGap is the shortest time between two ticks, zero where there are not two.
func shortestGap(t calendar.Ticks) time.Duration {
	var shortest time.Duration
	at := t.Next(someDay)
	for range compared {
		next := t.Next(at)
		if at.IsZero() || next.IsZero() {
			break
		}
		if gap := next.Sub(at); shortest == 0 || gap < shortest {
			shortest = gap
		}
		at = next
	}
	return shortest
}
