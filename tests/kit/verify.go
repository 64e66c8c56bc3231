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

// WantConforms verifies the installation as it is: a superuser finds nothing, and a viewer nothing
// but what it may not see. What is only worth knowing is no finding.
func (in *Installed) WantConforms(t testing.TB, wanted []generator.Object) {
	t.Helper()
	conn := in.Conn(t) // one for both: the second look of a session takes half the time
	defer conn.Close(context.Background())
	for _, user := range []string{"", in.role(in.File.Install.Roles.Viewer)} {
		report := in.look(t, conn, user, wanted)
		if report.Count(diag.Drift) > 0 || user == "" && report.Verdict() != verifier.Conforms {
			var out bytes.Buffer
			if err := report.Text(&out, false, false); err != nil {
				t.Fatal(err)
			}
			t.Errorf("as %q a clean installation does not conform:\n%s", user, out.String())
		}
	}
}

// Finding is what a superuser's verify says with a code, "" where it does not.
func (in *Installed) Finding(t testing.TB, yaml, code string) string {
	t.Helper()
	wanted, _ := in.Compile(t, yaml)
	var messages []string
	for _, f := range in.Verify(t, "", wanted).Findings {
		if f.Code == code {
			messages = append(messages, f.Message)
		}
	}
	return strings.Join(messages, "\n")
}

// Verify is what a role finds, "" the superuser.
func (in *Installed) Verify(t testing.TB, user string, wanted []generator.Object) *verifier.Report {
	t.Helper()
	conn := in.Conn(t)
	defer conn.Close(context.Background())
	return in.look(t, conn, user, wanted)
}

func (in *Installed) look(t testing.TB, conn *pgx.Conn, user string, wanted []generator.Object) *verifier.Report {
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
