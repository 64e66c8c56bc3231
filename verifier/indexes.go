package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
)

// index is a live index; Definition is NULL when it vanished while it was looked at, Recorded
// when no migration wrote it down.
type index struct {
	N                          int
	Found, Index, Valid, Ready bool
	Table                      string
	Definition, Recorded       *string
}

func (v *inspection) indexGroups() []group {
	if len(v.objects(generator.KindIndex)) == 0 {
		return nil
	}
	return []group{{"the indexes", v.checkIndexes}}
}

// checkIndexes looks again, once, at what vanished while it was looked at.
func (v *inspection) checkIndexes(ctx context.Context, tx pgx.Tx) error {
	wanted := v.objects(generator.KindIndex)
	for attempt := 0; len(wanted) > 0; attempt++ {
		names := make([]string, len(wanted))
		for i, o := range wanted {
			names[i] = o.Name
		}
		rows, err := many[index](ctx, tx, v.query("indexes"), names)
		if err != nil {
			return err
		}
		var again []generator.Object
		for _, row := range rows {
			o := wanted[row.N-1]
			switch {
			case !row.Index || row.Definition != nil:
				v.compareIndex(o, row)
			case attempt == 0:
				again = append(again, o)
			default:
				v.about(o, Finding{Code: codeChanging, Severity: diag.Unknown, Message: fmt.Sprintf("index %q changed while it was looked at", o.Name), Hint: "Verify again."})
			}
		}
		wanted = again
	}
	return nil
}

func (v *inspection) compareIndex(o generator.Object, live index) {
	name := fmt.Sprintf("index %q", o.Name)
	on := name
	if live.Table != "" {
		on = fmt.Sprintf("%s on table %q", name, live.Table)
	}
	switch {
	case !live.Index:
		v.about(o, Finding{Code: codeIndexMissing, Message: name + " is missing",
			Detail: "Runs of the policy read the whole table.", Hint: `Build it again as its migration does, or run "pgretain migrate up" if that is pending.`})
	case !live.Valid || !live.Ready:
		v.about(o, Finding{Code: codeIndexInvalid, Message: on + " is invalid",
			Detail: "A concurrent build did not finish; queries cannot use the index.",
			Hint:   fmt.Sprintf(`DROP INDEX CONCURRENTLY %s, and build it again as its migration does.`, o.Name)})
	case live.Recorded == nil:
		v.about(o, Finding{Code: codeIndexDiffers, Severity: diag.Unknown, Message: "no migration wrote down how " + on + " was built",
			Detail: "There is nothing to compare its definition with.", Hint: fmt.Sprintf("Look at it, then call %s._record_index as the owner.", v.install.Schema)})
	case *live.Recorded != *live.Definition:
		v.about(o, Finding{Code: codeIndexDiffers, Message: on + " is not the one that was built", Want: *live.Recorded, Got: *live.Definition,
			Hint: fmt.Sprintf(`DROP INDEX CONCURRENTLY %s, and build it again as its migration does.`, o.Name)})
	}
}
