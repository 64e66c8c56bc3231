package lint

import (
	"fmt"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var _ = register("L010", "a guard that keeps every row with a NULL", checkGuardNull)

// checkGuardNull warns of a guard that is NULL, and so spares the row, whenever a column is: it reads
// the column as if it always had a value.
func checkGuardNull(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if !r.possible(l.taken(p)...) {
			continue
		}
		for _, g := range p.Keep {
			c := l.condition(g.Condition)
			if g.Condition == nil || c == nil || len(l.slips(g.Condition)) > 0 {
				continue
			}
			for _, column := range columns(c) {
				if !l.keepsNull(p, r, c, column) {
					continue
				}
				l.warn(finding{at: g.Condition.Position, policy: p.Name,
					message: fmt.Sprintf("guard %q spares every row whose %q is NULL", g.Name, column),
					detail:  "It is NULL there, and a row goes only where every guard is false.",
					hint:    sayNull(c, column)})
			}
		}
	}
}

// keepsNull says whether rows with a NULL would go but for the guard, which does not speak of NULL.
func (l *linter) keepsNull(p *policy.Policy, r *row, guard *pgparse.Condition, column string) bool {
	if !r.nullable(column) || l.speaksOfNull(p, column) || clockOnly(p, column) {
		return false
	}
	is := wish{c: isNull(column), is: yes}
	return r.possible(append(l.wanted(p), is)...) && !r.possible(append(l.wanted(p), is, wish{c: guard, is: no})...)
}

// speaksOfNull says whether where or a guard asks whether a column is NULL: somebody thought of it.
func (l *linter) speaksOfNull(p *policy.Policy, column string) bool {
	if asksNull(l.condition(p.Where), column) {
		return true
	}
	for _, g := range p.Keep {
		if asksNull(l.condition(g.Condition), column) {
			return true
		}
	}
	return false
}

// clockOnly says whether a column is the clock, and rows without one are not due anyway.
func clockOnly(p *policy.Policy, column string) bool {
	if p.Due == nil {
		return false
	}
	for _, entry := range p.Due.Entries {
		if entry.Clock == nil || entry.Clock.Column != column || entry.Clock.NullsDue {
			return false
		}
	}
	return true
}

// sayNull says how to speak of NULL.
func sayNull(c *pgparse.Condition, column string) string {
	if c.Form == pgparse.Boolean {
		return fmt.Sprintf("Write \"%s IS TRUE\" if such a row may go, and \"%s IS NOT FALSE\" if it is to stay.", column, column)
	}
	return fmt.Sprintf("Write \"(...) IS TRUE\" around it if such a row may go, and \"%s IS NULL OR ...\" if it is to stay.", column)
}
