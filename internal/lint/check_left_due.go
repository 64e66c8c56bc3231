package lint

import (
	"fmt"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var _ = register("L007", "an update that leaves its rows due", checkLeftDue)

// checkLeftDue refuses a policy whose only change sets a column that decides, and leaves the decision
// as it is: every run would find the same rows.
func checkLeftDue(l *linter) {
	for _, p := range l.file.Policies {
		step, ok := onlyUpdate(p)
		r := l.rowOf(p)
		if !ok || !r.possible(l.taken(p)...) {
			continue
		}
		after, set, ok := l.leaves(p, step)
		if !ok || l.mayStop(p, r, after, set) {
			continue
		}
		l.refuse(finding{at: step.Position, policy: p.Name,
			message: fmt.Sprintf("the update of policy %q leaves its rows due", p.Name),
			detail:  "With the values that it sets \"where\" is still true and no guard spares the row, so that the next run finds it again.",
			hint:    "Set a column by which the row is no longer due, or add \"delete\"."})
	}
}

// onlyUpdate is the one step that changes a policy's rows, where nothing else may.
func onlyUpdate(p *policy.Policy) (policy.Step, bool) {
	updates := ownUpdates(p)
	for _, s := range p.Then {
		if s.SQL != nil || s.Related == nil && (s.Delete != nil || s.Detach != nil || s.Drop != nil) {
			return policy.Step{}, false
		}
	}
	if p.Partitions || len(updates) != 1 || updates[0].Where != nil || len(p.Joins) > 0 {
		return policy.Step{}, false
	}
	return updates[0], true
}

// leaves says what a row is after a step; false where its time or place may be another one then.
func (l *linter) leaves(p *policy.Policy, s policy.Step) (*change, []wish, bool) {
	after := &change{step: p.Name, columns: map[string]bool{}}
	var set []wish
	for _, a := range s.Update.Set {
		after.columns[a.Column] = true
		if c := assigned(l.condition(&a.Value), a.Column); c != nil {
			set = append(set, wish{c, yes, after})
		}
	}
	if p.Due != nil {
		for _, e := range p.Due.Entries {
			k := e.Clock
			if e.Beyond != nil || k == nil || k.Watermark != nil || k.UpTo != nil || k.Expression != nil ||
				len(k.Window.Tiers) != 1 || k.Window.Tiers[0].Data != nil || after.columns[k.Column] && !duePresently(k, s) {
				return nil, nil, false
			}
		}
	}
	return after, set, true
}

// duePresently says whether a step sets the clock to the instant of the run where no grace is given: it has
// expired when the next run looks.
func duePresently(k *policy.Clock, s policy.Step) bool {
	for _, a := range s.Update.Set {
		if a.Column == k.Column && bare(a.Value) == "as_of" {
			i := k.Window.Tiers[0].Interval
			return k.Kind == "expires" && i.Months == 0 && i.Days == 0 && i.Time == 0
		}
	}
	return false
}

// assigned is the condition that a column has the constant that a step sets; nil for another value.
func assigned(value *pgparse.Condition, column string) *pgparse.Condition {
	switch {
	case value == nil || value.Form != pgparse.Fixed || value.Null:
		return nil
	case value.Values[0].Kind == pgparse.NullConstant:
		return isNull(column)
	}
	return &pgparse.Condition{Form: pgparse.Compare, Left: pgparse.Operand{Column: column}, Op: "=", Values: value.Values}
}

// mayStop says whether a row may be due no longer after the step.
func (l *linter) mayStop(p *policy.Policy, r *row, after *change, set []wish) bool {
	wishes := append(l.taken(p), set...)
	if p.Where != nil && r.possible(append(wishes[:len(wishes):len(wishes)], wish{l.condition(p.Where), no | null, after})...) {
		return true
	}
	for _, g := range p.Keep {
		if g.Rank != nil || r.possible(append(wishes[:len(wishes):len(wishes)], wish{l.condition(g.Condition), yes | null, after})...) {
			return true
		}
	}
	return false
}
