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
	groups := []group{{about: "the runs", codes: []string{codeLastRun, codeLate, codeNotYet}, check: v.checkRuns, policies: distinct(names)}}
	if v.server.Standby {
		return groups // whose locks are its own
	}
	return append([]group{{about: "the run locks", codes: []string{codeLock}, check: v.checkLocks}}, groups...)
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
	since, err := v.since(ctx, tx)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		for _, p := range j.policies {
			v.compareRuns(j, p, rows[0], since, ran[j.name])
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

func (v *inspection) compareRuns(j job, p jobPolicy, runs lastRuns, since *time.Time, jobRan bool) {
	switch runs.State {
	case "failed", "tripped", "abandoned":
		v.lastRunWrong(p, runs)
	}
	if v.paused[p.name] || v.paused["*"] {
		return // one cause, one finding
	}
	v.compareTime(j, p, runs, since, jobRan)
}

// compareTime compares the last success with the schedule.
func (v *inspection) compareTime(j job, p jobPolicy, runs lastRuns, since *time.Time, jobRan bool) {
	from, what := runs.Success, "last succeeded"
	if from == nil || !runs.Scheduled && since != nil && since.After(*from) {
		from, what = since, "was installed"
	}
	var deadline time.Time
	if from != nil {
		deadline = j.ticks.deadline(*from, p.budget)
	}
	switch {
	case !deadline.IsZero() && deadline.Before(v.server.Now):
		v.late(j, p, what, *from, deadline)
	case !jobRan:
		v.notYet(j)
	}
}

// since is when the policies could have begun to run: the latest of adoption and migration, nil
// when the time of the migration cannot be read, because a job may be younger than the adoption. It is
// read once.
func (v *inspection) since(ctx context.Context, tx pgx.Tx) (*time.Time, error) {
	if v.begun.known {
		return v.begun.at, nil
	}
	at, err := v.readSince(ctx, tx)
	if err == nil {
		v.begun.at, v.begun.known = at, true
	}
	return at, err
}

func (v *inspection) readSince(ctx context.Context, tx pgx.Tx) (*time.Time, error) {
	adopted, err := one[struct{ At *time.Time }](ctx, tx, v.query("adopted"))
	if err != nil {
		return nil, err
	}
	var migrated struct{ At *time.Time }
	err = pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		migrated, err = one[struct{ At *time.Time }](ctx, savepoint, v.query("migrated"))
		return err
	})
	if err != nil || migrated.At == nil || adopted.At == nil {
		return nil, ctx.Err()
	}
	if migrated.At.After(*adopted.At) {
		return migrated.At, nil
	}
	return adopted.At, nil
}

type lock struct {
	PID   int32
	User  string
	State *string
	Table *string
}

func (v *inspection) checkLocks(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[lock](ctx, tx, v.query("locks"))
	for _, l := range rows {
		v.lockHeld(l)
	}
	return err
}
