package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// widening matches statements and commands that grant privileges or remove a protection. Somebody
// who pastes a hint may not notice that.
var widening = regexp.MustCompile(`\b(GRANT [%A-Z]|DISABLE |DROP [A-Z]+ |CASCADE;|SUPERUSER|` +
	`(?:DATABASE|SYSTEM|ROLE ALL)[^;]* RESET|` +
	`release_hold|retention\.accept\(|pgretain accept|retention\.resume\(|pgretain resume)|--force|under "trust"`)

// widened maps the beginning of each text that widening may match to the reason.
var widened = map[string]string{
	// Statements that the runtime or a command executes.
	"DROP ROUTINE":                            "a function of an instance",
	"DROP TABLE IF EXISTS":                    "the stored join of an instance",
	"DROP COLUMN IF EXISTS %I":                "an uninstall drops the columns that a migration added",
	"DROP INDEX CONCURRENTLY IF EXISTS %I.%I": "an uninstall drops the indexes of pgretain",
	"DROP INDEX IF EXISTS %I.%I":              "an uninstall drops the indexes of pgretain",
	"GRANT %1$s ON %2$s %3$s TO %4$s":         "what _rights() lists",
	"GRANT CREATE ON SCHEMA %5$s TO %4$s;":    "during ALTER ... OWNER TO, revoked after it",
	"GRANT EXECUTE ON FUNCTION %s TO %I":      "what the policy file grants",
	"GRANT SELECT, INSERT, DELETE ON %s TO":   "the stored join of an instance",
	"GRANT %I TO %I":                          "in the sandbox of a rehearsal",

	// Scripts that a DBA runs.
	"GRANT %I TO %I%s":                          "memberships among the runtime's own roles",
	"GRANT CONNECT ON DATABASE %I TO %I":        "the runner and the worker connect",
	"GRANT CREATE ON DATABASE %I TO %I":         "the owner creates the runtime's schema",
	"GRANT CREATE ON SCHEMA %1$I TO %2$I;":      "during ALTER ROUTINE OWNER TO, revoked after it",
	"GRANT EXECUTE ON FUNCTION":                 "the runner schedules jobs that run in another database",
	"GRANT EXECUTE ON FUNCTION pg_catalog.":     "the owner tells a copy by a file's time",
	"GRANT USAGE ON SCHEMA cron TO %I":          "the runner schedules its own jobs",
	"DROP OWNED BY {{.Roles}}; DROP ROLE {{.Ro": "after an uninstall, and after REASSIGN OWNED: the roles own nothing",
	"DROP ROLE {{.Roles}}; {{- end}} {{defin":   "after an uninstall",

	// Statements of hints.
	"DROP INDEX %s;":                      "an index of pgretain that no policy wants",
	"DROP INDEX CONCURRENTLY %s;":         "an index of pgretain that no policy wants",
	"DROP ROUTINE %s;":                    "a function in the runtime's schema that no policy wants or calls",
	"DROP RULE %1$I ON %3$s":              "the rule changes what a policy does; the statement names the rule",
	"GRANT %s ON %s TO %s;":               "the privileges that a policy or the runtime's owner needs on one object",
	"GRANT EXECUTE ON FUNCTION %s TO %s;": "the one function that a policy of the application calls, to the worker",
	"GRANT SELECT ON %s TO %s;":           "the one table that a guard of the application reads, to the worker",
	"GRANT %s TO %s;":                     "the viewer to the role that verifies, or the worker to the owner",
	"GRANT CONNECT ON DATABASE %s TO %s;": "the runner starts the jobs",
	"GRANT OPTION":                        "an application's function that a policy grants",
	"GRANT USAGE ON SCHEMA %s TO %s;":     "the worker or the viewer's role may use a schema of a policy",
	"DATABASE %s RESET %s;":               "one setting of the runner in this database",

	// Hints to accept or resume.
	"release_hold restore resume set_window tak":    "names of functions that the operator may call",
	"pgretain accept %1$s --reason ''...'', or SEL": "only for a breaker; the hint says to look at the rows first",
	"retention.accept(%1$L, ''...'')":               "the message of a run that the breaker stopped",
	"retention.accept(%L, %L, run => %s);":          "the caller is accepting already; the hint names the stopped runs",
	"retention.accept(%1$L, ''...'').":              "only for a breaker; the hint says to look at the rows first",
	"pgretain resume %1$s, or SELECT retention.res": "the finding says who paused, and why",
	"pgretain resume, or SELECT retention.resume()": "the finding says who paused all policies, and why",
	"retention.resume()":                            "the finding says who paused all policies, and why",
	"retention.resume(%1$L)":                        "the finding says who paused, and why",
	"retention.resume(%s);":                         "the finding says who paused, and why",
	"retention.resume();":                           "the finding says who paused, and why",

	// Other texts.
	"DROP NOT NULL;": "a column of an archive, which gets no value; the table's owner decides",
	"DROP NOT NULL; and then \"pgretain snaps": "the policy sets the column to NULL, and the table's owner decides",
	"--force.{{end}} {{define \"no job\"}}t":   "a report is written over a file that the caller named",
	"release_hold(id, ''placed again'')":       "the same statement has placed the hold again",
	"under \"trust\" of the":                   "the last of three ways, behind another owner and DROP",
	"under \"trust\" of the install":           "the last of three ways, behind another owner and DROP",
}

// TestHintsTakeNoProtectionAway checks every text of the program and of the runtime. A text that
// grants privileges, disables a check or removes a hold must be listed in widened, with the reason.
func TestHintsTakeNoProtectionAway(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	for path, texts := range allTexts(t) {
		for _, text := range texts {
			for _, at := range widening.FindAllStringIndex(text, -1) {
				end := min(len(text), at[1]+30)
				key := strings.Join(strings.Fields(text[at[0]:end]), " ")
				found[key] = append(found[key], path)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if widened[key] == "" {
			t.Errorf("%q in %v is not listed in widened", key, found[key])
		}
	}
	for key := range widened {
		if found[key] == nil {
			t.Errorf("widened lists %q, but no text contains it", key)
		}
	}
}

var (
	sqlComment = regexp.MustCompile(`(?m)(^|\s)-- .*$`)
	sqlText    = regexp.MustCompile(`(EXECUTE\s+(?:format\(\s*)?)?'((?:[^']|'')*)'`)
)

// allTexts returns by file the texts that a user may see: string literals of Go and SQL, and the
// templates of messages. It leaves out the help of commands.
func allTexts(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, root := range []string{"sql", "templates", "verifier", "generator", "policy", "cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			switch {
			case strings.HasSuffix(path, ".go"):
				all[path] = goTexts(t, path)
			case strings.HasSuffix(path, ".txt.tmpl"):
				all[path] = []string{string(text)}
			case strings.HasSuffix(path, ".sql"), strings.HasSuffix(path, ".sql.tmpl"):
				for _, m := range sqlText.FindAllStringSubmatch(sqlComment.ReplaceAllString(string(text), ""), -1) {
					if m[1] == "" {
						all[path] = append(all[path], m[2])
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// goTexts returns the string literals of a Go file. It leaves out the literals in a cobra.Command
// and in definitions of flags.
func goTexts(t *testing.T, path string) (texts []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	help := regexp.MustCompile(`^(cobra\.Command|command\.Flags\(\)\.\w+|f\.(addFormat|addJSON|choose))$`)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			return n.Type == nil || !help.MatchString(types.ExprString(n.Type))
		case *ast.CallExpr:
			return !help.MatchString(types.ExprString(n.Fun))
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}
