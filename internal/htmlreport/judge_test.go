package htmlreport

import (
	"testing"
	"time"

	"pgretain/internal/calendar"
)

// TestJudge checks the state of a policy for a job with two starts each night, 15 minutes apart.
// Rows that become due during the day are not late before the second start of the night has ended.
func TestJudge(t *testing.T) {
	t.Parallel()
	at := func(clock string) time.Time {
		day, err := time.Parse("2006-1-2 15:04", "2026-1-"+clock)
		if err != nil {
			t.Fatal(err)
		}
		return day
	}
	nightly := calendar.Parse([]string{"0 2 * * *", "15 2 * * *"}, time.UTC)
	for name, c := range map[string]struct {
		now, success, due string // time of the report, of the last success, and since when a row is due
		state             string
		change            func(*subject)
		want              string
	}{
		"in order": {now: "5 10:00", success: "5 02:16", state: "done", want: "fine"},
		"due since the morning": {now: "5 10:00", success: "5 02:16", due: "5 05:00", state: "more",
			want: "fine"},
		"due since yesterday, budget spent": {now: "5 10:00", success: "5 02:16", due: "4 05:00", state: "more",
			want: "behind"},
		"due by a condition": {now: "5 10:00", success: "5 02:16", due: "4 05:00", state: "done", want: "fine"},
		"which verify calls overdue": {now: "5 10:00", success: "5 02:16", due: "4 05:00", state: "done",
			want:   "behind",
			change: func(s *subject) { s.overdue = true }},
		"due since before it was installed": {now: "5 10:00", due: "1 05:00", want: "not yet run",
			change: func(s *subject) { s.InstalledAt = at("5 03:00") }},
		"and since it missed two starts": {now: "6 02:26", due: "1 05:00", want: "behind",
			change: func(s *subject) { s.InstalledAt = at("5 03:00") }},
		"before its job was": {now: "5 10:00", due: "1 05:00", want: "not yet run",
			change: func(s *subject) { s.jobs[0].InstalledAt = at("5 03:00") }},
		"before the database was adopted": {now: "5 10:00", due: "1 05:00", want: "not yet run",
			change: func(s *subject) { s.adopted = at("5 03:00") }},
		"one start missed":    {now: "5 02:20", success: "4 02:16", state: "done", want: "fine"},
		"two starts missed":   {now: "5 02:26", success: "4 02:16", state: "done", want: "late"},
		"a failure wins":      {now: "5 10:00", success: "1 02:16", due: "1 05:00", state: "failed", want: "failing"},
		"stopped by a person": {now: "5 10:00", success: "5 02:16", state: "stopped", want: "stopped"},
		"and not run since":   {now: "6 02:26", success: "4 02:16", state: "stopped", want: "late"},
		"a pause explains it": {now: "5 10:00", success: "1 02:16", due: "1 05:00", state: "done", want: "paused",
			change: func(s *subject) { s.Paused = "by x" }},
		"at work": {now: "5 02:26", success: "4 02:16", state: "running", want: "running"},
		"nobody starts it": {now: "5 10:00", success: "1 02:16", due: "1 05:00", state: "done",
			want: "no schedule", change: func(s *subject) { s.jobs = nil }},
		"it cannot be counted": {now: "5 10:00", success: "5 02:16", state: "done", want: "unknown",
			change: func(s *subject) { s.Unknown = "locked" }},
	} {
		s := subject{now: at(c.now), jobs: []job{{ticks: nightly}}}
		if s.State, s.Budget = c.state, 600; c.success != "" {
			success := at(c.success)
			s.Success = &success
		}
		if c.due != "" {
			overdue := s.now.Sub(at(c.due))
			s.Due, s.Overdue = 1, &overdue
		}
		if c.change != nil {
			c.change(&s)
		}
		if got := states[s.judge()].Word; got != c.want {
			t.Errorf("%s: the state is %q, want %q", name, got, c.want)
		}
	}
}
