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

// TestPages holds that every code has a page, and that the examples on it, with the tables of
// generator/testdata/schema.sql, are found by this check and no other, or by none.
func TestPages(t *testing.T) {
	t.Parallel()
	pages.Check(t, func(t *testing.T, code, insteadOf, use string) {
		found := codes(compiled(t, insteadOf))
		if !slices.Equal(slices.Compact(found), []string{code}) {
			t.Errorf("instead of: got %v", found)
		}
		if found := codes(compiled(t, use)); len(found) > 0 {
			t.Errorf("use: got %v", found)
		}
	})
}

// TestMessages shows what is said of the examples, and where.
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

// tables are those of generator/testdata/schema.sql.
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
