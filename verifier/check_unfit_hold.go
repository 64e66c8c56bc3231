package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var codeUnfitHold = register("V052", Reach, "a hold cannot be honoured")

// unfitHold is the first hold on a table that cannot be honoured, and why.
type unfitHold struct {
	ID                 int64
	Table, Reason, Why string
}

func (v *inspection) checkUnfitHolds(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[unfitHold](ctx, tx, v.query("unfit_holds"))
	for _, h := range rows {
		v.add(Finding{Code: codeUnfitHold, Object: h.Table, Message: h.Why,
			Detail: fmt.Sprintf("It was placed for: %s. Nobody can tell what is held: policies that reach the table trip until this hold is released.", h.Reason),
			Hint:   v.release([]int64{h.ID})})
	}
	return err
}
