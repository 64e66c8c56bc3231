package tests

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/policy"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// withSuppressions is the case with other suppressions; what is installed is the same.
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

// What is suppressed decides nothing, and is there for whoever asks.
func testSuppressed(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "suppressions").withSuppressions(t, `{check: V020, table: app.message, reason: "with release 12", until: <next month>}`)
	c.exec(t, "DROP INDEX app.pgretain_message_a851c807")
	report := c.verify(t, c.looker(), verifier.Options{})
	if report.Verdict() != verifier.Conforms || report.ExitCode() != 0 || report.Count(diag.Drift) != 0 || report.Suppressed() != 1 {
		t.Error(c.text(t, report))
	}
	if text := c.text(t, report); strings.Contains(text, "[V020]") || !strings.Contains(text, ", 1 suppressed in ") || !strings.HasSuffix(text, "Verdict: conforms\n") {
		t.Errorf("the text is\n%s", text)
	}
	var all, document bytes.Buffer
	if err := report.TextAll(&all, false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(all.String(), `retention.yaml:6:3: suppressed: index "app.pgretain_message_a851c807" is missing [V020]`) || !strings.Contains(all.String(), ": with release 12\n") {
		t.Errorf("everything is\n%s", all.String())
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
	if got.Verdict != "conforms" || got.Drift != 0 || got.Suppressed != 1 || !strings.Contains(document.String(), `"reason": "with release 12"`) {
		t.Error(document.String())
	}
}

// What nobody could see stays unknown, and no suppression is called useless for it.
func testUnknownIsNotSuppressed(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "suppressions_unknown").withSuppressions(t, `{check: V020, reason: r, until: <next month>}`)
	holder := c.connect(t, "")
	pgtest.Exec(t, holder, "BEGIN; LOCK TABLE retention.setting")
	report := c.verify(t, c.looker(), verifier.Options{Timeout: waiting})
	if report.Verdict() != verifier.Unknown || strings.Contains(c.text(t, report), "[V096]") {
		t.Error(c.text(t, report))
	}
	pgtest.Exec(t, holder, "ROLLBACK")
	if report = c.verify(t, "", verifier.Options{}); report.Verdict() != verifier.Conforms || !strings.Contains(c.text(t, report), "[V096]") {
		t.Error(c.text(t, report))
	}
}

// Of a check that was left out nobody can say that it found nothing.
func testSuppressionsOfWhatWasLeftOut(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "suppressions_left_out").withSuppressions(t, `{check: V060, reason: "the backlog", until: <next month>}`)
	found := map[bool]bool{}
	for _, counts := range []bool{true, false} {
		found[counts] = strings.Contains(c.text(t, c.verify(t, "", verifier.Options{Counts: counts})), "[V096]")
	}
	if diff := cmp.Diff(map[bool]bool{true: true, false: false}, found); diff != "" {
		t.Error(diff)
	}
}
