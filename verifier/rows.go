package verifier

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/lists"
	"pgretain/policy"
)

// countLimit is where counting overdue rows stops: more is no more wrong.
const countLimit = 10000

// overdueProbes returns a probe for each policy and scope of its jobs: the rows in it should be gone by the schedules of
// these jobs.
func (v *inspection) overdueProbes() (list []probe) {
	for _, p := range v.file.Policies {
		latest := map[string]scheduledRun{} // by scope, of all jobs that run the policy
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
			list = append(list, probe{policy: p, about: about, codes: append(codesOfFunctions, codeOverdue),
				check: v.finds(codeOverdue, nil, "overdue", p.Name, s.due, countLimit, s.job.Name, lateByNature(p), p.Table.String())})
		}
	}
	return list
}

// scopeText returns what a job narrows its policies to, as the file has it.
func scopeText(j *policy.Job) string {
	return strings.Join(lists.Map(j.Scope, func(a policy.Assignment) string { return a.Column + ": " + a.Value.SQL }), ", ")
}

// codesOfFunctions are found wherever functions of policies are called.
var codesOfFunctions = []string{codeTableRights, codeExpression}

// lateByNature says whether a row can become due after its time: by its place among others, or by
// what a condition reads, which may change at any moment.
func lateByNature(p *policy.Policy) bool {
	return p.Where != nil || len(p.Keep) > 0 || len(p.Joins) > 0 || len(p.DueRanks()) > 0 ||
		slices.ContainsFunc(p.DueClocks(), func(c *policy.Clock) bool { return c.Expression != nil || len(c.Window.Tiers) > 1 })
}

// refusedToCount says whether a policy's own function was refused for a reason that has a finding: its expressions
// mean nothing any more, or the role as which it runs lacks a right, which is said once. That functions of the
// runtime are missing is another matter.
func (v *inspection) refusedToCount(p *policy.Policy, refused *pgconn.PgError) bool {
	role := v.refusedTo(refused)
	switch {
	case role != "" && !v.opt.Checks.shows(codeTableRights):
		return false
	case role != "":
		if !v.knownLack(role, refused) {
			v.add(message{Code: codeTableRights, Policy: p.Name, Position: p.Position,
				Message: fmt.Sprintf("role %q lacks a privilege that policy %q needs: %s", role, p.Name, refused.Message),
				Detail:  "Runs of the policy fail.", Hint: grantHint(role, refused)})
		}
	case !meansNothing(refused) || strings.Contains(refused.Message, v.install.Schema+"."):
		return false
	case !v.found(p.Name, codeExpression):
		v.add(refusal(p, p.Position, refused, fmt.Sprintf("the functions of policy %q are refused", p.Name),
			`Bring back what its expressions name, or change them, then run "pgretain snapshot" and "pgretain generate", and migrate.`))
	}
	return true
}
