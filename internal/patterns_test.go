package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// patterns maps each file of the program that imports regexp to the texts that it matches. No file
// matches SQL of a policy or of the catalog: package pgparse parses it. Files of migrations are
// read by their marks and by the statements that this project wrote. The list may only get shorter.
var patterns = map[string]string{
	"cmd/pgretain/fleet.go":              "names of databases",
	"cmd/pgretain/lint.go":               "keys of YAML",
	"cmd/pgretain/tables.go":             "commands of psql in a dump",
	"generator/format.go":                "marks that migration tools read",
	"generator/migration_dir.go":         "marks and names of migrations",
	"generator/migration_file.go":        "marks of migrations",
	"generator/migration_old.go":         "marks and statements of migrations of earlier versions",
	"generator/migration_read.go":        "marks and statements of migrations",
	"internal/calendar/calendar.go":      "schedules",
	"internal/catalog/file.go":           "escapes of JSON",
	"internal/diag/plain.go":             "colours of a terminal",
	"internal/install/migrate.go":        "marks of migrations",
	"internal/lint/solver.go":            "values of constants",
	"internal/propose/propose.go":        "names of tables",
	"internal/propose/render.go":         "words of YAML",
	"internal/propose/rules.go":          "names of tables and columns",
	"internal/quote/quote.go":            "line breaks",
	"internal/report/sarif.go":           "numbers in messages",
	"policy/document.go":                 "messages of the YAML library",
	"policy/fleet.go":                    "URLs of databases",
	"policy/interval.go":                 "intervals",
	"policy/names.go":                    "names of relations",
	"policy/reader.go":                   "scalars of YAML",
	"policy/scalar.go":                   "numbers, durations and rates",
	"policy/sql.go":                      "numbers of YAML",
	"policy/words.go":                    "names",
	"internal/messages/verify_rights.go": "messages of the server",
}

// TestPatterns checks that only the listed files import regexp. The parser may import it.
func TestPatterns(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, p := range packages(t) {
		if !slices.Contains(p.imports, "regexp") {
			continue
		}
		for _, path := range p.files {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			found[filepath.ToSlash(name)] = importsRegexp(t, path)
		}
	}
	for name, imports := range found {
		ofParser, _ := filepath.Match("internal/pgparse/*", name)
		ofTests, _ := filepath.Match("tests/*/*", name)
		if imports && patterns[name] == "" && !ofParser && !ofTests {
			t.Errorf("%s imports regexp. For SQL, ask the tree of an expression, or write a function in "+
				"package pgparse. For other texts, add the file to patterns.", name)
		}
	}
	for name := range patterns {
		if !found[name] {
			t.Errorf("%s does not import regexp any more: remove it from the list", name)
		}
	}
}

func importsRegexp(t *testing.T, path string) bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"regexp"` })
}
