package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
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

// ownIndex is a live index of a table that a policy goes by.
type ownIndex struct {
	Table, Name, Method    string
	Columns                []string
	Descending, NullsFirst []bool
	Partial, Usable        bool
	NotNull                []string
}

func (v *inspection) ownIndexGroups() []group {
	var relying []generator.Object
	for _, o := range v.objects(generator.KindPolicy) {
		if len(o.Needs) > 0 {
			relying = append(relying, o)
		}
	}
	if len(relying) == 0 {
		return nil
	}
	return []group{{about: "the tables' own indexes", codes: []string{codeIndexGone, codeNoIndex, codeOtherPlan}, policies: policiesOf(relying), check: v.checkOwnIndexes}}
}

// checkOwnIndexes looks for an index for each order that had one when the policy was compiled: the same
// or any other that serves.
func (v *inspection) checkOwnIndexes(ctx context.Context, tx pgx.Tx) error {
	policies := v.objects(generator.KindPolicy)
	var tables []string
	for _, o := range policies {
		for _, need := range o.Needs {
			tables = append(tables, need.Table)
		}
	}
	rows, err := seen[ownIndex](ctx, tx, v.query("table_indexes"), distinct(tables))
	if err != nil {
		return err
	}
	live := map[string][]ownIndex{}
	for _, row := range rows {
		live[row.Table] = append(live[row.Table], row)
	}
	for _, o := range policies {
		for _, need := range o.Needs {
			v.compareNeed(o, need, live[need.Table])
		}
	}
	return nil
}

func (v *inspection) compareNeed(o generator.Object, need generator.IndexNeed, live []ownIndex) {
	if v.damaged[need.Table] && len(live) == 0 || slices.ContainsFunc(live, func(i ownIndex) bool { return i.serves(need) }) {
		return
	}
	for _, c := range need.Columns {
		if v.says(codeNoColumn, need.Table+"."+c.Name) {
			return
		}
	}
	v.damage(need.Table)
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
	v.indexGone(o, need, state)
}

func (i ownIndex) serves(need generator.IndexNeed) bool {
	index := catalog.Index{Method: i.Method, Columns: i.Columns, Descending: i.Descending, NullsFirst: i.NullsFirst, Valid: i.Usable}
	return !i.Partial && need.ServedBy(index, func(column string) bool { return slices.Contains(i.NotNull, column) })
}

// says tells whether there is a finding of a code on an object already.
func (v *inspection) says(code, object string) bool {
	return slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Code == code && f.Object == object })
}

var codeIndexMissing = register("V020", Indexes, "an index is missing")

func (v *inspection) indexMissing(o generator.Object) {
	v.about(o, Finding{Code: codeIndexMissing, Message: fmt.Sprintf("index %q is missing", o.Name),
		Detail: "Runs of the policy read the whole table.", Hint: v.buildHint(o)})
}

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

var codeIndexGone = register("V023", Indexes, "an index of the table's own that a policy goes by is gone")

// indexGone: state says what became of the index, as far as it is there.
func (v *inspection) indexGone(o generator.Object, need generator.IndexNeed, state string) {
	f := Finding{Code: codeIndexGone, Message: fmt.Sprintf("no index serves policy %q on table %q any more", o.Policy, need.Table),
		Detail: fmt.Sprintf("It went by index %q, which %s. Its runs read the whole table. Build one, or have one of the policy's own made: take a snapshot again, generate, and migrate.", need.Index, state),
		Hint:   fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s);", v.table(need.Table), need.Items())}
	if need.Primary {
		f.Detail = fmt.Sprintf("It went by the primary key %q, which %s. Its runs read the whole table.", need.Index, state)
		f.Hint = fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (%s);", v.table(need.Table), need.Items())
	}
	v.about(o, f)
}

var codeIndexInvalid = register("V021", Indexes, "an index is not usable")

func (v *inspection) indexInvalid(o generator.Object, live index) {
	v.about(o, Finding{Code: codeIndexInvalid, Message: live.on(o) + " is invalid",
		Detail: "A concurrent build did not finish; queries cannot use the index.", Hint: v.buildHint(o)})
}
