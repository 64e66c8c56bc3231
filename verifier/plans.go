package verifier

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

// batchPlan is how a batch function would find its rows; Code and Message are the error that planning met.
type batchPlan struct{ Policy, Batch, Plan, Code, Message string }

// Plans are asked for as many policies at once. Nobody needs one of a table smaller than bigTable, which is
// read in no time; one from which others inherit is looked at all the same, since they may lack indexes.
const (
	plansAtOnce  = 100
	bigTable     = 1000 // pages
	changedShare = 5    // statistics are old when more than one row of so many has changed since; autovacuum looks at one of 10
	fewBatches   = 10   // so many batches' rows are sorted in no time
)

func (v *inspection) planGroups() []group {
	policies := v.plannable()
	if len(policies) == 0 || v.says(codeMissing, v.install.Schema+"._plans(text[], boolean)") {
		return nil
	}
	return []group{{about: "the plans of the batches", codes: []string{codeNoIndex, codeOtherPlan}, policies: namesOf(policies),
		check: func(ctx context.Context, tx pgx.Tx) error { return v.checkPlans(ctx, tx, policies) }}}
}

// checkPlans asks first how batches would find their rows, and where that is not by an index in its order,
// whether one could give it at all.
func (v *inspection) checkPlans(ctx context.Context, tx pgx.Tx, policies map[string]generator.Object) error {
	sizes, err := v.sizesOf(ctx, tx, policies)
	if err != nil {
		return err
	}
	maps.DeleteFunc(policies, func(_ string, o generator.Object) bool {
		return sizes[o.Table].Pages < bigTable && !sizes[o.Table].Inherited
	})
	usual, err := v.plans(ctx, tx, namesOf(policies), true)
	if err != nil {
		return err
	}
	usual = slices.DeleteFunc(usual, func(p batchPlan) bool { return p.Code == "" && len(p.astray()) == 0 })
	var suspects []string
	for _, p := range usual {
		if p.Code != "" {
			v.notPlanned(policies[p.Policy], p)
		} else if !slices.Contains(suspects, p.Policy) {
			suspects = append(suspects, p.Policy)
		}
	}
	unsorted, err := v.plans(ctx, tx, suspects, false)
	v.judgePlans(policies, sizes, usual, unsorted)
	return err
}

func (v *inspection) judgePlans(policies map[string]generator.Object, sizes map[string]tableSize, usual, unsorted []batchPlan) {
	said := map[string]bool{} // of one policy's functions one is enough
	for _, p := range usual {
		i := slices.IndexFunc(unsorted, func(other batchPlan) bool { return other.Policy == p.Policy && other.Batch == p.Batch })
		switch o := policies[p.Policy]; {
		case said[p.Policy] || p.Code != "" || i < 0 || unsorted[i].Code != "":
		case len(unsorted[i].impossible()) > 0:
			v.noIndex(o, p, unsorted[i].impossible())
			said[p.Policy] = true
		case sizes[o.Table].Pages >= bigTable:
			said[p.Policy] = v.compareCost(o, p, sizes[o.Table])
		}
	}
}

// plannable are the policies whose batches should find their rows by an index, by name. Where something
// else is wrong with the table or its indexes, the plan follows from it.
func (v *inspection) plannable() map[string]generator.Object {
	policies := map[string]generator.Object{}
	for _, o := range v.objects(generator.KindPolicy) {
		if o.Policy != "" && !v.damaged[o.Table] {
			policies[o.Name] = o
		}
	}
	return policies
}

func (v *inspection) plans(ctx context.Context, tx pgx.Tx, policies []string, sort bool) ([]batchPlan, error) {
	var list []batchPlan
	for some := range slices.Chunk(policies, plansAtOnce) {
		plans, err := many[batchPlan](ctx, tx, v.query("plans"), some, sort)
		if err != nil {
			return nil, err
		}
		list = append(list, plans...)
	}
	return list, nil
}

// tableSize is how large a table is, and how many of its rows the statistics do not know; Unknown: nobody
// ever looked. Inherited: other tables inherit from it.
type tableSize struct {
	Table                string
	Pages, Rows, Changed int64
	Unknown, Inherited   bool
}

func (v *inspection) sizesOf(ctx context.Context, tx pgx.Tx, policies map[string]generator.Object) (map[string]tableSize, error) {
	var tables []string
	for _, o := range policies {
		tables = append(tables, o.Table)
	}
	rows, err := seen[tableSize](ctx, tx, v.query("table_sizes"), distinct(tables))
	sizes := map[string]tableSize{}
	for _, row := range rows {
		sizes[row.Table] = row
	}
	return sizes, err
}

// compareCost: another way is as good where few rows are there, as far as the statistics can be believed.
// It says whether that is a finding.
func (v *inspection) compareCost(o generator.Object, p batchPlan, size tableSize) bool {
	worst := p.astray()[0]
	for _, a := range p.astray() {
		if a.Rows > worst.Rows {
			worst = a
		}
	}
	old := size.Unknown || size.Changed*changedShare > size.Rows
	known := v.policy(o.Policy)
	if !old && (known == nil || worst.Rows <= float64(known.Batch.Usual())*fewBatches) {
		return false
	}
	v.otherPlan(o, p, worst, size, old)
	return true
}

func namesOf(policies map[string]generator.Object) []string {
	var list []string
	for name := range policies {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// astray are the accesses that read more than a batch: without an index, to sort it, or up to the boundary
// by another index than the one that gives the order.
func (p batchPlan) astray() []access {
	return p.accesses(func(a access, all []access) bool { return !a.byIndex() || a.Sorted || a.unbounded(all) })
}

// impossible are those to which there is no other way even where sorting is forbidden.
func (p batchPlan) impossible() []access {
	return p.accesses(func(a access, _ []access) bool { return !a.byIndex() || a.Sorted })
}

func (p batchPlan) accesses(is func(a access, all []access) bool) []access {
	all, err := accesses(p.Plan)
	if err != nil {
		return nil
	}
	var list []access
	for _, a := range all {
		if is(a, all) {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b access) int { // what no index leads to comes first
		return strings.Compare(fmt.Sprint(a.byIndex()), fmt.Sprint(b.byIndex()))
	})
	return list
}

// unbounded says whether the rows up to the boundary are looked for elsewhere than the boundary itself. A
// condition "up to" can only be the boundary's or the clock's.
func (a access) unbounded(all []access) bool {
	if a.Boundary || strings.Contains(a.Cond, " <= ") {
		return false
	}
	return slices.ContainsFunc(all, func(b access) bool { return b.Boundary && b.Relation == a.Relation && b.Index != a.Index }) ||
		a.Cond == "" && slices.ContainsFunc(all, func(b access) bool { return b.Boundary })
}

// reads says how a plan goes, for messages.
func (a access) reads() string {
	switch {
	case !a.byIndex():
		return fmt.Sprintf("reads the whole of %q", a.Relation)
	case a.Sorted:
		return fmt.Sprintf("reads %q by index %q and sorts what it finds", a.Relation, a.Index)
	case a.Cond == "":
		return fmt.Sprintf("reads all of index %q of %q", a.Index, a.Relation)
	}
	return fmt.Sprintf("reads %q by index %q, where %s", a.Relation, a.Index, a.Cond)
}
