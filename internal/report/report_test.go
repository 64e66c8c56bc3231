package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/docs/checks"
	"pgretain/internal/diag"
	_ "pgretain/internal/messages" // declares the codes
	"pgretain/internal/report"
	"pgretain/policy"
)

func finding(severity diag.Severity, code, message string, line int) report.Finding {
	f := report.Finding{Group: "indexes", Diagnostic: diag.Diagnostic{Severity: severity, Code: diag.Find(code),
		Message: message}}
	if line > 0 {
		f.Position = diag.Position{File: "db/retention.yaml", Line: line, Column: 3}
	}
	return f
}

// log returns a log with a finding of every kind.
func log() report.Log {
	suppressed := finding(diag.Drift, "V021", "an index", 9)
	suppressed.Suppressed = &policy.Suppression{Reason: "release 12", Until: "2027-01-31",
		Position: diag.Position{File: "db/retention.yaml", Line: 30, Column: 13, Width: 4}}
	full := finding(diag.Drift, "V020", `index "app.i" is missing`, 9)
	full.Kind, full.Object, full.Table, full.Policy = "index", "app.i", "app.note", "notes"
	full.Want, full.Got, full.Detail, full.Hint = "a", "b", "Runs read all.", "SELECT 1;\nSELECT 2;"
	return report.Log{Verb: "verify", Version: "v1", File: "db/retention.yaml", Root: "", Findings: []report.Finding{
		finding(diag.Unknown, "V090", "could not check <x>", 0), full, suppressed,
		finding(diag.Info, "V048", "job has not run", 20),
		finding(diag.Warning, "", "no snapshot", 0),
		finding(diag.Error, "P014", "invalid", 14),
	}}
}

func inRoot(t *testing.T, l report.Log) report.Log {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	l.Root = dir
	return l
}

func TestCounts(t *testing.T) {
	t.Parallel()
	l := log()
	if l.Count(diag.Drift) != 1 || l.Count(diag.Unknown) != 1 || l.Suppressed() != 1 {
		t.Errorf("%d drift, %d unknown, %d suppressed", l.Count(diag.Drift), l.Count(diag.Unknown), l.Suppressed())
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := report.WriteJSON(&out, log().Findings[:3]); err != nil {
		t.Fatal(err)
	}
	want := `[
  {
    "code": "V090",
    "severity": "unknown",
    "group": "indexes",
    "message": "could not check <x>"
  },
  {
    "code": "V020",
    "severity": "drift",
    "group": "indexes",
    "kind": "index",
    "object": "app.i",
    "table": "app.note",
    "policy": "notes",
    "file": "db/retention.yaml",
    "line": 9,
    "column": 3,
    "want": "a",
    "got": "b",
    "message": "index \"app.i\" is missing",
    "detail": "Runs read all.",
    "hint": "SELECT 1;\nSELECT 2;"
  },
  {
    "code": "V021",
    "severity": "drift",
    "group": "indexes",
    "file": "db/retention.yaml",
    "line": 9,
    "column": 3,
    "message": "an index",
    "suppressed": {
      "reason": "release 12",
      "until": "2027-01-31",
      "line": 30,
      "column": 13
    }
  }
]
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	want := `::warning file=db/retention.yaml,line=1,col=1,title=V090 check could not be made::could not check <x>
::error file=db/retention.yaml,line=9,col=3,title=V020 index is missing::index "app.i" is missing%0Awant: a%0Agot: b%0ARuns read all.%0Ahint: SELECT 1;%0ASELECT 2;
::notice file=db/retention.yaml,line=20,col=3,title=V048 job has not run yet::job has not run
::warning file=db/retention.yaml,line=1,col=1,title=pgretain::no snapshot
::error file=db/retention.yaml,line=14,col=3,title=P014 invalid window::invalid
`
	if diff := cmp.Diff(want, github(t, inRoot(t, log()))); diff != "" {
		t.Error(diff)
	}
}

func github(t *testing.T, l report.Log) string {
	t.Helper()
	var out bytes.Buffer
	if err := l.GitHub(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestGitHubTakesHostileText checks that GitHub escapes special characters of workflow commands in
// names and messages. The output is one line, and decoding it as GitHub does returns the original
// texts.
func TestGitHubTakesHostileText(t *testing.T) {
	t.Parallel()
	hostile := "50%25 %0A x\r\n::error file=a,line=1::b\n::stop-commands::c, d: e\u2028%"
	f := finding(diag.Drift, "V020", hostile, 3)
	f.Position.File, f.Hint = "a,b:c%\n::d.yaml", hostile
	out := github(t, report.Log{File: "x", Root: "/", Findings: []report.Finding{f}})
	line, rest, _ := strings.Cut(out, "\n")
	if rest != "" || strings.ContainsAny(line, "\r\n") {
		t.Fatalf("more than one line:\n%s", out)
	}
	properties, message, found := strings.Cut(strings.TrimPrefix(line, "::error "), "::")
	if !found || read(message) != hostile+"\nhint: "+hostile {
		t.Errorf("the message is %q", read(message))
	}
	got := map[string]string{}
	for _, property := range strings.Split(properties, ",") {
		key, value, _ := strings.Cut(property, "=")
		got[key] = read(value)
	}
	if len(got) != 4 || !strings.HasSuffix(got["file"], "a,b:c%\n::d.yaml") || got["line"] != "3" ||
		got["title"] != "V020 index is missing" {
		t.Errorf("the properties are %q", got)
	}
}

// read decodes a value as GitHub's runner does. It decodes the percent sign last.
func read(text string) string {
	for _, pair := range [][2]string{{"%0D", "\r"}, {"%0A", "\n"}, {"%3A", ":"}, {"%2C", ","}, {"%25", "%"}} {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return text
}

// TestFilesAreNamedFromTheRoot checks that names of files below the root are relative to the root.
// They do not depend on the working directory or on the form of the given name.
func TestFilesAreNamedFromTheRoot(t *testing.T) {
	t.Parallel()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	above := filepath.Dir(filepath.Dir(dir))
	for _, c := range []struct{ root, file, path, uri string }{
		{dir, "a b.yaml", "a b.yaml", "a%20b.yaml"},
		{dir, filepath.Join(dir, "x", "ä#?.yaml"), "x/ä#?.yaml", "x/%C3%A4%23%3F.yaml"},
		{above, "retention.yaml", "internal/report/retention.yaml", "internal/report/retention.yaml"},
		{above, "../../db/r.yaml", "db/r.yaml", "db/r.yaml"},
		{dir, "c:d.yaml", "c:d.yaml", "./c:d.yaml"},
		{dir, "../r.yaml", "../r.yaml", "../r.yaml"},
		{filepath.Join(dir, "x"), "/etc/r.yaml", "/etc/r.yaml", "file:///etc/r.yaml"},
	} {
		f := finding(diag.Drift, "V020", "m", 1)
		f.Position.File = c.file
		l := report.Log{File: "retention.yaml", Root: c.root, Findings: []report.Finding{f}}
		want := "file=" + strings.NewReplacer(":", "%3A").Replace(c.path) + ","
		if got := github(t, l); !strings.Contains(got, want) {
			t.Errorf("%s: GitHub writes %s, want it to contain %s", c.file, got, want)
		}
		first := result(sarif(t, l)["runs"].([]any)[0].(map[string]any), 0)
		location := first["locations"].([]any)[0].(map[string]any)["physicalLocation"]
		got := location.(map[string]any)["artifactLocation"]
		if diff := cmp.Diff(map[string]any{"uri": c.uri}, got); diff != "" {
			t.Errorf("%s: %s", c.file, diff)
		}
	}
}

func sarif(t *testing.T, l report.Log) map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := l.SARIF(&out); err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(out.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// TestPages checks that every code has a page. The section "problem" of the page becomes the
// description of a rule, which code scanning limits to 1,024 characters.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, code := range diag.Codes() {
		page := checks.Page(code.String())
		if problem := checks.Problem(code.String()); problem == "" || len([]rune(problem)) > 1024 ||
			!strings.HasPrefix(page, "# "+code.String()+": "+code.Title()+"\n") {
			t.Errorf("%s: %q", code, problem)
		}
	}
	if checks.Page("V999") != "" || checks.Problem("V999") != "" {
		t.Error("checks returns a page for a code that does not exist")
	}
}
