package verifier

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
)

var codeLostRow = register("V064", Conformance, "a hold holds no row")

// lostRows are holds of a table that hold nothing, and the first of them.
type lostRows struct {
	Table, Fault string
	Count, ID    int64
	Key, Reason  string
	IDs          []int64
}

func (v *inspection) holdGroups() []group {
	if !v.opt.Counts {
		return nil
	}
	return []group{{about: "rows that are held", codes: []string{codeLostRow}, check: v.checkLostRows}}
}

func (v *inspection) checkLostRows(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[lostRows](ctx, tx, v.query("lost_rows"), countLimit)
	for _, l := range rows {
		v.rowsLost(l)
	}
	return err
}

// rowsLost is unknown where the owner cannot look.
func (v *inspection) rowsLost(l lostRows) {
	f := Finding{Code: codeLostRow, Object: l.Table,
		Detail: fmt.Sprintf("Hold %d, on %s, was placed for: %s.", l.ID, l.Key, l.Reason)}
	release := v.release(l.IDs)
	holds := plural(int(l.Count), "hold")
	switch l.Fault {
	case "gone":
		f.Message = fmt.Sprintf("%s on table %q %s no row: it is gone, or has another key", holds, l.Table, verb(l.Count, "has", "have"))
		f.Detail += " Find out who deleted or changed it, and look for it in a backup or an archive, before the hold is released."
		f.Hint = release
	default:
		f.Severity = diag.Unknown
		f.Message = fmt.Sprintf("could not see whether the %s of %s on table %q %s there", verb(l.Count, "row", "rows"), holds, l.Table, verb(l.Count, "is", "are"))
		f.Detail = fmt.Sprintf("Role %q lacks SELECT on it, or its owner owns no table of a policy.", v.owner())
		f.Hint = fmt.Sprintf("Grant SELECT on %q, and USAGE on its schema, to %q.", l.Table, v.owner())
	}
	v.add(f)
}

// release is the statement that ends holds: a screenful of them at once.
func (v *inspection) release(holds []int64) string {
	if len(holds) == 1 {
		return fmt.Sprintf("SELECT %s(%d, 'why');", v.runtime("release_hold"), holds[0])
	}
	var list []string
	for _, id := range holds[:min(len(holds), 50)] {
		list = append(list, strconv.FormatInt(id, 10))
	}
	return fmt.Sprintf("SELECT %s(id, 'why') FROM unnest('{%s}'::bigint[]) id;", v.runtime("release_hold"), strings.Join(list, ","))
}

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
