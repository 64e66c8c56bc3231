package verifier

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"

	"pgretain/generator"
	"pgretain/internal/calendar"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// The deadline of a run includes the longest duration of earlier runs in the same job.
const (
	noBudget   = 24 * time.Hour // longest duration of a run without a budget
	reportTime = time.Hour      // longest duration of a report
)

// scheduledRun is a policy, or a report, as one job runs it.
type scheduledRun struct {
	job        *policy.Job
	name, kind string
	budget     time.Duration // longest time from the start of the job to the end of this run
	due        *time.Time    // deadline of a success; nil if unknown
}

// runs returns the runs of all jobs.
func (v *inspection) runs() []scheduledRun {
	if v.scheduled != nil {
		return v.scheduled
	}
	for _, j := range v.file.Jobs {
		texts := lists.Map(j.Schedules, func(s policy.Schedule) string { return s.Text })
		ticks := lists.Map(v.zones, func(zone *time.Location) calendar.Ticks { return calendar.Parse(texts, zone) })
		var budget time.Duration
		for _, run := range j.Run {
			kind, may := "report", reportTime
			if p := v.policies[run.Text]; p != nil {
				kind, may = "policy", cmp.Or(p.Budget.Time, noBudget)
			}
			budget += may
			s := scheduledRun{j, run.Text, kind, budget, nil}
			if late, ok := longestLag(ticks, v.server.Now, budget); ok {
				s.due = new(v.server.Now.Add(-late))
			}
			v.scheduled = append(v.scheduled, s)
		}
	}
	return v.scheduled
}

// longestLag returns the longest lag of a schedule that is given once for each possible time zone.
// A row that is overdue by it is overdue in each zone. If there are several zones, the result has
// an hour more, because some zones differ from UTC by a part of an hour.
func longestLag(ticks []calendar.Ticks, now time.Time, budget time.Duration) (longest time.Duration, known bool) {
	for _, t := range ticks {
		late, ok := lag(t, now, budget)
		if !ok {
			return 0, false
		}
		longest, known = max(longest, late), true
	}
	if len(ticks) > 1 {
		longest += time.Hour
	}
	return longest, known
}

// lag returns a duration in whole seconds. A row is overdue if it became due longer ago than that.
// lag returns false if there is no such time within twenty years.
func lag(t calendar.Ticks, now time.Time, budget time.Duration) (time.Duration, bool) {
	if t.Deadline(now, budget).IsZero() {
		return 0, false
	}
	const most = 20 * 365 * 24 * 60 * 60
	seconds := sort.Search(most, func(back int) bool {
		at := t.Deadline(now.Add(-time.Duration(back)*time.Second), budget)
		return !at.IsZero() && !at.After(now)
	})
	return time.Duration(seconds) * time.Second, seconds < most
}

// checkRuns reports policies that are late, and how their runs ended. A job that never ran has a
// finding if its policies are not late.
func (v *inspection) checkRuns(r reading) error {
	schema := v.install.Schema
	var cron *messages.CronTable
	if v.install.Scheduler == "pg_cron" {
		cron = &messages.CronTable{Database: v.install.CronDatabase, Elsewhere: v.install.CronElsewhere()}
	}
	kinds, inTime := map[string]string{}, map[[2]string]bool{} // inTime: by policy and job
	for _, s := range v.runs() {
		kinds[s.name] = s.kind
	}
	err := eachFact(r, "lateness", func(l messages.Lateness) {
		s := v.runs()[l.N-1]
		l.Policy, l.Kind, l.Job, l.Due, l.Attempts = s.name, s.kind, s.job.Name, s.due, v.failedAttempts(s.job.Name, 1)
		inTime[[2]string{l.Policy, l.Job}] = l.Success != nil && l.Due != nil && !l.Late && !l.Paused
		switch {
		case l.Late:
			v.add(messages.Late(schema, v.runner(), cron, l))
		case !l.Paused && !l.JobRan:
			v.about(generator.Object{Name: l.Job, Position: s.job.Position}, messages.NotYet(l))
		}
	}, v.runRows())
	if err != nil {
		return err
	}
	return eachFact(r, "outcomes", func(o messages.Outcome) {
		o.Kind, o.InTime = kinds[o.Policy], inTime[[2]string{o.Policy, o.Job}]
		if slices.Contains([]string{"failed", "tripped", "abandoned"}, o.LastState) {
			v.add(messages.LastRunFailed(o))
		}
		if o.MissedRun != nil {
			v.add(messages.Missed(schema, o))
		}
		if o.Empty >= 3 {
			v.add(messages.TakesNone(schema, o))
		}
		if o.RefusedRun != nil {
			v.add(messages.Refused(schema, o))
		}
	}, slices.Sorted(maps.Keys(kinds)))
}

// runRows returns all runs as parameters for queries.
func (v *inspection) runRows() []row {
	return lists.Map(v.runs(), func(s scheduledRun) row {
		return row{"policy": s.name, "job": s.job.Name, "due": s.due}
	})
}

// unfinishedRuns is the number of successive runs that must have used up their budget before
// checkKeepUp reports it.
const unfinishedRuns = 12

// checkKeepUp finds policies that do not keep up with new rows. All of their last unfinishedRuns
// runs used up the budget, and the first of these runs began before the last deadline of the
// schedule.
func (v *inspection) checkKeepUp(r reading) error {
	return reports(v, func(u messages.UnfinishedRuns) message { return messages.KeepsNotUp(unfinishedRuns, u) },
		"unfinished", v.runRows(), unfinishedRuns)(r)
}
