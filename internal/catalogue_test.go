package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// otherTexts maps each file outside of package messages that gives a diagnostic a text to the
// origin of the text. The list may only get shorter.
var otherTexts = map[string]string{
	"cmd/pgretain/console.go":      "texts.txt.tmpl, the texts of the commands",
	"cmd/pgretain/status.go":       "the function health() of the runtime",
	"generator/history.go":         "an exported error",
	"generator/migration.go":       "an exported error",
	"internal/htmlreport/judge.go": "the function health() of the runtime",
	"internal/install/errors.go":   "the server, or an error",
	"internal/sandbox/process.go":  "an exported error",
}

// TestTextsAreInTheCatalogue checks that only package messages writes texts of diagnostics: the
// message, detail or hint in a composite literal, or an assignment to its message. Functions that
// report a diagnostic take it as a value, so a text without a code does not compile there.
func TestTextsAreInTheCatalogue(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	found, inMessages := map[string]bool{}, 0
	for _, p := range packages(t) {
		if !slices.Contains(p.imports, module+"internal/diag") || strings.HasPrefix(p.path, "tests/") {
			continue
		}
		for path, places := range textsOfDiagnostics(t, p) {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			name = filepath.ToSlash(name)
			if p.path == "internal/messages" {
				inMessages += len(places)
				continue
			}
			if found[name] = true; otherTexts[name] == "" {
				t.Errorf("%v write a text of a diagnostic. Add a value or a function to package messages.", places)
			}
		}
	}
	for name := range otherTexts {
		if !found[name] {
			t.Errorf("%s writes no text of a diagnostic: remove it from otherTexts", name)
		}
	}
	if inMessages < 200 {
		t.Errorf("found %d diagnostics in package messages, want at least 200", inMessages)
	}
}

// textsOfDiagnostics returns by file the places where a package gives a diagnostic a text. An alias
// of diag.Diagnostic in the package is the same type.
func textsOfDiagnostics(t *testing.T, p goPackage) map[string][]string {
	t.Helper()
	files, parsed, names := token.NewFileSet(), map[string]*ast.File{}, []string{"diag.Diagnostic"}
	for _, path := range p.files {
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed[path] = file
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && types.ExprString(s.Type) == "diag.Diagnostic" {
				names = append(names, s.Name.Name)
			}
			return true
		})
	}
	found := map[string][]string{}
	for path, file := range parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			writes := false
			switch n := n.(type) {
			case *ast.CompositeLit: // without a type it is an element of a list
				writes = (n.Type == nil || slices.Contains(names, types.ExprString(n.Type))) &&
					slices.ContainsFunc(n.Elts, isTextField)
			case *ast.AssignStmt:
				writes = slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool {
					s, ok := e.(*ast.SelectorExpr)
					return ok && s.Sel.Name == "Message"
				})
			}
			if writes {
				found[path] = append(found[path], files.Position(n.Pos()).String())
			}
			return true
		})
	}
	return found
}

// isTextField reports whether an element of a composite literal sets a text of a diagnostic.
func isTextField(element ast.Expr) bool {
	field, ok := element.(*ast.KeyValueExpr)
	return ok && slices.Contains([]string{"Message", "Detail", "Hint"}, types.ExprString(field.Key))
}
