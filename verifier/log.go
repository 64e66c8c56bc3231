package verifier

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// lastRuns is how a policy's runs ended.
type lastRuns struct {
	Success     *time.Time
	FailedInRow int
	Scheduled   bool // its job has run it
	JobRan      bool // its job has run anything
	ID          int64
	State       string // "" when it never ran
	Message     string
	LeftBehind  int64 // contended or refused in the last run
}

// logGroups read the run log, policy by policy.
func (v *inspection) logGroups() []group {
	groups := []group{{"the run locks", v.checkLocks}}
	for _, j := range v.jobs() {
		for _, p := range j.policies {
			groups = append(groups, group{fmt.Sprintf("the runs of %s", p), func(ctx context.Context, tx pgx.Tx) error {
				return v.checkRuns(ctx, tx, j, p)
			}})
		}
	}
	return groups
}

func (v *inspection) checkRuns(ctx context.Context, tx pgx.Tx, j job, p jobPolicy) error {
	runs, err := one[lastRuns](ctx, tx, v.query("last_runs"), p.name, j.name)
	if err != nil {
		return err
	}
	switch runs.State {
	case "failed", "tripped", "abandoned":
		v.lastRunWrong(p, runs)
	}
	if v.paused[p.name] || v.paused["*"] {
		return nil // one cause, one finding
	}
	return v.checkInTime(ctx, tx, j, p, runs)
}

// checkInTime compares the last success with the schedule.
func (v *inspection) checkInTime(ctx context.Context, tx pgx.Tx, j job, p jobPolicy, runs lastRuns) error {
	from, what := runs.Success, "last succeeded"
	if from == nil || !runs.Scheduled {
		since, err := v.since(ctx, tx)
		if err != nil {
			return err
		}
		if from == nil || since != nil && since.After(*from) {
			from, what = since, "was installed"
		}
	}
	var deadline time.Time
	if from != nil {
		deadline = j.ticks.deadline(*from, p.budget)
	}
	switch {
	case !deadline.IsZero() && deadline.Before(v.server.Now):
		v.late(j, p, what, *from, deadline)
	case !runs.JobRan:
		v.notYet(j)
	}
	return nil
}

// since is when the policies could have begun to run: the latest of adoption and migration, nil
// when the time of the migration cannot be read, because a job may be younger than the adoption.
func (v *inspection) since(ctx context.Context, tx pgx.Tx) (*time.Time, error) {
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
