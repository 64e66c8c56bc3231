package verifier

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/policy"
)

// logJob is the built-in job and its policy, which no file names.
const logJob = "retention_log"

// noBudget stands for a run without a bound on time.
const noBudget = 24 * time.Hour

// job is a wanted job: one of the file, or the built-in one.
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
		next.ticks = parseTicks(schedules, v.server.Zone)
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
	return append(list, v.builtInJobs()...)
}

// builtInJobs takes the schedule of the built-in job from what is wanted in pg_cron.
func (v *inspection) builtInJobs() []job {
	var schedules []string
	for _, o := range v.objects(generator.KindCron) {
		if c, err := wantedCron(o); err == nil && c.command == fmt.Sprintf("CALL %s.run_job('%s')", v.install.Schema, logJob) {
			schedules = append(schedules, c.schedule)
		}
	}
	if len(schedules) == 0 {
		return nil
	}
	return []job{{name: logJob, ticks: parseTicks(schedules, v.server.Zone), policies: []jobPolicy{{name: logJob, budget: time.Hour}}}}
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

// cronCall is what a KindCron object schedules.
type cronCall struct{ name, schedule, command string }

var cronSchedule = regexp.MustCompile(`(?s)cron\.schedule\(\s*'((?:[^']|'')*)',\s*'((?:[^']|'')*)',\s*'((?:[^']|'')*)'\s*\)`)

func wantedCron(o generator.Object) (cronCall, error) {
	found := cronSchedule.FindStringSubmatch(o.SQL)
	if found == nil {
		return cronCall{}, fmt.Errorf("reading the wanted job %q: there is no call of cron.schedule", o.Name)
	}
	for i := range found {
		found[i] = strings.ReplaceAll(found[i], "''", "'")
	}
	return cronCall{found[1], found[2], found[3]}, nil
}
