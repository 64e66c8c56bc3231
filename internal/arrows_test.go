// Package internal has only tests. They check which packages of the project import which, and rules
// for the texts and comments of the whole project.
package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "pgretain/"

// arrows maps each package to the packages of the project that it may import. A package that is not
// listed fails TestArrows. "*" allows all packages.
var arrows = map[string][]string{
	"policy": {"internal/calendar", "internal/deep", "internal/diag", "internal/messages", "internal/parallel",
		"internal/pgparse", "internal/quote", "internal/lists"},
	"generator": {"policy", "templates", "sql", "internal/calendar", "internal/catalog", "internal/deep",
		"internal/diag", "internal/explain", "internal/messages", "internal/parallel", "internal/pgparse",
		"internal/quote", "internal/lists",
		"internal/shards"},
	"generator/history": {"*"},
	"verifier": {"generator", "policy", "sql/verify", "internal/calendar", "internal/catalog",
		"internal/diag", "internal/inspect", "internal/lists", "internal/messages", "internal/parallel",
		"internal/pgparse", "internal/quote", "internal/report", "internal/suppress"},
	"templates":         {},
	"sql":               {"internal/quote", "internal/lists"},
	"sql/catalog":       {"internal/quote"},
	"sql/verify":        {"internal/quote"},
	"migrations":        {},
	"internal/calendar": {},
	"internal/catalog":  {"internal/diag", "internal/pgparse"},
	"internal/deep":     {},
	"internal/diag":     {},
	"internal/explain":  {"policy", "internal/catalog", "internal/parallel", "internal/quote", "internal/lists"},
	"internal/htmlreport": {"verifier", "internal/calendar", "internal/diag", "internal/explain", "internal/quote",
		"internal/report", "internal/lists"},
	"internal/lint": {"policy", "internal/calendar", "internal/catalog", "internal/diag", "internal/lists",
		"internal/messages", "internal/pgparse"},
	"internal/lists":    {},
	"internal/messages": {"internal/diag", "internal/lists", "internal/quote"},
	"internal/parallel": {},
	"internal/pgparse":  {"internal/lists", "internal/parallel"},
	"internal/quote":    {"internal/lists"},
	"internal/inspect": {"generator", "policy", "internal/catalog", "internal/lists", "internal/pgparse",
		"internal/quote", "sql", "sql/catalog"},
	"internal/shards": {"policy", "internal/catalog", "internal/diag", "internal/messages", "internal/pgparse"},
	"internal/propose": {"generator", "policy", "internal/catalog", "internal/diag", "internal/explain",
		"internal/lint", "internal/quote", "internal/lists"},
	"internal/sandbox":  {"internal/diag", "internal/quote"},
	"internal/report":   {"docs/checks", "internal/diag", "policy"},
	"internal/suppress": {"policy", "internal/diag", "internal/messages"},
	"docs/checks":       {},
	"internal/install": {"internal/diag", "internal/messages", "internal/pgparse", "internal/quote", "policy", "sql",
		"internal/lists"},
	"pgretain": {"generator", "policy", "verifier", "internal/catalog", "internal/diag", "internal/explain",
		"internal/lint", "internal/lists"},
	"cmd/pgretain":      {"*"},
	"tests/bench":       {"*"},
	"tests/browser":     {},
	"tests/citus":       {"*"},
	"tests/fixture":     {"internal/diag", "internal/lists"},
	"tests/kit":         {"*"},
	"tests/monitoring":  {"tests/fixture", "tests/kit", "tests/pgtest"},
	"tests/poolers":     {"tests/kit", "tests/pgtest"},
	"tests/pgtest":      {"*"},
	"tests":             {"*"},
	"tests/behaviour":   {"*"},
	"tests/examples":    {"*"},
	"tests/firstday":    {"*"},
	"tests/formats":     {"*"},
	"tests/fleet":       {"*"},
	"tests/history":     {"*"},
	"tests/hostile":     {"*"},
	"tests/interrupted": {"*"},
	"tests/migrators":   {"generator", "tests/fixture", "tests/kit", "tests/pgtest"},
	"tests/kills":       {"internal/sandbox", "tests/kit", "tests/pgtest"},
	"tests/hints":       {"*"},
	"tests/life":        {"*"},
	"tests/model":       {"internal/quote", "tests/kit", "tests/pgtest"},
	"tests/providers":   {"*"},
	"tests/races":       {"*"},
	"tests/roles":       {"*"},
	"internal":          {},
}

// users maps packages from outside the project to the packages that may import them. Other packages
// from outside are not restricted. Tests may import all packages.
var users = map[string][]string{
	"github.com/jackc/pgx/v5": {"pgretain", "verifier", "internal/htmlreport", "internal/inspect",
		"internal/install", "internal/sandbox", "cmd/pgretain", "tests/bench", "tests/kit", "tests/pgtest"},
	"github.com/pressly/goose/v3":              {"internal/install"},
	"github.com/spf13/cobra":                   {"cmd/pgretain"},
	"github.com/pganalyze/pg_query_go/v6":      {"internal/pgparse"},
	"go.yaml.in/yaml/v3":                       {"policy"},
	"github.com/google/go-cmp":                 {"tests/fixture"},
	"github.com/santhosh-tekuri/jsonschema/v6": {},
	"github.com/rogpeppe/go-internal":          {"cmd/pgretain", "tests/fixture"},
	"database/sql":                             {"internal/install"},
	"os/exec": {"internal/sandbox", "cmd/pgretain", "tests/bench", "tests/browser",
		"tests/kit", "tests/pgtest"},
	"net": {"internal/install", "internal/report", "internal/sandbox", "cmd/pgretain", "tests/pgtest",
		"tests/kit", "tests/bench"},
	"text/template": {"cmd/pgretain", "generator", "internal/explain", "internal/install", "internal/propose"},
	"html/template": {"internal/htmlreport"},
	"math/rand":     {"tests/bench"},
	"embed": {"docs/checks", "policy", "templates", "sql", "sql/catalog", "sql/verify", "migrations",
		"internal/explain", "internal/htmlreport", "internal/install", "internal/propose",
		"internal/sandbox", "cmd/pgretain", "tests/bench", "tests/browser", "tests/kit"},
}

// goPackage is a package of the project, without its test files.
type goPackage struct {
	path    string // import path without the module's name
	imports []string
	files   []string
}

func TestArrows(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		allowed, known := arrows[p.path]
		if !known {
			t.Errorf("package %s is not listed in arrows: list the packages that it may import", p.path)
			continue
		}
		for _, path := range p.imports {
			if ours, ok := strings.CutPrefix(path, module); ok {
				if !slices.Contains(allowed, ours) && !slices.Contains(allowed, "*") {
					t.Errorf("%s may not import %s", p.path, ours)
				}
				continue
			}
			for thing, who := range users {
				if (path == thing || strings.HasPrefix(path, thing+"/")) && !slices.Contains(who, p.path) {
					t.Errorf("%s may not import %s", p.path, path)
				}
			}
		}
	}
}

// TestGeneratorIsPure checks that the output of the generator depends only on its arguments. The
// generator and the packages that it uses read no environment, clock or random number. Only package
// policy opens a file, the policy file.
func TestGeneratorIsPure(t *testing.T) {
	t.Parallel()
	pure := []string{"generator", "policy", "templates", "sql", "internal/calendar", "internal/catalog",
		"internal/diag", "internal/explain", "internal/lint", "internal/messages", "internal/pgparse",
		"internal/propose", "internal/quote"}
	impure := []string{"os", "context", "math/rand", "math/rand/v2", "crypto/rand", "syscall", "runtime",
		"database/sql"}
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.path) {
			continue
		}
		for _, path := range p.imports {
			if slices.Contains(impure, path) && !(p.path == "policy" && path == "os") {
				t.Errorf("%s may not import %s", p.path, path)
			}
		}
		for call, at := range calls(t, p) {
			if slices.Contains([]string{"time.Now", "time.Since", "time.Until", "time.After", "os.Getenv"}, call) {
				t.Errorf("%s calls %s", at, call)
			}
		}
	}
}

// TestOnlyInstallWrites checks that the packages that read a database open only READ ONLY
// transactions.
func TestOnlyInstallWrites(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !slices.Contains([]string{"verifier", "internal/htmlreport", "internal/inspect"}, p.path) {
			continue
		}
		made := calls(t, p)
		if made["pgx.BeginTxFunc"] == "" {
			t.Errorf("%s does not use pgx.BeginTxFunc", p.path)
		}
		for call, at := range made {
			if _, method, ok := strings.Cut(call, "."); ok &&
				slices.Contains([]string{"Begin", "BeginTx", "CopyFrom", "SendBatch"}, method) {
				t.Errorf("%s calls %s", at, call)
			}
		}
		if !strings.Contains(text(t, p), "AccessMode: pgx.ReadOnly") {
			t.Errorf("%s does not set AccessMode: pgx.ReadOnly", p.path)
		}
	}
}

// packages returns the packages of the module, without test files.
func packages(t *testing.T) []goPackage {
	t.Helper()
	command := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{join .Imports " "}}|{{.Dir}}|{{join .GoFiles " "}}`,
		module+"...")
	command.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		p := goPackage{path: strings.TrimPrefix(parts[0], module), imports: strings.Fields(parts[1])}
		for _, name := range strings.Fields(parts[3]) {
			p.files = append(p.files, filepath.Join(parts[2], name))
		}
		list = append(list, p)
	}
	if len(list) < 15 {
		t.Fatalf("go list found %d packages, want at least 15", len(list))
	}
	return list
}

// calls maps each selector "x.F" of a package to one place where it is used.
func calls(t *testing.T, p goPackage) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, path := range p.files {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					found[x.Name+"."+s.Sel.Name] = files.Position(s.Pos()).String()
				}
			}
			return true
		})
	}
	return found
}

func text(t *testing.T, p goPackage) string {
	t.Helper()
	var all strings.Builder
	for _, path := range p.files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}
