package policy_test

import (
	"bytes"
	"testing"

	"pgretain/policy"
	"pgretain/tests/fixture"
)

func invalid(t testing.TB) []*fixture.Case {
	t.Helper()
	return fixture.Cases(t, "testdata/invalid", 60, "policy.yaml", "stderr.txt")
}

// TestInvalid compares the diagnostics of every case under testdata/invalid with its stderr.txt.
func TestInvalid(t *testing.T) {
	t.Parallel()
	for _, c := range invalid(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			source := []byte(c.Text("policy.yaml"))
			file, list := policy.Parse("policy.yaml", source)
			if file != nil || !list.HasErrors() {
				t.Fatal("Parse accepts the file")
			}
			var out bytes.Buffer
			if err := list.Render(&out, map[string][]byte{"policy.yaml": source}, false); err != nil {
				t.Fatal(err)
			}
			c.Compare(t, "stderr.txt", out.String())
		})
	}
}
