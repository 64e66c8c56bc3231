package verifier

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
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
		f := Finding{Code: codeLastRun, Policy: p.name, Position: p.position, Detail: runs.Message,
			Message: fmt.Sprintf("the last run of %s (%d) %s", p, runs.ID, stateWords[runs.State]),
			Hint:    fmt.Sprintf("SELECT * FROM %s.health() says what to do.", v.install.Schema)}
		if runs.FailedInRow > 1 {
			f.Message += fmt.Sprintf(", as did %d before it", runs.FailedInRow-1)
		}
		v.add(f)
	}
	if v.paused[p.name] || v.paused["*"] {
		return nil // one cause, one finding
	}
	return v.checkInTime(ctx, tx, j, p, runs)
}

var stateWords = map[string]string{"failed": "failed", "tripped": "was tripped", "abandoned": "was abandoned"}

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
	failure := v.failure(j.name)
	var deadline time.Time
	if from != nil {
		deadline = j.ticks.deadline(*from, p.budget)
	}
	switch {
	case !deadline.IsZero() && deadline.Before(v.server.Now):
		v.add(Finding{Code: codeLate, Policy: p.name, Position: p.position,
			Message: fmt.Sprintf("%s has not succeeded in time", p),
			Detail: fmt.Sprintf("It %s at %s; with the schedule of job %q it should have succeeded again by %s.", what,
				instant(*from), j.name, instant(deadline)) + failure,
			Hint: v.lateHint(j)})
	case !runs.JobRan:
		v.add(Finding{Code: codeNotYet, Severity: Info, Object: j.name, Position: j.position, Message: fmt.Sprintf("job %q has not run yet", j.name), Detail: strings.TrimSpace(failure)})
	}
	return nil
}

// lateHint says where to look for a run that should have been.
func (v *inspection) lateHint(j job) string {
	hint := fmt.Sprintf("SELECT * FROM %s.status, and ", v.install.Schema)
	switch {
	case v.install.Scheduler != "pg_cron":
		return hint + fmt.Sprintf("whatever calls \"pgretain run --job %s\".", j.name)
	case v.install.CronElsewhere():
		return hint + fmt.Sprintf("cron.job_run_details of role %q in database %q.", v.runner(), v.install.CronDatabase)
	}
	return hint + fmt.Sprintf("cron.job_run_details of role %q.", v.runner())
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

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
		table := "a table that is gone"
		if l.Table != nil {
			table = fmt.Sprintf("table %q", *l.Table)
		}
		f := Finding{Code: codeLock, Message: fmt.Sprintf("backend %d (role %q) holds the run lock of %s without a run", l.PID, l.User, table),
			Detail: "Every run of the table's policies ends as busy until it lets go.", Hint: fmt.Sprintf("SELECT pg_terminate_backend(%d).", l.PID)}
		if l.State == nil {
			f.Severity = diag.Unknown
			f.Message = fmt.Sprintf("backend %d (role %q) holds the run lock of %s, and no run of it is known yet", l.PID, l.User, table)
			f.Detail = fmt.Sprintf("Role %q may not see whether that session is at work.", v.server.User)
			f.Hint = "Verify again, or connect as a member of pg_read_all_stats."
		}
		v.add(f)
	}
	return err
}
