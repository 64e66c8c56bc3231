package verifier

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// countLimit is the number of overdue rows at which counting stops. A greater count makes no
// difference.
const countLimit = 10000

// overdueProbes returns a probe for each policy and each scope of its jobs. The probe counts rows
// that should have been taken already, according to the schedules of these jobs.
func (v *inspection) overdueProbes() (list []probe) {
	for _, p := range v.file.Policies {
		latest := map[string]scheduledRun{} // by scope, over all jobs that run the policy
		for _, s := range v.runs() {
			scope := scopeText(s.job)
			if other, found := latest[scope]; s.name == p.Name && s.due != nil && (!found || s.due.After(*other.due)) {
				latest[scope] = s
			}
		}
		for _, scope := range slices.Sorted(maps.Keys(latest)) {
			s, about := latest[scope], fmt.Sprintf("overdue rows of policy %q", p.Name)
			if scope != "" {
				about += " for " + scope
			}
			list = append(list, probe{policy: p, about: about, codes: append(codesOfFunctions, messages.CodeOverdue),
				check: reports(v, func(o messages.OverdueRows) message {
					o.Policy, o.Table, o.Job, o.At = p.Name, p.Table.String(), s.job.Name, *s.due
					return messages.Overdue(v.install.Schema, o)
				}, "overdue", p.Name, s.due, countLimit, s.job.Name, lateByNature(p))})
		}
	}
	return list
}

// scopeText returns the scope of a job as in the file.
func scopeText(j *policy.Job) string {
	return strings.Join(lists.Map(j.Scope, func(a policy.Assignment) string { return a.Column + ": " + a.Value.SQL }),
		", ")
}

// codesOfFunctions are the checks that explain an error in a call of a policy's function.
var codesOfFunctions = []diag.Code{messages.CodeTableRights, messages.CodeExpression}

// lateByNature reports whether a row can become due later than its clock says. That happens if the
// rank of the row changes, or if data changes that a condition reads.
func lateByNature(p *policy.Policy) bool {
	return p.Where != nil || len(p.Keep) > 0 || len(p.Joins) > 0 || len(p.DueRanks()) > 0 ||
		slices.ContainsFunc(p.DueClocks(), func(c *policy.Clock) bool {
			return c.Expression != nil || len(c.Window.Tiers) > 1
		})
}

// refusedToCount reports whether the server refused a policy's function for a reason that another
// finding reports. Such a reason is an expression that the server cannot resolve, or a missing
// privilege of the role. A missing function of the runtime is no such reason.
func (v *inspection) refusedToCount(p *policy.Policy, refused *pgconn.PgError) bool {
	role := v.refusedTo(refused)
	switch {
	case role != "" && !v.opt.Checks.shows(messages.CodeTableRights):
		return false
	case role != "":
		if !v.knownLack(role, refused) {
			v.add(messages.PolicyDenied(role, p.Name, refused.Message))
		}
	case !meansNothing(refused) || strings.Contains(refused.Message, v.install.Schema+"."):
		return false
	case !v.found(p.Name, messages.CodeExpression):
		v.add(messages.FunctionsRefused(p.Name, serverError(refused)))
	}
	return true
}
