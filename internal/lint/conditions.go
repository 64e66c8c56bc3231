package lint

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checkWhere refuses a policy that is about no row.
func (l *linter) checkWhere(p *policy.Policy) {
	if p.Where != nil && len(vacuous(p.Where)) == 0 && !l.rowOf(p).possible(wanted(p)...) {
		l.refuse(finding{Position: p.Where.Position, Policy: p.Name,
			Message: fmt.Sprintf("no row can meet the \"where\" of policy %q", p.Name),
			Detail:  "Its conditions exclude each other, or what the catalog snapshot says of a column.",
			Hint:    "Take one of them out, or join them by OR."})
	}
}

// checkWhereNull warns of "not this value" where the column may have none: such a row is not the value
// either, and yet it is passed by.
func (l *linter) checkWhereNull(p *policy.Policy) {
	where := condition(p.Where)
	for _, c := range conjuncts(where) {
		column := negated(c)
		if column == "" || !l.rowOf(p).nullable(column) || clockOnly(p, column) || l.othersSpeakOfNull(p, column) || asked(where, c, column) {
			continue
		}
		l.warn(finding{Position: p.Where.At(c.Offset), Policy: p.Name,
			Message: fmt.Sprintf("policy %q passes by every row whose %q is NULL", p.Name, column),
			Detail:  "A comparison with NULL is NULL, and \"where\" has to be true.",
			Hint:    fmt.Sprintf("Write IS DISTINCT FROM or IS NOT TRUE if such a row is meant too, and add \"AND %s IS NOT NULL\" if not.", column)})
	}
}

// conjuncts are the conditions that must all be true.
func conjuncts(c *pgparse.Condition) []*pgparse.Condition {
	if c == nil || c.Form != pgparse.All {
		return []*pgparse.Condition{c}
	}
	var list []*pgparse.Condition
	for _, part := range c.Parts {
		list = append(list, conjuncts(part)...)
	}
	return list
}

// negated is the column of "is not" such a value, else "".
func negated(c *pgparse.Condition) string {
	switch {
	case c == nil || c.Left.Cast != "":
		return ""
	case c.Form == pgparse.Compare && c.Op == "<>":
		return c.Left.Column
	case c.Form != pgparse.Not:
		return ""
	}
	switch inner := c.Parts[0]; {
	case inner.Form == pgparse.Boolean, inner.Form == pgparse.OneOf && !inner.HasNull, inner.Form == pgparse.Compare && inner.Op == "=":
		return inner.Left.Column
	}
	return ""
}

// asked says whether another condition asks for a value of the column, or speaks of NULL.
func asked(where, but *pgparse.Condition, column string) bool {
	return asksNull(where, column) || slices.ContainsFunc(conjuncts(where), func(c *pgparse.Condition) bool {
		return c != but && slices.Contains(c.Present(), column) && negated(c) == ""
	})
}

// othersSpeakOfNull says whether a policy of the table asks for NULL, so that somebody thought of it.
func (l *linter) othersSpeakOfNull(p *policy.Policy, column string) bool {
	return slices.ContainsFunc(l.file.Policies, func(other *policy.Policy) bool {
		return other.Table.String() == p.Table.String() && speaksOfNull(other, column)
	})
}

// speaksOfNull says whether where or a guard asks whether a column is NULL.
func speaksOfNull(p *policy.Policy, column string) bool {
	return asksNull(condition(p.Where), column) ||
		slices.ContainsFunc(p.Keep, func(g policy.Guard) bool { return asksNull(condition(g.Condition), column) })
}

// clockOnly says whether a column is the clock, and rows without one are not due anyway.
func clockOnly(p *policy.Policy, column string) bool {
	return p.Due != nil && !slices.ContainsFunc(p.Due.Entries, func(e policy.Entry) bool {
		return e.Clock == nil || e.Clock.Column != column || e.Clock.NullsDue
	})
}

// checkNullCompared warns of x = NULL, which is NULL for every x.
func (l *linter) checkNullCompared() {
	l.eachVacuous(func(c *pgparse.Condition) bool { return c.Null }, finding{
		Message: "a comparison with NULL is never true and never false",
		Detail:  "As \"where\" it lets no row through, as a guard it spares every row.",
		Hint:    "Write IS NULL or IS NOT NULL."})
}

// checkBetween warns of bounds in the wrong order.
func (l *linter) checkBetween() {
	l.eachVacuous(func(c *pgparse.Condition) bool { return c.Between }, finding{
		Message: "nothing is between these bounds",
		Detail:  "The lower bound of BETWEEN stands first, and this one is above the other.",
		Hint:    "Exchange the bounds."})
}

// vacuous lists the parts of a condition that have one value whatever the row, which nobody wants to write. They
// have codes of their own, so that the checks of the whole condition need not speak of them.
func vacuous(e *policy.Expr) []*pgparse.Condition {
	var found []*pgparse.Condition
	var look func(c *pgparse.Condition)
	look = func(c *pgparse.Condition) {
		switch {
		case c == nil:
		case c.Null || c.Between && reversed(c):
			found = append(found, c)
		default:
			for _, part := range c.Parts {
				look(part)
			}
		}
	}
	look(condition(e))
	return found
}

// reversed says whether the lower bound of a BETWEEN is above the upper one.
func reversed(c *pgparse.Condition) bool {
	low, high := c.Parts[0], c.Parts[1]
	return low.Form == pgparse.Compare && high.Form == pgparse.Compare && less(high.Values[0], low.Values[0])
}

// eachVacuous reports such parts of a policy's expressions. It is an error where no row can go for them: where has to be
// true, and a guard false.
func (l *linter) eachVacuous(is func(*pgparse.Condition) bool, f finding) {
	for _, p := range l.file.Policies {
		for _, part := range p.Parts() {
			for _, c := range vacuous(&part.Expr) {
				if !is(c) {
					continue
				}
				f.Position, f.Policy = part.Expr.At(c.Offset), p.Name
				if l.rowOf(p).possible(says(&part.Expr, needed(p, part.Expr))) {
					l.warn(f)
				} else {
					l.refuse(f)
				}
			}
		}
	}
}

// needed is what an expression has to be for a row to go.
func needed(p *policy.Policy, e policy.Expr) ternary {
	switch {
	case p.Where != nil && *p.Where == e:
		return yes
	case slices.ContainsFunc(p.Keep, func(g policy.Guard) bool { return g.Condition != nil && *g.Condition == e }):
		return no
	}
	return anything
}

// checkInNull warns of IN over a nullable column where one NULL takes the whole condition away: NOT IN
// is never true then, and IN, which is to be false, never false.
func (l *linter) checkInNull(p *policy.Policy) {
	l.checkIn(p, p.Where, true, "no row is taken")
	for _, g := range p.Keep {
		l.checkIn(p, g.Condition, false, "every row is spared")
	}
	for _, s := range p.Then {
		l.checkIn(p, s.Where, true, "the step does nothing")
		if s.Related != nil {
			l.checkIn(p, &s.Related.Where, true, "the step does nothing")
		}
	}
}

// checkIn looks at one condition, which does something where it is true, or, wanted being false, where it
// is false.
func (l *linter) checkIn(p *policy.Policy, e *policy.Expr, wanted bool, result string) {
	for _, c := range wantedFalse(condition(e), wanted) {
		table := l.graph.LookUp(c.Query.Table.Schema, c.Query.Table.Name, l.file.Install.SearchPath)
		if table == nil || slices.Contains(c.Query.NotNull, c.Query.Column) {
			continue
		}
		column := table.Column(c.Query.Column)
		if column == nil || column.NotNull {
			continue
		}
		l.warn(finding{Position: e.At(c.Offset), Policy: p.Name,
			Message: fmt.Sprintf("one row of %q whose %q is NULL, and %s", table, column.Name, result),
			Detail:  "IN is NULL, and not false, for what is not in a list that has a NULL.",
			Hint:    fmt.Sprintf("Add \"%s IS NOT NULL\" to the sub-select, or write EXISTS.", column.Name)})
	}
}

// wantedFalse lists the INs over a query that have to be false for a condition to have the value that is
// wanted: those behind AND where it is true, behind OR where it is false, and NOT.
func wantedFalse(c *pgparse.Condition, wanted bool) []*pgparse.Condition {
	switch {
	case c == nil:
		return nil
	case c.Query != nil && !wanted:
		return []*pgparse.Condition{c}
	case c.Form == pgparse.Not:
		wanted = !wanted
	case c.Form == pgparse.All && wanted, c.Form == pgparse.Either && !wanted:
	default:
		return nil
	}
	var list []*pgparse.Condition
	for _, part := range c.Parts {
		list = append(list, wantedFalse(part, wanted)...)
	}
	return list
}

// checkEveryRow warns of a policy that takes all rows of its table: the share that the breaker allows is
// less than all.
func (l *linter) checkEveryRow(p *policy.Policy) {
	if p.Due != nil || p.Partitions || guarded(p) || p.Budget.Rows > 0 || p.Breaker.Fraction >= 1 || !deletes(p) {
		return
	}
	if c := condition(p.Where); c != nil && c.Form == pgparse.Fixed && valueOf(c.Values[0]) == yes {
		l.warn(finding{Position: p.Where.Position, Policy: p.Name,
			Message: fmt.Sprintf("policy %q takes every row, and its breaker trips at %g %% of them", p.Name, p.Breaker.Fraction*100),
			Detail:  "The share counts in tables of more than 10000 rows.",
			Hint:    "Write \"breaker: {fraction: 100%}\" if the table is to be emptied."})
	}
}

// checkGuards refuses a policy whose guards leave nothing to take: a row goes only where all are false.
func (l *linter) checkGuards(p *policy.Policy) {
	r := l.rowOf(p)
	if !guarded(p) || !r.possible(wanted(p)...) {
		return
	}
	said := false // of a guard, here or by another check
	for _, g := range p.Keep {
		switch {
		case g.Condition == nil:
		case len(vacuous(g.Condition)) > 0:
			said = true
		case !r.possible(append(wanted(p), says(g.Condition, no))...):
			said = true
			l.refuse(finding{Position: g.Condition.Position, Policy: p.Name,
				Message: fmt.Sprintf("guard %q spares every row of policy %q", g.Name, p.Name),
				Detail:  "A row goes only where the guard is false, and it is false for none that \"where\" lets through.",
				Hint:    "Write the guard for the rows that are to stay, or remove the policy."})
		}
	}
	if !said && !l.takes(p) {
		l.refuse(finding{Position: p.Keep[0].Position, Policy: p.Name,
			Message: fmt.Sprintf("the guards of policy %q together spare every row", p.Name),
			Detail:  "A row goes only where all of them are false, and there is no row for which they are.",
			Hint:    "Write the guards for the rows that are to stay, or remove the policy."})
	}
}

// checkGuardNull warns of a guard that is NULL, and so spares the row, whenever a column is: it reads
// the column as if it always had a value.
func (l *linter) checkGuardNull(p *policy.Policy) {
	if !l.takes(p) {
		return
	}
	for _, g := range p.Keep {
		c := condition(g.Condition)
		if g.Condition == nil || c == nil || len(vacuous(g.Condition)) > 0 {
			continue
		}
		for _, column := range columns(c) {
			if !l.keepsNull(p, c, column) {
				continue
			}
			hint := "Write \"(...) IS TRUE\" around it if such a row may go, and \"%s IS NULL OR ...\" if it is to stay."
			if c.Form == pgparse.Boolean {
				hint = "Write \"%[1]s IS TRUE\" if such a row may go, and \"%[1]s IS NOT FALSE\" if it is to stay."
			}
			l.warn(finding{Position: g.Condition.Position, Policy: p.Name,
				Message: fmt.Sprintf("guard %q spares every row whose %q is NULL", g.Name, column),
				Detail:  "It is NULL there, and a row goes only where every guard is false.",
				Hint:    fmt.Sprintf(hint, column)})
		}
	}
}

// keepsNull says whether rows with a NULL would go but for the guard, which does not speak of NULL.
func (l *linter) keepsNull(p *policy.Policy, guard *pgparse.Condition, column string) bool {
	r := l.rowOf(p)
	with := append(wanted(p), constraint{c: isNull(column), is: yes})
	return r.nullable(column) && !speaksOfNull(p, column) && !clockOnly(p, column) && r.excludes(with, constraint{c: guard, is: no})
}
