package verifier

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
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

// planNode is a node of a plan, as EXPLAIN (FORMAT JSON) prints it.
type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Alias    string     `json:"Alias"`
	Index    string     `json:"Index Name"`
	Cond     string     `json:"Index Cond"`
	As       string     `json:"Parent Relationship"`
	Subplan  string     `json:"Subplan Name"`
	Rows     float64    `json:"Plan Rows"`
	Plans    []planNode `json:"Plans"`
}

// access is how a plan reads the policy's table, or a table that belongs to it.
type access struct {
	Relation, Index string
	Scan            string  // the type of the node
	Cond            string  // where it begins and ends in the index
	Rows            float64 // how many PostgreSQL reckons with
	Sorted          bool    // what it reads is sorted afterwards, whole
	Boundary        bool    // it looks for where a batch ends; otherwise for the rows up to there
}

// accesses lists how a plan reads the rows that generated statements call t.
func accesses(text string) ([]access, error) {
	var plans []struct{ Plan planNode }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		return nil, err
	}
	var list []access
	for _, p := range plans {
		p.Plan.visit(access{}, func(a access) { list = append(list, a) })
	}
	return list, nil
}

// row is what EXPLAIN calls t: with a number, where t stands in a statement more than once or has
// partitions.
var row = regexp.MustCompile(`^t(_\d+)?$`)

// keepOrder are the nodes that hand on what they read in its order; others read it for reasons of their own.
var keepOrder = map[string]bool{
	"Append": true, "Merge Append": true, "Gather": true, "Gather Merge": true, "Limit": true, "LockRows": true,
	"Result": true, "Subquery Scan": true, "WindowAgg": true, "Incremental Sort": true,
}

func (n planNode) visit(above access, found func(access)) {
	above.Boundary = above.Boundary || strings.HasPrefix(n.Subplan, "CTE ")
	if n.As == "InitPlan" || n.As == "SubPlan" {
		above.Sorted = false
	}
	if n.Relation != "" && row.MatchString(n.Alias) {
		found(access{n.Relation, n.Index, n.Type, n.Cond, n.Rows, above.Sorted, above.Boundary})
	}
	above.Sorted = n.Type == "Sort" || above.Sorted && keepOrder[n.Type]
	for _, below := range n.Plans {
		below.visit(above, found)
	}
}

// byIndex says whether an index leads there; what is on another server is none of ours.
func (a access) byIndex() bool {
	return strings.HasPrefix(a.Scan, "Index") || a.Scan == "Foreign Scan"
}

var codeNoIndex = register("V024", Indexes, "no index leads a batch to its rows")

// noIndex: planned without sorting, the batch still reads and sorts.
func (v *inspection) noIndex(o generator.Object, p batchPlan, found []access) {
	v.about(o, Finding{Code: codeNoIndex, Message: fmt.Sprintf("no index leads batches of policy %q to their rows in table %q", o.Policy, found[0].Relation),
		Detail: fmt.Sprintf("Function %q %s, each time. Give that table an index like those of %q.", v.install.Schema+"."+p.Batch, found[0].reads(), o.Table),
		Hint:   v.seePlans(o)})
}

// notPlanned: what a batch cannot be planned for, it cannot do either.
func (v *inspection) notPlanned(o generator.Object, p batchPlan) {
	f := Finding{Code: codeNoIndex, Message: fmt.Sprintf("batches of policy %q cannot be planned", o.Policy),
		Detail: fmt.Sprintf("The server says: %s [%s].", p.Message, p.Code), Hint: v.seePlans(o)}
	switch {
	case p.Code == foreignCode:
		return
	case p.Code == "42501" && v.says(codeTableRights, o.Table): // insufficient_privilege
		return
	case p.Code == "55P03": // lock_not_available
		f.Code, f.Severity = codeTimeout, diag.Unknown
		f.Message = fmt.Sprintf("checking the plans of policy %q took too long", o.Policy)
		f.Hint = ""
	case !strings.HasPrefix(p.Code, "42"):
		f.Code, f.Severity = codeUnreadable, diag.Unknown
		f.Message = fmt.Sprintf("could not check how batches of policy %q find their rows", o.Policy)
	}
	v.about(o, f)
}

func (v *inspection) seePlans(o generator.Object) string {
	return fmt.Sprintf("SELECT batch, plan FROM %s(ARRAY[%s], true);", v.runtime("_plans"), quote.Literal(o.Policy))
}

var codeOtherPlan = register("V025", Indexes, "a batch would pass by the index that leads to its rows")

// otherPlan: an index would do, and PostgreSQL reckons that something else costs less.
func (v *inspection) otherPlan(o generator.Object, p batchPlan, found access, size tableSize, old bool) {
	why := fmt.Sprintf("PostgreSQL reckons with %.0f rows each time.", found.Rows)
	switch {
	case size.Unknown:
		why = "PostgreSQL has no statistics of all of the table."
	case old:
		why = fmt.Sprintf("PostgreSQL's statistics are old: %d of about %d rows have changed since.", size.Changed, size.Rows)
	}
	v.about(o, Finding{Code: codeOtherPlan, Message: fmt.Sprintf("batches of policy %q would pass by the index that leads to their rows in table %q", o.Policy, o.Table),
		Detail: fmt.Sprintf("Function %q %s. %s", v.install.Schema+"."+p.Batch, found.reads(), why),
		Hint:   fmt.Sprintf("ANALYZE %s;", v.table(o.Table))})
}
