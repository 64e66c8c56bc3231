package lint

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

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
