package lint

import (
	"slices"

	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checkWhere adds an error for a policy whose "where" no row can meet.
func (l *linter) checkWhere(p *policy.Policy) {
	if !l.possible(p, says(p.Where, yes)) {
		l.refuse(messages.NeverTrue(p.Name), p.Where.Position, p)
	}
}

// checkGuards adds an error for a policy whose guards keep every row. A run takes a row only if all
// guards are false.
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
	l.refuse(messages.GuardsKeepAll(p.Name, alone), at, p)
}

// checkTiers adds a warning for a tier that applies to no row, because of "where", the guards or
// earlier tiers. The rows for which the author wrote the tier then have the window of another tier.
func (l *linter) checkTiers(p *policy.Policy, k *policy.Clock) {
	before := taken(p)
	if !l.possible(p, before...) {
		return
	}
	for i, t := range k.Window.Tiers {
		if t.When == nil {
			continue // an "else" that no row reaches is harmless
		}
		if !l.possible(p, append(slices.Clip(before), says(t.When, yes))...) {
			l.warn(messages.TierNeverApplies(p.Name, i+1), t.When.Position, p)
		}
		before = append(before, says(t.When, no|null))
	}
}

// checkSteps adds a warning for a step whose "where" no row of a batch can meet.
func (l *linter) checkSteps(p *policy.Policy) {
	for _, s := range p.Then {
		if s.Where != nil && l.excludes(p, taken(p), says(s.Where, yes)) {
			l.warn(messages.StepNeverActs(p.Name), s.Where.Position, p)
		}
	}
}

// checkConstants adds warnings for comparisons with NULL, which are NULL for every value, and for
// BETWEEN with bounds in the wrong order. It checks all expressions of the policy.
func (l *linter) checkConstants(p *policy.Policy) {
	for _, part := range p.Fragments() {
		condition(&part.Expr).Walk(func(c *pgparse.Condition) {
			switch {
			case c.Null:
				l.warn(messages.ComparesNull, part.Expr.At(c.Offset), p)
			case c.Between && !c.Parts[0].Null && !c.Parts[1].Null && !l.possible(p, between(c)):
				l.warn(messages.EmptyBetween, part.Expr.At(c.Offset), p)
			}
		})
	}
}

// between returns the constraint for a BETWEEN or NOT BETWEEN that its value lies between the
// bounds.
func between(c *pgparse.Condition) constraint {
	if c.Form == pgparse.All {
		return constraint{c, yes}
	}
	return constraint{c, no}
}

// checkGuardNull adds a warning for a guard that is NULL whenever a column is NULL. Such a guard
// keeps the row. There is no warning if the row is kept anyway, or if a condition tests the column
// for NULL.
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
				l.warn(messages.GuardNull(g.Name, column, flag), g.Condition.Position, p)
			}
		}
	}
}

// checkWhereNull adds a warning for a "where" like c <> 'x' on a column that may be NULL. The
// policy skips rows in which the column is NULL. There is no warning if another condition is true
// only with a value, or if a policy of the table tests the column for NULL. In both cases the
// author has considered NULL.
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
			l.warn(messages.WhereNull(p.Name, column), p.Where.At(c.Offset), p)
		}
	}
}

// conjuncts returns the operands of AND, at any depth. For any other condition it returns the
// condition itself.
func conjuncts(c *pgparse.Condition) []*pgparse.Condition {
	if c == nil || c.Form != pgparse.All {
		return []*pgparse.Condition{c}
	}
	return slices.Concat(lists.Map(c.Parts, conjuncts)...)
}

// negated returns the column of a condition like c <> 'x' or c NOT IN ('x', 'y'). For another
// condition it returns "".
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

// nullable reports whether a NULL in a column affects whether a row is taken. It does not if the
// column is the only clock, because then rows with a NULL are never due.
func (l *linter) nullable(p *policy.Policy, name string) bool {
	column := ownColumn(l.tableOf(p), name)
	if column == nil || column.NotNull {
		return false
	}
	return p.Due == nil || slices.ContainsFunc(p.Due.Entries, func(e policy.Entry) bool {
		return e.Clock == nil || e.Clock.Column != name || e.Clock.NullsDue
	})
}

// columns lists the columns that a condition compares or tests for NULL, each once.
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

// speaksOfNull reports whether "where" or a guard tests whether a column is NULL.
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

// checkInNull adds warnings for IN with a sub-select of a nullable column. If the sub-select
// returns one NULL, NOT IN is never true and IN is never false.
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

// checkIn checks one condition. The condition has an effect only if its value is in the set
// "wanted". checkIn adds a warning for each IN that must be false for this. The parameter "result"
// says what happens if the sub-select returns a NULL.
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
			l.warn(messages.InNull(table.String(), column.Name, result), e.At(c.Offset), p)
		}
	})
}
