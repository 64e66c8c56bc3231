package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
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

func (v *inspection) checkIndexes(ctx context.Context, tx pgx.Tx) error {
	return v.compareIndexes(func(names []string) ([]index, error) {
		return many[index](ctx, tx, v.query("indexes"), names)
	})
}

// compareIndexes looks again, once, at what vanished while it was looked at.
func (v *inspection) compareIndexes(look func(names []string) ([]index, error)) error {
	wanted := v.objects(generator.KindIndex)
	for attempt := 0; len(wanted) > 0; attempt++ {
		names := make([]string, len(wanted))
		for i, o := range wanted {
			names[i] = o.Name
		}
		rows, err := look(names)
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
				v.changing(o)
			}
		}
		wanted = again
	}
	return nil
}

func (v *inspection) compareIndex(o generator.Object, live index) {
	switch {
	case !live.Index:
		v.indexMissing(o)
	case !live.Valid || !live.Ready:
		v.indexInvalid(o, live)
	case live.Recorded == nil:
		v.indexUnrecorded(o, live)
	case *live.Recorded != *live.Definition:
		v.indexDiffers(o, live)
	}
}

// on says which index it is, and of which table.
func (live index) on(o generator.Object) string {
	if live.Table == "" {
		return fmt.Sprintf("index %q", o.Name)
	}
	return fmt.Sprintf("index %q on table %q", o.Name, live.Table)
}

func rebuildHint(o generator.Object) string {
	return fmt.Sprintf(`DROP INDEX CONCURRENTLY %s, and build it again as its migration does.`, o.Name)
}
