package verifier

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

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
