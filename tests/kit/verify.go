package kit

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// WantConforms verifies the installation, and fails the test on a finding. A superuser's report
// must conform. A viewer's report may have findings about what a viewer cannot read, but no drift.
func (in *Installed) WantConforms(t testing.TB, wanted []generator.Object) {
	t.Helper()
	conn := in.Conn(t) // one session for both users: the second report in a session takes half the time
	defer conn.Close(context.Background())
	for _, user := range []string{"", in.role(in.File.Install.Roles.Viewer)} {
		report := in.report(t, conn, user, wanted)
		if report.Count(diag.Drift) > 0 || user == "" && report.Verdict() != verifier.Conforms {
			var out bytes.Buffer
			if err := report.Text(&out, false, false); err != nil {
				t.Fatal(err)
			}
			t.Errorf("as %q a clean installation does not conform:\n%s", user, out.String())
		}
	}
}

// Finding returns the messages of a superuser's findings with the given code, "" if there are none.
func (in *Installed) Finding(t testing.TB, yaml, code string) string {
	t.Helper()
	wanted, _ := in.Compile(t, yaml)
	var messages []string
	for _, f := range in.Verify(t, "", wanted).Findings {
		if f.Code.String() == code {
			messages = append(messages, f.Message)
		}
	}
	return strings.Join(messages, "\n")
}

// Verify returns the report of a role; user "" is the superuser.
func (in *Installed) Verify(t testing.TB, user string, wanted []generator.Object) *verifier.Report {
	t.Helper()
	conn := in.Conn(t)
	defer conn.Close(context.Background())
	return in.report(t, conn, user, wanted)
}

func (in *Installed) report(t testing.TB, conn *pgx.Conn, user string, wanted []generator.Object) *verifier.Report {
	t.Helper()
	if user != "" {
		pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION "+quote.Ident(user))
	}
	history, err := generator.Read(in.Migrations)
	if err != nil {
		t.Fatal(err)
	}
	report, err := verifier.Verify(t.Context(), conn, in.File, wanted,
		verifier.Options{Counts: true, Snapshot: in.Catalog, History: history})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
