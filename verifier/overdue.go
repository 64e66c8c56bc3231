package verifier

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/policy"
)

// countLimit is where counting overdue rows stops: more is no more wrong.
const countLimit = 10000

// overdue is what a count function finds at an instant.
type overdue struct {
	Due    int64
	Capped bool
	Oldest string
}

func (v *inspection) overdueGroups() []group {
	if !v.opt.Counts {
		return nil
	}
	groups := []group{{about: "which functions may count", codes: []string{codeOverdue}, check: v.readMayCount}}
	promises := v.promises()
	v.notRead = map[string]bool{}
	for _, p := range v.file.Policies {
		promised, ok := promises[p.Name]
		if ok && !v.paused[p.Name] && !v.paused["*"] {
			groups = append(groups, group{about: fmt.Sprintf("overdue rows of policy %q", p.Name), codes: []string{codeOverdue}, check: func(ctx context.Context, tx pgx.Tx) error {
				return v.checkOverdue(ctx, tx, promised, p)
			}})
		}
	}
	return groups
}

// readMayCount: a role outside the install's cannot call the function that counts.
func (v *inspection) readMayCount(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[struct{ Name string }](ctx, tx, v.query("may_count"), v.install.Schema, []string{"_count"})
	v.mayCount = len(rows) > 0
	return err
}

// promise is how long a row of a policy may be due, and the job that says so.
type promise struct {
	lag time.Duration
	job string
}

// promises are, by policy, the shortest of all jobs that run it; there is none without a schedule.
func (v *inspection) promises() map[string]promise {
	shortest := map[string]promise{}
	for _, j := range v.jobs() {
		for _, p := range j.policies {
			lag, ok := j.ticks.lag(v.server.Now, p.budget)
			if other, found := shortest[p.name]; ok && (!found || lag < other.lag) {
				shortest[p.name] = promise{lag, j.name}
			}
		}
	}
	return shortest
}

// checkOverdue counts the rows that were due so long ago that they must be gone by now. It says
// nothing before that much time has passed since the policies were installed.
func (v *inspection) checkOverdue(ctx context.Context, tx pgx.Tx, promised promise, p *policy.Policy) error {
	asOf := v.server.Now.Add(-promised.lag)
	if err := v.readBegun(ctx, tx); err != nil {
		return err
	}
	if since := v.begunAt(p.Name, promised.job); since == nil || since.After(asOf) {
		return nil
	}
	found, err := v.count(ctx, tx, p.Name, asOf)
	if err != nil {
		v.notRead[p.Name] = true
	}
	if v.refusedToCount(p, err) {
		return nil
	}
	if err != nil || found.Due == 0 {
		return err
	}
	runs, err := one[lastRuns](ctx, tx, v.query("last_runs"), []string{p.Name}, []string{promised.job})
	if err != nil {
		return err
	}
	v.rowsOverdue(p, found, asOf, promised.job, runs)
	return nil
}

// count counts what is due, by preview where the role may not call the function that counts.
func (v *inspection) count(ctx context.Context, tx pgx.Tx, name string, asOf time.Time) (overdue, error) {
	var found overdue
	err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) (err error) {
		if v.mayCount {
			found, err = one[overdue](ctx, savepoint, v.query("count"), asOf, countLimit, name)
		} else {
			found, err = one[overdue](ctx, savepoint, v.query("preview"), name, asOf)
		}
		return err
	})
	return found, err
}

// refusedToCount: the function's expressions mean nothing any more, which is said once. That functions
// of the runtime are missing is another matter.
func (v *inspection) refusedToCount(p *policy.Policy, err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == foreignCode {
		return true
	}
	if errors.As(err, &refused) && v.refusedToOwner(refused) {
		return v.ownerLacks(p, refused)
	}
	if !errors.As(err, &refused) || !meansNothing(refused) || strings.Contains(refused.Message, v.install.Schema+".") {
		return false
	}
	if !v.found(p, codeNoTable, codeNoColumn, codeExpression) {
		v.countRefused(p, refused)
	}
	return true
}
