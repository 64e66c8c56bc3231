package tests

import (
	"strings"
	"testing"
	"time"

	"pgretain/internal/diag"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// waiting is long enough for every query on a slow machine, and short enough to wait for a lock in vain.
const waiting = time.Second

// What is not asked for is neither looked at nor told; a check that is asked for and cannot see is unknown.
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
		t.Errorf("the last line does not say that few checks were made: %s", text)
	}
	pgtest.Exec(t, c.connect(t, ""), "BEGIN; LOCK TABLE retention.setting")
	expectCodes(t, c, c.selected(t, "", waiting, []string{"V020"}, nil), "V020")
	expectCodes(t, c, c.selected(t, "", waiting, []string{"V045"}, nil), "V091") // a paused policy is not late
	expectCodes(t, c, c.selected(t, "", waiting, []string{"V045"}, []string{"V091"}))
}

// With the runtime gone, checks that need it are unknown, not in order, also where V001 was not asked for.
func testSelectionWithoutRuntime(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "selection_without_runtime")
	c.exec(t, "DROP SCHEMA retention CASCADE")
	expectCodes(t, c, c.selected(t, "", 0, []string{"V020"}, nil), "V090")
	expectCodes(t, c, c.selected(t, "", 0, []string{"tables"}, nil))
	expectCodes(t, c, c.selected(t, "", 0, []string{"installed"}, nil), "V001")
}

func (c driftCase) selected(t *testing.T, user string, timeout time.Duration, only, skip []string) *verifier.Report {
	t.Helper()
	checks, err := verifier.Select(only, skip)
	if err != nil {
		t.Fatal(err)
	}
	return c.verify(t, user, verifier.Options{Counts: true, Checks: checks, Timeout: timeout})
}

// A table that somebody holds makes only the count of its own rows, its own indexes and expressions, and
// whether it has changed unknown.
func testTableIsLocked(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "table_is_locked")
	c.exec(t, driftFile(t, "", "ran.sql"))
	c.exec(t, driftFile(t, "overdue", "tamper.sql"))
	pgtest.Exec(t, c.connect(t, ""), "BEGIN; LOCK TABLE app.session")
	for _, user := range []string{"", c.looker()} {
		report := c.verify(t, user, verifier.Options{Counts: true, Timeout: waiting})
		expectCodes(t, c, report, "V060", "V091")
		text := c.text(t, report)
		for _, what := range []string{"the indexes of locked tables", "locked tables of the catalog snapshot", `the expressions of policy "session_expired"`, `overdue rows of policy "session_expired"`} {
			if !strings.Contains(text, "unknown: checking "+what+" took longer than 1s [V091]\n") {
				t.Errorf("%s should be unknown:\n%s", what, text)
			}
		}
		if n := report.Count(diag.Unknown); n != 4 || !strings.Contains(text, `This was not checked for policy "session_expired".`) {
			t.Errorf("%d unknown:\n%s", n, text)
		}
	}
}

// codesIn are those of the findings.
func codesIn(report *verifier.Report) []string {
	var codes []string
	for _, f := range report.Findings {
		codes = append(codes, f.Code)
	}
	return codes
}

// findings are those of a report as text, without its last line.
func (c driftCase) findings(t *testing.T, report *verifier.Report) string {
	t.Helper()
	return c.text(t, &verifier.Report{Findings: report.Findings})
}
