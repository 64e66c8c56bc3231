package policy_test

import (
	"regexp"
	"slices"
	"testing"

	"pgretain/internal/diag"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

var pages = fixture.Pages{Directory: "../docs/checks", From: "P000", To: "P050"}

// TestPages checks that every code has a page, and that the examples of the page do what it says.
func TestPages(t *testing.T) {
	t.Parallel()
	pages.Check(t, func(t *testing.T, code, insteadOf, use string) {
		if _, list := policy.Parse("policy.yaml", []byte(insteadOf)); !slices.ContainsFunc(list,
			func(d diag.Diagnostic) bool { return d.Code.String() == code }) {
			t.Errorf("instead of: got %v", list)
		}
		if _, list := policy.Parse("policy.yaml", []byte(use)); len(list) > 0 {
			t.Errorf("use: got %v", list)
		}
	})
}

func TestCodesAreShown(t *testing.T) {
	t.Parallel()
	pages.RequireCases(t, invalid(t), "stderr.txt")
}

// TestReference checks that every YAML example of docs/policy.md is a valid policy file.
func TestReference(t *testing.T) {
	t.Parallel()
	page := fixture.ReadFile(t, "../docs/policy.md")
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	if len(blocks) < 5 {
		t.Fatalf("found %d examples", len(blocks))
	}
	for _, block := range blocks {
		if _, list := policy.Parse("policy.yaml", []byte(block[1])); len(list) > 0 {
			t.Errorf("%s\n%+v", block[1], list)
		}
	}
}
