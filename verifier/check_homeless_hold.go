package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var codeHomelessHold = register("V069", Conformance, "a hold is on a table that is not there")

// homelessHolds are holds on a table that is not there, and the first of them.
type homelessHolds struct {
	Table     string
	Count, ID int64
	Reason    string
	IDs       []int64
}

func (v *inspection) checkHomelessHolds(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[homelessHolds](ctx, tx, v.query("homeless_holds"))
	for _, h := range rows {
		v.add(Finding{Code: codeHomelessHold, Object: h.Table,
			Message: fmt.Sprintf("%s %s on table %q, which does not exist", plural(int(h.Count), "hold"), verb(h.Count, "is", "are"), h.Table),
			Detail:  fmt.Sprintf("Hold %d was placed for: %s. It may have been renamed, so that nobody can tell what is held: every run of every policy trips. Place the holds on the table that has the rows now.", h.ID, h.Reason),
			Hint:    v.release(h.IDs)})
	}
	return err
}
