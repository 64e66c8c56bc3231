package pgparse

import (
	"slices"
	"strings"
	"testing"

	query "github.com/pganalyze/pg_query_go/v6"
)

// TestNamesAreColumns compares Name with the grammar: a text is a name if it is one column. It
// checks every key word of PostgreSQL, as the first and as the second part of a name.
func TestNamesAreColumns(t *testing.T) {
	t.Parallel()
	words := []string{"a", "A", `"A b"`, `"é""x"`, "é", "É", "_1", "a$", "1", "1.5", "'a'", "$1", "*", "a b", `""`,
		"E'x'", "a[1]", "(a)", "a -- b", "a;", "a::b", strings.Repeat("x", 63), strings.Repeat("x", 64),
		strings.Repeat("é", 32), `"` + strings.Repeat("x", 64) + `"`}
	for _, token := range query.Token_name {
		words = append(words, strings.ToLower(strings.TrimSuffix(token, "_P")))
	}
	for _, word := range words {
		for _, sql := range []string{word, "a." + word, word + ".b", word + " . b", "a.b." + word, word + "."} {
			got, err := Name(sql)
			var want []string
			if node, _, err := expressionNode(sql); err == nil && column(node) {
				want = texts(node.GetColumnRef().Fields)
			}
			long := err != nil && strings.Contains(err.Error(), "63 bytes")
			enclosed := strings.ContainsAny(sql, "()")
			if !long && !enclosed && !slices.Equal(got, want) {
				t.Errorf("%s: got %q, the grammar reads %q", sql, got, want)
			}
		}
	}
}
