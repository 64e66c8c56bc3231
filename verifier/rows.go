package verifier

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
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
	if refused != nil && v.refusedTo(refused) != "" {
		return v.roleLacks(v.refusedTo(refused), p, refused)
	}
	if !errors.As(err, &refused) || !meansNothing(refused) || strings.Contains(refused.Message, v.install.Schema+".") {
		return false
	}
	if !v.found(p, codeNoTable, codeNoColumn, codeExpression) {
		v.countRefused(p, refused)
	}
	return true
}

var codeOverdue = register("V060", Conformance, "rows are overdue")

// rowsOverdue is for information where rows come to be due after their time, and the last run left nothing.
func (v *inspection) rowsOverdue(p *policy.Policy, found overdue, asOf time.Time, job string, runs lastRuns) {
	f := Finding{Code: codeOverdue, Policy: p.Name, Position: p.Position, Object: p.Table.String(),
		Message: fmt.Sprintf("%s in table %q under policy %q", atLeast(found), p.Table, p.Name),
		Detail:  fmt.Sprintf("They were due at %s, and the schedule of job %q promises that they are gone.%s", instant(asOf), job, oldest(found)),
		Hint:    fmt.Sprintf("SELECT * FROM %s; CALL %s(%s);", v.runtime("status"), v.runtime("run"), quote.Literal(p.Name))}
	if lateByNature(p) && inOrder(runs, asOf) {
		f.Severity = Info
		f.Detail = fmt.Sprintf("Its last run left nothing behind, so they came to be due since; the next run of job %q takes them.", job)
		f.Hint = ""
	}
	v.add(f)
}

// lateByNature says whether a row can become due after its time: by its place among others, or by
// what a condition reads, which may change at any moment.
func lateByNature(p *policy.Policy) bool {
	conditional := p.Where != nil || len(p.Keep) > 0 || len(p.Joins) > 0 || len(ranks(p)) > 0
	for _, c := range clocks(p) {
		conditional = conditional || c.Expression != nil || len(c.Window.Tiers) > 1
	}
	return conditional
}

// inOrder says whether the last run took all it found, recently enough.
func inOrder(runs lastRuns, asOf time.Time) bool {
	return runs.State == "done" && runs.LeftBehind == 0 && runs.Success != nil && runs.Success.After(asOf)
}

func atLeast(o overdue) string {
	if o.Capped {
		return fmt.Sprintf("%d or more overdue rows", o.Due)
	}
	return plural(int(o.Due), "overdue row")
}

func oldest(o overdue) string {
	if o.Oldest == "" {
		return ""
	}
	return fmt.Sprintf(" The oldest is of %s.", o.Oldest)
}

var codeKeepUp = register("V066", Conformance, "a policy does not keep up with what comes in")

// unfinishedRuns in a row, all of which spent their budget, are no accident.
const unfinishedRuns = 12

// unfinished is a policy whose newest runs all ended because a budget was spent.
type unfinished struct {
	Policy  string
	Since   time.Time
	Message string
}

func (v *inspection) keepUpGroups() []group {
	return []group{{about: "runs that spent their budgets", codes: []string{codeKeepUp}, check: v.checkKeepUp}}
}

// checkKeepUp leaves those out that have not been at it for longer than the schedule promises.
func (v *inspection) checkKeepUp(ctx context.Context, tx pgx.Tx) error {
	var names []string
	for _, p := range v.file.Policies {
		names = append(names, p.Name)
	}
	promises := v.promises()
	rows, err := many[unfinished](ctx, tx, v.query("unfinished"), names, unfinishedRuns)
	for _, u := range rows {
		if promised, ok := promises[u.Policy]; !ok || u.Since.Before(v.server.Now.Add(-promised.lag)) {
			v.add(Finding{Code: codeKeepUp, Policy: u.Policy, Position: v.position(u.Policy),
				Message: fmt.Sprintf("the last %d runs of policy %q left due rows behind", unfinishedRuns, u.Policy),
				Detail:  fmt.Sprintf("Since %s each run ended before its work was done; the last one says: %s.", instant(u.Since), u.Message),
				Hint:    `Give the policy more "budget", larger batches, or a schedule with more runs.`})
		}
	}
	return err
}

var codeFarAhead = register("V062", Conformance, "rows have a clock that lies far ahead")

// farAhead is for information: an expiry in the year 9999 may well be meant. It is drift where all rows have
// one, and their numbers are instants in a smaller unit than the policy says.
func (v *inspection) farAhead(a asked, found facts) {
	p := a.policy
	f := Finding{Code: codeFarAhead, Severity: Info, Policy: p.Name, Position: a.clock.Position, Object: p.Table.String(),
		Message: fmt.Sprintf("%s of table %q %s a clock that lies far ahead and will not go under policy %q for years", counted(found.Ahead), p.Table,
			verb(found.Ahead, "has", "have"), p.Name),
		Detail: fmt.Sprintf("Their clocks are from %s to %s.", found.First, found.Last),
		Hint:   "Nothing, if they are meant to stay so long; otherwise find out who writes such instants."}
	if unit := smallerUnit(a.clock.Encoding.Kind, found, v.server.Now); unit != "" {
		f.Severity = diag.Drift
		f.Message = fmt.Sprintf("all rows of policy %q have clocks that lie far ahead: none will ever go", p.Name)
		f.Detail = fmt.Sprintf("The policy reads table %q by encoding %q, and its numbers, from %s to %s, are plausible in %s.", p.Table, a.clock.Encoding.Kind, found.First, found.Last, unit)
		f.Hint = `Correct "encoding", or write an "expression" that divides; then run "pgretain generate".`
	}
	v.add(f)
}

// smallerUnit is the unit in which numbers are instants of our time that lie far ahead as they are read, ""
// for none. One number for all rows is a word for "never".
func smallerUnit(encoding string, found facts, now time.Time) string {
	perSecond, known := map[string]float64{"epoch_s": 1, "epoch_ms": 1e3}[encoding]
	first, errFirst := strconv.ParseFloat(found.First, 64)
	last, errLast := strconv.ParseFloat(found.Last, 64)
	if !known || !found.AllAhead || first == last || errFirst != nil || errLast != nil {
		return ""
	}
	for _, unit := range []struct {
		name      string
		perSecond float64
	}{{"milliseconds", 1e3}, {"microseconds", 1e6}, {"nanoseconds", 1e9}} {
		if unit.perSecond > perSecond && ourTime(first/unit.perSecond, now) && ourTime(last/unit.perSecond, now) {
			return unit.name
		}
	}
	return ""
}

// ourTime says whether seconds since 1970 lie between 1990 and a hundred years from now.
func ourTime(seconds float64, now time.Time) bool {
	return seconds >= 631152000 && seconds <= float64(now.AddDate(100, 0, 0).Unix())
}

var codeNoClock = register("V061", Conformance, "rows have no clock and never go")

// noClock is for information, since a row without an instant is not due unless the policy says so. Where the
// column has a default nobody left it out: somebody wrote NULL, and whether that is meant the policy
// file can say.
func (v *inspection) noClock(a asked, rows int64) {
	p, clock := a.policy, "no clock"
	if a.clock.Column != "" {
		clock = fmt.Sprintf("no %q", a.clock.Column)
	}
	f := Finding{Code: codeNoClock, Severity: Info, Policy: p.Name, Position: a.clock.Position, Object: p.Table.String(),
		Message: fmt.Sprintf("%s of table %q %s %s and never go under policy %q", counted(rows), p.Table, verb(rows, "has", "have"), clock, p.Name),
		Detail:  `A row without an instant is not due; the policy file does not say whether that is meant.`,
		Hint:    `Write "nulls: keep" in the policy if they are to stay, "nulls: due" if they are to go; or give them an instant, and the column NOT NULL.`}
	if a.column.Default != "" {
		f.Severity = diag.Drift
		f.Detail = fmt.Sprintf("The column has the default %s, so that somebody wrote NULL there; the policy file does not say whether that is meant.", a.column.Default)
	}
	v.add(f)
}

// counted is a number of rows that were counted up to the limit.
func counted(rows int64) string {
	if rows >= countLimit {
		return fmt.Sprintf("%d rows or more", rows)
	}
	return plural(int(rows), "row")
}

func verb(n int64, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
