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
			got := calendar.Parse([]string{text}, time.UTC).Next(at)
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
