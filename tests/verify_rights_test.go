package tests

import (
	"slices"
	"strings"
	"testing"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// lookers maps each role that verifies to the roles that it is a member of.
var lookers = map[string]string{
	"rights_stranger": "",
	"rights_viewer":   "retention_viewer",
	"rights_operator": "retention_operator",
	"rights_runner":   "retention_runner",
	"rights_monitor":  "pg_monitor",
	"rights_reader":   "pg_read_all_data",
	"rights_migrator": "retention_owner, retention_runner",
}

// unseen maps a code to the beginnings of messages of unknown findings. Such a finding appears
// instead if the role cannot read what the check needs.
var unseen = map[string][]string{
	"V002": {"could not check the functions"},
	"V004": {"could not check the functions"},
	"V006": {"could not check the privileges in the runtime's schema"},
	"V008": {"could not check the registry"},
	"V009": {"could not check the registry"},
	"V012": {"could not check what is paused"},
	"V013": {"could not check whether the database is a copy"},
	"V020": {"could not check the indexes"},
	"V041": {"could not check the jobs in pg_cron"},
	"V045": {"could not check the runs", "could not check the zone in which schedules are meant"},
	"V046": {"could not check the runs"},
	"V050": {"could not check what policies rely on"},
	"V052": {"could not check holds"},
	"V060": {"could not check overdue rows of", "could not check the zone in which schedules are meant",
		"could not check the runs"},
	"V070": {"could not check the privileges of PUBLIC"},
	"V074": {"could not check the owner's privileges"},
	"V034": {"not all expressions were looked at"},
}

// anything begins the message of an unknown finding if the role has no USAGE on the runtime's
// schema.
const anything = "could not check anything in schema"

// testRights verifies one installation as several roles. Each role gets every finding of a
// superuser, or an unknown finding that names the missing privilege. No role gets an additional
// finding.
func testRights(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "one_of_each@rights")
	c.exec(t, driftFile(t, "", "ran.sql"))
	c.exec(t, driftFile(t, "one_of_each", "tamper.sql"))
	all := c.verify(t, "", verifier.Options{Counts: true})
	if n := len(codesOf(all)); n < 15 {
		t.Fatalf("the superuser gets %d findings, want at least 15:\n%s", n, c.text(t, all))
	}
	conn := c.connect(t, "")
	for name, member := range lookers {
		pgtest.Exec(t, conn, "CREATE ROLE "+name+" LOGIN")
		if member != "" {
			pgtest.Exec(t, conn, "GRANT "+member+" TO "+name)
		}
	}
	for name := range lookers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := c.verify(t, name, verifier.Options{Counts: true})
			for _, f := range all.Findings {
				if f.Severity == diag.Drift && !seesOrSays(report, f) {
					t.Errorf("reports neither %s nor that it could not check it: %s", f.Code, f.Message)
				}
			}
			for _, f := range report.Findings {
				// V033 and V034 may replace an unknown V050.
				instead := f.Code.String() == "V033" || f.Code.String() == "V034" && says(report, unseen["V050"])
				if f.Severity == diag.Drift && !instead && !slices.ContainsFunc(all.Findings, sameFinding(f)) {
					t.Errorf("reports a finding that the superuser does not get: %s: %s", f.Code, f.Message)
				}
				if f.Severity == diag.Unknown && !strings.HasPrefix(f.Hint, "GRANT ") {
					t.Errorf("the hint does not grant the missing privilege: %s: %s (%s) %s",
						f.Code, f.Message, f.Detail,
						f.Hint)
				}
			}
			if t.Failed() {
				t.Log(c.text(t, report))
			}
		})
	}
}

// sameFinding returns a function that compares a finding with f. Messages about an expression
// (V034) may differ, because only the policy's function gives the server's message.
func sameFinding(f verifier.Finding) func(verifier.Finding) bool {
	return func(other verifier.Finding) bool {
		return other.Severity == diag.Drift && other.Code == f.Code && other.Object == f.Object &&
			other.Policy == f.Policy &&
			(other.Message == f.Message || f.Code.String() == "V034")
	}
}

// says reports whether a report has an unknown finding with one of these beginnings.
func says(report *verifier.Report, beginnings []string) bool {
	return slices.ContainsFunc(report.Findings, func(f verifier.Finding) bool {
		return f.Severity == diag.Unknown && slices.ContainsFunc(beginnings,
			func(text string) bool { return strings.HasPrefix(f.Message, text) })
	})
}

// seesOrSays reports whether a report has the finding f, or says that it could not be checked.
func seesOrSays(report *verifier.Report, f verifier.Finding) bool {
	return slices.ContainsFunc(report.Findings, func(other verifier.Finding) bool {
		says := append([]string{anything}, unseen[f.Code.String()]...)
		return sameFinding(f)(other) || (other.Severity == diag.Unknown || f.Code.String() == "V034") &&
			slices.ContainsFunc(says, func(text string) bool { return strings.HasPrefix(other.Message, text) })
	})
}

// testOwnerWithoutMonitor revokes pg_monitor from the owner, as on some managed services. A viewer
// sees other sessions only through the owner's functions. verify reports these checks as unknown,
// and names the missing privilege.
func testOwnerWithoutMonitor(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "owner_without_monitor")
	expectCodes(t, c, c.verify(t, c.looker(), verifier.Options{}))
	c.exec(t, "REVOKE pg_monitor FROM plain_owner")
	report := c.verify(t, c.looker(), verifier.Options{})
	expectCodes(t, c, report, "V044")
	if text := c.text(t, report); report.Verdict() != verifier.Unknown ||
		!strings.Contains(text, "hint: GRANT pg_monitor TO plain_owner;") {
		t.Error(text)
	}
	expectCodes(t, c, c.verify(t, "", verifier.Options{}))
}

// testOwnerLacks revokes a privilege that the functions of a policy need. Each role gets the
// finding about it, also without counting rows. If that check is left out, an unknown finding names
// the role that lacks the privilege.
func testOwnerLacks(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "expression_without_execute@counts")
	c.exec(t, driftFile(t, "", "ran.sql"))
	expectCodes(t, c, c.verify(t, c.looker(), verifier.Options{}))
	c.exec(t, driftFile(t, "expression_without_execute", "tamper.sql"))
	for _, user := range []string{"", c.looker()} {
		expectCodes(t, c, c.verify(t, user, verifier.Options{}), "V074")
		report := c.selected(t, user, 0, nil, []string{"V074"})
		expectCodes(t, c, report, "V090")
		for _, f := range report.Findings {
			if f.Severity != diag.Unknown || !strings.Contains(f.Detail, `to role "retention_worker"`) ||
				strings.Contains(f.Hint, "retention_viewer") {
				t.Errorf("%s: %s (%s) %s", f.Code, f.Message, f.Detail, f.Hint)
			}
		}
	}
}

// testCronAgree checks that verify, health() and metrics agree about jobs that pg_cron could not
// start.
func testCronAgree(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "cron_cannot_connect@agree")
	c.exec(t, driftFile(t, "", "ran.sql"))
	conn := c.connect(t, "")
	const errors = `SELECT problem FROM retention.health()
		WHERE severity = 'error' AND problem NOT LIKE '%scheduler%' ORDER BY 1`
	const metrics = `SELECT value::int FROM retention.metrics
		WHERE name = 'retention_problems' AND labels ->> 'severity' = 'error'`
	before, counted := pgtest.Column[string](t, conn, errors), pgtest.Value[int](t, conn, metrics)
	if len(before) > 0 {
		t.Errorf("health() reports errors before the change: %q", before)
	}
	c.exec(t, driftFile(t, "cron_cannot_connect", "tamper.sql"))
	for _, message := range []string{"connection failed", "could not start background process"} {
		c.exec(t, "UPDATE cron.job_run_details SET return_message = '"+message+"' WHERE return_message ~ '^co'")
		if report := c.verify(t, "", verifier.Options{}); !slices.Contains(codesOf(report), "V049") {
			t.Errorf("%s: verify reports %v, want V049 among them", message, codesOf(report))
		}
		got := pgtest.Column[string](t, conn, errors)
		if want := []string{`pg_cron cannot start job "retention.nightly": its last 2 attempts failed: ` +
			message}; !slices.Equal(got, want) {
			t.Errorf("health() reports %q, want %q", got, want)
		}
		if n := pgtest.Value[int](t, conn, metrics); n != counted+1 {
			t.Errorf("%s: metrics counts %d errors, want %d", message, n, counted+1)
		}
	}
}

// testRunnerLacks checks that, without the finding about a missing privilege, the check that fails
// because of it names the role and the GRANT statement.
func testRunnerLacks(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "runner_shut_out@skipped")
	c.exec(t, driftFile(t, "", "ran.sql"))
	c.exec(t, driftFile(t, "runner_shut_out", "tamper.sql"))
	report := c.selected(t, "", 0, nil, []string{"V074"})
	expectCodes(t, c, report, "V090")
	for _, f := range report.Findings {
		if f.Hint != "GRANT USAGE ON SCHEMA retention TO retention_runner;" {
			t.Errorf("%s: %s (%s) %s", f.Code, f.Message, f.Detail, f.Hint)
		}
	}
}

const sessionSchema = `
CREATE SCHEMA app;
CREATE TABLE app.note (id bigint PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE TABLE app.file (note_id bigint REFERENCES app.note ON DELETE CASCADE);
CREATE INDEX ON app.file (note_id);
CREATE FUNCTION app.slow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM pg_sleep(0.05);
    RETURN NULL;
END $$;
CREATE TRIGGER slow AFTER DELETE ON app.note FOR EACH ROW EXECUTE FUNCTION app.slow();`

const sessionPolicy = `
policies:
  notes:
    table: app.note
    due: {age: {column: created_at, older_than: 7 days}}
    batch: {rows: 2}
    then:
      - delete: {cascades: [app.file]}
jobs:
  purge:
    schedule: "*/5 * * * *"
    run: [notes]
`

// TestSessionSettings checks which settings of the runner's sessions have no effect on runs. verify
// reports the others (V072, V059).
func TestSessionSettings(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, sessionSchema, sessionPolicy)
	place := "ALTER ROLE retention_runner IN DATABASE " + quote.Ident(in.Name)
	for setting, harmless := range map[string]bool{
		"default_transaction_read_only = on":             true,
		"default_transaction_isolation = 'serializable'": true,
		"default_transaction_deferrable = on":            true,
		"lock_timeout = '1ms'":                           true,
		"idle_in_transaction_session_timeout = '1ms'":    true,
		"row_security = off":                             true,
		"search_path = nowhere":                          true,
		"statement_timeout = '100ms'":                    false,
		"session_replication_role = replica":             false,
	} {
		in.Exec(t, `
			TRUNCATE app.note, app.file;
			INSERT INTO app.note SELECT i, now() - interval '30 days' FROM generate_series(1, 5) i;
			INSERT INTO app.file SELECT id FROM app.note`)
		in.Exec(t, place+" SET "+setting)
		conn := in.Conn(t, "retention_runner")
		_, err := conn.Exec(t.Context(), "CALL retention.run_job('purge')")
		done := err == nil && pgtest.Value[int](t, in.DB, "SELECT count(*)::int FROM app.file") == 0
		if done != harmless {
			t.Errorf("%s: done %t (%v), want %t", setting, done, err, harmless)
		}
		in.Exec(t, place+" RESET ALL")
	}
}

// TestServerFiresNoTriggers sets session_replication_role for the whole server. verify reports it
// unless the database or the role has its own value.
func TestServerFiresNoTriggers(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"session_replication_role": "replica"}})
	c := driftCase{name: db.Name, file: driftPolicy(t, ""), url: func(_, user string) string { return db.URL(user) }}
	c.install(t)
	expectCodes(t, c, c.verify(t, c.looker(), verifier.Options{}), "V044", "V059")
	c.exec(t, "ALTER DATABASE "+quote.Ident(db.Name)+" SET session_replication_role = origin")
	expectCodes(t, c, c.verify(t, c.looker(), verifier.Options{}), "V044")
}

// testNoConnections checks the connection limit 0 of a database, which only a superuser can enter,
// and a statement_timeout of the database and of the runner.
func testNoConnections(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "no_connections")
	c.exec(t, "ALTER DATABASE no_connections CONNECTION LIMIT 0")
	expectCodes(t, c, c.verify(t, "", verifier.Options{}), "V072")
	c.exec(t, `
		ALTER DATABASE no_connections CONNECTION LIMIT -1;
		ALTER DATABASE no_connections SET statement_timeout = '30s'`)
	// The bootstrap script has set statement_timeout for the runner.
	if report := c.selected(t, "", 0, []string{"V072"}, nil); report.Count(verifier.Info) != 0 {
		t.Error(c.text(t, report))
	}
	c.exec(t, "ALTER ROLE "+quote.Ident(c.file.Install.Roles.Runner)+" IN DATABASE no_connections SET "+
		"statement_timeout = '30s'")
	report := c.selected(t, "", 0, []string{"V072"}, nil)
	if report.Verdict() != verifier.Conforms || report.Count(verifier.Info) != 1 {
		t.Error(c.text(t, report))
	}
}
