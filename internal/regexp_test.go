package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// regexps maps each file of the product that uses regular expressions to what they match. SQL of a
// policy, of a catalog or of a migration is read by package pgparse instead. The list may only get
// shorter.
var regexps = map[string]string{
	"cmd/pgretain/fleet.go":              "names of databases that cannot be names of files",
	"cmd/pgretain/lint.go":               "lines of YAML",
	"cmd/pgretain/tables.go":             "the two commands of psql that pg_dump writes",
	"generator/format.go":                "versions of files, a mark of the generator, variables of psql",
	"generator/migration_dir.go":         "marks of the generator, names of files",
	"generator/migration_file.go":        "a mark of the generator",
	"generator/migration_old.go":         "marks of earlier versions",
	"generator/migration_read.go":        "marks of goose",
	"generator/runtime.go":               "names in the files of the runtime",
	"internal/calendar/calendar.go":      "schedules",
	"internal/catalog/file.go":           "escapes in JSON",
	"internal/diag/plain.go":             "codes of colours",
	"internal/install/migrate.go":        "marks of the generator and of goose",
	"internal/lint/solver.go":            "values of constants: dates and words",
	"internal/messages/verify_rights.go": "a message of the server",
	"internal/pgparse/references.go":     "values of constants: the words of dates and times",
	"internal/propose/propose.go":        "names of tables and columns",
	"internal/propose/render.go":         "scalars of YAML",
	"internal/propose/rules.go":          "names of tables and columns",
	"internal/quote/quote.go":            "line breaks",
	"internal/report/sarif.go":           "numbers in a message",
	"policy/document.go":                 "messages of the YAML parser",
	"policy/fleet.go":                    "URLs of databases",
	"policy/interval.go":                 "intervals",
	"policy/names.go":                    "names of generated relations",
	"policy/reader.go":                   "scalars of YAML",
	"policy/scalar.go":                   "scalars of YAML: numbers, durations, rates",
	"policy/sql.go":                      "scalars of YAML: numbers",
	"policy/words.go":                    "names and words of the policy file",
	"verifier/origin.go":                 "hints that say to migrate",
}

// TestRegularExpressions checks that no other file of the product imports package regexp.
func TestRegularExpressions(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, p := range packages(t) {
		if strings.HasPrefix(p.path, "tests/") || !slices.Contains(p.imports, "regexp") {
			continue
		}
		for _, path := range p.files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			imports := func(i *ast.ImportSpec) bool { return i.Path.Value == `"regexp"` }
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			if name = filepath.ToSlash(name); !slices.ContainsFunc(file.Imports, imports) {
				continue
			}
			if found[name] = true; regexps[name] == "" {
				t.Errorf("%s imports regexp. Read SQL with package pgparse; no other file may match it.", name)
			}
		}
	}
	for name := range regexps {
		if !found[name] {
			t.Errorf("%s does not import regexp: remove it from regexps", name)
		}
	}
}
