package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// index is a live index; Definition is NULL when it vanished while it was looked at, Recorded
// when no migration wrote it down.
type index struct {
	N                    int
	Index, Valid, Ready  bool
	Table                string
	Definition, Recorded *string
	Locked               bool // its table is, so that it was passed by
}

var codesOfIndexes = []string{codeIndexMissing, codeIndexInvalid, codeIndexDiffers, codeNoIndex, codeOtherPlan}

func (v *inspection) checkIndexes(r reading) (err error) {
	v.passedBy, err = v.compareIndexes(r, v.objects(generator.KindIndex), false)
	return err
}

// lockedIndexes waits for the tables that were passed by, so that the others need not.
func (v *inspection) lockedIndexes() []probe {
	return []probe{{skip: len(v.passedBy) == 0, about: "the indexes of locked tables", codes: codesOfIndexes, policies: policiesOf(v.passedBy),
		check: func(r reading) error {
			_, err := v.compareIndexes(r, v.passedBy, true)
			return err
		}}}
}

// compareIndexes returns what it passed by.
func (v *inspection) compareIndexes(r reading, wanted []generator.Object, wait bool) (passedBy []generator.Object, err error) {
	rows, err := collectRows[index](r, "indexes", mapped(wanted, objectName), wait)
	if err != nil {
		return nil, err
	}
	for _, live := range rows {
		switch o := wanted[live.N-1]; {
		case !live.Index:
			v.about(o, message{Code: codeIndexMissing, Message: fmt.Sprintf("index %q is missing", o.Name),
				Detail: "Runs of the policy read the whole table.", Hint: v.buildHint(o)})
		case live.Locked:
			passedBy = append(passedBy, o)
		case live.Definition == nil:
			return nil, inspect.ErrChanged
		case !live.Valid || !live.Ready:
			v.about(o, message{Code: codeIndexInvalid, Message: live.on(o) + " is invalid",
				Detail: "A concurrent build did not finish; queries cannot use the index.", Hint: v.buildHint(o)})
		default:
			v.compareDefinition(o, live)
		}
	}
	return passedBy, nil
}

// on says which index it is, and of which table.
func (live index) on(o generator.Object) string {
	if live.Table == "" {
		return fmt.Sprintf("index %q", o.Name)
	}
	return fmt.Sprintf("index %q on table %q", o.Name, live.Table)
}

// compareDefinition: the policy says what is wanted, and decides. Where casts and constants leave it open,
// what PostgreSQL printed right after the build does.
func (v *inspection) compareDefinition(o generator.Object, live index) {
	schema, _ := v.tableParts(o.Table) // an index is in the schema of its table
	recordAgain := fmt.Sprintf("SELECT %s(%s, %s);", v.runtime("_record_index"), quote.Literal(schema),
		quote.Literal(strings.TrimPrefix(o.Name, schema+".")))
	switch {
	case pgparse.LikeIndex(o.Definition, *live.Definition) == pgparse.Different:
		v.indexDiffers(o, live)
	case live.Recorded == nil:
		v.about(o, message{Code: codeIndexDiffers, Severity: diag.Unknown, Message: "no migration wrote down how " + live.on(o) + " was built",
			Detail: "There is nothing to compare its definition with. Look at it; if it is right, have it written down.", Hint: recordAgain})
	case *live.Recorded == *live.Definition || pgparse.LikeIndex(*live.Recorded, *live.Definition) != pgparse.Different:
		// Another spelling is that of another version of PostgreSQL, or of a column with another type.
	case pgparse.LikeIndex(o.Definition, *live.Recorded) != pgparse.Different:
		v.indexDiffers(o, live)
	default:
		v.about(o, message{Code: codeIndexDiffers, Message: "what was written down of " + live.on(o) + " is not the index that is there",
			Want: *live.Definition, Got: *live.Recorded, Detail: "The index is the one that the policy wants.", Hint: recordAgain})
	}
}

// indexDiffers shows what is wanted as PostgreSQL would print it, where that was written down. It gives no
// statements where the table has another name: they would drop an index that is right.
func (v *inspection) indexDiffers(o generator.Object, live index) {
	f := message{Code: codeIndexDiffers, Message: live.on(o) + " is not the one that was built", Want: o.Definition, Got: *live.Definition,
		Hint: v.rebuildHint(o)}
	if live.Recorded != nil && pgparse.LikeIndex(o.Definition, *live.Recorded) != pgparse.Different {
		f.Want = *live.Recorded
	}
	if live.Table != o.Table {
		f.Hint = "Correct the name of the table first, there or in the policy file."
	}
	v.about(o, f)
}
