package lint

import (
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checkWhere refuses a policy that is about no row.
func (l *linter) checkWhere(p *policy.Policy) {
	if !l.possible(p, says(p.Where, yes)) {
		l.refuse("L001", p.Where.Position, p, words{})
	}
}

// checkGuards refuses a policy whose guards leave nothing to take: a row goes only where all are
// false.
func (l *linter) checkGuards(p *policy.Policy) {
	where := says(p.Where, yes)
	if !l.possible(p, where) || l.possible(p, taken(p)...) {
		return
	}
	at, alone := p.Keep[0].Position, ""
	for _, g := range p.Keep {
		if g.Condition != nil && alone == "" && !l.possible(p, where, says(g.Condition, no)) {
			at, alone = g.Condition.Position, g.Name
		}
	}
	l.refuse("L002", at, p, words{"Alone": alone})
}

// checkTiers warns of a tier that the ones before it, "where" or the guards leave nothing for: rows
// that it was written for have the window of another.
func (l *linter) checkTiers(p *policy.Policy, k *policy.Clock) {
	before := taken(p)
	if !l.possible(p, before...) {
		return
	}
	for i, t := range k.Window.Tiers {
		if t.When == nil {
			continue // a last "else" that nothing reaches is no mistake
		}
		if !l.possible(p, append(slices.Clip(before), says(t.When, yes))...) {
			l.warn("L004", t.When.Position, p, words{"Number": i + 1})
		}
		before = append(before, says(t.When, no|null))
	}
}

// checkSteps warns of a step whose "where" no row of a batch meets: an archive, for example, before
// a delete.
func (l *linter) checkSteps(p *policy.Policy) {
	for _, s := range p.Then {
		if s.Where != nil && l.excludes(p, taken(p), says(s.Where, yes)) {
			l.warn("L006", s.Where.Position, p, words{})
		}
	}
}

// checkConstants warns of x = NULL, which is NULL for every x, and of BETWEEN with its bounds in
// the wrong order, in all expressions.
func (l *linter) checkConstants(p *policy.Policy) {
	for _, part := range p.Fragments() {
		condition(&part.Expr).Walk(func(c *pgparse.Condition) {
			switch {
			case c.Null:
				l.warn("L008", part.Expr.At(c.Offset), p, words{})
			case c.Between && !c.Parts[0].Null && !c.Parts[1].Null && !l.possible(p, between(c)):
				l.warn("L009", part.Expr.At(c.Offset), p, words{})
			}
		})
	}
}

// between is the constraint that some value is between bounds.
func between(c *pgparse.Condition) constraint {
	if c.Form == pgparse.All {
		return constraint{c, yes}
	}
	return constraint{c, no}
}

// checkGuardNull warns of a guard that is NULL, and so spares the row, whenever a column is, while
// such rows would go but for the guard: it reads the column as if it always had a value.
func (l *linter) checkGuardNull(p *policy.Policy) {
	if !l.possible(p, taken(p)...) {
		return
	}
	for _, g := range p.Keep {
		if g.Condition == nil {
			continue
		}
		c := condition(g.Condition)
		for _, column := range columns(c) {
			isNull := constraint{&pgparse.Condition{Form: pgparse.IsNull, Left: pgparse.Operand{Column: column}}, yes}
			if l.nullable(p, column) && !speaksOfNull(p, column) &&
				l.excludes(p, []constraint{says(p.Where, yes), isNull}, constraint{c, no}) {
				flag := c.Form == pgparse.Equal && c.Value == truth
				l.warn("L010", g.Condition.Position, p, words{"Guard": g.Name, "Column": column, "Flag": flag})
			}
		}
	}
}

// checkWhereNull warns of "not this value" where the column may have none: such a row is not the
// value either, and yet the policy skips it. Where another condition asks for a value, or a policy
// of the table for NULL, somebody thought of it.
func (l *linter) checkWhereNull(p *policy.Policy) {
	all := conjuncts(condition(p.Where))
	for _, c := range all {
		column := negated(c)
		asked := slices.ContainsFunc(all, func(other *pgparse.Condition) bool {
			return other != c && negated(other) == "" && slices.Contains(other.NotNullColumns(), column)
		}) || slices.ContainsFunc(l.on[p.Table.String()], func(other *policy.Policy) bool {
			return speaksOfNull(other, column)
		})
		if column != "" && l.nullable(p, column) && !asked {
			l.warn("L011", p.Where.At(c.Offset), p, words{"Column": column})
		}
	}
}

// conjuncts are the conditions that must all be true.
func conjuncts(c *pgparse.Condition) (list []*pgparse.Condition) {
	if c == nil || c.Form != pgparse.All {
		return []*pgparse.Condition{c}
	}
	for _, part := range c.Parts {
		list = append(list, conjuncts(part)...)
	}
	return list
}

// negated is the column of "is not" such a value, or none of some, else "".
func negated(c *pgparse.Condition) (column string) {
	if c == nil || c.Form != pgparse.Not {
		return ""
	}
	values := c.Parts
	if values[0].Form == pgparse.Either {
		values = values[0].Parts
	}
	for _, is := range values {
		if is.Form != pgparse.Equal || column != "" && column != is.Left.Column {
			return ""
		}
		column = is.Left.Column
	}
	return column
}

// nullable says whether a NULL in a column is a matter: not in the only clock, whose rows are not
// due then anyway.
func (l *linter) nullable(p *policy.Policy, name string) bool {
	column := ownColumn(l.tableOf(p), name)
	if column == nil || column.NotNull {
		return false
	}
	return p.Due == nil || slices.ContainsFunc(p.Due.Entries, func(e policy.Entry) bool {
		return e.Clock == nil || e.Clock.Column != name || e.Clock.NullsDue
	})
}

// columns lists the columns that a condition compares or asks for, each once.
func columns(c *pgparse.Condition) (list []string) {
	c.Walk(func(c *pgparse.Condition) {
		for _, name := range append(slices.Clone(c.Strict), c.Left.Column) {
			if name != "" && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	})
	return list
}

// speaksOfNull says whether "where" or a guard asks whether a column is NULL.
func speaksOfNull(p *policy.Policy, column string) (found bool) {
	asks := func(e *policy.Expr) {
		condition(e).Walk(func(c *pgparse.Condition) {
			found = found || c.Form == pgparse.IsNull && c.Left.Column == column ||
				c.Form == pgparse.Is && slices.Contains(columns(c.Parts[0]), column)
		})
	}
	asks(p.Where)
	for _, g := range p.Keep {
		asks(g.Condition)
	}
	return found
}

// checkInNull warns of IN over a nullable column where one NULL takes the whole condition away: NOT
// IN is never true then, and IN, which is to be false, never false.
func (l *linter) checkInNull(p *policy.Policy) {
	l.checkIn(p, p.Where, yes, "no row is taken")
	for _, g := range p.Keep {
		l.checkIn(p, g.Condition, no, "every row is kept")
	}
	for _, s := range p.Then {
		l.checkIn(p, s.Where, yes, "the step does nothing")
		if s.Related != nil {
			l.checkIn(p, &s.Related.Where, yes, "the step does nothing")
		}
	}
}

// checkIn looks at one condition, which does something where it is what is wanted, and INs over a
// query that have to be false for that.
func (l *linter) checkIn(p *policy.Policy, e *policy.Expr, wanted ternary, result string) {
	condition(e).Walk(func(c *pgparse.Condition) {
		if c.Query == nil || slices.Contains(c.Query.NotNull, c.Query.Column) {
			return
		}
		table := l.graph.LookUp(c.Query.Table.Schema, c.Query.Table.Name, l.Install.SearchPath)
		if table == nil {
			return
		}
		column := table.Column(c.Query.Column)
		if column != nil && !column.NotNull && l.excludes(p, []constraint{says(e, wanted)}, constraint{c, yes | null}) {
			l.warn("L012", e.At(c.Offset), p, words{"Table": table.String(), "Column": column.Name, "Result": result})
		}
	})
}
