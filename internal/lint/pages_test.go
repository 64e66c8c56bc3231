package lint_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lint"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

const pages = "../../docs/checks"

// own are the codes of this package.
func own() []diag.Code {
	return slices.DeleteFunc(diag.Codes(), func(c diag.Code) bool { return !strings.HasPrefix(c.Name, "L0") || c.Name > "L049" })
}

// TestPages holds that every code has a page, and that the examples on it, with the tables of
// generator/testdata/schema.sql, are found by this check and no other, or by none.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, code := range own() {
		t.Run(code.Name, func(t *testing.T) {
			t.Parallel()
			page := read(t, filepath.Join(pages, code.Name+".md"))
			if !strings.HasPrefix(page, "# "+code.Name+": "+code.Title+"\n\n## problem\n") || !strings.Contains(page, "\n## solution\n") {
				t.Error("the page lacks its title, problem or solution")
			}
			found := codes(compiled(t, example(t, page, "Instead of:")))
			if !slices.Equal(slices.Compact(found), []string{code.Name}) {
				t.Errorf("instead of: got %v", found)
			}
			if found := codes(compiled(t, example(t, page, "Use:"))); len(found) > 0 {
				t.Errorf("use: got %v", found)
			}
		})
	}
}

// TestMessages shows what is said of the examples, and where.
func TestMessages(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	for _, code := range own() {
		source := example(t, read(t, filepath.Join(pages, code.Name+".md")), "Instead of:")
		list := checked(t, source, tables(t))
		if err := list.Render(&out, map[string][]byte{"policy.yaml": []byte(source)}, false); err != nil {
			t.Fatal(err)
		}
		out.WriteString("\n")
	}
	fixture.CompareFile(t, "testdata/messages.txt", out.String())
}

// TestPagesOfCodes fails on a page that belongs to no code.
func TestPagesOfCodes(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob(filepath.Join(pages, "L0[0-4]*.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, path := range found {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		if !slices.ContainsFunc(own(), func(c diag.Code) bool { return c.Name == name }) {
			t.Errorf("%s belongs to no code", path)
		}
	}
}

func example(t *testing.T, page, label string) string {
	t.Helper()
	match := regexp.MustCompile("(?s)" + label + "\n```yaml\n(.*?)```\n").FindStringSubmatch(page)
	if match == nil {
		t.Fatalf("%q has no example", label)
	}
	return match[1]
}

// tables are those of generator/testdata/schema.sql.
func tables(t *testing.T) *catalog.Snapshot {
	return snapshot(t, read(t, "../../generator/testdata/catalog.json"))
}

func snapshot(t *testing.T, text string) *catalog.Snapshot {
	t.Helper()
	s, err := catalog.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checked lints a file that the reader accepts.
func checked(t *testing.T, source string, snapshot *catalog.Snapshot) diag.List {
	t.Helper()
	return lint.Check(parsed(t, source), snapshot)
}

func parsed(t *testing.T, source string) *policy.File {
	t.Helper()
	file, list := policy.Parse("policy.yaml", []byte(source))
	if file == nil {
		t.Fatalf("the reader refuses it: %+v", list)
	}
	return file
}

// compiled lints a file that the generator accepts, too.
func compiled(t *testing.T, source string) diag.List {
	t.Helper()
	file := parsed(t, source)
	if _, list := generator.Compile(file, tables(t), nil); len(list) > 0 {
		t.Fatalf("the generator refuses it: %+v", list)
	}
	return lint.Check(file, tables(t))
}

func codes(list diag.List) []string {
	var names []string
	for _, d := range list {
		names = append(names, d.Code)
	}
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
