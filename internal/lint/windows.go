package lint

import (
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// windowed is a policy whose only clock is an age or an expiry by a column with constant windows.
type windowed struct {
	*policy.Policy
	clock             *policy.Clock
	shortest, longest policy.Interval
	unlimited         bool // some rows are never due
}

// windowOf returns the shortest and the longest window of a policy. It returns false if a window
// comes from data, or if the policy does not fit the description of the type windowed.
func windowOf(p *policy.Policy) (w windowed, ok bool) {
	if p.Partitions || p.Due == nil || len(p.Due.Entries) != 1 {
		return w, false
	}
	k := p.Due.Entries[0].Clock
	if k == nil || k.Column == "" || k.Kind == "position" || p.Due.Entries[0].Beyond != nil {
		return w, false
	}
	tiers := k.Window.Tiers
	w = windowed{Policy: p, clock: k, unlimited: k.UpTo != nil || tiers[len(tiers)-1].When != nil} // no "else"
	for _, t := range tiers {
		w.unlimited = w.unlimited || t.Never
		if t.Data != nil && (t.Data.Value != nil || t.Data.Else == nil) {
			return w, false
		}
	}
	for n, i := range intervals(k.Window) {
		if n == 0 || w.shortest.LongerThan(i) {
			w.shortest = i
		}
		if n == 0 || i.LongerThan(w.longest) {
			w.longest = i
		}
		ok = true
	}
	return w, ok
}

// takesAll reports whether a policy takes every row that meets its "where" and is older than its
// longest window.
func (w windowed) takesAll() bool { return !w.unlimited && len(w.Keep) == 0 }

// beside returns the other policies that have the same table and the same clock.
func (l *linter) beside(w windowed) []windowed {
	return slices.DeleteFunc(slices.Clone(l.windows[w.Table.String()]), func(o windowed) bool {
		a, b := w.clock.Encoding, o.clock.Encoding
		return o.Policy == w.Policy || w.clock.Column != o.clock.Column ||
			a.Kind != b.Kind || a.Shift != b.Shift || a.Epoch != b.Epoch
	})
}

// warnWindow adds a warning at the window of the policy "of". The text compares this window with
// the window of the policy "other".
func (l *linter) warnWindow(finding func(of, other messages.Windowed) diag.Diagnostic, of, other windowed) {
	facts := func(w windowed) messages.Windowed {
		return messages.Windowed{Policy: w.Name, Table: w.Table.String(), Column: w.clock.Column,
			Shortest: w.shortest.Text, Longest: w.longest.Text, Line: w.Position.Line}
	}
	l.warn(finding(facts(of), facts(other)), of.clock.Window.Position, of.Policy)
}

// checkGrace adds a warning about two policies: one marks rows, and the other deletes only marked
// rows. The warning is added if both have the same clock and the rows are deleted at the age at
// which they are marked, or earlier. Then nobody has time to restore a marked row.
func (l *linter) checkGrace(mark windowed) {
	updates, resets := false, false
	for _, s := range mark.Then {
		if s.Update != nil && s.Related == nil {
			updates = true
			resets = resets || slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool {
				return a.Column == mark.clock.Column
			})
		}
	}
	if !updates || resets || deletes(mark.Policy) {
		return
	}
	for _, destroy := range l.beside(mark) {
		if deletes(destroy.Policy) && destroy.takesAll() && destroy.longest.NotLongerThan(mark.shortest) &&
			len(mark.Joins)+len(destroy.Joins) == 0 && // names of joins may differ in meaning
			l.excludes(destroy.Policy, []constraint{says(destroy.Where, yes)}, says(mark.Where, yes)) {
			l.warnWindow(messages.NoGrace, destroy, mark)
		}
	}
}

// checkOvertaken adds a warning if another policy deletes all rows of a policy at a younger age.
func (l *linter) checkOvertaken(first windowed) {
	if !deletes(first.Policy) || !first.takesAll() || len(first.Joins) > 0 || !l.runsWhole(first.Policy) {
		return
	}
	for _, second := range l.beside(first) {
		if second.shortest.LongerThan(first.longest) && (first.clock.NullsDue || !second.clock.NullsDue) &&
			l.excludes(second.Policy, []constraint{says(second.Where, yes)}, says(first.Where, no|null)) {
			l.warnWindow(messages.Overtaken, second, first)
		}
	}
}

// runsWhole reports whether a job runs a policy on all rows, without a scope. It returns true if
// the file has no jobs, because then another scheduler may run the policy.
func (l *linter) runsWhole(p *policy.Policy) bool {
	whole := func(j *policy.Job) bool { return len(j.Scope) == 0 }
	return len(l.Jobs) == 0 || slices.ContainsFunc(l.jobs[p.Name], whole)
}

// checkArchives adds a warning if a policy on an archive takes rows as soon as they arrive. This
// happens if the policy uses the same clock by which the rows were archived, and its window is not
// longer.
func (l *linter) checkArchives(from windowed) {
	for _, s := range from.Then {
		if s.Archive == nil || s.Related != nil {
			continue
		}
		for _, archive := range l.windows[s.Archive.Into.String()] {
			if archive.takesAll() && archive.Where == nil && bringsClock(from, s.Archive, archive) &&
				archive.longest.NotLongerThan(from.shortest) {
				l.warnWindow(messages.ArchiveTakes, archive, from)
			}
		}
	}
}

// bringsClock reports whether the clock of the archive's policy is a copy of the clock by which the
// rows are archived.
func bringsClock(from windowed, a *policy.Archive, archive windowed) bool {
	if from.clock.Encoding.Kind != archive.clock.Encoding.Kind {
		return false
	}
	for _, set := range a.Set {
		if set.Column == archive.clock.Column {
			return strings.TrimPrefix(strings.TrimSpace(set.Value.SQL), "t.") == from.clock.Column
		}
	}
	return a.Document == "" && archive.clock.Column == a.NameOf(from.clock.Column)
}

// checkParents adds a warning if another policy deletes rows of child tables together with their
// parent rows, before the window of the child table's own policy ends.
func (l *linter) checkParents(parent windowed) {
	if parent.unlimited || !l.runsWhole(parent.Policy) {
		return
	}
	for _, table := range l.takesAlong(parent.Policy) {
		for _, child := range l.windows[table] {
			if child.shortest.LongerThan(parent.longest) && deletes(child.Policy) &&
				!conditionsRead(parent.Policy, child.Table) {
				l.warnWindow(messages.DeletedWithParent, child, parent)
			}
		}
	}
}

// takesAlong lists the other tables whose rows a policy deletes together with its own rows. A step
// without a separate window deletes them, or a foreign key with ON DELETE CASCADE.
func (l *linter) takesAlong(p *policy.Policy) []string {
	var list []string
	isAsOf := func(c pgparse.ColumnRef) bool { return len(c.Fields) == 1 && c.Fields[0] == "as_of" }
	for _, s := range p.Then {
		switch {
		case s.Delete == nil:
		case s.Related == nil:
			list = append(list, l.graph.Cascade(p.Table.String(), func(name string) bool {
				return slices.ContainsFunc(s.Delete.Cascades, func(t policy.Table) bool { return t.String() == name })
			})...)
		case !slices.ContainsFunc(s.Related.Where.Parsed().Columns, isAsOf):
			list = append(list, s.Related.Table.String())
		}
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == p.Table.String() })
}

// conditionsRead reports whether a condition or a join of a policy reads another table. Such a
// condition may keep a row as long as it has rows in that table.
func conditionsRead(p *policy.Policy, table policy.Table) bool {
	conditions := *p
	conditions.Then, conditions.Claim, conditions.Touch = nil, nil, nil
	return slices.ContainsFunc(conditions.Fragments(), func(part policy.SQLFragment) bool {
		return slices.ContainsFunc(part.Tables(), func(t policy.Table) bool { return t.Name == table.Name })
	}) || slices.ContainsFunc(p.Joins, func(j policy.Join) bool {
		return j.Table != nil && j.Table.String() == table.String()
	})
}
