package examples

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
)

// TestExamplesGoUpAndDown migrates every example up on its schema with data, down, up again, and
// uninstalls. Down and uninstall restore the previous catalog, and verify finds no difference.
// While an example is installed, PostgreSQL parses the calls that the documentation shows.
func TestExamplesGoUpAndDown(t *testing.T) {
	t.Parallel()
	policies, err := filepath.Glob(directory("*/retention.yaml"))
	if err != nil || len(policies) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, policy := range policies {
		dir := filepath.Dir(policy)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			in := kit.ShippedFiles(t, dir)
			in.DB.Exec(t, fixture.ReadFile(t, dir, "data.sql"))
			for _, check := range generator.Checks(in.File, kit.Snapshot(t, dir)) {
				in.DB.Exec(t, check.SQL)
			}
			before := kit.Catalog(t, in.DB, "retention")
			in.Up(t)
			installed := kit.Catalog(t, in.DB, "retention")
			if len(installed) <= len(before) {
				t.Fatal("nothing was installed")
			}
			in.WantConforms(t, in.WantedObjects(t, dir))
			parseShownCalls(t, in, filepath.Base(dir))
			in.DB.Exec(t, fixture.ReadFile(t, dir, "tamper.sql"))
			if report := in.Verify(t, "", in.WantedObjects(t, dir)); report.Count(diag.Drift) != 1 ||
				report.Findings[0].Code.String() != "V003" {
				t.Errorf("after tamper.sql the findings are %v", report.Findings)
			}
			if _, err := in.TryDown(t, true); err != nil {
				t.Fatalf("%+v", install.Diagnostics(err))
			}
			if diff := cmp.Diff(before, kit.Catalog(t, in.DB, "retention")); diff != "" {
				t.Errorf("down left something behind, or took too much (-before +after):\n%s", diff)
			}
			in.Up(t)
			if diff := cmp.Diff(installed, kit.Catalog(t, in.DB, "retention")); diff != "" {
				t.Errorf("up again differs from up (-first +second):\n%s", diff)
			}
			options := in.Options()
			options.Removal = generator.Removal(in.File.Install)
			if err := install.Uninstall(t.Context(), in.URL(kit.Migrator), in.Migrations, options); err != nil {
				t.Fatalf("%+v", install.Diagnostics(err))
			}
			if diff := cmp.Diff(before, kit.Catalog(t, in.DB, "retention")); diff != "" {
				t.Errorf("uninstall left something behind, or took too much (-before +after):\n%s", diff)
			}
		})
	}
}

var (
	shownStatement = regexp.MustCompile(`(?s)^(?:SELECT|CALL|INSERT) .*\bretention\.\w`)
	shownComment   = regexp.MustCompile(`--.*`)
	shownInShell   = regexp.MustCompile(`"((?:SELECT|CALL) retention\.[^"]+)"`)
	shownArguments = regexp.MustCompile(`retention\.\w+\(([^()']*)\)`)
	shownArgument  = regexp.MustCompile(`([a-z]\w*)(?: => *)?(,|$)`)
)

// parseShownCalls makes PostgreSQL parse each call of the runtime that the documentation shows. The
// calls of an example's pages need that example; all other calls use bot-queue. An argument that is
// a word stands for an argument of that name.
func parseShownCalls(t *testing.T, in *kit.Installed, example string) {
	t.Helper()
	conn, parsed := in.Conn(t), 0
	for _, page := range fixture.Documents(t, "../..") {
		of := filepath.Base(filepath.Dir(page))
		if filepath.Base(filepath.Dir(filepath.Dir(page))) != "examples" {
			of = "bot-queue"
		}
		name := filepath.Base(page)
		// TestReferenceExamples executes the calls of policy.md. CHANGELOG.md describes older
		// calls.
		if of != example || name == "policy.md" || name == "CHANGELOG.md" {
			continue
		}
		for _, statement := range shownCalls(fixture.ReadFile(t, page)) {
			parsed++
			if _, err := conn.Prepare(t.Context(), "", statement); err != nil {
				t.Errorf("%s: %s: %v", page, statement, err)
			}
		}
	}
	if least := map[string]int{"bot-queue": 45, "trade-dedup": 5}[example]; parsed < least {
		t.Errorf("found %d calls on pages", parsed)
	}
}

// shownCalls returns the statements of a page that call the runtime. It leaves out statements with
// an ellipsis, and statements for Citus, which tests/citus executes.
func shownCalls(page string) []string {
	var list []string
	for _, code := range fixture.Code(page) {
		for _, call := range shownInShell.FindAllStringSubmatch(code, -1) {
			code += ";" + call[1]
		}
		for statement := range strings.SplitSeq(shownComment.ReplaceAllString(strings.ReplaceAll(code, "{...}", "{}"),
			""), ";") {
			statement = strings.Join(strings.Fields(statement), " ")
			if !shownStatement.MatchString(statement) || strings.Contains(statement, "(...") ||
				strings.Contains(statement, ", ...") ||
				strings.Contains(statement, "run_command_on_workers") {
				continue
			}
			for _, of := range shownArguments.FindAllStringSubmatch(statement, -1) {
				statement = strings.Replace(statement, "("+of[1]+")", "("+
					shownArgument.ReplaceAllString(of[1], "\"$1\" => NULL$2")+")", 1)
			}
			list = append(list, statement)
		}
	}
	return list
}
