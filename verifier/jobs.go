package verifier

import (
	"fmt"
	"time"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// noBudget stands for a run without a bound on time.
const noBudget = 24 * time.Hour

// job is a wanted job.
type job struct {
	name     string
	policies []jobPolicy
	ticks    ticks
	position diag.Position
}

// reportTime is how long a report may take, for the deadlines of those after it.
const reportTime = time.Hour

// jobPolicy is a policy, or a report, as one job runs it.
type jobPolicy struct {
	name     string
	report   bool
	position diag.Position
	budget   time.Duration // until it must have ended, those before it in the job included
}

func (v *inspection) jobs() []job {
	var list []job
	for _, j := range v.file.Jobs {
		next := job{name: j.Name, position: j.Position}
		var schedules []string
		for _, s := range j.Schedules {
			schedules = append(schedules, s.Text)
		}
		next.ticks = v.ticks(schedules)
		var budget time.Duration
		for _, run := range j.Run {
			if p := v.policy(run.Name); p != nil {
				budget += bounded(p.Budget.Time)
				next.policies = append(next.policies, jobPolicy{name: p.Name, position: p.Position, budget: budget})
			} else if r := v.reportNamed(run.Name); r != nil {
				budget += reportTime
				next.policies = append(next.policies, jobPolicy{name: r.Name, report: true, position: r.Position, budget: budget})
			}
		}
		list = append(list, next)
	}
	return list
}

// ticks of schedules in the zone that was read; none where it is not known.
func (v *inspection) ticks(schedules []string) ticks {
	if v.zone == nil {
		return nil
	}
	return parseTicks(schedules, v.zone)
}

// String says what it is, for messages.
func (p jobPolicy) String() string {
	if p.report {
		return fmt.Sprintf("report %q", p.name)
	}
	return fmt.Sprintf("policy %q", p.name)
}

// reportNamed finds a report of the file, nil when there is none.
func (v *inspection) reportNamed(name string) *policy.Report {
	for _, r := range v.file.Reports {
		if r.Name == name {
			return r
		}
	}
	return nil
}

func bounded(budget time.Duration) time.Duration {
	if budget <= 0 {
		return noBudget
	}
	return budget
}
