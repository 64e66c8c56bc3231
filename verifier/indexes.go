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

// guardPlan is a table that guards and joins of a policy read from end to end, or the error of
// planning them.
type guardPlan struct {
	N               int
	Table           *string
	Often           *bool   // each row of a batch reads the table, not only each batch
	Condition       *string // the condition for which no index was used
	Hashed          *string // columns whose values are kept in a hash table
	SQLState, Error *string
}

// checkGuardPlans asks the planner how batches evaluate guards and joins. Other checks report
// policies that cannot be planned because of a name or a privilege.
func (v *inspection) checkGuardPlans(r reading) error {
	policies := v.objects(generator.KindPolicy)
	plans, err := collectRows[guardPlan](r, "guard_plans", lists.Map(policies, objectName))
	for _, plan := range plans {
		policy := policies[plan.N-1]
		switch {
		case plan.Error != nil && !v.found(policy.Policy, messages.CodeUnexpected, messages.CodeExpression,
			messages.CodeTableRights, messages.CodeNoTable):
			v.about(policy, message{Code: messages.CodeUnreadable, Severity: diag.Unknown,
				Message: fmt.Sprintf("could not check how guards of policy %q find rows", policy.Policy),
				Detail:  fmt.Sprintf("The server says: %s [%s].", *plan.Error, *plan.SQLState)})
		case plan.Error == nil:
			v.about(policy, guardReadsAll(policy.Policy, plan))
		}
	}
	return err
}

// guardReadsAll returns the finding on a table that guards or joins read without an index.
func guardReadsAll(policy string, plan guardPlan) message {
	m := message{Code: messages.CodeGuardReadsAll, Severity: Info, Hint: fmt.Sprintf("Give table %q an index for the "+
		"columns by which guards and joins of the policy find its rows.", *plan.Table)}
	each := "batch"
	if *plan.Often {
		m.Severity, each = diag.Drift, "row of a batch"
	}
	m.Message = fmt.Sprintf("guards or joins of policy %q read the whole of table %q for each %s", policy,
		*plan.Table, each)
	switch {
	case plan.Hashed != nil:
		m.Detail = fmt.Sprintf("PostgreSQL compares all values of %s with the rows of the batch.", *plan.Hashed)
	case plan.Condition != nil:
		m.Detail = fmt.Sprintf("No index serves the condition %s.", *plan.Condition)
	}
	return m
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
	on := fmt.Sprintf("index %q", o.Name)
	if live.WantedKind == "" { // V030 reports the table
		return message{}, nil
	}
	if !live.Index {
		return v.missingIndex(o, live), nil
	}
	if live.Definition == nil {
		return message{}, inspect.ErrChanged
	}
	if live.Table != "" {
		on += fmt.Sprintf(" on table %q", live.Table)
	}
	schema, _ := v.tableParts(o.Table) // an index is in the schema of its table
	record := fmt.Sprintf("SELECT %s(%s, %s);", v.runtime("_record_index"), quote.Literal(schema),
		quote.Literal(strings.TrimPrefix(o.Name, schema+".")))
	f := message{Code: messages.CodeIndexDiffers}
	switch {
	case !live.Valid || !live.Ready:
		return message{Code: messages.CodeIndexInvalid, Message: on + " is invalid",
			Detail: "A concurrent build did not finish; queries cannot use the index.",
			Hint:   v.buildHint(o, live)}, nil
	case live.Recorded == nil:
		f.Severity, f.Message, f.Hint = diag.Unknown, "no migration recorded how "+on+" was built", record
		f.Detail = "There is no recorded definition to compare it with. Check the index. If it is right, record it."
	case live.Table != o.Table:
		f.Message = fmt.Sprintf("index %q is on table %q, not on table %q", o.Name, live.Table, o.Table)
		f.Want, f.Got, f.Detail, f.Hint = o.Index.Definition(), *live.Definition, readsAll, v.moveHint(o, live)
	case !pgparse.SameIndex(*live.Recorded, *live.Definition):
		f.Message, f.Want, f.Got = on+" differs from the index that was built", *live.Recorded, *live.Definition
		f.Detail = "If it is right, for example after a change of a column's type, record it: " + record
		f.Hint = v.rebuildHint(o, live)
	default:
		return message{}, nil
	}
	return f, nil
}

const readsAll = "Runs of the policy read the whole table."

// missingIndex returns the finding for an index that does not exist. If another index does the
// same, runs use that one.
func (v *inspection) missingIndex(o generator.Object, live index) message {
	f := message{Code: messages.CodeIndexMissing, Message: fmt.Sprintf("index %q is missing", o.Name), Detail: readsAll,
		Hint: v.buildHint(o, live)}
	switch _, name, _ := strings.Cut(o.Name, "."); {
	case live.Other == "":
	case live.OtherIsOurs:
		f.Message = fmt.Sprintf("index %q was renamed to %s", o.Name, live.Other)
		f.Detail = "Runs of the policy use it. A migration that changes the index would not find it."
		f.Hint = fmt.Sprintf("ALTER INDEX %s RENAME TO %s;", live.Other, quote.Ident(name))
	default:
		f.Detail = fmt.Sprintf("Runs of the policy use index %s, which has the same definition.", live.Other)
		f.Hint = `Run "pgretain snapshot" and "pgretain generate", and migrate.`
	}
	return f
}
