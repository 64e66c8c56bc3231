package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
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
		f := Finding{Code: codeWindowSet, Severity: Info, Policy: w.Policy, Want: w.Own, Got: w.Value,
			Message: fmt.Sprintf("the window of policy %q was set at run time", w.Policy),
			Detail:  fmt.Sprintf("By %q at %s%s.", w.By, w.At, reason(w.Reason)),
			Hint:    fmt.Sprintf("SELECT %s.set_window('%s', NULL, 'why') takes it back.", v.install.Schema, w.Policy)}
		if !w.Holds {
			f.Severity = diag.Drift
			f.Message = fmt.Sprintf("the window that was set for policy %q does not hold", w.Policy)
			f.Detail += " Its runs go by the policy's own."
		}
		if known := v.policy(w.Policy); known != nil {
			f.Position = known.Position
		}
		v.add(f)
	}
	return err
}
