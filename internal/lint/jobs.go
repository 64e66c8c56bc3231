package lint

import (
	"fmt"
	"slices"
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

// checkBusy warns of a job whose every start falls on one of another job with the same table: one
// table has one run at a time, whatever the scope.
func (l *linter) checkBusy() {
	seen := map[[2]*policy.Job]bool{}
	for _, policies := range l.tables() {
		jobs := l.jobsOf(policies)
		for _, a := range jobs {
			for _, b := range jobs {
				if a == b || seen[[2]*policy.Job{a, b}] || !together(a, b) {
					continue
				}
				seen[[2]*policy.Job{a, b}], seen[[2]*policy.Job{b, a}] = true, true
				l.warn(finding{Position: a.Position, Object: a.Name,
					Message: fmt.Sprintf("job %q always starts together with job %q, and both run policies of %q", a.Name, b.Name, policies[0].Table),
					Detail:  fmt.Sprintf("A table has one run at a time, whatever the scope: the later one ends \"busy\". Job %q is in line %d.", b.Name, b.Position.Line),
					Hint:    "Give one of them another minute."})
			}
		}
	}
}

// jobsOf lists the jobs that run any of some policies, in the order of the file.
func (l *linter) jobsOf(policies []*policy.Policy) []*policy.Job {
	var list []*policy.Job
	for _, p := range policies {
		for _, j := range l.jobs[p.Name] {
			if !slices.Contains(list, j) {
				list = append(list, j)
			}
		}
	}
	return list
}

// together says whether every start of a job is one of the other.
func together(a, b *policy.Job) bool {
	return calendar.Covers(ticks(b.Schedules...), ticks(a.Schedules...))
}

// checkNoJob warns of a policy whose rows become due by themselves while no job looks at them. One
// without "due" may be there to be run by hand.
func (l *linter) checkNoJob(p *policy.Policy) {
	if len(l.file.Jobs) > 0 && p.Due != nil && len(l.jobs[p.Name]) == 0 {
		l.warn(finding{Position: p.Position, Policy: p.Name,
			Message: fmt.Sprintf("no job runs policy %q", p.Name),
			Detail:  "Its rows become due, and stay until somebody calls it.",
			Hint:    "Name it under \"run\" of a job."})
	}
}

// checkNever refuses a day that no calendar has, 31 February for example.
func (l *linter) checkNever(j *policy.Job) {
	for _, s := range j.Schedules {
		if s.Text != "@reboot" && ticks(s).Next(someDay).IsZero() {
			l.refuse(finding{Position: s.Position, Object: j.Name,
				Message: fmt.Sprintf("schedule %q of job %q never comes", s.Text, j.Name),
				Detail:  "No month that it names has such a day.",
				Hint:    "Write \"$\" for the last day of a month (pg_cron 1.6), or another day."})
		}
	}
}

// checkScheduleTwice warns of two schedules of one job of which the second adds no start.
func (l *linter) checkScheduleTwice(j *policy.Job) {
	for i, s := range j.Schedules {
		for k, other := range j.Schedules {
			if i == k || !calendar.Covers(ticks(other), ticks(s)) || k > i && calendar.Covers(ticks(s), ticks(other)) {
				continue
			}
			l.warn(finding{Position: s.Position, Object: j.Name,
				Message: fmt.Sprintf("schedule %q of job %q adds nothing to %q", s.Text, j.Name, other.Text),
				Detail:  "Each of its starts is one of the other, so that the job starts twice, and one of the two ends \"busy\".",
				Hint:    "Remove it."})
		}
	}
}

// checkBudget warns of a job whose policies may together take longer than the time between two starts.
// Only budgets that the file writes count: nobody chose the built-in one.
func (l *linter) checkBudget(j *policy.Job) {
	var sum time.Duration
	for _, run := range j.Run {
		if p := l.policies[run.Text]; p != nil && p.Budget.TimePosition.File != "" {
			sum += p.Budget.Time
		}
	}
	if sum == 0 {
		return
	}
	gap := shortestGap(ticks(j.Schedules...))
	if gap == 0 || sum <= gap {
		return
	}
	l.warn(finding{Position: j.Position, Object: j.Name,
		Message: fmt.Sprintf("job %q starts again after %s, and the budgets of its policies add up to %s", j.Name, spoken(gap), spoken(sum)),
		Detail:  "While a run goes on, pg_cron puts off the next ones, and other schedulers may start one that ends \"busy\".",
		Hint:    "Write shorter budgets (budget: {time: ...}), or start the job less often."})
}

// checkBreaker warns of a budget that no run can spend, because more due rows than the breaker allows
// trip it first.
func (l *linter) checkBreaker(p *policy.Policy) {
	if p.Budget.Rows == 0 || p.Breaker.Rows >= p.Budget.Rows {
		return
	}
	at := p.Breaker.RowsPosition
	if at.File == "" {
		at = p.Budget.RowsPosition
	}
	l.warn(finding{Position: at, Policy: p.Name,
		Message: fmt.Sprintf("the breaker of policy %q trips at %d rows, before its budget of %d is spent", p.Name, p.Breaker.Rows, p.Budget.Rows),
		Detail:  "A budget takes the oldest rows and leaves the rest for the next run; the breaker touches nothing and waits for accept().",
		Hint:    "Make the breaker at least as great as the budget, or take the budget away."})
}
