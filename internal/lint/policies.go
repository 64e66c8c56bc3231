package lint

import (
	"fmt"
	"slices"

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

// tables lists the policies of each table that has several, in the order of the file.
func (l *linter) tables() [][]*policy.Policy {
	return slices.DeleteFunc(l.allTables(), func(list []*policy.Policy) bool { return len(list) < 2 })
}

// allTables lists the policies of each table.
func (l *linter) allTables() [][]*policy.Policy {
	place := map[string]int{}
	var all [][]*policy.Policy
	for _, p := range l.file.Policies {
		name := p.Table.String()
		i, ok := place[name]
		if !ok {
			i = len(all)
			place[name] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], p)
	}
	return all
}

func clockOf(p *policy.Policy) (clocked, bool) {
	if p.Partitions || p.Due == nil || len(p.Due.Entries) != 1 {
		return clocked{}, false
	}
	k := p.Due.Entries[0].Clock
	if k == nil || k.Column == "" || k.Kind == "position" || p.Due.Entries[0].Beyond != nil {
		return clocked{}, false
	}
	c := clocked{Policy: p, clock: k}
	return c, c.windows(k.Window)
}

// windows finds the shortest and the longest; false where the data have a say.
func (c *clocked) windows(w policy.Window) bool {
	c.unlimited = w.Tiers[len(w.Tiers)-1].When != nil // no "else"
	first := true
	for _, t := range w.Tiers {
		i := t.Interval
		switch {
		case t.Never:
			c.unlimited = true
			continue
		case t.Data != nil && (t.Data.Value != nil || t.Data.Else == nil):
			return false
		case t.Data != nil:
			i = *t.Data.Else
		}
		if first || longer(c.shortest, i) {
			c.shortest = i
		}
		if first || longer(i, c.longest) {
			c.longest = i
		}
		first = false
	}
	return !first
}

// sameClock says whether two policies of one table go by one column.
func (c clocked) sameClock(o clocked) bool {
	a, b := c.clock.Encoding, o.clock.Encoding
	return c.clock.Column == o.clock.Column && a.Kind == b.Kind && a.Shift == b.Shift && a.Epoch == b.Epoch
}

// deletes says whether every row that a policy takes is deleted.
func deletes(p *policy.Policy) bool {
	for _, s := range p.Then {
		if s.Delete != nil && s.Related == nil && s.Where == nil {
			return true
		}
	}
	return false
}

// ownUpdates are the steps that change the policy's rows.
func ownUpdates(p *policy.Policy) []policy.Step {
	var list []policy.Step
	for _, s := range p.Then {
		if s.Update != nil && s.Related == nil {
			list = append(list, s)
		}
	}
	return list
}

// sets says whether a step of a policy's own rows writes a column.
func sets(p *policy.Policy, column string) bool {
	for _, s := range ownUpdates(p) {
		for _, a := range s.Update.Set {
			if a.Column == column {
				return true
			}
		}
	}
	return false
}

// guarded says whether a policy has guards, of which some may be read at run time only.
func guarded(p *policy.Policy) bool { return len(p.Keep) > 0 }

// runsWhole says whether a job runs a policy on all its rows. Where no job runs anything, something else
// may.
func (l *linter) runsWhole(p *policy.Policy) bool {
	return len(l.file.Jobs) == 0 || slices.ContainsFunc(l.jobs[p.Name], func(j *policy.Job) bool { return len(j.Scope) == 0 })
}

func place(p *policy.Policy) string {
	return fmt.Sprintf("Policy %q is in line %d.", p.Name, p.Position.Line)
}
