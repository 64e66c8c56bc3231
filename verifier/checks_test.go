package verifier

import (
	"slices"
	"testing"
)

func TestEachCheckHasAGroup(t *testing.T) {
	for code, group := range checks {
		if !slices.Contains(Groups(), group) {
			t.Errorf("%s is of group %q, which no report has", code, group)
		}
	}
}
