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

// judgement is a condition that decides on rows.
type judgement struct {
	policy *policy.Policy
	expr   *policy.Expr
	needed truth // what it must be for a row to go at all, anything where other rows may go
}

// slip reports a part of a condition: an error where no row can go for it.
func (l *linter) slip(j judgement, f finding) {
	f.policy = j.policy.Name
	if l.rowOf(j.policy).possible(wish{c: l.condition(j.expr), is: j.needed}) {
		l.warn(f)
	} else {
		l.refuse(f)
	}
}

// judging lists the conditions that decide on rows: where, guards, tiers, among, and those of steps.
func (l *linter) judging() []judgement {
	var list []judgement
	for _, p := range l.file.Policies {
		decides := func(e *policy.Expr, needed truth) {
			if e != nil {
				list = append(list, judgement{p, e, needed})
			}
		}
		add := func(e *policy.Expr) { decides(e, anything) }
		decides(p.Where, yes)
		for _, g := range p.Keep {
			decides(g.Condition, no)
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
