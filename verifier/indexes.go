package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
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
	rows, err := collectRows[index](r, "indexes", mapped(wanted, func(o generator.Object) string { return o.Name }), wait)
	if err != nil {
		return nil, err
	}
	alike, _ := parallel.Each(rows, func(live index) (pgparse.Likeness, error) {
		if live.Definition == nil {
			return pgparse.Unclear, nil
		}
		return likeIndex(wanted[live.N-1].Definition, *live.Definition), nil
	})
	for i, live := range rows {
		switch o := wanted[live.N-1]; {
		case !live.Index:
			v.damaged[o.Table] = true
			v.about(o, message{Code: codeIndexMissing, Message: fmt.Sprintf("index %q is missing", o.Name),
				Detail: "Runs of the policy read the whole table.", Hint: v.buildHint(o)})
		case live.Locked:
			passedBy = append(passedBy, o)
		case live.Definition == nil:
			return nil, inspect.ErrChanged
		case !live.Valid || !live.Ready:
			v.damaged[o.Table] = true
			v.about(o, message{Code: codeIndexInvalid, Message: live.on(o) + " is invalid",
				Detail: "A concurrent build did not finish; queries cannot use the index.", Hint: v.buildHint(o)})
		default:
			v.compareDefinition(o, live, alike[i])
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
func (v *inspection) compareDefinition(o generator.Object, live index, alike pgparse.Likeness) {
	schema, _ := v.tableParts(o.Table) // an index is in the schema of its table
	recordAgain := as(v.owner(), fmt.Sprintf("SELECT %s(%s, %s);", v.runtime("_record_index"), quote.Literal(schema),
		quote.Literal(strings.TrimPrefix(o.Name, schema+"."))))
	switch {
	case alike == pgparse.Different:
		v.indexDiffers(o, live)
	case live.Recorded == nil:
		v.about(o, message{Code: codeIndexDiffers, Severity: diag.Unknown, Message: "no migration wrote down how " + live.on(o) + " was built",
			Detail: "There is nothing to compare its definition with. Look at it; if it is right, have it written down.", Hint: recordAgain})
	case *live.Recorded == *live.Definition || likeIndex(*live.Recorded, *live.Definition) != pgparse.Different:
		// Another spelling is that of another version of PostgreSQL, or of a column with another type.
	case likeIndex(o.Definition, *live.Recorded) != pgparse.Different:
		v.indexDiffers(o, live)
	default:
		v.about(o, message{Code: codeIndexDiffers, Message: "what was written down of " + live.on(o) + " is not the index that is there",
			Want: *live.Definition, Got: *live.Recorded, Detail: "The index is the one that the policy wants.", Hint: recordAgain})
	}
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
	v.damaged[o.Table] = true
	f := message{Code: codeIndexDiffers, Message: live.on(o) + " is not the one that was built", Want: o.Definition, Got: *live.Definition,
		Hint: v.rebuildHint(o)}
	if live.Recorded != nil && likeIndex(o.Definition, *live.Recorded) != pgparse.Different {
		f.Want = *live.Recorded
	}
	if live.Table != o.Table {
		f.Hint = "Correct the name of the table first, there or in the policy file."
	}
	v.about(o, f)
}

// relying are the policies that go by indexes of the tables' own.
func (v *inspection) relying() []generator.Object {
	return slices.DeleteFunc(v.objects(generator.KindPolicy), func(o generator.Object) bool { return len(o.Needs) == 0 })
}

// ownIndex is a live index of a table that a policy goes by.
type ownIndex struct {
	Table, Name, Method    string
	Columns                []string
	Descending, NullsFirst []bool
	Partial, Usable        bool
	NotNull                []string
}

// checkOwnIndexes looks for an index for each order that had one when the policy was compiled: the same
// or any other that serves.
func (v *inspection) checkOwnIndexes(r reading) error {
	var tables []string
	for _, o := range v.relying() {
		tables = append(tables, mapped(o.Needs, func(need generator.IndexNeed) string { return need.Table })...)
	}
	live := map[string][]ownIndex{}
	err := each(r, "table_indexes", func(i ownIndex) { live[i.Table] = append(live[i.Table], i) }, distinct(tables))
	if err != nil {
		return err
	}
	for _, o := range v.relying() {
		for _, need := range o.Needs {
			v.compareNeed(o, need, live[need.Table])
		}
	}
	return nil
}

func (i ownIndex) serves(need generator.IndexNeed) bool {
	index := catalog.Index{Method: i.Method, Columns: i.Columns, Descending: i.Descending, NullsFirst: i.NullsFirst, Valid: i.Usable}
	return !i.Partial && need.ServedBy(index, func(column string) bool { return slices.Contains(i.NotNull, column) })
}

func (v *inspection) compareNeed(o generator.Object, need generator.IndexNeed, live []ownIndex) {
	missing := func(c generator.NeededColumn) bool { return v.found(need.Table+"."+c.Name, codeNoColumn) }
	if v.damaged[need.Table] && len(live) == 0 || slices.ContainsFunc(need.Columns, missing) ||
		slices.ContainsFunc(live, func(i ownIndex) bool { return i.serves(need) }) {
		return
	}
	v.damaged[need.Table] = true
	state := "is not there"
	for _, i := range live {
		switch {
		case i.Name != need.Index:
		case !i.Usable:
			state = "is invalid"
		default:
			state = "is another one now"
		}
	}
	f := message{Code: codeIndexGone, Message: fmt.Sprintf("no index serves policy %q on table %q any more", o.Policy, need.Table),
		Detail: fmt.Sprintf("It went by index %q, which %s. Its runs read the whole table. Build one, or have one of the policy's own made: take a snapshot again, generate, and migrate.", need.Index, state),
		Hint:   fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s);", v.table(need.Table), need.Items())}
	if need.Primary {
		f.Detail = fmt.Sprintf("It went by the primary key %q, which %s. Its runs read the whole table.", need.Index, state)
		f.Hint = fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (%s);", v.table(need.Table), need.Items())
	}
	v.about(o, f)
}
