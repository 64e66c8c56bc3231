// Package internal holds what no other place in the picture of the house has. Its own test holds
// the arrows of that picture: which package may know which.
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

// arrows lists, for every package that ends up in the program, the packages of the project that
// it may import.
var arrows = map[string][]string{
	"policy": {"internal/calendar", "internal/diag", "internal/parallel", "internal/pgparse",
		"internal/quote", "internal/lists"},
	"generator": {"policy", "templates", "sql", "internal/calendar", "internal/catalog", "internal/diag",
		"internal/explain", "internal/parallel", "internal/pgparse", "internal/quote", "internal/shards"},
	"generator/history": {"*"},
	"verifier": {"generator", "policy", "sql/verify", "internal/calendar", "internal/catalog",
		"internal/diag", "internal/inspect", "internal/parallel", "internal/pgparse", "internal/quote", "internal/report", "internal/suppress", "internal/lists"},
	"templates":         {},
	"sql":               {"internal/quote", "internal/lists"},
	"sql/catalog":       {"internal/quote"},
	"sql/verify":        {"internal/quote"},
	"migrations":        {},
	"internal/calendar": {},
	"internal/catalog":  {"internal/diag", "internal/pgparse"},
	"internal/diag":     {},
	"internal/explain":  {"policy", "internal/catalog", "internal/parallel", "internal/quote", "internal/lists"},
	"internal/htmlreport": {"verifier", "internal/calendar", "internal/diag", "internal/explain", "internal/quote",
		"internal/report", "internal/lists"},
	"internal/lint":     {"policy", "internal/calendar", "internal/catalog", "internal/diag", "internal/pgparse"},
	"internal/lists":    {},
	"internal/parallel": {},
	"internal/pgparse":  {"internal/parallel"},
	"internal/quote":    {"internal/lists"},
	"internal/inspect":  {"generator", "policy", "internal/catalog", "internal/quote", "sql", "sql/catalog"},
	"internal/shards":   {"policy", "internal/catalog", "internal/diag", "internal/pgparse"},
	"internal/propose": {"generator", "policy", "internal/catalog", "internal/diag", "internal/explain",
		"internal/lint", "internal/quote", "internal/lists"},
	"internal/sandbox":  {"internal/diag", "internal/quote"},
	"internal/report":   {"docs/checks", "internal/diag", "policy"},
	"internal/suppress": {"policy", "internal/diag"},
	"docs/checks":       {},
	"internal/install":  {"internal/diag", "internal/pgparse", "internal/quote", "policy", "sql", "internal/lists"},
	"cmd/pgretain":      {"*"},
	"tests/bench":       {"*"},
	"tests/browser":     {},
	"tests/citus":       {"*"},
	"tests/fixture":     {"internal/diag"},
	"tests/kit":         {"*"},
	"tests/monitoring":  {"tests/fixture", "tests/kit", "tests/pgtest"},
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
	"tests/kills":       {"internal/sandbox", "tests/kit", "tests/pgtest"},
	"tests/model":       {"internal/quote", "tests/kit", "tests/pgtest"},
	"tests/races":       {"*"},
	"tests/roles":       {"*"},
	"internal":          {},
}

// users lists who may import what is not ours; everything else of the kind is refused. Tests may
// import what they like.
var users = map[string][]string{
	"github.com/jackc/pgx/v5": {"verifier", "internal/htmlreport", "internal/inspect",
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
	"text/template": {"cmd/pgretain", "generator", "internal/explain", "internal/install", "internal/propose",
		"internal/diag"},
	"html/template": {"internal/htmlreport"},
	"math/rand":     {"tests/bench"},
	"embed": {"docs/checks", "policy", "templates", "sql", "sql/catalog", "sql/verify", "migrations",
		"internal/explain", "internal/htmlreport", "internal/install", "internal/propose", "internal/sandbox", "cmd/pgretain", "tests/bench", "tests/browser", "tests/kit", "internal/lint"},
}

type goPackage struct {
	path    string // without the module
	imports []string
	files   []string
}

func TestArrows(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		allowed, known := arrows[p.path]
		if !known {
			t.Errorf("%s is not in the picture: say which packages it may import", p.path)
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

// TestGeneratorIsPure holds that the generator and what it is made of ask nobody: no file, no
// environment, no clock, no random number. The reader of policies opens the one file that it is
// given.
func TestGeneratorIsPure(t *testing.T) {
	t.Parallel()
	pure := []string{"generator", "policy", "templates", "sql", "internal/calendar", "internal/catalog",
		"internal/diag", "internal/explain", "internal/lint", "internal/pgparse", "internal/propose", "internal/quote"}
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

// TestOnlyInstallWrites holds that whoever else speaks to a database on its own does so in
// READ ONLY transactions.
func TestOnlyInstallWrites(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !slices.Contains([]string{"verifier", "internal/htmlreport", "internal/inspect"}, p.path) {
			continue
		}
		made := calls(t, p)
		if made["pgx.BeginTxFunc"] == "" {
			t.Errorf("%s does not say of its transactions that they only read", p.path)
		}
		for call, at := range made {
			if _, method, ok := strings.Cut(call, "."); ok &&
				slices.Contains([]string{"Begin", "BeginTx", "CopyFrom", "SendBatch"}, method) {
				t.Errorf("%s calls %s", at, call)
			}
		}
		if !strings.Contains(text(t, p), "AccessMode: pgx.ReadOnly") {
			t.Errorf("%s does not ask for READ ONLY", p.path)
		}
	}
}

// packages lists those of the module, tests left out.
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
		t.Fatalf("go list found %d packages", len(list))
	}
	return list
}

// calls maps "x.F" to a place where it is called.
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
