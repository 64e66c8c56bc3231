package verifier

import (
	"fmt"
	"strings"
)

var codeDiffers = register("V003", Installed, "a function is not what was generated")

func (v *inspection) declarationDiffers(w wantedRoutine, live routine) {
	v.about(w.Object, Finding{Code: codeDiffers, Message: w.String() + " is declared in another way",
		Want: declaration(kindLetter(w.routine), w.routine.Language), Got: declaration(live.Kind, live.Language), Hint: repairHint})
}

func (v *inspection) signatureDiffers(w wantedRoutine, want, got, hint string) {
	v.about(w.Object, Finding{Code: codeDiffers, Message: w.String() + " has other parameters or another result", Want: want, Got: got, Hint: hint})
}

func (v *inspection) bodyDiffers(w wantedRoutine, want, got string) {
	v.about(w.Object, Finding{Code: codeDiffers, Message: w.String() + " has another body", Detail: firstDifference(want, got), Hint: repairHint})
}

func declaration(kind, language string) string {
	word := map[string]string{"f": "a function", "p": "a procedure", "a": "an aggregate", "w": "a window function"}[kind]
	return word + " in " + language
}

// firstDifference names the first line of a body that differs.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("Line %d of the body is one too many: %s", i+1, excerpt(b[i]))
		case i >= len(b):
			return fmt.Sprintf("Line %d of the body is missing: %s", i+1, excerpt(a[i]))
		case a[i] != b[i]:
			return fmt.Sprintf("Line %d of the body should be %s and is %s.", i+1, excerpt(a[i]), excerpt(b[i]))
		}
	}
	return ""
}
