package tests

import (
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/verifier"
)

// notForPsql are hints that are a command for the shell, or a sentence.
var notForPsql = regexp.MustCompile(`^(pgretain .*[^.]|[A-Z].*\.)$`)

// looksOnly are hints that show more, and repair nothing.
var looksOnly = regexp.MustCompile(`^SELECT \* FROM [^;]*;$`)

// pasteHints does with the report what its reader does: every hint that is SQL goes into psql as it is,
// and what it is about has gone.
func pasteHints(t *testing.T, c driftCase, report *verifier.Report) {
	t.Helper()
	var script []string
	repaired := map[string]bool{}
	for _, f := range report.Findings {
		switch {
		case f.Hint == "" || notForPsql.MatchString(f.Hint):
		case !strings.HasSuffix(f.Hint, ";"):
			t.Errorf("%s: the hint is no SQL, no command and no sentence: %s", f.Code, f.Hint)
		default:
			script = append(script, f.Hint)
			repaired[f.Code] = !looksOnly.MatchString(f.Hint)
		}
	}
	if len(script) == 0 {
		return
	}
	command := exec.CommandContext(t.Context(), "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", c.url(c.name, ""))
	command.Stdin = strings.NewReader(strings.Join(script, "\n"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("pasting the hints: %v\n%s\n%s", err, strings.Join(script, "\n"), out)
		return
	}
	after := c.selected(t, "", 0, slices.Collect(maps.Keys(repaired)), nil)
	for _, f := range after.Findings {
		if repaired[f.Code] && f.Severity != verifier.Info {
			t.Errorf("%s is still there after\n%s\n%s", f.Code, strings.Join(script, "\n"), c.text(t, after))
		}
	}
}
