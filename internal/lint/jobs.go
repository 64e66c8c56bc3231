package lint

import (
	"time"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// ticks returns the start times of schedules in UTC. The time between two starts is the same in
// every time zone, except when clocks change.
func ticks(schedules ...policy.Schedule) calendar.Ticks {
	return calendar.Parse(lists.Map(schedules, func(s policy.Schedule) string { return s.Text }), time.UTC)
}

// checkNoJob adds a warning for a policy with "due" that no job runs, if the file has jobs. People
// may run a policy without "due" by hand.
func (l *linter) checkNoJob(p *policy.Policy) {
	if len(l.Jobs) > 0 && p.Due != nil && len(l.jobs[p.Name]) == 0 {
		l.warn(messages.NoJob(p.Name, true), p.Position, p)
	}
}

// Unscheduled returns a warning for each policy with "due" of a file that has no jobs at all. With
// "scheduler: none" there is none, because then something else calls the policies. Check leaves
// these warnings out: they are for people who write a file, not for programs that compile one.
func Unscheduled(file *policy.File) diag.List {
	l := &linter{File: file}
	if len(file.Jobs) == 0 && file.Install.Scheduler == "pg_cron" {
		for _, p := range file.Policies {
			if p.Due != nil {
				l.warn(messages.NoJob(p.Name, false), p.Position, p)
			}
		}
	}
	return l.list.Unique()
}

// checkNever adds an error for a schedule that matches no day, for example 31 February.
func (l *linter) checkNever(j *policy.Job) {
	for _, s := range j.Schedules {
		if s.Text != "@reboot" && ticks(s).Next(someDay).IsZero() {
			finding := messages.NeverMatches(j.Name, s.Text)
			finding.Position, finding.Object = s.Position, j.Name
			l.list.Add(finding)
		}
	}
}
