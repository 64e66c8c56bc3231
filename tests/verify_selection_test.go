package tests

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/policy"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// waiting is a timeout that is long enough for each query on a slow machine. Tests in which a lock
// is held wait this long.
const waiting = time.Second

// testSelection checks --only and --skip. verify runs only the selected checks. A selected check
// that cannot read its tables is unknown.
func testSelection(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "selection")
	c.exec(t, "DROP INDEX app.pgretain_message_a851c807; DELETE FROM cron.job")
	both := []string{"V020", "V040"}
	expectCodes(t, c, c.verify(t, "", verifier.Options{}), both...)
	expectCodes(t, c, c.selected(t, "", 0, []string{"indexes"}, nil), "V020")
	expectCodes(t, c, c.selected(t, "", 0, nil, []string{"V020"}), "V040")
	expectCodes(t, c, c.selected(t, "", 0, both, []string{"schedule"}), "V020")
	report := c.selected(t, "", 0, []string{"V021", "V060"}, nil)
	expectCodes(t, c, report)
	if text := c.text(t, report); !strings.Contains(text, ", 2 of ") {
		t.Errorf("the last line does not say that 2 checks were made: %s", text)
	}
	pgtest.Exec(t, c.connect(t, ""), "BEGIN; LOCK TABLE retention.setting")
	expectCodes(t, c, c.selected(t, "", waiting, []string{"V020"}, nil), "V020")
	expectCodes(t, c, c.selected(t, "", waiting, []string{"V045"}, nil), "V091") // a paused policy is not late
	expectCodes(t, c, c.selected(t, "", waiting, []string{"V045"}, []string{"V091"}))
}

// testSelectionWithoutRuntime drops the runtime's schema. Checks that need it are unknown, even if
// V001 is not selected.
func testSelectionWithoutRuntime(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "selection_without_runtime")
	c.exec(t, "DROP SCHEMA retention CASCADE")
	expectCodes(t, c, c.selected(t, "", 0, []string{"V020"}, nil), "V090")
	expectCodes(t, c, c.selected(t, "", 0, []string{"tables"}, nil))
	expectCodes(t, c, c.selected(t, "", 0, []string{"installed"}, nil), "V001")
}

// testSelectionOfMembers checks a policy that exists once per schema. All checks need its list of
// instances, so nothing else is reported if that cannot be read.
func testSelectionOfMembers(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "each@selection")
	expectCodes(t, c, c.selected(t, "", 0, nil, []string{"V019"}))
	expectCodes(t, c, c.selected(t, "", 0, []string{"V010", "tables"}, nil))
	holder := c.connect(t, "")
	pgtest.Exec(t, holder, "BEGIN; LOCK TABLE retention.each")
	expectCodes(t, c, c.selected(t, "", waiting, nil, nil), "V091")
	pgtest.Exec(t, holder, "ROLLBACK; DROP SCHEMA retention CASCADE")
	expectCodes(t, c, c.selected(t, "", 0, nil, nil), "V001")
}

func (c driftCase) selected(t *testing.T, user string, timeout time.Duration, only, skip []string) *verifier.Report {
	t.Helper()
	opt := selected(t, only, skip)
	opt.Timeout = timeout
	return c.verify(t, user, opt)
}

func selected(t *testing.T, only, skip []string) verifier.Options {
	t.Helper()
	checks, err := verifier.Select(only, skip)
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Options{Counts: true, Checks: checks}
}

// testTableIsLocked locks a table of the application. Only the checks that read this table are
// unknown.
func testTableIsLocked(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "table_is_locked")
	c.exec(t, driftFile(t, "", "ran.sql"))
	c.exec(t, driftFile(t, "overdue", "tamper.sql"))
	pgtest.Exec(t, c.connect(t, ""), "BEGIN; LOCK TABLE app.session")
	for _, user := range []string{"", c.looker()} {
		report := c.verify(t, user, verifier.Options{Counts: true, Timeout: waiting})
		expectCodes(t, c, report, "V060", "V091")
		text := c.text(t, report)
		for _, what := range []string{"the indexes", "the catalog snapshot", `the expressions of the policies`,
			`overdue rows of policy "session_expired"`} {
			if !strings.Contains(text, "unknown: checking "+what+" took longer than 1s [V091]\n") {
				t.Errorf("%s should be unknown:\n%s", what, text)
			}
		}
		if n := report.Count(diag.Unknown); n != 4 {
			t.Errorf("the report has %d unknown findings, want 4:\n%s", n, text)
		}
	}
}

// codesIn returns the codes of a report's findings.
func codesIn(report *verifier.Report) []string {
	var codes []string
	for _, f := range report.Findings {
		codes = append(codes, f.Code.String())
	}
	return codes
}

// explaining matches the count of findings that a finding explains. It is missing if their checks
// were not selected.
var explaining = regexp.MustCompile(` This explains [^)]*\)\.`)

// findings returns the findings of a report as text, without its last line, and without the counts
// of findings that they explain.
func (c driftCase) findings(t *testing.T, report *verifier.Report) string {
	t.Helper()
	only := &verifier.Report{}
	only.Findings = report.Findings
	return explaining.ReplaceAllString(c.text(t, only), "")
}

// withSuppressions returns the case with other suppressions in its policy file.
func (c driftCase) withSuppressions(t *testing.T, items ...string) driftCase {
	t.Helper()
	yaml := driftFile(t, "", "policy.yaml") + driftDays.Replace("\nsuppress:\n  - "+strings.Join(items, "\n  - ")+"\n")
	file, list := policy.Parse("retention.yaml", []byte(yaml))
	if len(list) > 0 {
		t.Fatal(list)
	}
	c.file = file
	return c
}

// testSuppressed checks that a suppressed finding does not change the verdict, and that the full
// report and the JSON report contain it.
func testSuppressed(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "suppressions").withSuppressions(t,
		`{check: V020, table: app.message, reason: "with release 12", until: <next month>}`)
	c.exec(t, "DROP INDEX app.pgretain_message_a851c807")
	report := c.verify(t, c.looker(), verifier.Options{})
	if report.Verdict() != verifier.Conforms || report.ExitCode() != 0 || report.Count(diag.Drift) != 0 ||
		report.Suppressed() != 1 {
		t.Error(c.text(t, report))
	}
	if text := c.text(t, report); strings.Contains(text, "[V020]") || !strings.Contains(text, ", 1 suppressed in ") ||
		!strings.HasSuffix(text, "Verdict: conforms\n") {
		t.Errorf("the text is\n%s", text)
	}
	var all, document bytes.Buffer
	if err := report.Text(&all, false, true); err != nil {
		t.Fatal(err)
	}
	const line = `retention.yaml:6:3: suppressed: index "app.pgretain_message_a851c807" is missing [V020]`
	if !strings.Contains(all.String(), line) || !strings.Contains(all.String(), ": with release 12\n") {
		t.Errorf("the full report lacks the suppressed finding or its reason:\n%s", all.String())
	}
	if err := report.JSON(&document); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Verdict           string
		Drift, Suppressed int
		Findings          []struct {
			Code       string
			Suppressed struct{ Reason string }
		}
	}
	if err := json.Unmarshal(document.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Verdict != "conforms" || got.Drift != 0 || got.Suppressed != 1 ||
		!strings.Contains(document.String(), `"reason": "with release 12"`) {
		t.Error(document.String())
	}
}

// testUnknownIsNotSuppressed checks that an unknown check stays unknown in spite of a suppression,
// and that verify does not call this suppression useless.
func testUnknownIsNotSuppressed(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "suppressions_unknown").withSuppressions(t,
		`{check: V020, reason: r, until: <next month>}`)
	holder := c.connect(t, "")
	pgtest.Exec(t, holder, "BEGIN; LOCK TABLE retention.setting")
	report := c.verify(t, c.looker(), verifier.Options{Timeout: waiting})
	if report.Verdict() != verifier.Unknown || strings.Contains(c.text(t, report), "[V096]") {
		t.Error(c.text(t, report))
	}
	pgtest.Exec(t, holder, "ROLLBACK")
	if report = c.verify(t, "", verifier.Options{}); report.Verdict() != verifier.Conforms ||
		!strings.Contains(c.text(t, report), "[V096]") {
		t.Error(c.text(t, report))
	}
}

// testSuppressionsOfWhatWasLeftOut checks that a suppression is not called useless if its check was
// left out.
func testSuppressionsOfWhatWasLeftOut(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "suppressions_left_out").withSuppressions(t,
		`{check: V060, reason: "the backlog", until: <next month>}`)
	found := map[bool]bool{}
	for _, counts := range []bool{true, false} {
		found[counts] = strings.Contains(c.text(t, c.verify(t, "", verifier.Options{Counts: counts})), "[V096]")
	}
	if diff := cmp.Diff(map[bool]bool{true: true, false: false}, found); diff != "" {
		t.Error(diff)
	}
}
