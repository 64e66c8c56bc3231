package verifier

import (
	"cmp"
	"fmt"
	"sort"
	"time"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/policy"
)

// job is a wanted job.
type job struct {
	name     string
	position diag.Position
	runs     []scheduledRun
	ticks    calendar.Ticks
}

// Bounds on time for the deadlines of those that come after a run in its job: of one without a budget, and of a report.
const (
	noBudget   = 24 * time.Hour
	reportTime = time.Hour
)

// scheduledRun is a policy, or a report, as one job runs it.
type scheduledRun struct {
	name, about string // about is for messages
	position    diag.Position
	budget      time.Duration // until it must have ended, those before it in the job included
}

func (v *inspection) jobs() []job {
	return mapped(v.file.Jobs, func(wanted *policy.Job) job {
		j := job{name: wanted.Name, position: wanted.Position}
		if v.zone != nil {
			j.ticks = calendar.Parse(mapped(wanted.Schedules, func(s policy.Schedule) string { return s.Text }), v.zone)
		}
		var budget time.Duration
		for _, run := range wanted.Run {
			kind, may := "report", reportTime
			if p := v.policies[run.Text]; p != nil {
				kind, may = "policy", cmp.Or(p.Budget.Time, noBudget)
			}
			budget += may
			j.runs = append(j.runs, scheduledRun{run.Text, fmt.Sprintf("%s %q", kind, run.Text), v.position(run.Text), budget})
		}
		return j
	})
}

// scheduled names what jobs run.
func (v *inspection) scheduled() []string {
	var names []string
	for _, j := range v.jobs() {
		names = append(names, mapped(j.runs, func(s scheduledRun) string { return s.name })...)
	}
	return distinct(names)
}

// lag is how long before an instant the latest one lies whose deadline has passed, to a second: what was due then must be
// gone. False where there is none in twenty years.
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

// lastRuns is how a policy's runs ended.
type lastRuns struct {
	Policy, Job string
	Success     *time.Time
	FailedInRow int
	Scheduled   bool       // its job has run it
	JobRan      bool       // its job has run anything
	Begun       *time.Time // since when it can run in the job; nil where the registry lacks one of them
	ID          int64
	State       string // "" when it never ran
	Message     string
	LeftBehind  int64 // contended or refused in the last run
}

func (v *inspection) checkRuns(r reading) error {
	jobs := v.jobs()
	var policies, of []string
	for _, j := range jobs {
		for _, s := range j.runs {
			policies, of = append(policies, s.name), append(of, j.name)
		}
	}
	rows, err := collectRows[lastRuns](r, "last_runs", policies, of)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		for _, s := range j.runs {
			v.compareRuns(j, s, rows[0])
			rows = rows[1:]
		}
	}
	return nil
}

func (v *inspection) compareRuns(j job, s scheduledRun, runs lastRuns) {
	from := runs.Success
	if from == nil || !runs.Scheduled && runs.Begun != nil && runs.Begun.After(*from) {
		from = runs.Begun
	}
	var until time.Time
	if from != nil {
		until = j.ticks.Deadline(*from, s.budget)
	}
	paused := v.isPaused(s.name)
	late := !until.IsZero() && until.Before(v.server.Now)
	v.compareLastRun(s, runs, runs.Success != nil && !until.IsZero() && !late && !paused)
	switch {
	case paused: // one cause, one finding
	case late:
		v.say(message{Code: codeLate, Policy: s.name, Position: s.position}, "late", words{
			"About": s.about, "Job": j.name, "Runs": runs, "From": *from, "Installed": from == runs.Begun, "Until": until,
			"Attempt": v.lastAttempt(j.name), "Runner": v.runner(),
		})
	case !runs.JobRan:
		v.say(message{Code: codeNotYet, Severity: Info, Object: j.name, Position: j.position}, "not yet",
			words{"Attempt": v.lastAttempt(j.name)})
	}
}

var stateWords = map[string]string{"failed": "failed", "tripped": "was tripped", "abandoned": "was abandoned"}

// compareLastRun has a finding on a run that went wrong: for information after a single failure of a policy that
// succeeded in time before and will be tried again, since restarts and deadlocks are. A breaker waits for a person.
func (v *inspection) compareLastRun(s scheduledRun, runs lastRuns, triedAgain bool) {
	if stateWords[runs.State] == "" {
		return
	}
	f := message{Code: codeLastRun, Policy: s.name, Position: s.position, Detail: runs.Message,
		Message: fmt.Sprintf("the last run of %s (%d) %s", s.about, runs.ID, stateWords[runs.State]),
		Hint:    fmt.Sprintf("SELECT * FROM %s();", v.runtime("health"))}
	if triedAgain && runs.FailedInRow <= 1 && runs.State != "tripped" {
		f.Severity = Info
	}
	if runs.FailedInRow > 1 {
		f.Message += fmt.Sprintf(", as did %d before it", runs.FailedInRow-1)
	}
	v.add(f)
}
