package tests

import (
	"bytes"
	"encoding/json"
	"flag"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/policy"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

func init() { flag.BoolVar(fixture.Update, "update-drift", false, "the same as update") }

// driftCase is a case of testdata/drift: an installation, a manual change of it, and the findings
// of verify. A case without policy.yaml or schema.sql uses those of testdata/drift.txtar.
type driftCase struct {
	name     string
	file     *policy.File
	snapshot *catalog.Snapshot
	history  *generator.History
	wanted   []generator.Object
	url      func(database, user string) string
}

const driftDir = "testdata/drift"

// bootstrapping serializes the creation of roles. Roles belong to the server, and two concurrent
// statements about one role may fail.
var bootstrapping sync.Mutex

// TestVerify runs all tests that need pg_cron's scheduler, on one server.
func TestVerify(t *testing.T) {
	t.Parallel()
	server := &driftServer{DB: pgtest.CronServer(t)}
	server.template = installDrift(t, server, "drift_template")
	for name, test := range map[string]func(*testing.T, *driftServer){
		"Drift":            testDrift,
		"CleanConforms":    testCleanConforms,
		"RolesNone":        testRolesNone,
		"Stranger":         testStranger,
		"WaitingIsUnknown": testWaitingIsUnknown,
		"WholePath":        testWholePath,
		"OnlyReads":        testOnlyReads,
		"JSON":             testReportJSON,
		"WindowSet":        testWindowSet,
		"Selection":        testSelection,
		"WithoutRuntime":   testSelectionWithoutRuntime,
		"Members":          testSelectionOfMembers,
		"TableIsLocked":    testTableIsLocked,
		"Suppressed":       testSuppressed,
		"UnknownIsNot":     testUnknownIsNotSuppressed,
		"LeftOut":          testSuppressionsOfWhatWasLeftOut,
		"Rights":           testRights,
		"OwnerSeesLess":    testOwnerWithoutMonitor,
		"OwnerLacks":       testOwnerLacks,
		"RunnerLacks":      testRunnerLacks,
		"CronAgree":        testCronAgree,
		"NoConnections":    testNoConnections,
		"Changing":         testChanging,
		"SnapshotNearby":   testSnapshotNearMisses,
		"CoverageGrowth":   testCoverageGrowth,
		"Answers":          testAnswers,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, server)
		})
	}
}

// testDrift changes installations manually and compares the reports with the expected ones. A
// superuser must get the same findings as a viewer, and the hints must repair the installation.
func testDrift(t *testing.T, server *driftServer) {
	for _, own := range driftCases(t) {
		if !own.Has("tamper.sql") {
			continue
		}
		name := own.Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := installDrift(t, server, name)
			c.exec(t, driftFile(t, "", "ran.sql"))
			installed := c.protection(t)
			c.exec(t, "BEGIN; SET LOCAL allow_system_table_mods = on;"+own.Text("tamper.sql")+"COMMIT;")
			conn := c.connect(t, "") // for all reports: the first one of a session takes twice as long as the next
			pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION "+quote.Ident(c.looker()))
			report := c.report(t, conn, verifier.Options{Counts: true})
			got := c.text(t, report)
			own.Compare(t, "report.txt", got)
			want := 1
			if report.Count(diag.Drift)+report.Count(diag.Unknown) == 0 && report.Count(diag.Undecided) > 0 {
				want = 0
			}
			if report.ExitCode() != want {
				t.Errorf("exit code %d, want %d", report.ExitCode(), want)
			}
			if !strings.Contains(got, " unknown: ") { // then a superuser gets the same findings
				pgtest.Exec(t, conn, "RESET SESSION AUTHORIZATION")
			}
			if diff := cmp.Diff(c.findings(t, report),
				c.findings(t, c.report(t, conn, selected(t, codesIn(report), nil)))); diff != "" {
				t.Errorf("a superuser who asks for its codes alone finds something else (-viewer, all +superuser, "+
					"only):\n%s", diff)
			}
			pgtest.Exec(t, conn, "RESET SESSION AUTHORIZATION")
			if !own.Has("unpasted.txt") { // the part says why
				pasteHints(t, c, conn, report, installed)
			}
		})
	}
}

// testCleanConforms verifies an unchanged installation as several roles.
func testCleanConforms(t *testing.T, server *driftServer) {
	for _, user := range []string{"", "retention_viewer_login", "retention_operator_login", "retention_runner"} {
		t.Run("as "+user, func(t *testing.T) {
			t.Parallel()
			c := installDrift(t, server, "clean"+user)
			c.exec(t, pgtest.MakeRole("retention_operator_login LOGIN IN ROLE retention_operator"))
			report := c.verify(t, user, verifier.Options{Counts: true})
			if report.Verdict() != verifier.Conforms || report.ExitCode() != 0 {
				t.Error(c.text(t, report))
			}
			if !strings.HasSuffix(c.text(t, report), " objects (2 policies, retention.yaml). Verdict: conforms\n") {
				t.Errorf("last line: %s", report.Summary())
			}
		})
	}
}

// testWholePath installs with generated migrations and a real pg_cron. verify must have no finding
// as the superuser and as the migrating role.
func testWholePath(t *testing.T, server *driftServer) {
	yaml := driftFile(t, "", "policy.yaml") + "\ninstall: {scheduler: pg_cron}\n"
	in := kit.Install(t, driftFile(t, "", "schema.sql"), yaml, kit.On(server.DB))
	wanted, list := in.Compile(t, yaml)
	if list.HasErrors() {
		t.Fatal(list)
	}
	c := driftCase{name: server.Name, file: in.File, wanted: wanted, url: server.Server.URL}
	for _, user := range []string{"", kit.Migrator} {
		expectCodes(t, c, c.verify(t, user, verifier.Options{Counts: true}))
	}
}

// testRolesNone verifies an installation with "roles: none" in another schema.
func testRolesNone(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "roles_none")
	report := c.verify(t, "", verifier.Options{Counts: true})
	expectCodes(t, c, report)
	if text := c.text(t, report); !strings.Contains(text, ": info: one role does everything (roles: none) [V075]\n") {
		t.Error(text)
	}
	c.exec(t, "ALTER FUNCTION keep.pause(text, text) SECURITY INVOKER; UPDATE cron.job SET active = false WHERE "+
		"jobname = 'keep.purge'")
	expectCodes(t, c, c.verify(t, "", verifier.Options{}), "V004", "V042")
}

// testStranger verifies as a role without privileges. All checks are unknown.
func testStranger(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "stranger")
	c.exec(t, "CREATE ROLE stranger LOGIN")
	report := c.verify(t, "stranger", verifier.Options{Counts: true})
	if report.Verdict() != verifier.Unknown || report.Count(diag.Drift) != 0 {
		t.Error(c.text(t, report))
	}
	if !strings.Contains(c.text(t, report), `Role "stranger" has no USAGE on it.`) {
		t.Errorf("the report does not name the missing privilege:\n%s", c.text(t, report))
	}
}

func TestNotInstalled(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	db.Exec(t, driftFile(t, "", "schema.sql")+"DROP TABLE app.ledger")
	c := driftCase{name: db.Name, file: driftPolicy(t, ""), url: func(_, user string) string { return db.URL(user) }}
	expectCodes(t, c, c.verify(t, "", verifier.Options{Pending: []string{"00001_pgretain_runtime.sql"}}), "V001",
		"V011", "V030")
}

// TestSchedulerIsNotRunning verifies on the shared server of the tests, which does not load
// pg_cron.
func TestSchedulerIsNotRunning(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	c := driftCase{name: db.Name, file: driftPolicy(t, ""), url: func(_, user string) string { return db.URL(user) }}
	c.install(t)
	expectCodes(t, c, c.verify(t, "", verifier.Options{}), "V044")
	expectCodes(t, c, c.verify(t, c.looker(), verifier.Options{}), "V044")
	// Without pg_cron, each session can set these parameters for itself.
	for _, off := range []string{"cron.launch_active_jobs is off", "cron.max_running_jobs is 0"} {
		setting, value, _ := strings.Cut(off, " is ")
		conn := c.connect(t, "")
		pgtest.Exec(t, conn, "SET "+setting+" = '"+value+"'")
		report := c.report(t, conn, verifier.Options{})
		expectCodes(t, c, report, "V044", "V049")
		if text := c.text(t, report); !strings.Contains(text, "pg_cron starts no job: "+off+" [V049]") {
			t.Error(text)
		}
	}
}

func testWaitingIsUnknown(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "waiting")
	holder := c.connect(t, "")
	pgtest.Exec(t, holder, "BEGIN; LOCK TABLE retention.setting")
	report := c.verify(t, c.looker(), verifier.Options{Timeout: waiting})
	expectCodes(t, c, report, "V091")
	if report.Verdict() != verifier.Unknown || report.ExitCode() != 1 {
		t.Errorf("verdict %s, exit code %d; want unknown and 1", report.Verdict(), report.ExitCode())
	}
}

// testOnlyReads checks that verify writes nothing, leaves no transaction open, and works with
// unusual session settings.
func testOnlyReads(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "reads")
	conn := c.connect(t, "")
	pgtest.Exec(t, conn, `
		SET default_transaction_read_only = on;
		SET search_path = app;
		SET TimeZone = 'Asia/Kathmandu';
		SET quote_all_identifiers = on`)
	report, err := verifier.Verify(t.Context(), conn, c.file, c.wanted, verifier.Options{Counts: true})
	if err != nil {
		t.Fatal(err)
	}
	expectCodes(t, c, report)
	if conn.PgConn().TxStatus() != 'I' {
		t.Error("verify leaves a transaction open")
	}
	if got := pgtest.Value[string](t, conn, "SHOW search_path"); got != "app" {
		t.Errorf("search_path after verify is %q, want app", got)
	}
}

func TestVerifyCannotRun(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	conn := db.Conn(t)
	_ = conn.Close(t.Context())
	if report, err := verifier.Verify(t.Context(), conn, driftPolicy(t, ""), nil, verifier.Options{}); err == nil {
		t.Errorf("got %v, want an error", report)
	}
}

func testReportJSON(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "json")
	c.exec(t, `
		DROP PROCEDURE retention.run(text, timestamptz, text, text, interval, jsonb, boolean);
		ALTER TABLE app.session DROP COLUMN state`)
	var out bytes.Buffer
	if err := c.verify(t, "", verifier.Options{}).JSON(&out); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Version, Objects, Policies, Drift, Unknown int
		Verdict, File                              string
		Findings                                   []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if report.Version != 1 || report.Verdict != "drift" || report.File != "retention.yaml" || report.Drift != 3 ||
		report.Unknown != 0 ||
		report.Objects != len(c.wanted) || report.Policies != 2 {
		t.Errorf("%+v", report)
	}
	want := map[string]any{
		"code":     "V050",
		"severity": "drift",
		"group":    "reach",
		"table":    "app.session",
		"object":   "app.session",
		"policy":   "session_expired",
		"file":     "retention.yaml",
		"line":     13.0,
		"column":   3.0,
		"message": `policy "session_expired" was not generated for this catalog: ` +
			`column "state" of "app.session" is not there`,
		"detail": "Runs trip, and take no row, until the cause is removed.",
	}
	for _, f := range report.Findings {
		if f["code"] == "V050" {
			delete(f, "hint")
			if diff := cmp.Diff(want, f); diff != "" {
				t.Error(diff)
			}
		}
	}
}
