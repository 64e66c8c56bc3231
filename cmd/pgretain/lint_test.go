package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const jobless = `version: 1
install: {time_zone: Europe/Berlin}
policies:
  notes_old:
    table: app.note
    due: {age: {column: made_at, older_than: 7 days}}
    then: [delete]
  other:
    table: app.other
    due: {age: {column: made_at, older_than: 7 days}}
    then: [delete]
jobs:
  nightly: {schedule: "0 3 * * *", run: [other]}
suppress:
`

// lintAt lints a policy file with these suppressions at a given time. It returns the output, the
// messages and the exit code.
func lintAt(t *testing.T, now, format string, verbose bool, suppressions string) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "retention.yaml")
	if err := os.WriteFile(path, []byte(jobless+suppressions), 0o600); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	var out, messages bytes.Buffer
	c := console{out: &out, err: &messages, flags: flags{Policy: path, Catalog: filepath.Join(dir, "none.json"),
		Format: format, Verbose: verbose}}
	err = c.lintAt(t.Context(), at)
	var exit exitCode
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), dir+"/", ""), strings.ReplaceAll(messages.String(), dir+"/", ""), int(exit)
}

// TestLintSuppresses checks until when a suppression hides a warning of lint: the end of its day in
// the install's time zone. It also checks that policy and table limit the suppression.
func TestLintSuppresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now, suppression, want string
		hidden                 bool
	}{
		"in the last second":           {"2027-01-31T22:59:59Z", "check: L020", "", true},
		"after the last second":        {"2027-01-31T23:00:00Z", "check: L020", "[L095]", false},
		"more than a year before":      {"2026-01-01T00:00:00Z", "check: L020", "[L095]", false},
		"for the policy":               {"2027-01-01T00:00:00Z", "check: L020, policy: notes_old", "", true},
		"for another policy":           {"2027-01-01T00:00:00Z", "check: L020, policy: other", "", false},
		"for the table":                {"2027-01-01T00:00:00Z", "check: L020, table: app.note", "", true},
		"for another table":            {"2027-01-01T00:00:00Z", "check: L020, table: app.other", "", false},
		"of a verify check, in force":  {"2027-01-01T00:00:00Z", "check: V020", "", false},
		"of a verify check, has ended": {"2028-01-01T00:00:00Z", "check: V020", "[L095]", false},
	} {
		item := "  - {" + c.suppression + ", reason: r, until: 2027-01-31}\n"
		stdout, stderr, code := lintAt(t, c.now, "text", false, item)
		if strings.Contains(stderr, "[L020]") == c.hidden || strings.Contains(stdout, "1 suppressed") != c.hidden ||
			c.want == "" && strings.Contains(stderr, "[L09") || !strings.Contains(stderr, c.want) || code != 0 {
			t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
		}
	}
}

func TestLintShowsWhatIsSuppressed(t *testing.T) {
	t.Parallel()
	item := "  - {check: L020, reason: a trial, until: 2027-01-31}\n"
	_, stderr, _ := lintAt(t, "2027-01-01T00:00:00Z", "text", true, item)
	if !strings.Contains(stderr, "retention.yaml:4:3: suppressed: ") ||
		!strings.Contains(stderr, "Suppressed until 2027-01-31: a trial\n") {
		t.Error(stderr)
	}
	stdout, stderr, _ := lintAt(t, "2027-01-01T00:00:00Z", "json", false, item)
	if diff := cmp.Diff("", stderr); diff != "" || !strings.Contains(stdout, `"suppressed": 1,`) ||
		!strings.Contains(stdout, `"reason": "a trial",`) {
		t.Error(stdout, diff)
	}
	stdout, _, _ = lintAt(t, "2027-01-01T00:00:00Z", "github", false, item)
	if strings.Contains(stdout, "L020") || !strings.Contains(stdout, "::warning file=") {
		t.Error(stdout)
	}
}
