package messages

import (
	"slices"
	"testing"

	"pgretain/internal/diag"
)

// TestGroups checks that the checks of the verifier have groups that reports show, and that no
// other code has a group.
func TestGroups(t *testing.T) {
	t.Parallel()
	for _, code := range diag.Codes() {
		if known := slices.Contains(Groups(), code.Group()); known != (code.String()[0] == 'V') {
			t.Errorf("%s is of group %q", code, code.Group())
		}
	}
}
