package verifier

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// windowSet is a window that set_window() gave a policy.
type windowSet struct {
	Policy, Own, Value, By, At, Reason string
	Holds                              bool
}

// checkWindows reports windows that are not the policy file's: for information where one holds.
func (v *inspection) checkWindows(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[windowSet](ctx, tx, v.query("windows"))
	for _, w := range rows {
		v.windowWasSet(w)
	}
	return err
}
