package lint_test

import (
	"bytes"
	"slices"
	"testing"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lint"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

var pages = fixture.Pages{Directory: "../../docs/checks", From: "L000", To: "L050"}

// TestPages checks that every code has a page. Lint must report exactly this code for the first
// example of the page, and nothing for the second. The examples use the tables of
// generator/testdata/schema.sql.
func TestPages(t *testing.T) {
	t.Parallel()
	pages.Check(t, func(t *testing.T, code, insteadOf, use string) {
		found := codes(compiled(t, insteadOf))
		if !slices.Equal(slices.Compact(found), []string{code}) {
			t.Errorf("example \"instead of\": lint reports %v, want %s", found, code)
		}
		if found := codes(compiled(t, use)); len(found) > 0 {
			t.Errorf("example \"use\": lint reports %v, want nothing", found)
		}
	})
}

// TestMessages compares the messages for the examples of all pages, and their positions, with
// testdata/messages.txt.
func TestMessages(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	for _, code := range pages.Codes() {
		source := pages.InsteadOf(t, code)
		list := checked(t, source, tables(t))
		if err := list.Render(&out, map[string][]byte{"policy.yaml": []byte(source)}, false); err != nil {
			t.Fatal(err)
		}
		out.WriteString("\n")
	}
	fixture.CompareFile(t, "testdata/messages.txt", out.String())
}

// tables returns the catalog snapshot of generator/testdata/schema.sql.
func tables(t *testing.T) *catalog.Snapshot {
	return snapshot(t, fixture.ReadFile(t, "../../generator/testdata/catalog.json"))
}

func snapshot(t *testing.T, text string) *catalog.Snapshot {
	t.Helper()
	s, err := catalog.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checked returns the findings of lint for a policy file. The test fails if the file cannot be
// parsed.
func checked(t *testing.T, source string, snapshot *catalog.Snapshot) diag.List {
	t.Helper()
	return lint.Check(parsed(t, source), snapshot)
}

func parsed(t *testing.T, source string) *policy.File {
	t.Helper()
	file, list := policy.Parse("policy.yaml", []byte(source))
	if file == nil {
		t.Fatalf("policy.Parse refuses the file: %+v", list)
	}
	return file
}

// compiled works like checked. The test also fails if the generator refuses the file.
func compiled(t *testing.T, source string) diag.List {
	t.Helper()
	file := parsed(t, source)
	if _, list := generator.Compile(file, tables(t), nil); len(list) > 0 {
		t.Fatalf("generator.Compile refuses the file: %+v", list)
	}
	return lint.Check(file, tables(t))
}

func codes(list diag.List) []string {
	var names []string
	for _, d := range list {
		names = append(names, d.Code.String())
	}
	return names
}
