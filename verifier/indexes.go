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

// planProbes are about the policies whose batches should find their rows by an index. Where something else is wrong
// with the table or its indexes, the plan follows from it.
func (v *inspection) planProbes() []probe {
	policies := map[string]generator.Object{}
	for _, o := range v.objects(generator.KindPolicy) {
		if o.Policy != "" {
			policies[o.Name] = o
		}
	}
	none := len(policies) == 0 || v.found(v.install.Schema+"._plans(text[], boolean)", codeMissing)
	return []probe{{skip: none, about: "the plans of the batches", codes: codesOfPlans,
		policies: slices.Sorted(maps.Keys(policies)), check: func(r reading) error { return v.checkPlans(r, policies) }}}
}

// tableSize is how large a table is, and how many of its rows the statistics do not know; Unknown: nobody
// ever looked. Inherited: other tables inherit from it.
type tableSize struct {
	Table                string
	Pages, Rows, Changed int64
	Unknown, Inherited   bool
}

// checkPlans asks first how batches would find their rows, and where that is not by an index in its order,
// whether one could give it at all.
func (v *inspection) checkPlans(r reading, policies map[string]generator.Object) error {
	tables := mapped(slices.Collect(maps.Values(policies)), func(o generator.Object) string { return o.Table })
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
			read := unsorted[i].impossible()[0]
			reported[p.Policy] = true
			v.about(o, v.worded(message{Code: codeNoIndex}, "no index", words{"Of": o, "Batch": p.Batch, "Access": read}))
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
	f := message{Code: codeOtherPlan, Hint: fmt.Sprintf("ANALYZE %s;", v.table(o.Table))}
	v.about(o, v.worded(f, "other plan", words{"Of": o, "Batch": p.Batch, "Access": worst, "Size": size, "Old": old}))
	return true
}

// notPlanned: what a batch cannot be planned for, it cannot do either.
func (v *inspection) notPlanned(o generator.Object, p batchPlan) {
	f, what := message{Code: codeNoIndex}, "not planned"
	switch {
	case p.Code == foreignCode, v.found(o.Policy, codeUnexpected), p.Code == insufficientPrivilege && v.found(o.Table, codeTableRights):
		return // there is a finding
	case p.Code == "55P03": // lock_not_available
		f.Code, f.Severity, what = codeTimeout, diag.Unknown, "planned too long"
	case !strings.HasPrefix(p.Code, "42"):
		f.Code, f.Severity, what = codeUnreadable, diag.Unknown, "plan unseen"
	}
	v.about(o, v.worded(f, what, words{"Of": o, "Refused": p}))
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
	return p.accesses(func(a access, all []access) bool { return !a.ByIndex() || a.Sorted || a.unbounded(all) })
}

// impossible are those to which there is no other way even where sorting is forbidden.
func (p batchPlan) impossible() []access {
	return p.accesses(func(a access, _ []access) bool { return !a.ByIndex() || a.Sorted })
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

// accesses lists some of the ways in which a plan reads the rows that generated statements call t: those without an
// index come first.
func (p batchPlan) accesses(is func(a access, all []access) bool) []access {
	var plans []struct{ Plan planNode }
	if json.Unmarshal([]byte(p.Plan), &plans) != nil {
		return nil
	}
	var all, indexed []access
	for _, plan := range plans {
		plan.Plan.visit(access{}, func(a access) { all = append(all, a) })
	}
	var list []access
	for _, a := range all {
		switch {
		case !is(a, all):
		case a.ByIndex():
			indexed = append(indexed, a)
		default:
			list = append(list, a)
		}
	}
	return append(list, indexed...)
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
