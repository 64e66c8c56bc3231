package lint

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var _ = register("L013", "a cap below what is kept", checkCap)

// checkCap warns of a guard that spares more rows of a group than the cap leaves.
func checkCap(l *linter) {
	for _, p := range l.file.Policies {
		for _, limit := range ranks(p) {
			for _, g := range p.Keep {
				if g.Rank != nil && g.Rank.Count == nil && limit.Count == nil && g.Rank.First > limit.First && g.Rank.WithTies == limit.WithTies && sameOrder(g.Rank, limit) {
					l.warn(finding{at: limit.Position, policy: p.Name,
						message: fmt.Sprintf("the cap of %d is below what guard %q keeps, the first %d", limit.First, g.Name, g.Rank.First),
						detail:  "Both count the same rows in the same order, so that the guard alone decides.",
						hint:    "Make the cap the greater number, or remove one of the two."})
				}
			}
			l.checkCapOfOthers(p, limit)
		}
	}
}

// checkCapOfOthers looks for a policy of the same table whose guard keeps more than a cap without
// conditions leaves.
func (l *linter) checkCapOfOthers(p *policy.Policy, limit *policy.Rank) {
	if p.Where != nil || guarded(p) || len(p.Due.Entries) > 1 || p.Due.Entries[0].Clock != nil || !deletes(p) || !l.runsWhole(p) || limit.Count != nil || limit.WithTies {
		return
	}
	for _, other := range l.file.Policies {
		if other == p || other.Where != nil || len(other.Keep) == 0 || other.Table.String() != p.Table.String() {
			continue
		}
		for _, g := range other.Keep {
			if g.Rank != nil && g.Rank.Count == nil && g.Rank.First >= limit.First && sameOrder(g.Rank, limit) {
				l.warn(finding{at: g.Position, policy: other.Name,
					message: fmt.Sprintf("guard %q keeps the first %d, and policy %q leaves no more than %d", g.Name, g.Rank.First, p.Name, limit.First),
					detail:  fmt.Sprintf("Policy %q takes no row once the other one has run. ", other.Name) + place(p),
					hint:    "Make the guard the smaller number, or remove one of the two policies."})
			}
		}
	}
}

// ranks are the caps of a policy: those that no clock narrows.
func ranks(p *policy.Policy) []*policy.Rank {
	var list []*policy.Rank
	if p.Due != nil && !p.Partitions {
		for _, entry := range p.Due.Entries {
			if entry.Beyond != nil {
				list = append(list, entry.Beyond)
			}
		}
	}
	return list
}

// sameOrder says whether two ranks number the same rows in the same way.
func sameOrder(a, b *policy.Rank) bool {
	if len(a.Per) != len(b.Per) || len(a.Order) != len(b.Order) || text(a.Among) != text(b.Among) {
		return false
	}
	for i := range a.Order {
		x, y := a.Order[i], b.Order[i]
		if bare(x.Expr) != bare(y.Expr) || x.Descending != y.Descending || x.NullsFirst != y.NullsFirst {
			return false
		}
	}
	for _, x := range a.Per {
		if !slices.ContainsFunc(b.Per, func(y policy.Expr) bool { return bare(x) == bare(y) }) {
			return false
		}
	}
	return true
}

func text(e *policy.Expr) string {
	if e == nil {
		return ""
	}
	return e.SQL
}

// bare is an expression without the alias of the row.
func bare(e policy.Expr) string { return strings.TrimPrefix(strings.TrimSpace(e.SQL), "t.") }

var _ = register("L014", "a rank in groups of one row", checkGroups)

// checkGroups speaks of a rank whose groups hold one row each, because they are those of a key: the row
// always has the first place.
func checkGroups(l *linter) {
	for _, p := range l.file.Policies {
		table := l.rowOf(p).table
		if table == nil {
			continue
		}
		for _, rank := range ranks(p) {
			if key := keyOf(table, rank); key != "" {
				f := finding{at: rank.Position, policy: p.Name,
					message: fmt.Sprintf("each group of this rank has one row: %s is a key", key),
					detail:  "The row has the first place, so that none comes after it and none is due.",
					hint:    "Write under \"per\" what the rows of a group have in common, and nothing else."}
				if len(p.Due.Entries) > 1 {
					l.warn(f) // the other entries of "any" may find rows
				} else {
					l.refuse(f)
				}
			}
		}
		for _, g := range p.Keep {
			if key := keyOf(table, g.Rank); key != "" && g.Rank.Among == nil {
				l.refuse(finding{at: g.Rank.Position, policy: p.Name,
					message: fmt.Sprintf("guard %q spares every row: %s is a key, so that each group has one row", g.Name, key),
					detail:  "The row has the first place.",
					hint:    "Write under \"per\" what the rows of a group have in common, and nothing else."})
			}
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
		if index.Unique && index.Valid && index.Predicate == "" && !slices.ContainsFunc(index.Columns, func(name string) bool {
			column := table.Column(name)
			return !slices.Contains(per, name) || column == nil || !column.NotNull
		}) {
			return strings.Join(index.Columns, ", ")
		}
	}
	return ""
}

var _ = register("L018", "rows that go with others before their own time", checkParents)

// checkParents warns of a window that another policy cuts short, because it deletes the rows that these
// belong to, and these with them, at a younger age.
func checkParents(l *linter) {
	policies := clockedPolicies(l.file.Policies)
	for _, parent := range policies {
		if parent.unlimited || parent.clock.UpTo != nil || !takesOthers(parent.Policy) || !l.runsWhole(parent.Policy) {
			continue
		}
		for _, child := range policies {
			if child.Policy == parent.Policy || child.Table.String() == parent.Table.String() || !longer(child.shortest, parent.longest) ||
				!deletes(child.Policy) || !l.takesAlong(parent.Policy, child.Table) || l.mentions(parent.Policy, child.Table) {
				continue
			}
			l.warn(finding{at: child.clock.Window.Position, policy: child.Name,
				message: fmt.Sprintf("rows of %q may go before they are older than %s", child.Table, child.shortest.Text),
				detail: fmt.Sprintf("Policy %q deletes them with their row of %q when that is older than %s. ", parent.Name, parent.Table,
					parent.longest.Text) + place(parent.Policy),
				hint: fmt.Sprintf("Keep a row of %q while it has such rows, by a guard, or make this window no longer than the other.", parent.Table)})
		}
	}
}

// takesOthers says whether a policy deletes rows of other tables.
func takesOthers(p *policy.Policy) bool {
	return slices.ContainsFunc(p.Then, func(s policy.Step) bool { return s.Delete != nil && (s.Related != nil || len(s.Delete.Cascades) > 0) })
}

// takesAlong says whether a policy deletes the rows of another table that belong to its own, by a step or
// by a foreign key that cascades.
func (l *linter) takesAlong(p *policy.Policy, table policy.Table) bool {
	for _, s := range p.Then {
		if s.Delete == nil {
			continue
		}
		if s.Related == nil && l.cascades(p.Table.String(), table.String(), s.Delete.Cascades) {
			return true
		}
		if s.Related != nil && s.Related.Table.String() == table.String() && !namesAsOf(s.Related.Where) {
			return true
		}
	}
	return false
}

// cascades follows ON DELETE CASCADE through the tables that a step lists.
func (l *linter) cascades(from, to string, listed []policy.Table) bool {
	if l.snapshot == nil {
		return false
	}
	seen := map[string]bool{from: true}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		table := l.snapshot.Table(todo[0])
		if table == nil {
			continue
		}
		for _, fk := range table.Referenced {
			in := slices.ContainsFunc(listed, func(t policy.Table) bool { return t.String() == fk.Table })
			if fk.OnDelete == "cascade" && in && !seen[fk.Table] {
				seen[fk.Table] = true
				todo = append(todo, fk.Table)
			}
		}
	}
	return seen[to]
}

// namesAsOf says whether a condition has a window of its own.
func namesAsOf(e policy.Expr) bool {
	parsed, err := pgparse.Expression(e.SQL)
	return err != nil || slices.ContainsFunc(parsed.Columns, func(c pgparse.ColumnRef) bool { return len(c.Fields) == 1 && c.Fields[0] == "as_of" })
}

// mentions says whether what judges a policy's rows looks at another table: then it may see to these rows.
func (l *linter) mentions(p *policy.Policy, table policy.Table) bool {
	judged := *p
	judged.Then, judged.Claim, judged.Touch = nil, nil, nil
	for _, part := range judged.Parts() {
		parsed, err := part.Parse()
		if err != nil || slices.ContainsFunc(parsed.Tables, func(t pgparse.TableRef) bool { return t.Name == table.Name }) {
			return true
		}
	}
	return slices.ContainsFunc(p.Joins, func(j policy.Join) bool { return j.Table != nil && j.Table.String() == table.String() })
}

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
