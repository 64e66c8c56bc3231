package tests

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/tests/fixture"
	"pgretain/verifier"
)

// caughtElsewhere are the codes that no tamper.sql can provoke, with the test that does; its name is a
// function's in this directory or in ../verifier, and its body names the code.
var caughtElsewhere = map[string]string{
	"V001": "TestNotInstalled",
	"V011": "TestNotInstalled",
	"V044": "TestSchedulerIsNotRunning",
	"V075": "testRolesNone",
	"V091": "testWaitingIsUnknown",
	"V092": "wantChanging",
	"V093": "testStandbyBehind",
	"V094": "TestStandby",
}

func TestEveryVerifierCodeHasAPageAndACase(t *testing.T) {
	t.Parallel()
	caught := ""
	for _, c := range driftCases(t) {
		caught += c.Text("report.txt")
	}
	bodies := testBodies(t)
	var titles []string
	for _, code := range (verifier.Selection{}).Codes() {
		titles = append(titles, "# "+code+": "+diag.Title(code))
		elsewhere, named := caughtElsewhere[code]
		switch {
		case named && !strings.Contains(bodies[elsewhere], code):
			t.Errorf("there is no test %s that names %s", elsewhere, code)
		case !named && !strings.Contains(caught, "["+code+"]"):
			t.Errorf("no case of %s has a finding %s", driftDir, code)
		}
	}
	if diff := cmp.Diff(titles, checkPages(t)); diff != "" {
		t.Errorf("codes and pages differ (-codes +pages):\n%s", diff)
	}
}

// checkPages are the titles of the verifier's pages, which all have the same sections.
func checkPages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../docs/checks/V*.md")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, path := range paths {
		text := fixture.ReadFile(t, path)
		title, body, _ := strings.Cut(text, "\n")
		titles = append(titles, title)
		for _, section := range []string{"\n## problem\n", "\n## why it matters\n", "\n## solution\n"} {
			if !strings.Contains(body, section) {
				t.Errorf("%s has no section %q", path, strings.TrimSpace(section))
			}
		}
	}
	return titles
}

// testBodies are the functions of the tests about the verifier, by name.
func testBodies(t *testing.T) map[string]string {
	t.Helper()
	here, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob("../verifier/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, path := range append(here, there...) {
		text := fixture.ReadFile(t, path)
		for _, function := range strings.Split(text, "\nfunc ")[1:] {
			name, _, _ := strings.Cut(function, "(")
			bodies[name], _, _ = strings.Cut(function, "\n}\n")
		}
	}
	return bodies
}
