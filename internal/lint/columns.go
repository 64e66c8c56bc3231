package lint

import (
	"slices"

	"pgretain/internal/pgparse"
)

// columns lists the columns that a condition compares or asks for, each once.
func columns(c *pgparse.Condition) []string {
	var list []string
	walk(c, func(c *pgparse.Condition) {
		for _, name := range append(slices.Clone(c.Strict), c.Left.Column) {
			if name != "" && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	})
	return list
}

// asksNull says whether a condition asks if a column is NULL.
func asksNull(c *pgparse.Condition, column string) bool {
	found := false
	walk(c, func(c *pgparse.Condition) {
		asks := c.Form == pgparse.IsNull || c.Form == pgparse.Distinct
		if c.Form == pgparse.Is && slices.Contains(columns(c.Parts[0]), column) || asks && c.Left.Column == column {
			found = true
		}
	})
	return found
}

// walk calls f for a condition and all its parts.
func walk(c *pgparse.Condition, f func(*pgparse.Condition)) {
	if c != nil {
		c.Walk(f)
	}
}
