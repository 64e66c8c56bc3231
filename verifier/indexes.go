package verifier

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// batchPlan is how a batch function would find its rows; Code and Message are the error that planning met.
type batchPlan struct{ Policy, Batch, Plan, Code, Message string }

var codesOfPlans = []string{codeNoIndex, codeOtherPlan}

// Plans are asked for as many policies at once. Nobody needs one of a table smaller than bigTable, which is
// read in no time; one from which others inherit is looked at all the same, since they may lack indexes.
const (
	plansAtOnce  = 100
	bigTable     = 1000 // pages
	changedShare = 5    // statistics are old when more than one row of so many has changed since; autovacuum looks at one of 10
	fewBatches   = 10   // so many batches' rows are sorted in no time
)

// tableSize is how large a table is, and how many of its rows the statistics do not know; Unknown: nobody
// ever looked. Inherited: other tables inherit from it.
type tableSize struct {
	Table                string
	Pages, Rows, Changed int64
	Unknown, Inherited   bool
}

// checkPlans asks first how batches would find their rows, and where that is not by an index in its order,
// whether one could give it at all. Where something else is wrong with the table or its indexes, the plan follows from it.
func (v *inspection) checkPlans(r reading) error {
	policies := map[string]generator.Object{}
	var tables []string
	for _, o := range v.objects(generator.KindPolicy) {
		if o.Policy != "" {
			policies[o.Name], tables = o, append(tables, o.Table)
		}
	}
	sizes := map[string]tableSize{}
	if err := each(r, "table_sizes", func(size tableSize) { sizes[size.Table] = size }, distinct(tables)); err != nil {
		return err
	}
	large := slices.DeleteFunc(slices.Sorted(maps.Keys(policies)), func(name string) bool {
		size := sizes[policies[name].Table]
		return size.Pages < bigTable && !size.Inherited
	})
	usual, err := plans(r, large, true)
	if err != nil {
		return err
	}
	var suspects []string
	for _, p := range usual {
		if p.Code != "" {
			v.notPlanned(policies[p.Policy], p)
		} else if len(p.astray()) > 0 {
			suspects = append(suspects, p.Policy)
		}
	}
	unsorted, err := plans(r, distinct(suspects), false)
	reported := map[string]bool{} // of one policy's functions one is enough
	for _, p := range usual {
		i := slices.IndexFunc(unsorted, func(other batchPlan) bool { return other.Policy == p.Policy && other.Batch == p.Batch })
		o := policies[p.Policy]
		switch size := sizes[o.Table]; {
		case reported[p.Policy] || p.Code != "" || len(p.astray()) == 0 || i < 0 || unsorted[i].Code != "":
		case len(unsorted[i].impossible()) > 0:
			reported[p.Policy] = true
			read := unsorted[i].impossible()[0]
			v.about(o, message{Code: codeNoIndex, Hint: v.seePlans(o),
				Message: fmt.Sprintf("no index leads batches of policy %q to their rows in table %q", o.Policy, read.Relation),
				Detail:  fmt.Sprintf("%s, each time. Give that table an index like those of %q.", v.reads(p, read), o.Table)})
		case size.Pages >= bigTable:
			reported[p.Policy] = v.compareCost(o, p, size)
		}
	}
	return err
}

func plans(r reading, policies []string, sort bool) ([]batchPlan, error) {
	var list []batchPlan
	for some := range slices.Chunk(policies, plansAtOnce) {
		if err := each(r, "plans", func(p batchPlan) { list = append(list, p) }, some, sort); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// compareCost: where an index would do, and PostgreSQL reckons that something else costs less, that is as good where
// few rows are there, as far as the statistics can be believed. It says whether there is a finding.
func (v *inspection) compareCost(o generator.Object, p batchPlan, size tableSize) bool {
	worst := slices.MaxFunc(p.astray(), func(a, b access) int { return cmp.Compare(a.Rows, b.Rows) })
	old := size.Unknown || size.Changed*changedShare > size.Rows
	known := v.policies[o.Policy]
	if !old && (known == nil || worst.Rows <= float64(known.Batch.Usual())*fewBatches) {
		return false
	}
	f := message{Code: codeOtherPlan, Hint: fmt.Sprintf("ANALYZE %s;", v.table(o.Table)),
		Message: fmt.Sprintf("batches of policy %q would pass by the index that leads to their rows in table %q", o.Policy, o.Table)}
	switch {
	case size.Unknown:
		f.Detail = "PostgreSQL has no statistics of all of the table."
	case old:
		f.Detail = fmt.Sprintf("PostgreSQL's statistics are old: %d of about %d rows have changed since.", size.Changed, size.Rows)
	default:
		f.Detail = fmt.Sprintf("PostgreSQL reckons with %.0f rows each time.", worst.Rows)
	}
	f.Detail = v.reads(p, worst) + ". " + f.Detail
	v.about(o, f)
	return true
}

// seePlans shows the plans of a policy.
func (v *inspection) seePlans(o generator.Object) string {
	return fmt.Sprintf("SELECT batch, plan FROM %s(ARRAY[%s], true);", v.runtime("_plans"), quote.Literal(o.Policy))
}

// reads says how the function of a batch finds its rows.
func (v *inspection) reads(p batchPlan, a access) string {
	does := fmt.Sprintf("reads all of index %q of %q", a.Index, a.Relation)
	switch {
	case !a.ByIndex():
		does = fmt.Sprintf("reads the whole of %q", a.Relation)
	case a.Sorted:
		does = fmt.Sprintf("reads %q by index %q and sorts what it finds", a.Relation, a.Index)
	case a.Cond != "":
		does = fmt.Sprintf("reads %q by index %q, where %s", a.Relation, a.Index, a.Cond)
	}
	return fmt.Sprintf("Function %q %s", v.install.Schema+"."+p.Batch, does)
}

// notPlanned: what a batch cannot be planned for, it cannot do either.
func (v *inspection) notPlanned(o generator.Object, p batchPlan) {
	f := message{Code: codeNoIndex, Message: fmt.Sprintf("batches of policy %q cannot be planned", o.Policy),
		Detail: fmt.Sprintf("The server says: %s [%s].", p.Message, p.Code), Hint: v.seePlans(o)}
	switch {
	case p.Code == foreignCode, v.found(o.Policy, codeUnexpected), p.Code == insufficientPrivilege && v.found(o.Table, codeTableRights):
		return // there is a finding
	case p.Code == "55P03": // lock_not_available
		f.Code, f.Severity, f.Hint = codeTimeout, diag.Unknown, ""
		f.Message = fmt.Sprintf("checking the plans of policy %q took too long", o.Policy)
	case !strings.HasPrefix(p.Code, "42"):
		f.Code, f.Severity = codeUnreadable, diag.Unknown
		f.Message = fmt.Sprintf("could not check how batches of policy %q find their rows", o.Policy)
	}
	v.about(o, f)
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

// ByIndex says whether an index leads there; what is on another server is none of ours.
func (a access) ByIndex() bool {
	return strings.HasPrefix(a.Scan, "Index") || a.Scan == "Foreign Scan"
}

// astray are the accesses that read more than a batch: without an index, to sort it, or up to the boundary
// by another index than the one that gives the order.
func (p batchPlan) astray() []access {
	all := p.accesses()
	return slices.DeleteFunc(slices.Clone(all), func(a access) bool { return a.ByIndex() && !a.Sorted && !a.unbounded(all) })
}

// impossible are those to which there is no other way even where sorting is forbidden.
func (p batchPlan) impossible() []access {
	return slices.DeleteFunc(p.accesses(), func(a access) bool { return a.ByIndex() && !a.Sorted })
}

// unbounded says whether the rows up to the boundary are looked for elsewhere than the boundary itself. A
// condition "up to" can only be the boundary's or the clock's.
func (a access) unbounded(all []access) bool {
	if a.Boundary || strings.Contains(a.Cond, " <= ") {
		return false
	}
	return slices.ContainsFunc(all, func(b access) bool {
		return b.Boundary && (a.Cond == "" || b.Relation == a.Relation && b.Index != a.Index)
	})
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

// accesses lists the ways in which a plan reads the rows that generated statements call t: those without an index come first.
func (p batchPlan) accesses() (list []access) {
	var plans []struct{ Plan planNode }
	_ = json.Unmarshal([]byte(p.Plan), &plans) // none where planning met an error
	for _, plan := range plans {
		plan.Plan.visit(access{}, func(a access) { list = append(list, a) })
	}
	place := map[bool]int{true: 1}
	slices.SortStableFunc(list, func(a, b access) int { return place[a.ByIndex()] - place[b.ByIndex()] })
	return list
}

// row is what EXPLAIN calls t: with a number, where t stands in a statement more than once or has
// partitions.
var row = regexp.MustCompile(`^t(_\d+)?$`)

// keepOrder are the nodes that hand on what they read in its order; others read it for reasons of their own.
var keepOrder = []string{"Append", "Merge Append", "Gather", "Gather Merge", "Limit", "LockRows", "Result",
	"Subquery Scan", "WindowAgg", "Incremental Sort"}

func (n planNode) visit(above access, found func(access)) {
	above.Boundary = above.Boundary || strings.HasPrefix(n.Subplan, "CTE ")
	if n.As == "InitPlan" || n.As == "SubPlan" {
		above.Sorted = false
	}
	if n.Relation != "" && row.MatchString(n.Alias) {
		found(access{n.Relation, n.Index, n.Type, n.Cond, n.Rows, above.Sorted, above.Boundary})
	}
	above.Sorted = n.Type == "Sort" || above.Sorted && slices.Contains(keepOrder, n.Type)
	for _, below := range n.Plans {
		below.visit(above, found)
	}
}

// index is a live index; Definition is NULL when it vanished while it was looked at, Recorded
// when no migration wrote it down.
type index struct {
	N                    int
	Index, Valid, Ready  bool
	Table                string
	Definition, Recorded *string
}

var codesOfIndexes = []string{codeIndexMissing, codeIndexInvalid, codeIndexDiffers, codeNoIndex, codeOtherPlan}

func (v *inspection) checkIndexes(r reading) error {
	wanted := v.objects(generator.KindIndex)
	rows, err := collectRows[index](r, "indexes", lists.Map(wanted, objectName))
	for _, live := range rows {
		switch o := wanted[live.N-1]; {
		case !live.Index:
			v.about(o, message{Code: codeIndexMissing, Message: fmt.Sprintf("index %q is missing", o.Name),
				Detail: "Runs of the policy read the whole table.", Hint: v.buildHint(o)})
		case live.Definition == nil:
			return inspect.ErrChanged
		case !live.Valid || !live.Ready:
			v.about(o, message{Code: codeIndexInvalid, Message: live.on(o) + " is invalid",
				Detail: "A concurrent build did not finish; queries cannot use the index.", Hint: v.buildHint(o)})
		default:
			v.compareDefinition(o, live)
		}
	}
	return err
}

// on says which index it is, and of which table.
func (live index) on(o generator.Object) string {
	if live.Table == "" {
		return fmt.Sprintf("index %q", o.Name)
	}
	return fmt.Sprintf("index %q on table %q", o.Name, live.Table)
}

// compareDefinition: the policy says what is wanted, and decides. Where casts and constants leave it open,
// what PostgreSQL printed right after the build does. Another spelling of that is one of another version of PostgreSQL, or of a
// column with another type.
func (v *inspection) compareDefinition(o generator.Object, live index) {
	schema, _ := v.tableParts(o.Table) // an index is in the schema of its table
	unlike := func(a, b string) bool { return a != b && pgparse.LikeIndex(a, b) == pgparse.Different }
	f := message{Code: codeIndexDiffers, Hint: fmt.Sprintf("SELECT %s(%s, %s);", v.runtime("_record_index"), quote.Literal(schema),
		quote.Literal(strings.TrimPrefix(o.Name, schema+".")))}
	recorded := live.Recorded != nil && !unlike(o.Definition, *live.Recorded)
	switch {
	case pgparse.LikeIndex(o.Definition, *live.Definition) == pgparse.Different, recorded && unlike(*live.Recorded, *live.Definition):
		f.Message, f.Want, f.Got, f.Hint = live.on(o)+" is not the one that was built", o.Definition, *live.Definition, v.rebuildHint(o)
		if recorded {
			f.Want = *live.Recorded // as PostgreSQL prints it
		}
		if live.Table != o.Table { // the statements would drop an index that is right
			f.Hint = "Correct the name of the table first, there or in the policy file."
		}
	case live.Recorded == nil:
		f.Severity, f.Message = diag.Unknown, "no migration wrote down how "+live.on(o)+" was built"
		f.Detail = "There is nothing to compare its definition with. Look at it; if it is right, have it written down."
	case unlike(*live.Recorded, *live.Definition):
		f.Message, f.Want, f.Got = "what was written down of "+live.on(o)+" is not the index that is there", *live.Definition, *live.Recorded
		f.Detail = "The index is the one that the policy wants."
	default:
		return
	}
	v.about(o, f)
}
