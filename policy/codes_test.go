package policy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgretain/internal/diag"
	"pgretain/policy"
)

const pages = "../docs/checks"

// own are the codes of this package.
func own() []diag.Code {
	var codes []diag.Code
	for _, c := range diag.Codes() {
		if c.Name < "P050" {
			codes = append(codes, c)
		}
	}
	return codes
}

// TestPages holds that every code has a page, and that the examples on it do what it says.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, code := range own() {
		t.Run(code.Name, func(t *testing.T) {
			t.Parallel()
			page := string(read(t, filepath.Join(pages, code.Name+".md")))
			if !strings.HasPrefix(page, "# "+code.Name+": "+code.Title+"\n\n## problem\n") || !strings.Contains(page, "\n## solution\n") {
				t.Error("the page lacks its title, problem or solution")
			}
			if list := messages(t, page, "Instead of:"); !has(list, code.Name) {
				t.Errorf("instead of: got %v", list)
			}
			if list := messages(t, page, "Use:"); len(list) > 0 {
				t.Errorf("use: got %v", list)
			}
		})
	}
}

func messages(t *testing.T, page, label string) diag.List {
	t.Helper()
	match := regexp.MustCompile("(?s)" + label + "\n```yaml\n(.*?)```\n").FindStringSubmatch(page)
	if match == nil {
		t.Fatalf("%q has no example", label)
	}
	_, list := policy.Parse("policy.yaml", []byte(match[1]))
	return list
}

func has(list diag.List, code string) bool {
	for _, d := range list {
		if d.Code == code {
			return true
		}
	}
	return false
}

// TestPagesOfCodes fails on a page that belongs to no code.
func TestPagesOfCodes(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, code := range own() {
		known[code.Name+".md"] = true
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "P0") && e.Name() < "P050" && !known[e.Name()] {
			t.Errorf("%s belongs to no code", e.Name())
		}
	}
}

// TestCodesAreShown fails on a code that no case under testdata/invalid shows.
func TestCodesAreShown(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	for _, c := range invalid(t) {
		shown.WriteString(c.Text("stderr.txt"))
	}
	for _, code := range own() {
		if !strings.Contains(shown.String(), "["+code.Name+"]") {
			t.Errorf("no case shows %s", code.Name)
		}
	}
}

// TestReference holds that every example of the language's reference is a policy file.
func TestReference(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllStringSubmatch(string(read(t, "../docs/policy.md")), -1)
	if len(blocks) < 5 {
		t.Fatalf("found %d examples", len(blocks))
	}
	for _, block := range blocks {
		if _, list := policy.Parse("policy.yaml", []byte(block[1])); len(list) > 0 {
			t.Errorf("%s\n%+v", block[1], list)
		}
	}
}
