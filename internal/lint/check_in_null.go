package lint

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

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
