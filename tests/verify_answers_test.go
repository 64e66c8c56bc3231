package tests

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// testAnswers makes functions and tables of the runtime return values that verify cannot use.
// verify reports them as unknown, and does not assume that something was changed meanwhile.
func testAnswers(t *testing.T, server *driftServer) {
	for name, c := range map[string]struct {
		tamper, says string
		codes        []string
	}{
		"facts_answer_nothing": {`
			CREATE OR REPLACE FUNCTION retention.row_statistics(
				policy text, as_of timestamptz, runs bigint[], max_rows bigint)
			RETURNS jsonb LANGUAGE sql AS 'SELECT NULL::jsonb';
			ALTER TABLE app.message ALTER created_at DROP NOT NULL`,
			`The answer cannot be read: cannot scan NULL in column "no_clock".`, []string{"V003", "V004", "V090"}},
		"installed_for_ever": {`UPDATE retention.policy SET installed_at = 'infinity' WHERE name = 'message_ttl';
			INSERT INTO app.message (body, created_at) VALUES ('x', now() - interval '20 days')`,
			`could not check the runs [V090]
detail: The answer cannot be read: cannot scan Infinity in column "installed".`, []string{"V060", "V090"}},
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
				t.Errorf("the report does not contain %s:\n%s", c.says, text)
			}
		})
	}
}

// notForPsql matches hints that are a command of the shell or a sentence.
var notForPsql = regexp.MustCompile(`^(pgretain .*[^.]|[A-Z].*\.)$`)

// looksOnly matches hints that only show more, and repair nothing.
var looksOnly = regexp.MustCompile(`^SELECT (?:\*|[a-z, ]+) FROM [^;]*;$`)

// pasteHints executes every hint that is SQL with psql, as a reader would. Afterwards the findings
// with these hints must be gone, and nothing may be less protected than before. The argument
// installed is the protection before somebody changed the installation.
func pasteHints(t *testing.T, c driftCase, conn *pgx.Conn, report *verifier.Report, installed kit.Protection) {
	t.Helper()
	var script []string
	repaired, left := map[string]bool{}, map[string]bool{}
	for _, f := range report.Findings {
		switch {
		case f.Hint == "" || notForPsql.MatchString(f.Hint):
			left[f.Code.String()+f.Message] = true
		case !strings.HasSuffix(f.Hint, ";"):
			t.Errorf("%s: the hint is neither SQL nor a command nor a sentence: %s", f.Code, f.Hint)
		default:
			script = append(script, f.Hint)
			repaired[f.Code.String()] = !looksOnly.MatchString(f.Hint)
		}
	}
	if len(script) == 0 {
		return
	}
	before := c.protection(t)
	command := exec.CommandContext(t.Context(), "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", c.url(c.name, ""))
	command.Stdin = strings.NewReader(strings.Join(script, "\n"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("executing the hints: %v\n%s\n%s", err, strings.Join(script, "\n"), out)
		return
	}
	after := c.report(t, conn, selected(t, slices.Collect(maps.Keys(repaired)), nil))
	for _, f := range after.Findings {
		if repaired[f.Code.String()] && f.Severity != verifier.Info && !left[f.Code.String()+f.Message] {
			t.Errorf("verify reports %s after\n%s\n%s", f.Code, strings.Join(script, "\n"), c.text(t, after))
		}
	}
	weaker := slices.DeleteFunc(c.protection(t).Weaker(before, installed), c.ofAnotherCase)
	unexpected, idle := kit.Unexpected(weaker, weakerAfterHints[c.name]...)
	if len(unexpected)+len(idle) > 0 {
		t.Errorf("after\n%s\nthe protection is weaker:\n%s\nnot met:\n%s", strings.Join(script, "\n"),
			strings.Join(unexpected, "\n"), strings.Join(idle, "\n"))
	}
}

// weakerAfterHints lists by case what its hints weaken on purpose.
var weakerAfterHints = map[string][]string{
	// The schema gets another name.
	"each": {`lost has: .*"shop_B".*`, `wider may: own .*shop_b.* as postgres`},
	// The column gets no value. It is new, so no row of the archive has one.
	"refused_beside_info": {"lost has: column app.old_item.box NOT NULL"},
	// The new index has the same name and serves the policy.
	"index_on_another_table": {`lost has: index CREATE INDEX pgretain_message_.*`},
	"index_descending":       {`lost has: index CREATE INDEX pgretain_message_.*`},
	"index_made_total":       {`lost has: index CREATE INDEX pgretain_session_.*`},
	"index_other_class":      {`lost has: index CREATE INDEX pgretain_message_.*`},
	"index_other_collation":  {`lost has: index CREATE INDEX pgretain_message_.*`},
	"index_other_order":      {`lost has: index CREATE INDEX pgretain_message_.*`},
	"index_other_predicate":  {`lost has: index CREATE INDEX pgretain_session_.*`},
	"index_redefined":        {`lost has: index CREATE INDEX pgretain_message_.*`},
	// The worker executes the guard's function, which reads these tables.
	"trigger_without_privilege": {`wider may: .* to retention_worker`},
	"body_without_privilege":    {`wider may: SELECT on .* to retention_worker`},
	"guard_function_denied":     {`wider may: SELECT on relation app\.(legal_case|"open thing") to retention_worker`},
	// The hold is placed again with the new name of the column.
	"hold_column_renamed": {`lost has: hold {"owner_id": "7"} until : case 12`},
	// Somebody created routines in the runtime's schema, and jobs of the runner.
	"function_extra":    {`lost has: routine retention\.message_ttl_batch\(text\)`},
	"function_odd_name": {`lost has: routine retention\..*`},
	"cron_extra":        {`lost has: job (|cleaning|other|retention\.old) of retention_runner`},
	"rule_instead":      {`lost has: rule keep on app.session`, `lost has: rule tell on app.attachment`},
	// Somebody decides that a pause or a window of run time ends.
	"paused_all":            {`lost has: policy \* is paused true`},
	"paused_one":            {`lost has: policy message_ttl is paused true`},
	"clock_of_another_zone": {`lost has: policy told is paused true`},
	"window_out_of_bounds":  {`lost has: policy message_ttl is window 1 day`},
	// These settings end the runner's sessions, or switch its foreign keys off.
	"runner_without_cron":   {`lost has: setting of role drift_none_runner .*`},
	"runner_exits_on_error": {`lost has: setting of role drift_exit_runner .*: exit_on_error=on`},
	"runner_cut_short":      {`lost has: setting of role drift_cut_runner .*: statement_timeout=500ms`},
	"replication_role":      {`lost has: setting of role retention_runner .*: session_replication_role=replica`},
	// The owner of the partitioned table owns its partitions.
	"partition_owner": {`wider may: own relation app.event_2024_01 as drift_maker`},
	// A run takes the rows that are due.
	"overdue": {`lost rows: app.message has 0 of 3`},
	// PUBLIC could execute these functions before.
	"expression_without_execute": {`wider may: EXECUTE on routine (app.either|done|util.marked)\(text\) to retention_worker`},
}

// ofAnotherCase reports whether a line is about roles that the case has not made for itself. Other
// cases change the roles of the server at the same time.
func (c driftCase) ofAnotherCase(line string) bool {
	roles := c.file.Install.Roles
	own := strings.Contains(line, strings.TrimSuffix(roles.Owner, "owner"))
	if strings.Contains(line, "setting of role drift_") && !own {
		return true
	}
	return (strings.HasPrefix(line, "wider may: role ") || strings.HasPrefix(line, "wider may: member ")) &&
		(roles.Owner == "retention_owner" || !own)
}

// protection returns what the database of the case allows and protects.
func (c driftCase) protection(t *testing.T) kit.Protection {
	t.Helper()
	conn := c.connect(t, "")
	defer conn.Close(t.Context())
	return kit.ProtectionOf(t, conn, c.file.Install.Schema)
}

// testSnapshotNearMisses changes tables in ways that no generated object depends on. The findings
// have severity info. The same holds for a schema on which the viewer has no USAGE.
func testSnapshotNearMisses(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "snapshot_nearby")
	c.exec(t, `ALTER TABLE app.message ADD COLUMN note text, ALTER COLUMN body SET DEFAULT '-';
		CREATE INDEX message_note ON app.message (note);
		ALTER TABLE app.attachment ADD COLUMN note text;
		REVOKE USAGE ON SCHEMA app FROM `+c.looker())
	report := c.verify(t, c.looker(), verifier.Options{Counts: true})
	expectCodes(t, c, report)
	text := c.text(t, report)
	for _, want := range []string{
		`info: table "app.message" differs from the catalog snapshot [V033]`,
		`Different column body: wanted text NOT NULL, found text NOT NULL DEFAULT '-'::text. ` +
			`New column note: text. ` +
			`New index message_note: CREATE INDEX message_note ON app.message USING btree (note).`,
		`info: table "app.attachment" differs from the catalog snapshot: column note [V033]`,
		"No generated object depends on it.",
		`has no USAGE on schema app [V034]`, `hint: GRANT USAGE ON SCHEMA app TO retention_viewer;`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not contain %s:\n%s", want, text)
		}
	}
}

// testCoverageGrowth compares the size and the inserts of a table in the report with the server's
// functions. A table under ACCESS EXCLUSIVE delays verify only for its timeout.
func testCoverageGrowth(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "uncovered_table@growth")
	conn := c.connect(t, "")
	pgtest.Exec(t, conn, `
		CREATE TABLE app.fresh WITH (autovacuum_enabled = off) AS SELECT generate_series(1, 12345) AS id;
		ANALYZE app.fresh`)
	pgtest.Exec(t, conn, "SELECT pg_stat_force_next_flush()")
	pgtest.Exec(t, conn, "INSERT INTO app.fresh SELECT generate_series(1, 5)")
	pgtest.Exec(t, conn, "SELECT pg_stat_force_next_flush()")
	size := pgtest.Value[string](t, conn, "SELECT pg_size_pretty(pg_total_relation_size('app.fresh'))")
	inserted := pgtest.Value[string](t, conn, "SELECT n_tup_ins::text FROM pg_stat_user_tables WHERE relname = 'fresh'")
	want := "It takes " + size + ", about 12345 rows. " + inserted + " rows were inserted since its statistics began."
	if text := c.text(t, c.verify(t, c.looker(), verifier.Options{})); !strings.Contains(text, want) {
		t.Errorf("the report does not contain %s:\n%s", want, text)
	}
	pgtest.Exec(t, conn, "BEGIN; LOCK TABLE app.fresh")
	report := c.verify(t, c.looker(), verifier.Options{Timeout: waiting})
	if text := c.text(t, report); !strings.Contains(text,
		"Its size could not be read, because another session has locked it, about 12345 rows.") {
		t.Error(text)
	}
}

// testWindowSet checks that a window that was set at run time is reported with severity info.
// verify uses this window for the count of overdue rows.
func testWindowSet(t *testing.T, server *driftServer) {
	yaml := strings.Replace(driftFile(t, "", "policy.yaml"), "older_than: 7 days",
		"older_than: {days: 7, at_least: 1}", 1)
	in := kit.Install(t, driftFile(t, "", "schema.sql"), yaml)
	wanted, list := in.Compile(t, yaml)
	if list.HasErrors() {
		t.Fatal(list)
	}
	c := driftCase{name: in.Name, file: in.File, wanted: wanted,
		url: func(_, user string) string { return in.URL(user) }}
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
	if text := c.text(t, report); !strings.Contains(text,
		`: info: the window of policy "message_ttl" was set at run time [V014]`) ||
		!strings.Contains(text, "\ngot:  30 days\n") || !strings.Contains(text, ": a trial. ") {
		t.Error(text)
	}
	if n := pgtest.Value[int](t, in, "SELECT due FROM retention.preview('message_ttl')"); n != 0 {
		t.Errorf("%d rows are due with the longer window, want none", n)
	}
}

// caughtElsewhere maps each code that no tamper.sql can cause to the function that tests it. The
// function is in this directory or in ../verifier, and its body contains the code.
var caughtElsewhere = map[string]string{
	"V001": "TestNotInstalled",
	"V011": "TestNotInstalled",
	"V015": "TestOrigins",
	"V044": "TestSchedulerIsNotRunning",
	"V075": "testRolesNone",
	"V091": "testWaitingIsUnknown",
	"V092": "wantChanging",
	"V093": "testStandbyBehind",
	"V094": "TestStandby",
}

// TestEveryVerifierCodeHasAPageAndACase checks that every code of verify has a page in docs/checks, and
// a case or a test that reports it.
func TestEveryVerifierCodeHasAPageAndACase(t *testing.T) {
	t.Parallel()
	caught := ""
	for _, c := range driftCases(t) {
		caught += c.Text("report.txt")
	}
	bodies := testBodies(t)
	var titles []string
	for _, check := range (verifier.Selection{}).Codes() {
		code := check.String()
		titles = append(titles, "# "+code+": "+check.Title())
		elsewhere, named := caughtElsewhere[code]
		switch {
		case named && !strings.Contains(bodies[elsewhere], code):
			t.Errorf("no function %s of the tests contains %s", elsewhere, code)
		case !named && !strings.Contains(caught, "["+code+"]"):
			t.Errorf("no case of %s reports %s", driftDir, code)
		}
	}
	if diff := cmp.Diff(titles, checkPages(t)); diff != "" {
		t.Errorf("codes and pages differ (-codes +pages):\n%s", diff)
	}
}

// checkPages returns the titles of verify's pages, and checks that each page has the same sections.
func checkPages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../docs/checks/V*.md")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, path := range paths {
		text := fixture.ReadFile(t, path)
		title, body, _ := strings.Cut(text, "\n")
		titles = append(titles, title)
		for _, section := range []string{"\n## problem\n", "\n## why it matters\n", "\n## solution\n"} {
			if !strings.Contains(body, section) {
				t.Errorf("%s has no section %q", path, strings.TrimSpace(section))
			}
		}
	}
	return titles
}

// testBodies maps the functions of verify's tests to their bodies.
func testBodies(t *testing.T) map[string]string {
	t.Helper()
	here, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob("../verifier/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, path := range append(here, there...) {
		text := fixture.ReadFile(t, path)
		for _, function := range strings.Split(text, "\nfunc ")[1:] {
			name, _, _ := strings.Cut(function, "(")
			bodies[name], _, _ = strings.Cut(function, "\n}\n")
		}
	}
	return bodies
}
