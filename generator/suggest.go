package generator

import (
	"fmt"

	"github.com/agext/levenshtein"
)

// didYouMean is a hint with the nearest of the known names, or "".
func didYouMean(name string, known []string) string {
	best, distance := "", 2+len(name)/4
	for _, candidate := range known {
		if d := levenshtein.Distance(name, candidate, nil); d < distance {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("Did you mean %q?", best)
}
