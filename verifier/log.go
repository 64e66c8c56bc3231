package verifier

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

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
