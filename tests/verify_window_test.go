package tests

import (
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// A window that was set at run time is worth knowing, and no drift; what is overdue goes by it.
func testWindowSet(t *testing.T, server *driftServer) {
	yaml := strings.Replace(driftFile(t, "", "policy.yaml"), "older_than: 7 days", "older_than: {days: 7, at_least: 1}", 1)
	in := kit.Install(t, driftFile(t, "", "schema.sql"), yaml)
	wanted, list := in.Compile(t, yaml)
	if list.HasErrors() {
		t.Fatal(list)
	}
	c := driftCase{name: in.Name, file: in.File, wanted: wanted, url: func(_, user string) string { return in.URL(user) }}
	in.Exec(t, `UPDATE retention.install SET adopted_at = now() - interval '1 year';
		UPDATE retention.policy SET installed_at = now() - interval '1 year';
		UPDATE retention.job SET installed_at = now() - interval '1 year';
		INSERT INTO app.message (body, created_at) VALUES ('x', now() - interval '20 days')`)
	in.Exec(t, driftFile(t, "", "ran.sql"))
	if err := in.Operator("SELECT retention.set_window('message_ttl', '30 days', 'a trial')"); err != nil {
		t.Fatal(err)
	}
	report := c.verify(t, "", verifier.Options{Counts: true})
	expectCodes(t, c, report)
	if text := c.text(t, report); !strings.Contains(text, `: info: the window of policy "message_ttl" was set at run time [V014]`) ||
		!strings.Contains(text, "\ngot:  30 days\n") || !strings.Contains(text, ": a trial. ") {
		t.Error(text)
	}
	if n := pgtest.Value[int](t, in, "SELECT due FROM retention.preview('message_ttl')"); n != 0 {
		t.Errorf("%d rows are due", n)
	}
}
