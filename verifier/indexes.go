package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
)

// index is a live index; Definition is NULL when it vanished while it was looked at, Recorded
// when no migration wrote it down.
type index struct {
	N                          int
	Found, Index, Valid, Ready bool
	Table                      string
	Definition, Recorded       *string
	Locked                     bool // its table is, so that it was passed by
}

var codesOfIndexes = []string{codeIndexMissing, codeIndexInvalid, codeIndexDiffers, codeNoIndex, codeOtherPlan}

func (v *inspection) indexGroups() []group {
	wanted := v.objects(generator.KindIndex)
	if len(wanted) == 0 {
		return nil
	}
	return []group{{about: "the indexes", codes: codesOfIndexes, policies: policiesOf(wanted), check: func(ctx context.Context, tx pgx.Tx) (err error) {
		v.passedBy, err = v.compareIndexes(wanted, v.lookAtIndexes(ctx, tx, false))
		return err
	}}}
}

// lockedIndexGroups waits for the tables that were passed by, so that the others need not.
func (v *inspection) lockedIndexGroups() []group {
	if len(v.passedBy) == 0 {
		return nil
	}
	return []group{{about: "the indexes of locked tables", codes: codesOfIndexes, policies: policiesOf(v.passedBy), check: func(ctx context.Context, tx pgx.Tx) error {
		_, err := v.compareIndexes(v.passedBy, v.lookAtIndexes(ctx, tx, true))
		return err
	}}}
}

func policiesOf(objects []generator.Object) []string {
	var names []string
	for _, o := range objects {
		names = append(names, o.Policy)
	}
	return distinct(names)
}

func (v *inspection) lookAtIndexes(ctx context.Context, tx pgx.Tx, wait bool) func(names []string) ([]index, error) {
	return func(names []string) ([]index, error) { return many[index](ctx, tx, v.query("indexes"), names, wait) }
}

// compareIndexes looks again, once, at what vanished while it was looked at. It returns what it passed by.
func (v *inspection) compareIndexes(wanted []generator.Object, look func(names []string) ([]index, error)) (passedBy []generator.Object, err error) {
	for attempt := 0; len(wanted) > 0; attempt++ {
		names := make([]string, len(wanted))
		for i, o := range wanted {
			names[i] = o.Name
		}
		rows, err := look(names)
		if err != nil {
			return nil, err
		}
		alike, _ := parallel.Each(rows, func(row index) (pgparse.Likeness, error) { return likeWanted(wanted[row.N-1], row), nil })
		var again []generator.Object
		for i, row := range rows {
			o := wanted[row.N-1]
			switch {
			case row.Index && row.Locked:
				passedBy = append(passedBy, o)
			case !row.Index || row.Definition != nil:
				v.compareIndex(o, row, alike[i])
			case attempt == 0:
				again = append(again, o)
			default:
				v.changing(o)
			}
		}
		wanted = again
	}
	return passedBy, nil
}

func (v *inspection) compareIndex(o generator.Object, live index, alike pgparse.Likeness) {
	switch {
	case !live.Index:
		v.damage(o.Table)
		v.indexMissing(o)
	case !live.Valid || !live.Ready:
		v.damage(o.Table)
		v.indexInvalid(o, live)
	default:
		v.compareDefinition(o, live, alike)
	}
}

// damage notes that a table or its indexes are not as they should be: how batches find rows there follows
// from that.
func (v *inspection) damage(table string) {
	if v.damaged == nil {
		v.damaged = map[string]bool{}
	}
	v.damaged[table] = true
}

// on says which index it is, and of which table.
func (live index) on(o generator.Object) string {
	if live.Table == "" {
		return fmt.Sprintf("index %q", o.Name)
	}
	return fmt.Sprintf("index %q on table %q", o.Name, live.Table)
}
