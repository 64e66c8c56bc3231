package lint

import (
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// slips lists the parts of a condition that have one value whatever the row, by a slip of the pen. They
// have codes of their own, so that the checks of the whole condition need not speak of them.
func (l *linter) slips(e *policy.Expr) []*pgparse.Condition {
	if e == nil {
		return nil
	}
	var found []*pgparse.Condition
	var look func(c *pgparse.Condition)
	look = func(c *pgparse.Condition) {
		if c == nil {
			return
		}
		if c.Null || c.Between && reversed(c) {
			found = append(found, c)
			return
		}
		for _, part := range c.Parts {
			look(part)
		}
	}
	look(l.condition(e))
	return found
}

// reversed says whether the lower bound of a BETWEEN is above the upper one.
func reversed(c *pgparse.Condition) bool {
	low, high := c.Parts[0], c.Parts[1]
	return low.Form == pgparse.Compare && high.Form == pgparse.Compare && less(high.Values[0], low.Values[0])
}

// judging lists the conditions that decide on rows: where, guards, tiers, among, and those of steps.
func (l *linter) judging() []*policy.Expr {
	var list []*policy.Expr
	add := func(e *policy.Expr) {
		if e != nil {
			list = append(list, e)
		}
	}
	for _, p := range l.file.Policies {
		add(p.Where)
		for _, g := range p.Keep {
			add(g.Condition)
			if g.Rank != nil {
				add(g.Rank.Among)
			}
		}
		if p.Due != nil {
			for _, entry := range p.Due.Entries {
				if entry.Clock != nil {
					for _, t := range entry.Clock.Window.Tiers {
						add(t.When)
					}
				}
				if entry.Beyond != nil {
					add(entry.Beyond.Among)
				}
			}
		}
		for i := range p.Then {
			add(p.Then[i].Where)
			if p.Then[i].Related != nil {
				add(&p.Then[i].Related.Where)
			}
		}
	}
	return list
}
