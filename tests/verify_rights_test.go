package tests

import (
	"slices"
	"strings"
	"testing"

	"pgretain/internal/diag"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// lookers are roles that may see more or less, by what they are members of.
var lookers = map[string]string{
	"rights_stranger": "",
	"rights_viewer":   "retention_viewer",
	"rights_operator": "retention_operator",
	"rights_runner":   "retention_runner",
	"rights_monitor":  "pg_monitor",
	"rights_reader":   "pg_read_all_data",
	"rights_migrator": "retention_owner, retention_runner",
}

// unseen are beginnings of what an unknown finding says in the place of a finding: nothing in the schema
// could be looked at, or not that part.
var unseen = map[string][]string{
	"V002": {"could not check the functions"}, "V004": {"could not check the functions"}, "V006": {"could not check the privileges in the runtime's schema"},
	"V008": {"could not check the registry"}, "V009": {"could not check the registry"},
	"V012": {"could not check what is paused"}, "V013": {"could not check whether the database is a copy"},
	"V020": {"could not check the indexes"}, "V041": {"could not check the jobs in pg_cron"},
	"V045": {"could not check the runs", "could not check the zone in which schedules are meant"}, "V046": {"could not check the runs"},
	"V050": {"could not check what policies rely on"}, "V052": {"could not check holds"},
	"V060": {"could not check overdue rows of", "could not check the zone in which schedules are meant", "could not check the runs"},
	"V070": {"could not check the privileges of PUBLIC"},
	"V074": {"could not check the owner's privileges"},
	"V034": {"not all expressions were looked at"},
}

// anything is said where the schema of the runtime is closed.
const anything = "could not check anything in schema"

// testRights holds that whoever looks finds what a superuser finds, or is told that he could not look and
// which right would do; nothing is left out, and nothing is made up.
func testRights(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "one_of_each@rights")
	c.exec(t, driftFile(t, "", "ran.sql"))
	c.exec(t, driftFile(t, "one_of_each", "tamper.sql"))
	all := c.verify(t, "", verifier.Options{Counts: true})
	if n := len(codesOf(all)); n < 15 {
		t.Fatalf("the superuser finds %d things:\n%s", n, c.text(t, all))
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
					t.Errorf("neither finds nor misses %s: %s", f.Code, f.Message)
				}
			}
			for _, f := range report.Findings {
				instead := f.Code == "V033" || f.Code == "V034" && says(report, unseen["V050"]) // of V050, which says it better
				if f.Severity == diag.Drift && !instead && !slices.ContainsFunc(all.Findings, sameFinding(f)) {
					t.Errorf("finds what the superuser does not: %s: %s", f.Code, f.Message)
				}
				if f.Severity == diag.Unknown && !strings.HasPrefix(f.Hint, "GRANT ") {
					t.Errorf("does not name the right that is missing: %s: %s (%s) %s", f.Code, f.Message, f.Detail, f.Hint)
				}
			}
			if t.Failed() {
				t.Log(c.text(t, report))
			}
		})
	}
}

// sameFinding: an expression is refused in other words where only the policy's function can tell.
func sameFinding(f verifier.Finding) func(verifier.Finding) bool {
	return func(other verifier.Finding) bool {
		return other.Severity == diag.Drift && other.Code == f.Code && other.Object == f.Object && other.Policy == f.Policy &&
			(other.Message == f.Message || f.Code == "V034")
	}
}

// says whether a report calls something unknown.
func says(report *verifier.Report, beginnings []string) bool {
	return slices.ContainsFunc(report.Findings, func(f verifier.Finding) bool {
		return f.Severity == diag.Unknown && slices.ContainsFunc(beginnings, func(text string) bool { return strings.HasPrefix(f.Message, text) })
	})
}

func seesOrSays(report *verifier.Report, f verifier.Finding) bool {
	return slices.ContainsFunc(report.Findings, func(other verifier.Finding) bool {
		says := append([]string{anything}, unseen[f.Code]...)
		return sameFinding(f)(other) || (other.Severity == diag.Unknown || f.Code == "V034") &&
			slices.ContainsFunc(says, func(text string) bool { return strings.HasPrefix(other.Message, text) })
	})
}

// testOwnerWithoutMonitor: where nobody granted pg_monitor to the owner, as managed services may not, a
// viewer does not see other sessions by way of it; that is unknown, with the right that is missing.
func testOwnerWithoutMonitor(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "owner_without_monitor")
	expectCodes(t, c, c.verify(t, c.looker(), verifier.Options{}))
	c.exec(t, "REVOKE pg_monitor FROM plain_owner")
	report := c.verify(t, c.looker(), verifier.Options{})
	codes := []string{"V044"}
	if pgtest.Value[bool](t, server, "SELECT EXISTS (SELECT FROM pg_settings WHERE name = 'cron.timezone')") {
		codes = append(codes, "V090") // later pg_crons have it, and show it to few
	}
	expectCodes(t, c, report, codes...)
	if text := c.text(t, report); report.Verdict() != verifier.Unknown || !strings.Contains(text, "hint: GRANT pg_monitor TO plain_owner;") {
		t.Error(text)
	}
	expectCodes(t, c, c.verify(t, "", verifier.Options{}))
}

// testOwnerLacks: a right that functions of the runtime lack is the owner's, whoever verifies; it is found
// without counting, and where it is not to be looked for, the unknown finding names the owner.
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
			if f.Severity != diag.Unknown || !strings.Contains(f.Detail, `to role "retention_worker"`) || strings.Contains(f.Hint, "retention_viewer") {
				t.Errorf("%s: %s (%s) %s", f.Code, f.Message, f.Detail, f.Hint)
			}
		}
	}
}
