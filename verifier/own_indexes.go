package verifier

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/catalog"
)

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
