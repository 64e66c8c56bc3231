package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/internal/diag"
	"pgretain/policy"
)

const pages = "../docs/checks"

// TestPages holds that every code has a page, and that the examples on it do what it says with
// the tables of testdata/schema.sql.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, code := range ownCodes() {
		t.Run(code.Name, func(t *testing.T) {
			t.Parallel()
			page := readText(t, filepath.Join(pages, code.Name+".md"))
			if !strings.HasPrefix(page, "# "+code.Name+": "+code.Title+"\n\n## problem\n") || !strings.Contains(page, "\n## solution\n") {
				t.Error("the page lacks its title, problem or solution")
			}
			refused := compileExample(t, page, "Instead of:")
			if !slices.ContainsFunc(refused, func(d diag.Diagnostic) bool { return d.Code == code.Name }) {
				t.Errorf("instead of: got %v", refused)
			}
			if strings.Contains(page, "\nUse:\n```sql\n") {
				return // the policy is right, and the table is changed
			}
			if list := compileExample(t, page, "Use:"); slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Severity == diag.Error || d.Code == code.Name }) {
				t.Errorf("use: got %v", list)
			}
		})
	}
}

func compileExample(t *testing.T, page, label string) diag.List {
	t.Helper()
	match := regexp.MustCompile("(?s)" + label + "\n```yaml\n(.*?)```\n").FindStringSubmatch(page)
	if match == nil {
		t.Fatalf("%q has no example", label)
	}
	file, list := policy.Parse("policy.yaml", []byte(match[1]))
	if file == nil {
		t.Fatalf("%s the reader refuses the example: %v", label, list)
	}
	_, list = Compile(file, snapshotOf(t, "testdata"), nil)
	return append(list, Notes(file, snapshotOf(t, "testdata"))...)
}

// TestPagesOfCodes fails on a page of this package that belongs to no code.
func TestPagesOfCodes(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(pages)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".md")
		if name >= "P050" && name < "P100" && !slices.ContainsFunc(ownCodes(), func(c diag.Code) bool { return c.Name == name }) {
			t.Errorf("%s belongs to no code", e.Name())
		}
	}
}
