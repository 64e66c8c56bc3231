package tests

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/fixture"
)

// Each test that docs/promises.md names is there, and what README.md promises of runs stands in it.
func TestPromises(t *testing.T) {
	t.Parallel()
	var there []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t `).FindAllStringSubmatch(fixture.ReadFile(t, path), -1) {
				there = append(there, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page := fixture.ReadFile(t, "../docs/promises.md")
	named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(page, -1)
	if len(named) < 40 {
		t.Errorf("docs/promises.md names %d tests only", len(named))
	}
	for _, name := range named {
		if !slices.Contains(there, name) {
			t.Errorf("docs/promises.md names %s, which is no test", name)
		}
	}
	_, promises, _ := strings.Cut(fixture.ReadFile(t, "../README.md"), "## What a run promises\n")
	promises, _, _ = strings.Cut(promises, "\n[")
	plain := func(text string) string {
		return strings.Join(strings.Fields(regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(text, "$1")), " ")
	}
	for _, promise := range strings.Split(promises, "\n- ")[1:] {
		if !strings.Contains(plain(page), plain(promise)) {
			t.Errorf("docs/promises.md lacks what README.md promises: %s", plain(promise))
		}
	}
}
