package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
)

// TestExamples generates every example anew: the bytes are those that are checked in. With -update
// they become so.
func TestExamples(t *testing.T) {
	t.Parallel()
	policies, err := filepath.Glob("../../examples/*/retention.yaml")
	if err != nil || len(policies) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, policy := range policies {
		dir := filepath.Dir(policy)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			want := filepath.Join(dir, "migrations")
			if *fixture.Update {
				if err := os.RemoveAll(want); err != nil {
					t.Fatal(err)
				}
				pgretain(t, "generate", "--policy", policy, "--migrations", want)
			}
			got := filepath.Join(t.TempDir(), "migrations")
			pgretain(t, "generate", "--policy", policy, "--migrations", got)
			if diff := cmp.Diff(contents(t, want), contents(t, got)); diff != "" {
				t.Errorf("the checked-in migrations differ, write them again with -update (-want +got):\n%s", diff)
			}
			pgretain(t, "lint", "--policy", policy, "--migrations", want)
			pgretain(t, "generate", "--check", "--policy", policy, "--migrations", want)
		})
	}
}

// pgretain runs a command that must succeed and say nothing on standard error.
func pgretain(t *testing.T, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := execute(t.Context(), args, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("pgretain %q: exit code %d\n%s%s", args, code, stdout.String(), stderr.String())
	}
}
