package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

var codeIndexDiffers = register("V022", Indexes, "an index is not the one that was built")

// compareDefinition: the policy says what is wanted, and decides. Where casts and constants leave it open,
// what PostgreSQL printed right after the build does.
func (v *inspection) compareDefinition(o generator.Object, live index, alike pgparse.Likeness) {
	switch {
	case alike == pgparse.Different:
		v.indexDiffers(o, live)
	case live.Recorded == nil:
		v.indexUnrecorded(o, live)
	case *live.Recorded == *live.Definition || likeIndex(*live.Recorded, *live.Definition) != pgparse.Different:
		// Another spelling is that of another version of PostgreSQL, or of a column with another type.
	case likeIndex(o.Definition, *live.Recorded) != pgparse.Different:
		v.indexDiffers(o, live)
	default:
		v.recordDiffers(o, live)
	}
}

func likeWanted(o generator.Object, live index) pgparse.Likeness {
	if live.Definition == nil {
		return pgparse.Unclear
	}
	return likeIndex(o.Definition, *live.Definition)
}

// likeIndex compares a definition with one that PostgreSQL printed. What cannot be read is left to
// comparing the texts.
func likeIndex(wanted, printed string) pgparse.Likeness {
	want, err := pgparse.ParseIndex(wanted)
	got, wrong := pgparse.ParseIndex(printed)
	if err != nil || wrong != nil {
		return pgparse.Unclear
	}
	return want.Like(got)
}

// indexDiffers shows what is wanted as PostgreSQL would print it, where that was written down. It gives no
// statements where the table has another name: they would drop an index that is right.
func (v *inspection) indexDiffers(o generator.Object, live index) {
	v.damage(o.Table)
	f := Finding{Code: codeIndexDiffers, Message: live.on(o) + " is not the one that was built", Want: o.Definition, Got: *live.Definition,
		Hint: v.rebuildHint(o)}
	if live.Recorded != nil && likeIndex(o.Definition, *live.Recorded) != pgparse.Different {
		f.Want = *live.Recorded
	}
	if live.Table != o.Table {
		f.Hint = "Correct the name of the table first, there or in the policy file."
	}
	v.about(o, f)
}

func (v *inspection) indexUnrecorded(o generator.Object, live index) {
	v.about(o, Finding{Code: codeIndexDiffers, Severity: diag.Unknown, Message: "no migration wrote down how " + live.on(o) + " was built",
		Detail: "There is nothing to compare its definition with. Look at it; if it is right, have it written down.", Hint: v.recordAgain(o)})
}

func (v *inspection) recordDiffers(o generator.Object, live index) {
	v.about(o, Finding{Code: codeIndexDiffers, Message: "what was written down of " + live.on(o) + " is not the index that is there", Want: *live.Definition, Got: *live.Recorded,
		Detail: "The index is the one that the policy wants.", Hint: v.recordAgain(o)})
}

func (v *inspection) recordAgain(o generator.Object) string {
	schema, _ := v.tableParts(o.Table) // an index is in the schema of its table
	name := strings.TrimPrefix(o.Name, schema+".")
	return as(v.owner(), fmt.Sprintf("SELECT %s(%s, %s);", v.runtime("_record_index"), quote.Literal(schema), quote.Literal(name)))
}
