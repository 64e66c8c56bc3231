package lint

import (
	"time"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/policy"
)

// ticks returns when the schedules fire, in UTC. The time between two ticks is the same in every
// zone, except when clocks change.
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
