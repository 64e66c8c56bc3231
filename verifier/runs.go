package verifier

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/calendar"
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

// ticks are the instants at which a job is started, and what they promise.
type ticks calendar.Ticks

func parseTicks(schedules []string, zone *time.Location) ticks {
	return ticks(calendar.Parse(schedules, zone))
}

func (t ticks) next(after time.Time) time.Time { return calendar.Ticks(t).Next(after) }

// deadline is when a policy that was in order at an instant must be so again: the second tick from
// there, so that one may be missed, and the time that a run may take. Zero when there is none.
func (t ticks) deadline(from time.Time, budget time.Duration) time.Time {
	first := t.next(from)
	if first.IsZero() {
		return time.Time{}
	}
	second := t.next(first)
	if second.IsZero() {
		return time.Time{}
	}
	return second.Add(budget)
}

// lag is how long a row may be due before it must be gone: two intervals and the budget.
func (t ticks) lag(now time.Time, budget time.Duration) (time.Duration, bool) {
	first := t.next(now)
	if first.IsZero() {
		return 0, false
	}
	second := t.next(first)
	if second.IsZero() {
		return 0, false
	}
	return 2*second.Sub(first) + budget, true
}

// lastRuns is how a policy's runs ended.
type lastRuns struct {
	Policy, Job string
	Success     *time.Time
	FailedInRow int
	Scheduled   bool // its job has run it
	ID          int64
	State       string // "" when it never ran
	Message     string
	LeftBehind  int64 // contended or refused in the last run
}

// logGroups read the run log.
func (v *inspection) logGroups() []group {
	var names []string
	for _, j := range v.jobs() {
		for _, p := range j.policies {
			names = append(names, p.name)
		}
	}
	return []group{{about: "the runs", codes: []string{codeLastRun, codeLate, codeNotYet}, check: v.checkRuns, policies: distinct(names)}}
}

func (v *inspection) checkRuns(ctx context.Context, tx pgx.Tx) error {
	jobs := v.jobs()
	var policies, of []string
	for _, j := range jobs {
		for _, p := range j.policies {
			policies, of = append(policies, p.name), append(of, j.name)
		}
	}
	rows, err := many[lastRuns](ctx, tx, v.query("last_runs"), policies, of)
	if err != nil {
		return err
	}
	ran, err := v.jobsThatRan(ctx, tx, jobs, rows)
	if err != nil {
		return err
	}
	if err := v.readBegun(ctx, tx); err != nil {
		return err
	}
	for _, j := range jobs {
		for _, p := range j.policies {
			v.compareRuns(j, p, rows[0], ran[j.name])
			rows = rows[1:]
		}
	}
	return nil
}

// jobsThatRan asks the whole log only about jobs of which no policy says so.
func (v *inspection) jobsThatRan(ctx context.Context, tx pgx.Tx, jobs []job, runs []lastRuns) (map[string]bool, error) {
	ran := map[string]bool{}
	for _, r := range runs {
		ran[r.Job] = ran[r.Job] || r.Scheduled
	}
	var others []string
	for _, j := range jobs {
		if !ran[j.name] {
			others = append(others, j.name)
		}
	}
	if len(others) == 0 {
		return ran, nil
	}
	found, err := many[struct{ Name string }](ctx, tx, v.query("jobs_that_ran"), others)
	for _, j := range found {
		ran[j.Name] = true
	}
	return ran, err
}

func (v *inspection) compareRuns(j job, p jobPolicy, runs lastRuns, jobRan bool) {
	from, what := runs.Success, "last succeeded"
	if since := v.begunAt(p.name, j.name); from == nil || !runs.Scheduled && since != nil && since.After(*from) {
		from, what = since, "was installed"
	}
	var deadline time.Time
	if from != nil {
		deadline = j.ticks.deadline(*from, p.budget)
	}
	late := !deadline.IsZero() && deadline.Before(v.server.Now)
	paused := v.paused[p.name] || v.paused["*"]
	switch runs.State {
	case "failed", "tripped", "abandoned":
		v.lastRunWrong(p, runs, runs.Success != nil && !deadline.IsZero() && !late && !paused)
	}
	switch {
	case paused: // one cause, one finding
	case late:
		v.late(j, p, what, *from, deadline, runs)
	case !jobRan:
		v.notYet(j)
	}
}

// readBegun reads, once, since when policies and jobs could have begun to run.
func (v *inspection) readBegun(ctx context.Context, tx pgx.Tx) error {
	if v.begun != nil {
		return nil
	}
	type begun struct {
		Kind, Name string
		At         time.Time
	}
	rows, err := many[begun](ctx, tx, v.query("begun"))
	if err != nil {
		return err
	}
	v.begun = map[string]time.Time{}
	for _, r := range rows {
		v.begun[r.Kind+" "+r.Name] = r.At
	}
	return nil
}

// begunAt is since when a policy could have run in a job; nil where the registry lacks one of them.
func (v *inspection) begunAt(policy, job string) *time.Time {
	at, known := v.begun["policy "+policy]
	scheduled, alsoKnown := v.begun["job "+job]
	switch {
	case !known || !alsoKnown:
		return nil
	case scheduled.After(at):
		return &scheduled
	}
	return &at
}

var codeLastRun = register("V046", Schedule, "the last run went wrong")

var stateWords = map[string]string{"failed": "failed", "tripped": "was tripped", "abandoned": "was abandoned"}

// lastRunWrong is for information after a single failure of a policy that succeeded in time before and will be
// tried again: a restart or a deadlock is nobody's night. A breaker waits for a person.
func (v *inspection) lastRunWrong(p jobPolicy, runs lastRuns, triedAgain bool) {
	f := Finding{Code: codeLastRun, Policy: p.name, Position: p.position, Detail: runs.Message,
		Message: fmt.Sprintf("the last run of %s (%d) %s", p, runs.ID, stateWords[runs.State]),
		Hint:    fmt.Sprintf("SELECT * FROM %s();", v.runtime("health"))}
	if triedAgain && runs.FailedInRow <= 1 && runs.State != "tripped" {
		f.Severity = Info
	}
	if runs.FailedInRow > 1 {
		f.Message += fmt.Sprintf(", as did %d before it", runs.FailedInRow-1)
	}
	v.add(f)
}

var codeLate = register("V045", Schedule, "a policy has not succeeded in time")

// late: it had "what", as "last succeeded", at an instant, and should have succeeded again by the deadline.
func (v *inspection) late(j job, p jobPolicy, what string, from, deadline time.Time, runs lastRuns) {
	v.add(Finding{Code: codeLate, Policy: p.name, Position: p.position, Message: fmt.Sprintf("%s has not succeeded in time", p),
		Detail: fmt.Sprintf("It %s at %s; with the schedule of job %q it should have succeeded again by %s.%s%s%s", what,
			instant(from), j.name, instant(deadline), busy(runs), v.failure(j.name), v.witness(j)),
		Hint: fmt.Sprintf("SELECT * FROM %s;", v.runtime("status"))})
}

// busy says, for a detail, that others stood in the way.
func busy(runs lastRuns) string {
	if runs.State != "busy" {
		return ""
	}
	return fmt.Sprintf(" The last run (%d) ended busy: %s.", runs.ID, runs.Message)
}

// witness says who else knows of a run that should have been.
func (v *inspection) witness(j job) string {
	switch {
	case v.install.Scheduler != "pg_cron":
		return fmt.Sprintf(" Look at whatever calls \"pgretain run --job %s\".", j.name)
	case v.install.CronElsewhere():
		return fmt.Sprintf(" What pg_cron knows is in cron.job_run_details of database %q, for role %q.", v.install.CronDatabase, v.runner())
	}
	return fmt.Sprintf(" What pg_cron knows is in cron.job_run_details, for role %q.", v.runner())
}

var codeNotYet = register("V048", Schedule, "a job has not run yet")

func (v *inspection) notYet(j job) {
	v.add(Finding{Code: codeNotYet, Severity: Info, Object: j.name, Position: j.position, Message: fmt.Sprintf("job %q has not run yet", j.name),
		Detail: strings.TrimSpace(v.failure(j.name))})
}
