package lint

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// clocked is a policy whose only clock is an age or an expiry by a column with constant windows.
type clocked struct {
	*policy.Policy
	clock     *policy.Clock
	shortest  policy.Interval
	longest   policy.Interval
	unlimited bool // some rows are never due
}

// clockedPolicies are those whose windows can be compared.
func clockedPolicies(policies []*policy.Policy) []clocked {
	var list []clocked
	for _, p := range policies {
		if c, ok := clockOf(p); ok {
			list = append(list, c)
		}
	}
	return list
}

// clockOf finds the shortest and the longest window; false where the data have a say.
func clockOf(p *policy.Policy) (clocked, bool) {
	if p.Partitions || p.Due == nil || len(p.Due.Entries) != 1 {
		return clocked{}, false
	}
	k := p.Due.Entries[0].Clock
	if k == nil || k.Column == "" || k.Kind == "position" || p.Due.Entries[0].Beyond != nil {
		return clocked{}, false
	}
	c := clocked{Policy: p, clock: k, unlimited: k.Window.Tiers[len(k.Window.Tiers)-1].When != nil} // no "else"
	for _, t := range k.Window.Tiers {
		c.unlimited = c.unlimited || t.Never
		if t.Data != nil && (t.Data.Value != nil || t.Data.Else == nil) {
			return c, false
		}
	}
	list := intervals(k.Window)
	if len(list) == 0 {
		return c, false
	}
	c.shortest, c.longest = list[0], list[0]
	for _, i := range list[1:] {
		if c.shortest.LongerThan(i) {
			c.shortest = i
		}
		if i.LongerThan(c.longest) {
			c.longest = i
		}
	}
	return c, true
}

// sameClock says whether two policies of one table go by one column.
func (c clocked) sameClock(o clocked) bool {
	a, b := c.clock.Encoding, o.clock.Encoding
	return c.clock.Column == o.clock.Column && a.Kind == b.Kind && a.Shift == b.Shift && a.Epoch == b.Epoch
}

// takesAll says whether a policy takes every row of its where that is older than its longest window.
func (c clocked) takesAll() bool {
	return !c.unlimited && c.clock.UpTo == nil && !guarded(c.Policy)
}

// checkGrace warns of a policy that marks rows and another that deletes the marked ones at the same age
// or earlier, by the same clock: nobody ever has time to look at a marked row.
func (l *linter) checkGrace(mark, destroy clocked) {
	if len(ownUpdates(mark.Policy)) == 0 || deletes(mark.Policy) || sets(mark.Policy, mark.clock.Column) ||
		!deletes(destroy.Policy) || !destroy.takesAll() || !destroy.longest.NotLongerThan(mark.shortest) || !l.needsMark(mark, destroy) {
		return
	}
	l.warn(finding{Position: destroy.clock.Window.Position, Policy: destroy.Name,
		Message: fmt.Sprintf("policy %q deletes rows as soon as policy %q has marked them", destroy.Name, mark.Name),
		Detail: fmt.Sprintf("Both go by %q, which the mark leaves as it is, and a row is marked when it is older than %s. ", mark.clock.Column,
			mark.shortest.Text) + place(mark.Policy),
		Hint: "Let the second window run from the mark, from a column that the first policy sets to as_of, or make it longer than the first."})
}

// sets says whether a step of a policy's own rows writes a column.
func sets(p *policy.Policy, column string) bool {
	return slices.ContainsFunc(ownUpdates(p), func(s policy.Step) bool {
		return slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool { return a.Column == column })
	})
}

// needsMark says whether the second policy is about rows that the first has marked, and no others.
func (l *linter) needsMark(mark, destroy clocked) bool {
	if len(mark.Joins)+len(destroy.Joins) > 0 {
		return false // one name may mean two things
	}
	return l.rowOf(destroy.Policy).excludes(wanted(destroy.Policy), wanted(mark.Policy)...)
}

// checkOvertaken warns of a policy whose rows another one has deleted at a younger age.
func (l *linter) checkOvertaken(first, second clocked) {
	if !deletes(first.Policy) || !first.takesAll() || len(first.Joins) > 0 || !l.runsWhole(first.Policy) ||
		second.clock.NullsDue && !first.clock.NullsDue || !second.shortest.LongerThan(first.longest) || !l.within(second, first) {
		return
	}
	l.warn(finding{Position: second.clock.Window.Position, Policy: second.Name,
		Message: fmt.Sprintf("policy %q finds nothing: policy %q deletes its rows earlier", second.Name, first.Name),
		Detail: fmt.Sprintf("Both go by %q; by %s the rows are gone, and this window is %s. ", first.clock.Column,
			first.longest.Text, second.shortest.Text) + place(first.Policy),
		Hint: "Give the other policy a \"where\" or a guard that leaves these rows, or remove one of the two."})
}

// within says whether every row that one policy is about is one of the other's.
func (l *linter) within(second, first clocked) bool {
	return l.rowOf(second.Policy).excludes(wanted(second.Policy), says(first.Where, no|null))
}

// checkArchives warns of an archive whose own policy takes the rows by the clock that they bring along,
// and at the same age or earlier: they go as soon as they arrive.
func (l *linter) checkArchives() {
	policies := clockedPolicies(l.file.Policies)
	for _, from := range policies {
		for _, s := range from.Then {
			if s.Archive == nil || s.Related != nil {
				continue
			}
			for _, archive := range policies {
				if archive.Table.String() != s.Archive.Into.String() || !archive.takesAll() || archive.Where != nil ||
					!bringsClock(from, s.Archive, archive) || !archive.longest.NotLongerThan(from.shortest) {
					continue
				}
				l.warn(finding{Position: archive.clock.Window.Position, Policy: archive.Name,
					Message: fmt.Sprintf("policy %q takes rows of the archive %q as soon as they arrive", archive.Name, archive.Table),
					Detail: fmt.Sprintf("They bring %q along, by which they are older than %s when policy %q archives them. ", archive.clock.Column,
						from.shortest.Text, from.Name) + place(from.Policy),
					Hint: "Make the window of the archive longer, or let it run from the day of archiving: set: {archived_at: as_of}."})
			}
		}
	}
}

// bringsClock says whether the archive's clock is the one that the rows were archived by.
func bringsClock(from clocked, a *policy.Archive, archive clocked) bool {
	if from.clock.Encoding.Kind != archive.clock.Encoding.Kind {
		return false
	}
	for _, set := range a.Set {
		if set.Column == archive.clock.Column {
			return bare(set.Value) == from.clock.Column
		}
	}
	return a.Document == "" && archive.clock.Column == a.NameOf(from.clock.Column)
}

// checkParents warns of a window that another policy cuts short, because it deletes the rows that these
// belong to, and these with them, at a younger age.
func (l *linter) checkParents() {
	policies, ofTable := clockedPolicies(l.file.Policies), map[string][]clocked{}
	for _, p := range policies {
		ofTable[p.Table.String()] = append(ofTable[p.Table.String()], p)
	}
	for _, parent := range policies {
		if parent.unlimited || parent.clock.UpTo != nil || !l.runsWhole(parent.Policy) {
			continue
		}
		var children []clocked
		for _, name := range l.takesAlong(parent.Policy) {
			children = append(children, ofTable[name]...)
		}
		for _, child := range children {
			if !child.shortest.LongerThan(parent.longest) || !deletes(child.Policy) || l.mentions(parent.Policy, child.Table) {
				continue
			}
			l.warn(finding{Position: child.clock.Window.Position, Policy: child.Name,
				Message: fmt.Sprintf("rows of %q may go before they are older than %s", child.Table, child.shortest.Text),
				Detail: fmt.Sprintf("Policy %q deletes them with their row of %q when that is older than %s. ", parent.Name, parent.Table,
					parent.longest.Text) + place(parent.Policy),
				Hint: fmt.Sprintf("Keep a row of %q while it has such rows, by a guard, or make this window no longer than the other.", parent.Table)})
		}
	}
}

// takesAlong lists other tables whose rows a policy deletes with its own that they belong to, by a step or by a foreign key
// that cascades.
func (l *linter) takesAlong(p *policy.Policy) []string {
	var list []string
	for _, s := range p.Then {
		switch {
		case s.Delete == nil:
		case s.Related == nil:
			list = append(list, l.graph.Cascade(p.Table.String(), func(name string) bool {
				return slices.ContainsFunc(s.Delete.Cascades, func(t policy.Table) bool { return t.String() == name })
			})...)
		case !namesAsOf(s.Related.Where):
			list = append(list, s.Related.Table.String())
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool { return name == p.Table.String() })
}

// namesAsOf says whether a condition has a window of its own.
func namesAsOf(e policy.Expr) bool {
	isAsOf := func(c pgparse.ColumnRef) bool { return len(c.Fields) == 1 && c.Fields[0] == "as_of" }
	return slices.ContainsFunc(policy.Part{Expr: e}.Parsed().Columns, isAsOf)
}

// mentions says whether what judges a policy's rows looks at another table: then it may see to these rows.
func (l *linter) mentions(p *policy.Policy, table policy.Table) bool {
	judged := *p
	judged.Then, judged.Claim, judged.Touch = nil, nil, nil
	for _, part := range judged.Parts() {
		if slices.ContainsFunc(part.Tables(), func(t policy.Table) bool { return t.Name == table.Name }) {
			return true
		}
	}
	return slices.ContainsFunc(p.Joins, func(j policy.Join) bool { return j.Table != nil && j.Table.String() == table.String() })
}
