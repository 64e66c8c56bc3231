package tests

import (
	"strings"
	"testing"

	"pgretain/verifier"
)

// testAnswers: an answer that is none is unknown, and is not taken for something that changed meanwhile.
func testAnswers(t *testing.T, server *driftServer) {
	for name, c := range map[string]struct {
		tamper, says string
		codes        []string
	}{
		"facts_answer_nothing": {`CREATE OR REPLACE FUNCTION retention.facts(policy text, as_of timestamptz, runs bigint[], max_rows bigint) RETURNS jsonb LANGUAGE sql AS 'SELECT NULL::jsonb';
			ALTER TABLE app.message ALTER created_at DROP NOT NULL`,
			`The answer cannot be read: cannot scan NULL in column "facts".`, []string{"V003", "V004", "V090"}},
		"installed_for_ever": {"UPDATE retention.policy SET installed_at = 'infinity' WHERE name = 'message_ttl'",
			`could not check the runs [V090]
detail: The answer cannot be read: cannot scan Infinity in column "since". This was not checked for policies "message_ttl", "session_expired".`, []string{"V090"}},
		"succeeded_for_ever": {"UPDATE retention.total SET last_success_at = 'infinity'", "Verdict: conforms", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := installDrift(t, server, "answers_"+name)
			d.exec(t, driftFile(t, "", "ran.sql"))
			d.exec(t, c.tamper)
			report := d.verify(t, "", verifier.Options{Counts: true})
			expectCodes(t, d, report, c.codes...)
			if text := d.text(t, report); !strings.Contains(text, c.says) {
				t.Errorf("nothing says %s:\n%s", c.says, text)
			}
		})
	}
}
