package verifier

import (
	"fmt"
	"time"

	"pgretain/internal/quote"
	"pgretain/policy"
)

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
