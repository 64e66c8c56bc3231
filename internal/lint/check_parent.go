package lint

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

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
