package policy

import (
	"fmt"

	"github.com/agext/levenshtein"

	"pgretain/internal/diag"
)

// didYouMean is a hint with the nearest of the known names, or "".
func didYouMean(name string, known []string) string {
	best, distance := "", min(2+len(name)/4, len(name))
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

// notYet reports a construct that the language has and this version does not.
func (r *reader) notYet(at diag.Position, construct, instead string) {
	r.add(codeNotYet, at, "construct "+construct+" is not supported yet", "", instead)
}
