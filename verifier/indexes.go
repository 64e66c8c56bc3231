package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

var codesOfPlans = []diag.Code{messages.CodeNoIndex, messages.CodeOtherPlan}

const (
	plansAtOnce = 250 // number of policies in one query for plans
	fewBatches  = 10  // rows of this many batches are sorted quickly, so they need no index
)

// checkPlans asks the planner how batches find their rows. If the planner does not read the rows in
// order from an index, checkPlans finds out whether any index could provide this order.
func (v *inspection) checkPlans(r reading) error {
	policies, known := v.objects(generator.KindPolicy), []string{}
	policies = slices.DeleteFunc(policies, func(o generator.Object) bool { return v.policies[o.Policy] == nil })
	for _, o := range policies {
		if v.found(o.Policy, messages.CodeUnexpected) || v.found(o.Table, messages.CodeTableRights) {
			known = append(known, o.Policy)
		}
	}
	for some := range slices.Chunk(policies, plansAtOnce) {
		names, tables := lists.Map(some, objectName), lists.Map(some, objectTable)
		usual, err := collectJSON(r, "plans", names, tables, nil)
		if err != nil || string(usual) == "[]" {
			return err
		}
		unsorted, err := collectJSON(r, "plans", names, tables, usual)
		if err != nil {
			return err
		}
		few := lists.Map(some, func(o generator.Object) int {
			return fewBatches * v.policies[o.Policy].Batch.ExpectedRows()
		})
		plans, err := collectNamed[messages.Plan](r, "plan_findings", names, few, usual, unsorted)
		if err != nil {
			return err
		}
		for _, plan := range plans {
			o := some[plan.N-1]
			if !plan.Refused() || !slices.Contains(known, o.Policy) {
				v.about(o, planMessage(o.Policy, quote.Ident(v.install.Schema), plan))
			}
		}
	}
	return nil
}

func planMessage(policy, runtime string, plan messages.Plan) message {
	switch {
	case plan.SQLState != "":
		return messages.NotPlanned(policy, runtime, plan)
	case plan.NoIndex:
		return messages.NoIndex(policy, runtime, plan)
	}
	return messages.OtherPlan(policy, runtime, plan)
}

// checkGuardPlans asks the planner how batches evaluate guards and joins. Other checks report
// policies that cannot be planned because of a name or a privilege.
func (v *inspection) checkGuardPlans(r reading) error {
	policies := v.objects(generator.KindPolicy)
	plans, err := collectNamed[messages.GuardPlan](r, "guard_plans", lists.Map(policies, objectName))
	for _, plan := range plans {
		policy := policies[plan.N-1]
		switch {
		case plan.SQLState == "":
			v.about(policy, messages.GuardReadsAll(policy.Policy, plan))
		case !v.found(policy.Policy, messages.CodeUnexpected, messages.CodeExpression, messages.CodeTableRights,
			messages.CodeNoTable):
			v.about(policy, messages.GuardNotPlanned(policy.Policy, plan))
		}
	}
	return err
}

// index is a live index. Definition is NULL if the index was dropped during the check. Recorded is
// NULL if no migration recorded it.
type index struct {
	N                    int
	Index, Valid, Ready  bool
	Table                string
	Definition, Recorded *string
	Partitioned          bool   // the index belongs to a partitioned table
	OfPartition          bool   // its table is a partition of the wanted table
	WantedKind           string // pg_class.relkind of the wanted table; "" if there is no such table
	Other                string // another index that does the same, as SQL; "" if there is none
	OtherIsOurs          bool   // a migration built the other index
}

var codesOfIndexes = []diag.Code{messages.CodeIndexMissing, messages.CodeIndexInvalid, messages.CodeIndexDiffers,
	messages.CodeIndexOrphan, messages.CodeNoIndex, messages.CodeOtherPlan, messages.CodeGuardReadsAll}

func (v *inspection) checkIndexes(r reading) error {
	wanted := v.objects(generator.KindIndex)
	names, tables := lists.Map(wanted, objectName), lists.Map(wanted, objectTable)
	rows, err := collectRows[index](r, "indexes", names, tables)
	if err != nil {
		return err
	}
	compared, err := parallel.Each(rows, func(live index) (message, error) {
		return v.compareIndex(wanted[live.N-1], live)
	})
	for i, f := range compared {
		if f.Code != (diag.Code{}) {
			v.about(wanted[rows[i].N-1], f)
		}
	}
	if err != nil {
		return err
	}
	return reports(v, messages.OrphanIndex, "index_orphans", names, tables)(r)
}

// compareIndex compares an index with the definition that PostgreSQL printed right after the build.
// An index with a different definition has a different name.
func (v *inspection) compareIndex(o generator.Object, live index) (message, error) {
	if live.WantedKind == "" { // V030 reports the table
		return message{}, nil
	}
	if !live.Index {
		return v.missingIndex(o, live), nil
	}
	if live.Definition == nil {
		return message{}, inspect.ErrChanged
	}
	schema, _ := v.tableParts(o.Table) // an index is in the schema of its table
	record := fmt.Sprintf("SELECT %s(%s, %s);", v.runtime("_record_index"), quote.Literal(schema),
		quote.Literal(strings.TrimPrefix(o.Name, schema+".")))
	switch {
	case !live.Valid || !live.Ready:
		return messages.IndexInvalid(o.Name, live.Table, v.buildHint(o, live)), nil
	case live.Recorded == nil:
		return messages.IndexNotRecorded(o.Name, live.Table, record), nil
	case live.Table != o.Table:
		return messages.IndexElsewhere(o.Name, o.Table, live.Table, o.Index.Definition(), *live.Definition,
			v.moveHint(o, live)), nil
	case !pgparse.SameIndex(*live.Recorded, *live.Definition):
		return messages.IndexDiffers(o.Name, live.Table, *live.Recorded, *live.Definition, record,
			v.rebuildHint(o, live)), nil
	}
	return message{}, nil
}

// missingIndex returns the finding for an index that does not exist. If another index does the
// same, runs use that one.
func (v *inspection) missingIndex(o generator.Object, live index) message {
	switch {
	case live.Other == "":
		return messages.IndexMissing(o.Name, v.buildHint(o, live))
	case live.OtherIsOurs:
		return messages.IndexRenamed(o.Name, live.Other)
	}
	return messages.IndexReplaced(o.Name, live.Other)
}
