// Package messages is the catalogue of the messages about a policy file, a catalog snapshot and a
// database. It declares each code with its group and its title, and the message, detail and hint
// of each fault that has the code. The facts in a text are parameters with types. A message
// without facts is a variable.
//
// A code keeps its meaning. The code of a check that was removed is never used again. Each code
// has a page in docs/checks.
package messages

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"

	"pgretain/internal/diag"
)

// UnknownFault panics. A query of this program has returned a fault that has no message, which is a
// bug.
func UnknownFault(name string) diag.Diagnostic {
	panic(fmt.Sprintf("messages: fault %q has no message", name))
}

// DidYouMean returns a hint with the nearest of the known names, or "" if none is near. Of two
// equally near names, it prefers one with the same first letter.
func DidYouMean(name string, known []string) string {
	best, distance := "", 2*min(2+len(name)/4, len(name))
	for _, candidate := range known {
		d := 2 * levenshtein.Distance(name, candidate, nil)
		if candidate == "" || name == "" || candidate[0] != name[0] {
			d++
		}
		if d < distance {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("Did you mean %q?", best)
}

func listed(names []string) string { return strings.Join(names, ", ") }

// some joins the first of the texts, and says how many more there are.
func some(texts []string, most int, separator string) string {
	text := strings.Join(texts[:min(len(texts), most)], separator)
	if more := len(texts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Number returns a number with its noun: "1 row", "2 rows".
func Number[N int | int64](n N, one, several string) string {
	if n != 1 {
		one = several
	}
	return fmt.Sprintf("%d %s", n, one)
}
