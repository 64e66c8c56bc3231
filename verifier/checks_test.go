package verifier

import (
	"slices"
	"testing"
)

func TestEachCheckHasAGroup(t *testing.T) {
	for _, c := range Checks() {
		if !slices.Contains(Groups(), c.Group) {
			t.Errorf("%s is of group %q, which no report has", c.Code, c.Group)
		}
	}
}
