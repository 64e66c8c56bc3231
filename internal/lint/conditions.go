package lint

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var _ = register("L001", "a where that is never true", checkWhere)

// checkWhere refuses a policy that is about no row.
func checkWhere(l *linter) {
	for _, p := range l.file.Policies {
		if p.Where == nil || len(l.slips(p.Where)) > 0 || l.rowOf(p).possible(l.wanted(p)...) {
			continue
		}
		l.refuse(finding{at: p.Where.Position, policy: p.Name,
			message: fmt.Sprintf("no row can meet the \"where\" of policy %q", p.Name),
			detail:  "Its conditions exclude each other, or what the catalog snapshot says of a column.",
			hint:    "Take one of them out, or join them by OR."})
	}
}

var _ = register("L011", "a where that passes by rows with a NULL", checkWhereNull)

// checkWhereNull warns of "not this value" where the column may have none: such a row is not the value
// either, and yet it is passed by.
func checkWhereNull(l *linter) {
	for _, p := range l.file.Policies {
		r, where := l.rowOf(p), l.condition(p.Where)
		for _, c := range conjuncts(where) {
			column := negated(c)
			if column == "" || !r.nullable(column) || clockOnly(p, column) || l.othersSpeakOfNull(p, column) || needed(where, c, column) {
				continue
			}
			l.warn(finding{at: p.Where.At(c.Offset), policy: p.Name,
				message: fmt.Sprintf("policy %q passes by every row whose %q is NULL", p.Name, column),
				detail:  "A comparison with NULL is NULL, and \"where\" has to be true.",
				hint:    fmt.Sprintf("Write IS DISTINCT FROM or IS NOT TRUE if such a row is meant too, and add \"AND %s IS NOT NULL\" if not.", column)})
		}
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

// needed says whether another condition asks for a value of the column, or speaks of NULL.
func needed(where, but *pgparse.Condition, column string) bool {
	if asksNull(where, column) {
		return true
	}
	for _, c := range conjuncts(where) {
		if c != but && slices.Contains(c.Present(), column) && negated(c) == "" {
			return true
		}
	}
	return false
}

// othersSpeakOfNull says whether a policy of the table asks for NULL, so that somebody thought of it.
func (l *linter) othersSpeakOfNull(p *policy.Policy, column string) bool {
	for _, other := range l.file.Policies {
		if other.Table.String() == p.Table.String() && l.speaksOfNull(other, column) {
			return true
		}
	}
	return false
}

var _ = register("L008", "a comparison with NULL", checkNullCompared)

// checkNullCompared warns of x = NULL, which is NULL for every x.
func checkNullCompared(l *linter) {
	for _, j := range l.judging() {
		for _, c := range l.slips(j.expr) {
			if c.Null {
				l.slip(j, finding{at: j.expr.At(c.Offset),
					message: "a comparison with NULL is never true and never false",
					detail:  "As \"where\" it lets no row through, as a guard it spares every row.",
					hint:    "Write IS NULL or IS NOT NULL."})
			}
		}
	}
}

var _ = register("L012", "a sub-select of IN that may hold a NULL", checkInNull)

// checkInNull warns of IN over a nullable column where one NULL takes the whole condition away: NOT IN
// is never true then, and IN, which is to be false, never false.
func checkInNull(l *linter) {
	if l.snapshot == nil {
		return
	}
	for _, p := range l.file.Policies {
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
}

// checkIn looks at one condition, which does something where it is true, or, wanted being false, where it
// is false.
func (l *linter) checkIn(p *policy.Policy, e *policy.Expr, wanted bool, result string) {
	if e == nil {
		return
	}
	for _, c := range wantedFalse(l.condition(e), wanted) {
		table := l.tableNamed(c.Query.Table)
		if table == nil || slices.Contains(c.Query.NotNull, c.Query.Column) {
			continue
		}
		column := table.Column(c.Query.Column)
		if column == nil || column.NotNull {
			continue
		}
		l.warn(finding{at: e.At(c.Offset), policy: p.Name,
			message: fmt.Sprintf("one row of %q whose %q is NULL, and %s", table.Schema+"."+table.Name, column.Name, result),
			detail:  "IN is NULL, and not false, for what is not in a list that has a NULL.",
			hint:    fmt.Sprintf("Add \"%s IS NOT NULL\" to the sub-select, or write EXISTS.", column.Name)})
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

// tableNamed finds a table that an expression names; nil where the snapshot does not have it.
func (l *linter) tableNamed(ref pgparse.TableRef) *catalog.Table {
	if ref.Schema != "" {
		return l.snapshot.Table(ref.Schema + "." + ref.Name)
	}
	for _, schema := range l.file.Install.SearchPath {
		if t := l.snapshot.Table(schema + "." + ref.Name); t != nil {
			return t
		}
	}
	return nil
}

var _ = register("L009", "a BETWEEN that nothing is in", checkBetween)

// checkBetween warns of bounds in the wrong order.
func checkBetween(l *linter) {
	for _, j := range l.judging() {
		for _, c := range l.slips(j.expr) {
			if c.Between {
				l.slip(j, finding{at: j.expr.At(c.Offset),
					message: "nothing is between these bounds",
					detail:  "The lower bound of BETWEEN stands first, and this one is above the other.",
					hint:    "Exchange the bounds."})
			}
		}
	}
}

var _ = register("L026", "a policy of all rows that its breaker stops", checkEveryRow)

// checkEveryRow warns of a policy that takes all rows of its table: the share that the breaker allows is
// less than all.
func checkEveryRow(l *linter) {
	for _, p := range l.file.Policies {
		if p.Due != nil || p.Partitions || guarded(p) || p.Budget.Rows > 0 || p.Breaker.Fraction >= 1 || !deletes(p) {
			continue
		}
		if c := l.condition(p.Where); c != nil && c.Form == pgparse.Fixed && valueOf(c.Values[0]) == yes {
			l.warn(finding{at: p.Where.Position, policy: p.Name,
				message: fmt.Sprintf("policy %q takes every row, and its breaker trips at %g %% of them", p.Name, p.Breaker.Fraction*100),
				detail:  "The share counts in tables of more than 10000 rows.",
				hint:    "Write \"breaker: {fraction: 100%}\" if the table is to be emptied."})
		}
	}
}

var _ = register("L002", "guards that spare every row", checkGuards)

// checkGuards refuses a policy whose guards leave nothing to take: a row goes only where all are false.
func checkGuards(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if !guarded(p) || !r.possible(l.wanted(p)...) {
			continue
		}
		alone := false
		for _, g := range p.Keep {
			if g.Condition == nil || len(l.slips(g.Condition)) > 0 {
				continue
			}
			if !r.possible(append(l.wanted(p), wish{c: l.condition(g.Condition), is: no})...) {
				alone = true
				l.refuse(finding{at: g.Condition.Position, policy: p.Name,
					message: fmt.Sprintf("guard %q spares every row of policy %q", g.Name, p.Name),
					detail:  "A row goes only where the guard is false, and it is false for none that \"where\" lets through.",
					hint:    "Write the guard for the rows that are to stay, or remove the policy."})
			}
		}
		if !alone && !l.slipped(p) && !r.possible(l.taken(p)...) {
			l.refuse(finding{at: p.Keep[0].Position, policy: p.Name,
				message: fmt.Sprintf("the guards of policy %q together spare every row", p.Name),
				detail:  "A row goes only where all of them are false, and there is no row for which they are.",
				hint:    "Write the guards for the rows that are to stay, or remove the policy."})
		}
	}
}

// slipped says whether another check speaks of a guard already.
func (l *linter) slipped(p *policy.Policy) bool {
	for _, g := range p.Keep {
		if len(l.slips(g.Condition)) > 0 {
			return true
		}
	}
	return false
}

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
