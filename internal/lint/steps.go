package lint

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checkSteps warns of a step whose "where" no row of a batch meets.
func (l *linter) checkSteps(p *policy.Policy) {
	for _, s := range p.Then {
		if s.Where == nil || len(vacuous(s.Where)) > 0 || !l.never(p, says(s.Where, yes)) {
			continue
		}
		l.warn(finding{Position: s.Where.Position, Policy: p.Name,
			Message: fmt.Sprintf("this step of policy %q never acts", p.Name),
			Detail:  "No row that \"where\" and the guards let through meets its condition; steps read the row as it was when it was judged.",
			Hint:    "Repair the condition, or remove the step."})
	}
}

// checkLeftDue refuses a policy whose only change sets a column that decides, and leaves the decision
// as it is: every run would find the same rows.
func (l *linter) checkLeftDue(p *policy.Policy) {
	step, ok := onlyUpdate(p)
	if !ok || !l.takes(p) {
		return
	}
	after, set, ok := leaves(p, step)
	if !ok || l.mayStop(p, after, set) {
		return
	}
	l.refuse(finding{Position: step.Position, Policy: p.Name,
		Message: fmt.Sprintf("the update of policy %q leaves its rows due", p.Name),
		Detail:  "With the values that it sets \"where\" is still true and no guard spares the row, so that the next run finds it again.",
		Hint:    "Set a column by which the row is no longer due, or add \"delete\"."})
}

// onlyUpdate is the one step that changes a policy's rows, where nothing else may.
func onlyUpdate(p *policy.Policy) (policy.Step, bool) {
	updates := ownUpdates(p)
	if p.Partitions || len(updates) != 1 || updates[0].Where != nil || len(p.Joins) > 0 || slices.ContainsFunc(p.Then, func(s policy.Step) bool {
		return s.SQL != nil || s.Related == nil && (s.Delete != nil || s.Detach != nil || s.Drop != nil)
	}) {
		return policy.Step{}, false
	}
	return updates[0], true
}

// leaves says what a row is after a step; false where its time or place may be another one then.
func leaves(p *policy.Policy, s policy.Step) (*change, []constraint, bool) {
	after := &change{step: p.Name, columns: map[string]bool{}}
	var set []constraint
	for _, a := range s.Update.Set {
		after.columns[a.Column] = true
		if c := assigned(a); c != nil {
			set = append(set, constraint{c, yes, after})
		}
	}
	for _, e := range p.DueEntries() {
		k := e.Clock
		if e.Beyond != nil || k == nil || k.Watermark != nil || k.UpTo != nil || k.Expression != nil ||
			len(k.Window.Tiers) != 1 || k.Window.Tiers[0].Data != nil || after.columns[k.Column] && !duePresently(k, s) {
			return nil, nil, false
		}
	}
	return after, set, true
}

// duePresently says whether a step sets the clock to the instant of the run where no grace is given: it has
// expired when the next run looks.
func duePresently(k *policy.Clock, s policy.Step) bool {
	return k.Kind == "expires" && k.Window.Tiers[0].Interval.Zero() &&
		slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool { return a.Column == k.Column && bare(a.Value) == "as_of" })
}

// assigned is the condition that a column has the constant that a step sets; nil for another value.
func assigned(a policy.Assignment) *pgparse.Condition {
	value := condition(&a.Value)
	switch {
	case value == nil || value.Form != pgparse.Fixed || value.Null:
		return nil
	case value.Values[0].Kind == pgparse.NullConstant:
		return isNull(a.Column)
	}
	return &pgparse.Condition{Form: pgparse.Compare, Left: pgparse.Operand{Column: a.Column}, Op: "=", Values: value.Values}
}

// mayStop says whether a row may be due no longer after the step.
func (l *linter) mayStop(p *policy.Policy, after *change, set []constraint) bool {
	becomes := func(e *policy.Expr, is ternary) bool {
		return l.takes(p, append(slices.Clone(set), constraint{condition(e), is, after})...)
	}
	return p.Where != nil && becomes(p.Where, no|null) || slices.ContainsFunc(p.Keep, func(g policy.Guard) bool {
		return g.Rank != nil || becomes(g.Condition, yes|null)
	})
}

// checkFights warns of two policies each of which makes rows due for the other by setting one column.
func (l *linter) checkFights() {
	for _, policies := range l.tables() {
		only := slices.DeleteFunc(slices.Clone(policies), func(p *policy.Policy) bool {
			_, ok := onlyUpdate(p)
			return !ok || !understood(p)
		})
		for i, a := range only {
			for _, b := range only[i+1:] {
				if column := l.fight(a, b); column != "" {
					l.warn(finding{Position: b.Position, Policy: b.Name,
						Message: fmt.Sprintf("policies %q and %q set %q to and fro", a.Name, b.Name, column),
						Detail:  "What one of them sets makes the row due for the other, which sets it back. " + place(a),
						Hint:    "Let one of them ask for more, so that a row is due for one of the two at most."})
				}
			}
		}
	}
}

// fight is the column that two policies, both plain, which only update set to and fro for certain, else "".
func (l *linter) fight(a, b *policy.Policy) string {
	one, _ := onlyUpdate(a)
	other, _ := onlyUpdate(b)
	r := l.rowOf(a)
	if !l.hands(r, a, one, b) || !l.hands(r, b, other, a) {
		return ""
	}
	for _, x := range one.Update.Set {
		for _, y := range other.Update.Set {
			p, q := assigned(x), assigned(y)
			if x.Column == y.Column && p != nil && q != nil && !r.possible(constraint{c: p, is: yes}, constraint{c: q, is: yes}) {
				return x.Column
			}
		}
	}
	return ""
}

// understood says whether all that decides on the rows of a policy is understood, and no clock is set.
func understood(p *policy.Policy) bool {
	understood := p.Where != nil && !guarded(p)
	condition(p.Where).Walk(func(c *pgparse.Condition) { understood = understood && c.Form != pgparse.Opaque })
	return understood
}

// hands says whether a row that one policy has changed may be due for the other only then.
func (l *linter) hands(r *row, from *policy.Policy, s policy.Step, to *policy.Policy) bool {
	after, set, ok := leaves(from, s)
	_, _, other := leaves(to, s) // the other's clock, too
	changed := append(slices.Concat(wanted(from), set), constraint{condition(to.Where), yes, after})
	return ok && other && r.possible(changed...) && r.excludes(wanted(from), wanted(to)...)
}

// checkCap warns of a guard that spares more rows of a group than the cap leaves, or than that of another policy.
func (l *linter) checkCap(p *policy.Policy) {
	if p.Partitions {
		return
	}
	for _, limit := range p.DueRanks() {
		for _, g := range p.Keep {
			if number(limit) >= 0 && number(g.Rank) > number(limit) && g.Rank.WithTies == limit.WithTies && sameOrder(g.Rank, limit) {
				l.warn(finding{Position: limit.Position, Policy: p.Name,
					Message: fmt.Sprintf("the cap of %d is below what guard %q keeps, the first %d", limit.First, g.Name, g.Rank.First),
					Detail:  "Both count the same rows in the same order, so that the guard alone decides.",
					Hint:    "Make the cap the greater number, or remove one of the two."})
			}
		}
		l.checkCapOfOthers(p, limit)
	}
}

// number is how many rows a rank counts, -1 where the data say it.
func number(r *policy.Rank) int64 {
	if r == nil || r.Count != nil {
		return -1
	}
	return r.First
}

// checkCapOfOthers looks for a policy of the same table whose guard keeps more than a cap without
// conditions leaves.
func (l *linter) checkCapOfOthers(p *policy.Policy, limit *policy.Rank) {
	if p.Where != nil || guarded(p) || len(p.Due.Entries) > 1 || p.Due.Entries[0].Clock != nil || !deletes(p) || !l.runsWhole(p) || limit.Count != nil || limit.WithTies {
		return
	}
	for _, other := range l.file.Policies {
		if other == p || other.Where != nil || other.Table.String() != p.Table.String() {
			continue
		}
		for _, g := range other.Keep {
			if g.Rank != nil && g.Rank.Count == nil && g.Rank.First >= limit.First && sameOrder(g.Rank, limit) {
				l.warn(finding{Position: g.Position, Policy: other.Name,
					Message: fmt.Sprintf("guard %q keeps the first %d, and policy %q leaves no more than %d", g.Name, g.Rank.First, p.Name, limit.First),
					Detail:  fmt.Sprintf("Policy %q takes no row once the other one has run. ", other.Name) + place(p),
					Hint:    "Make the guard the smaller number, or remove one of the two policies."})
			}
		}
	}
}

// sameOrder says whether two ranks number the same rows in the same way.
func sameOrder(a, b *policy.Rank) bool {
	return len(a.Per) == len(b.Per) && text(a.Among) == text(b.Among) &&
		slices.EqualFunc(a.Order, b.Order, func(x, y policy.OrderItem) bool {
			return bare(x.Expr) == bare(y.Expr) && x.Descending == y.Descending && x.NullsFirst == y.NullsFirst
		}) &&
		!slices.ContainsFunc(a.Per, func(x policy.Expr) bool {
			return !slices.ContainsFunc(b.Per, func(y policy.Expr) bool { return bare(x) == bare(y) })
		})
}

func text(e *policy.Expr) string {
	if e == nil {
		return ""
	}
	return e.SQL
}

// bare is an expression without the alias of the row.
func bare(e policy.Expr) string { return strings.TrimPrefix(strings.TrimSpace(e.SQL), "t.") }

// checkGroups speaks of a rank whose groups hold one row each, because they are those of a key: the row
// always has the first place.
func (l *linter) checkGroups(p *policy.Policy) {
	table := l.rowOf(p).table
	if table == nil {
		return
	}
	for _, rank := range p.DueRanks() {
		if key := keyOf(table, rank); key != "" {
			l.refuseEntry(p, finding{Position: rank.Position, Policy: p.Name,
				Message: fmt.Sprintf("each group of this rank has one row: %s is a key", key),
				Detail:  "The row has the first place, so that none comes after it and none is due.",
				Hint:    "Write under \"per\" what the rows of a group have in common, and nothing else."})
		}
	}
	for _, g := range p.Keep {
		if key := keyOf(table, g.Rank); key != "" && g.Rank.Among == nil {
			l.refuse(finding{Position: g.Rank.Position, Policy: p.Name,
				Message: fmt.Sprintf("guard %q spares every row: %s is a key, so that each group has one row", g.Name, key),
				Detail:  "The row has the first place.",
				Hint:    "Write under \"per\" what the rows of a group have in common, and nothing else."})
		}
	}
}

// keyOf is a key of the table whose columns are all among those of "per", "" for none.
func keyOf(table *catalog.Table, rank *policy.Rank) string {
	if rank == nil || rank.Count != nil {
		return ""
	}
	var per []string
	for _, e := range rank.Per {
		if parts, err := pgparse.Name(bare(e)); err == nil && len(parts) == 1 {
			per = append(per, parts[0])
		}
	}
	for _, index := range table.Indexes {
		if table.IsKey(index) && !slices.ContainsFunc(index.Columns, func(name string) bool { return !slices.Contains(per, name) }) {
			return strings.Join(index.Columns, ", ")
		}
	}
	return ""
}
