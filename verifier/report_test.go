package verifier

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/report"
)

// TestUndecided checks that a table that nobody decided about does not change the verdict. All
// formats show it.
func TestUndecided(t *testing.T) {
	t.Parallel()
	r := &Report{Log: report.Log{File: "retention.yaml", Findings: []Finding{{Group: string(messages.Coverage),
		Diagnostic: message{Severity: diag.Undecided, Code: messages.CodeUncovered, Message: "table has no policy"}}}}}
	if r.Verdict() != Conforms || r.ExitCode() != 0 {
		t.Errorf("the verdict is %s, exit code %d; want conforms, 0", r.Verdict(), r.ExitCode())
	}
	var text, object, github, sarif bytes.Buffer
	err := errors.Join(r.Text(&text, false, false), r.JSON(&object), r.GitHub(&github), r.SARIF(&sarif))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ got, want string }{
		"text": {text.String(), "Found 0 drift, 0 unknown, 1 undecided, 0 info in"},
		"json": {object.String(), `"undecided": 1,`}, "github": {github.String(), "::notice file=retention.yaml,"},
		"sarif": {sarif.String(), `"level": "note"`},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s lacks %q:\n%s", name, c.want, c.got)
		}
	}
	r.Findings = append(r.Findings, Finding{Diagnostic: message{Severity: diag.Drift}})
	if r.Verdict() != Drift || r.ExitCode() != 1 {
		t.Errorf("with drift the verdict is %s, exit code %d; want drift, 1", r.Verdict(), r.ExitCode())
	}
}

// TestTableParts checks that tableParts splits names by the tables of the snapshot, because names
// of schemas and tables may contain dots.
func TestTableParts(t *testing.T) {
	t.Parallel()
	snapshot := &catalog.Snapshot{Tables: []*catalog.Table{{Schema: "app", Name: "note"},
		{Schema: "my.app", Name: "note"}, {Schema: "app", Name: "note.old (1)"}}}
	known := &inspection{opt: Options{Snapshot: snapshot}}
	for name, want := range map[string][2]string{
		"app.note":         {"app", "note"},
		"my.app.note":      {"my.app", "note"},
		"app.note.old (1)": {"app", "note.old (1)"},
		"other.Note":       {"other", "Note"},
	} {
		if schema, table := known.tableParts(name); schema != want[0] || table != want[1] {
			t.Errorf("tableParts(%q) returns schema %q and table %q, want %q", name, schema, table, want)
		}
	}
	if schema, table := (&inspection{}).tableParts("app.note"); schema != "app" || table != "note" {
		t.Errorf("tableParts without a snapshot returns schema %q and table %q", schema, table)
	}
}
