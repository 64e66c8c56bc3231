package lint

import (
	"slices"
	"time"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/policy"
)

// ticks are those of some schedules, in UTC: how far apart they are is the same in every zone but for two
// hours a year.
func ticks(schedules ...policy.Schedule) calendar.Ticks {
	var texts []string
	for _, s := range schedules {
		texts = append(texts, s.Text)
	}
	return calendar.Parse(texts, time.UTC)
}

// checkNoJob warns of a policy whose rows become due by themselves while no job looks at them. One
// without "due" may be there to be run by hand.
func (l *linter) checkNoJob(p *policy.Policy) {
	if len(l.Jobs) > 0 && p.Due != nil && len(l.jobs[p.Name]) == 0 {
		l.warn("L020", p.Position, p, words{})
	}
}

// checkNever refuses a day that no calendar has, 31 February for example.
func (l *linter) checkNever(j *policy.Job) {
	for _, s := range j.Schedules {
		if s.Text != "@reboot" && ticks(s).Next(someDay).IsZero() {
			l.say(diag.Diagnostic{Severity: diag.Error, Code: "L021", Position: s.Position, Object: j.Name},
				words{"Schedule": s.Text})
		}
	}
}

// checkBusy warns of a job whose every start falls on one of another job with the same table: one
// table has one run at a time, whatever the scope.
func (l *linter) checkBusy() {
	seen := map[[2]*policy.Job]bool{}
	for _, p := range l.Policies {
		policies := l.on[p.Table.String()]
		if policies[0] != p {
			continue // its table was looked at
		}
		var jobs []*policy.Job
		for _, p := range policies {
			for _, j := range l.jobs[p.Name] {
				if !slices.Contains(jobs, j) {
					jobs = append(jobs, j)
				}
			}
		}
		for _, a := range jobs {
			for _, b := range jobs {
				if a == b || seen[[2]*policy.Job{a, b}] ||
					!calendar.Covers(ticks(b.Schedules...), ticks(a.Schedules...)) {
					continue
				}
				seen[[2]*policy.Job{a, b}], seen[[2]*policy.Job{b, a}] = true, true
				l.say(diag.Diagnostic{Severity: diag.Warning, Code: "L023", Position: a.Position, Object: a.Name},
					words{"Other": b, "Table": p.Table})
			}
		}
	}
}
