package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// verbsOfEffects are verbs that blast_radius, previews and dry runs report and that no step has.
var verbsOfEffects = []string{"blocked", "cascade", "due", "refused", "set default", "set null", "unknown", "unsure"}

// TestVerbs checks that the table policy accepts exactly the verbs of Go, and that the SQL of the
// runtime compares steps and effects with no other verb.
func TestVerbs(t *testing.T) {
	t.Parallel()
	verbs := declaredVerbs(t)
	table, err := os.ReadFile("../sql/tables/policy.sql")
	if err != nil {
		t.Fatal(err)
	}
	accepted := regexp.MustCompile(`steps, '\$\[\*\]\.verb'\)\s+<@ '\[(.*)\]'`).FindSubmatch(table)
	if accepted == nil {
		t.Fatal("policy.sql has no CHECK on the verbs of steps")
	}
	if diff := cmp.Diff(verbs, quotedWords(string(accepted[1]))); diff != "" {
		t.Errorf("verbs of steps in policy/verb.go (-) and in policy.sql (+):\n%s", diff)
	}
	known := append(verbs, verbsOfEffects...)
	compared := regexp.MustCompile(`\bverb (?:=|<>|==) ('[^']*'|"[^"]*")|\bverb (?:NOT )?IN \(([^()]*)\)|` +
		`\bverb WHEN ('[^']*')|'verb', ('[^']*')`)
	found := 0
	for _, dir := range []string{"../sql", "../templates"} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(os.DirFS(dir), path)
			for _, match := range compared.FindAllStringSubmatch(string(text), -1) {
				for _, verb := range quotedWords(strings.Join(match[1:], " ")) {
					if found++; !slices.Contains(known, verb) && verb != "REVOKE" {
						t.Errorf("%s/%s: %q is no verb of policy/verb.go and no verb of an effect", dir, path, verb)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 50 {
		t.Errorf("found %d verbs in the SQL, want at least 50", found)
	}
}

// declaredVerbs returns the verbs of steps that package policy declares: the first group of
// constants.
func declaredVerbs(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../policy/verb.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var verbs []string
	for _, declared := range file.Decls {
		group, _ := declared.(*ast.GenDecl)
		if group == nil || group.Tok != token.CONST || !group.Lparen.IsValid() {
			continue
		}
		for _, spec := range group.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				verb, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				verbs = append(verbs, verb)
			}
		}
	}
	slices.Sort(verbs)
	return verbs
}

// quotedWords returns the texts between single or double quotes, sorted.
func quotedWords(text string) []string {
	var words []string
	for _, match := range regexp.MustCompile(`['"]([^'"]*)['"]`).FindAllStringSubmatch(text, -1) {
		words = append(words, match[1])
	}
	slices.Sort(words)
	return words
}
