package verifier

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/policy"
)

// countLimit is where counting overdue rows stops: more is no more wrong.
const countLimit = 10000

// overdue is what a count function finds at an instant.
type overdue struct {
	Due    int64
	Capped bool
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
		for _, s := range j.runs {
			late, ok := lag(j.ticks, v.server.Now, s.budget)
			if other, found := shortest[s.name]; ok && (!found || late < other.lag) {
				shortest[s.name] = promise{late, j.name}
			}
		}
	}
	return shortest
}

func (v *inspection) overdueProbes() []probe {
	var probes []probe
	promises := v.promises()
	for _, p := range v.file.Policies {
		promised, ok := promises[p.Name]
		skip := !ok || v.isPaused(p.Name)
		probes = append(probes, probe{skip: skip, about: fmt.Sprintf("overdue rows of policy %q", p.Name), codes: []string{codeOverdue},
			check: func(r reading) error { return v.checkOverdue(r, promised, p) }})
	}
	return probes
}

// checkOverdue counts the rows that were due so long ago that they must be gone by now. It says
// nothing before that much time has passed since the policies were installed.
func (v *inspection) checkOverdue(r reading, promised promise, p *policy.Policy) error {
	asOf := v.server.Now.Add(-promised.lag)
	begun, err := collectRows[struct{ Since time.Time }](r, "begun", p.Name, promised.job)
	if err != nil || len(begun) == 0 || begun[0].Since.After(asOf) {
		return err
	}
	var found overdue
	err = r.savepoint(func() (err error) {
		if v.server.MayCount {
			found, err = collectRow[overdue](r, "count", asOf, countLimit, p.Name)
		} else {
			found, err = collectRow[overdue](r, "preview", p.Name, asOf)
		}
		return err
	})
	v.uncounted[p.Name] = err != nil
	if v.refusedToCount(p, err) {
		return nil
	}
	if err != nil || found.Due == 0 {
		return err
	}
	runs, err := collectRow[lastRuns](r, "last_runs", []string{p.Name}, []string{promised.job})
	if err == nil {
		v.rowsOverdue(p, found, asOf, promised.job, runs)
	}
	return err
}

// rowsOverdue is for information where rows come to be due after their time, and the last run left nothing, recently
// enough.
func (v *inspection) rowsOverdue(p *policy.Policy, found overdue, asOf time.Time, job string, runs lastRuns) {
	f := message{Code: codeOverdue, Policy: p.Name, Position: p.Position, Object: p.Table.String()}
	inOrder := runs.State == "done" && runs.LeftBehind == 0 && runs.Success != nil && runs.Success.After(asOf)
	since := inOrder && lateByNature(p)
	if since {
		f.Severity = Info
	}
	v.say(f, "overdue", words{"Found": found, "AsOf": asOf, "Job": job, "Since": since})
}

// lateByNature says whether a row can become due after its time: by its place among others, or by
// what a condition reads, which may change at any moment.
func lateByNature(p *policy.Policy) bool {
	return p.Where != nil || len(p.Keep) > 0 || len(p.Joins) > 0 || len(p.DueRanks()) > 0 ||
		slices.ContainsFunc(p.DueClocks(), func(c *policy.Clock) bool { return c.Expression != nil || len(c.Window.Tiers) > 1 })
}

// plan has the function that counts find no row at all: it plans the expressions that judge rows, and reads none.
func (v *inspection) plan(r reading, p *policy.Policy) error {
	return r.savepoint(func() error {
		_, err := collectRow[overdue](r, "count", v.server.Now, 0, p.Name)
		return err
	})
}

// refusedToCount says whether a policy's own function was refused for a reason that has a finding: its expressions
// mean nothing any more, or the role as which it runs lacks a right, which is said once. That functions of the
// runtime are missing is another matter.
func (v *inspection) refusedToCount(p *policy.Policy, err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok:
		return false
	case refused.Code == foreignCode:
		return true
	case v.refusedTo(refused) != "":
		return v.roleLacks(v.refusedTo(refused), p, refused)
	case !meansNothing(refused) || strings.Contains(refused.Message, v.install.Schema+"."):
		return false
	}
	if !v.found(p.Name, codeExpression) {
		v.add(refusal(p, p.Position, refused, fmt.Sprintf("the functions of policy %q are refused", p.Name),
			"Bring back what its expressions name, or change them, then generate and migrate."))
	}
	return true
}

// roleLacks: a function of the policy, which runs as that role, was refused for want of a right. It says
// whether that is known now: the server names the object, without its schema.
func (v *inspection) roleLacks(role string, p *policy.Policy, err *pgconn.PgError) bool {
	if !v.opt.Checks.shows(codeTableRights) {
		return false
	}
	if !v.knownLack(err) {
		v.add(message{Code: codeTableRights, Policy: p.Name, Position: p.Position,
			Message: fmt.Sprintf("role %q lacks a privilege that policy %q needs: %s", role, p.Name, err.Message),
			Detail:  "Runs of the policy fail.", Hint: fmt.Sprintf("Grant it to role %q.", role)})
	}
	return true
}

// unfinishedRuns in a row, all of which spent their budget, are no accident.
const unfinishedRuns = 12

// checkKeepUp leaves policies out that have not been at it for longer than the schedule promises.
func (v *inspection) checkKeepUp(r reading) error {
	promises := v.promises()
	before := mapped(v.policyNames(), func(name string) *time.Time {
		if promised, ok := promises[name]; ok {
			return new(v.server.Now.Add(-promised.lag))
		}
		return nil
	})
	return v.finds(codeKeepUp, nil, "unfinished", v.policyNames(), unfinishedRuns, before)(r)
}
