package tests

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/htmlreport"
	"pgretain/tests/browser"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

const hostile = `<script>alert("1")</script> & 'x' </td></table> {{.}} javascript:1` + "\x1b[2J"

// harmless is how a page shows the hostile text: without a character that a terminal interprets.
var harmless = strings.ReplaceAll(hostile, "\x1b", "\ufffd")

// reportPolicies has a policy for each state. The name of a policy is its state.
const reportPolicies = `
defaults: {breaker: {fraction: 100%}}
policies:
  behind:
    table: app.behind
    due: &week {age: {column: at, older_than: 7 days}}
    budget: {rows: 10}
    then: [delete]
  tripped: {table: app.tripped, due: *week, breaker: {rows: 5}, then: [delete]}
  failing: {table: app.failing, due: *week, then: [delete]}
  stopped: {table: app.stopped, due: *week, then: [delete]}
  late: {table: app.late, due: *week, then: [delete]}
  locked: {table: app.locked, due: *week, then: [delete]}
  held: {table: app.held, due: *week, then: [delete]}
  fresh: {table: app.fresh, due: *week, then: [delete]}
  fine:
    keep: {open_case: "t.note = 'case'"}
    description: |
      <script>alert("1")</script> & 'x' </td></table> {{.}} javascript:1
    table: app.fine
    where: "t.note <> '<b>&</b>'"
    due: *week
    then: [{delete: {cascades: [app.fine_part]}}]
  called:
    table: app.called
    due: *week
    then: [{update: {table: app.held, as: h, where: "h.id = t.id", set: {note: "''"}}}, delete]
jobs:
  often: {schedule: "*/5 * * * *", run: [behind, tripped, failing, stopped, locked, held, fine]}
  daily: {schedule: "@daily", run: [late, fresh]}
`

const reportTables = `CREATE SCHEMA app;
	DO $$ DECLARE name text; BEGIN
		FOREACH name IN ARRAY '{behind,tripped,failing,stopped,late,locked,held,fresh,fine,called}'::text[] LOOP
			EXECUTE format('
				CREATE TABLE app.%I (
					id bigint PRIMARY KEY, at timestamptz NOT NULL, note text NOT NULL DEFAULT '''');
				CREATE INDEX ON app.%1$I (at)', name);
		END LOOP;
	END $$;
	CREATE TABLE app.fine_part (id bigint PRIMARY KEY REFERENCES app.fine ON DELETE CASCADE);
	CREATE TABLE app."<b>&'""x" (id bigint PRIMARY KEY REFERENCES app.fine);
	INSERT INTO app.behind SELECT n, now() - interval '107 days' FROM generate_series(1, 10060) n;
	INSERT INTO app.tripped SELECT n, now() - interval '10 days' FROM generate_series(1, 12) n;
	INSERT INTO app.failing SELECT n, now() - interval '10 days' FROM generate_series(1, 3) n;
	INSERT INTO app.held SELECT n, now() - interval '10 days' FROM generate_series(1, 4) n;
	INSERT INTO app.fine SELECT n, now() - interval '10 days' FROM generate_series(1, 1234) n;
	INSERT INTO app.fine SELECT n, now() - interval '12 days', 'case' FROM generate_series(2001, 2002) n;
	INSERT INTO app.fine_part SELECT n FROM generate_series(1, 1234, 2) n;`

// reported creates an installation with a policy in each state, and its report.
func reported(t *testing.T) (in *kit.Installed, html string) {
	in = kit.Install(t, reportTables, reportPolicies)
	in.DB.Exec(t, `
		UPDATE retention.policy SET installed_at = now() - interval '5 days' WHERE name NOT IN ('fresh', 'called');
		UPDATE retention.job SET installed_at = now() - interval '5 days';
		UPDATE retention.install SET adopted_at = now() - interval '50 days';
		REVOKE DELETE ON app.failing FROM retention_worker;
		CREATE ROLE "<i>eve</i> & ""co""" LOGIN IN ROLE retention_operator`)
	in.DB.Exec(t, `
		INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, started_at, ended_at, role)
		SELECT x.policy, x.job, 'app.' || x.policy, '', now(), x.state,
			now() - x.began * interval '1 min', now() - x.ended * interval '1 min', 'retention_runner'
		FROM (VALUES
			('held', 'often', 'done', 200, 190),
			('called', NULL, 'done', 195, 180),
			('called', NULL, 'busy', 100, 100),
			('called', NULL, 'busy', 90, 90),
			('late', 'daily', 'done', 3000, 2900)) x (policy, job, state, began, ended)`)
	eve := in.Conn(t)
	pgtest.Exec(t, eve, `SET SESSION AUTHORIZATION "<i>eve</i> & ""co"""`)
	for _, sql := range []string{"SELECT retention.place_hold('app.held', '{\"id\": 3}', $1)",
		"SELECT retention.pause('stopped', $1)"} {
		if _, err := eve.Exec(t.Context(), sql, hostile); err != nil {
			t.Fatal(err)
		}
	}
	locked, err := in.Conn(t).Begin(t.Context())
	if err == nil {
		_, err = locked.Exec(t.Context(), "SELECT FROM app.behind WHERE id = 1 FOR UPDATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	for policy, state := range map[string]string{"behind": "more", "tripped": "tripped", "failing": "failed",
		"locked": "done", "held": "done", "fine": "done"} {
		if o := in.Run(policy, "now"); o.State != state {
			t.Fatalf("the run of %s ended %s (%s), not %s", policy, o.State, o.Message, state)
		}
	}
	if err := locked.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, in.Runner(), "SELECT pg_stat_force_next_flush()")
	pgtest.Exec(t, in.Conn(t), "ALTER TABLE app.fine_part SET (autovacuum_vacuum_threshold = 1000)")
	pgtest.Exec(t, in.Conn(t), "VACUUM app.held")
	wanted, _ := in.Compile(t, reportPolicies)
	blocker, err := in.Conn(t).Begin(t.Context())
	if err == nil {
		_, err = blocker.Exec(t.Context(), "LOCK TABLE app.locked IN ACCESS EXCLUSIVE MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blocker.Rollback(context.Background()) })
	viewer := in.File.Install.Roles.Viewer
	found := in.Verify(t, viewer, wanted)
	var text bytes.Buffer
	_, _, err = htmlreport.Write(t.Context(), in.Viewer(), &text,
		htmlreport.Options{Schema: "retention", Timeout: 30 * time.Second,
			Verify: func() (*verifier.Report, error) { return found, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return in, text.String()
}

// TestReport writes a report as a viewer and checks its content and form.
func TestReport(t *testing.T) {
	t.Parallel()
	in, html := reported(t)
	page := parseHTML(t, html)

	t.Run("order", func(t *testing.T) {
		var got []string
		for _, row := range page.policies() {
			got = append(got, row.name+": "+row.state)
		}
		want := []string{
			"failing: failing", "tripped: tripped", "behind: behind", "late: late", "stopped: paused",
			"locked: unknown", "called: no schedule", "fresh: not yet run", "fine: fine", "held: fine",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	})
	t.Run("numbers", func(t *testing.T) { reportNumbers(t, in, page) })
	t.Run("on disk", func(t *testing.T) { reportDisk(t, in, page) })
	t.Run("five questions", func(t *testing.T) { reportAnswers(t, page) })
	t.Run("hostile", func(t *testing.T) {
		text := page.text()
		for words, times := range map[string]int{
			harmless:                   3,
			`<i>eve</i> & "co"`:        2,
			"t.note <> '<b>&</b>'":     1,
			`app.<b>&'"x (keeps rows)`: 1,
		} {
			if n := strings.Count(text, words); n < times {
				t.Errorf("the text of the page contains %q %d times, want at least %d", words, n, times)
			}
		}
	})
	t.Run("form", func(t *testing.T) { reportForm(t, page) })
	t.Run("browser", func(t *testing.T) { browser.Check(t, html) })
	t.Run("alone", func(t *testing.T) {
		for _, e := range page.all("") {
			if slices.Contains([]string{"script", "link", "iframe", "img", "object", "form", "i", "b"}, e.name) {
				t.Errorf("the page has an element %s", e.name)
			}
			for name, value := range e.attributes {
				if name == "src" || name == "style" || strings.HasPrefix(name, "on") || name == "href" &&
					!strings.HasPrefix(value, "#") || strings.Contains(value, "://") {
					t.Errorf("%s has %s=%q", e.name, name, value)
				}
			}
		}
		for _, style := range page.all("style") {
			if text := style.text(); strings.Contains(text, "url(") || strings.Contains(text, "@import") ||
				strings.Contains(text, "://") {
				t.Error("the style sheet loads something from elsewhere")
			}
		}
	})
}

// reportNumbers compares the numbers of the report with plain SQL.
func reportNumbers(t *testing.T, in *kit.Installed, page *element) {
	rows := map[string]reportRow{}
	for _, row := range page.policies() {
		rows[row.name] = row
	}
	for _, policy := range []string{"tripped", "failing", "late", "held", "fresh", "fine", "called"} {
		due := pgtest.Value[string](t, in.DB, `SELECT count(*)::text FROM app.`+
			policy+` WHERE at < now() - interval '7 days'
			AND NOT ($1 = 'held' AND id = 3) AND note <> 'case'`, policy)
		if got := strings.Fields(rows[policy].due)[0]; got != due {
			t.Errorf("%s: %s rows are due, the report says %s", policy, due, rows[policy].due)
		}
	}
	if n := pgtest.Value[int64](t, in.DB, "SELECT count(*) FROM app.behind"); n != 10050 ||
		!strings.HasPrefix(rows["behind"].due, "at least 10,000 ") {
		t.Errorf("%d rows are due in app.behind, the report says %s", n, rows["behind"].due)
	}
	if !strings.HasPrefix(rows["locked"].due, "unknown") || !strings.Contains(rows["locked"].due, "locked") {
		t.Errorf("the due rows of a locked table are %s, want unknown because it is locked", rows["locked"].due)
	}
	for _, policy := range []string{"behind", "fine", "stopped"} {
		want := pgtest.Value[string](t, in.DB, `
			SELECT coalesce(format('30 days: %s runs on %s days, %s rows taken',
				count(*), count(DISTINCT started_at::date), ltrim(to_char(sum(taken), '999,999'))), '')
			FROM retention.run
			WHERE policy = $1
			HAVING count(*) > 0
			UNION ALL
			SELECT 'No run in 30 days'
			LIMIT 1`, policy)
		if got := rows[policy].cells[1].all("title")[0].text(); got != want {
			t.Errorf("%s: the title of the drawing is %q, want %q", policy, got, want)
		}
	}
	part := page.row("app.fine_part")
	cascaded := pgtest.Value[string](t, in.DB, "SELECT (617 - count(*))::text FROM app.fine_part")
	if part == nil || part.children[2].text() != cascaded || cascaded != "617" {
		t.Errorf("foreign keys deleted %s rows of app.fine_part, want 617; the report says %v", cascaded, part)
	}
	for header, want := range map[string][]string{ // from the rows of retention.run that reported inserts
		"called and held at work at once":                 {"app.held", "1"},
		"called did not start: another run had the table": {"app.called", "2"},
		"often": {"", "1", "10m0s", "10m0s"},
		"daily": {"", "0", "", ""},
	} {
		row := page.rowLike(header)
		for i, text := range want {
			if row == nil || i+1 >= len(row.children) || text != "" && row.children[i+1].text() != text {
				t.Errorf("the row %q: %s, want %q", header, row.text(), want)
			}
		}
	}
	if own := page.row("app.fine"); own == nil || own.children[1].text() != "1,234" ||
		!strings.Contains(own.text(), "app.fine_part (on delete cascade)") {
		t.Errorf("app.fine: %v", own)
	}
}

// reportDisk compares the report with PostgreSQL's statistics, and executes the VACUUM that the
// report advises.
func reportDisk(t *testing.T, in *kit.Installed, page *element) {
	dead := pgtest.Value[string](t, in.DB, `
		SELECT string_agg(relname || ' ' || n_dead_tup, ', ' ORDER BY relname)
		FROM pg_stat_user_tables
		WHERE schemaname = 'app' AND n_dead_tup > 0`)
	if dead != "behind 10, fine 1234, fine_part 617" {
		t.Fatalf("dead rows by table: %s", dead)
	}
	texts := map[string]string{}
	for _, row := range page.policies() {
		texts[row.name] = row.text
	}
	for policy, want := range map[string]string{
		"fine":   ", never vacuumed",
		"held":   ", vacuumed ",
		"locked": ", never vacuumed",
	} {
		want = pgtest.Value[string](t, in.DB, `
			SELECT format(', %s rows, %s dead', to_char(n_live_tup, 'FM999,990'), to_char(n_dead_tup, 'FM999,990'))
			FROM pg_stat_user_tables
			WHERE relid = to_regclass($1)`, "app."+policy) + want
		size := "0 bytes" // the size of a locked table is that of its last VACUUM
		if policy != "locked" {
			size = pgtest.Value[string](t, in.DB, "SELECT pg_size_pretty(pg_total_relation_size($1::regclass))",
				"app."+policy)
		}
		if !strings.Contains(texts[policy], size+want) {
			t.Errorf("%s: the report does not contain %q: %s", policy, size+want, texts[policy])
		}
	}
	var statements []string
	for _, e := range page.all("pre") {
		if strings.HasPrefix(e.text(), "VACUUM") {
			statements = append(statements, e.text())
		}
	}
	if diff := cmp.Diff([]string{"VACUUM (ANALYZE) app.fine;"}, statements); diff != "" {
		t.Fatalf("statements (-want +got):\n%s", diff)
	}
	pgtest.Exec(t, in.Conn(t), statements[0])
	var text bytes.Buffer
	if _, _, err := htmlreport.Write(t.Context(), in.Viewer(), &text,
		htmlreport.Options{Schema: "retention", Timeout: 30 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "VACUUM (ANALYZE)") ||
		!strings.Contains(text.String(), ", 2 rows, 0 dead, vacuumed ") {
		t.Error("after VACUUM, the report still advises it or shows dead rows")
	}
}

// TestReportOfScopes checks the number of due rows for a policy whose two jobs have overlapping
// scopes. A row in both scopes counts once, and a row in neither does not count.
func TestReportOfScopes(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE tok (id int PRIMARY KEY, nid int NOT NULL, kind text NOT NULL, at timestamptz NOT NULL);
		INSERT INTO tok SELECT n, n % 4, chr(97 + n % 3), now() - interval '3 days' FROM generate_series(1, 48) n;
		INSERT INTO tok SELECT n, 1, 'a', now() FROM generate_series(101, 110) n`, `
policies: {tok: {table: tok, scope: [nid, kind], due: {age: {column: at, older_than: 1 day}}, then: [delete]}}
jobs:
  one: {schedule: "@daily", run: [tok], scope: {nid: 1}}
  two: {schedule: "@daily", run: [tok], scope: {kind: "'a'"}}`)
	want := pgtest.Value[int](t, in,
		"SELECT count(*) FROM tok WHERE (nid = 1 OR kind = 'a') AND at < now() - interval '1 day'")
	both := pgtest.Value[int](t, in,
		"SELECT count(*) FROM tok WHERE nid = 1 AND kind = 'a' AND at < now() - interval '1 day'")
	due := func() string {
		t.Helper()
		var text bytes.Buffer
		if _, _, err := htmlreport.Write(t.Context(), in.Viewer(), &text,
			htmlreport.Options{Schema: "retention", Timeout: 30 * time.Second}); err != nil {
			t.Fatal(err)
		}
		_, cell, _ := strings.Cut(text.String(), `data-label="Due now"`)
		_, cell, _ = strings.Cut(cell, ">")
		cell, _, _ = strings.Cut(cell, "<")
		return strings.TrimSpace(cell)
	}
	if got := due(); got != fmt.Sprint(want) || both == 0 {
		t.Errorf("due now: %q, want %d; %d rows are in both scopes, want some", got, want, both)
	}
	for _, job := range []string{"one", "two"} {
		if _, err := in.Call("CALL retention.run_job($1)", job); err != nil {
			t.Error(err)
		}
	}
	if got := due(); got != "0" {
		t.Errorf("due after both jobs ran: %q, want 0", got)
	}
}

// reportAnswers checks that the report answers the five questions of docs/cli.md.
func reportAnswers(t *testing.T, page *element) {
	page.want(t, "verdict", "Drift", "4 of 10 policies do not do their work", "failing is failing",
		"tripped is tripped", "behind is behind", "late is late", "Verdict: drift")
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, -days).Format("2 Jan 2006") }
	for policy, want := range map[string][]string{
		"behind": {"Since", "the oldest row became due", "this row should have been taken by", "the budget of",
			"pgretain run behind"},
		"failing": {"Since", "never succeeded", day(5), "permission denied", "pgretain run failing"},
		"tripped": {"Since", day(5), "the breaker allows 5", "pgretain preview tripped",
			"pgretain accept tripped --reason '...'"},
		"stopped": {"Since", day(0), `paused by <i>eve</i> & "co"`, harmless, "pgretain resume stopped"},
		"late": {"Since", "it was installed", day(5), "a run should have succeeded by",
			"pgretain verify --only schedule", "pgretain run late"},
		"locked": {"another session has locked a table", "pgretain preview locked"},
		"called": {"No job runs it", "pgretain run called"},
	} {
		_, row := page.policy(policy)
		for _, words := range want {
			if row == nil || !strings.Contains(row.text(), words) {
				t.Errorf("%s: the report does not contain %q:\n%s", policy, words, row.text())
			}
		}
	}
	for policy, want := range map[string]string{"behind": "1 by locks of other sessions", "fine": "2 by open_case",
		"held": "1 by hold", "tripped": ""} {
		row, _ := page.policy(policy)
		_, got, _ := strings.Cut(row.all("th")[0].spaced(), "kept in the last run: ")
		if got = strings.TrimSpace(got); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: kept in the last run: %q, want %q", policy, got, want)
		}
	}
	for _, row := range page.policies() {
		next := row.cells[4].text()
		if planned := row.name != "called"; planned != strings.Contains(next, "in ") || planned == (next == "none") {
			t.Errorf("%s: the next run is %q", row.name, next)
		}
		if _, below := page.policy(row.name); row.state == "fine" && below != nil {
			t.Errorf("the report has advice for policy %s, which is fine", row.name)
		}
	}
}

// reportForm checks what users of screen readers and keyboards rely on.
func reportForm(t *testing.T, page *element) {
	ids, level := map[string]bool{}, 0
	for _, e := range page.all("") {
		if id := e.attributes["id"]; id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
		}
		if len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6' {
			if now := int(e.name[1] - '0'); now > level+1 || level > 0 && now == 1 {
				t.Errorf("heading %q does not follow one of level %d", e.text(), level)
			} else {
				level = now
			}
		}
		if e.name == "th" && e.attributes["scope"] == "" {
			t.Errorf("header %q has no scope", e.text())
		}
		if e.name == "svg" && (e.attributes["role"] != "img" || len(e.children) == 0 ||
			e.children[0].name != "title" || e.children[0].text() == "") {
			t.Errorf("a drawing has no title: %v", e.attributes)
		}
		if e.attributes["class"] != "" && strings.HasPrefix(e.attributes["class"], "state") &&
			strings.TrimSpace(strings.TrimLeft(e.text(), "✕▲‖?≠!–…▶✓")) == "" {
			t.Error("a state has no text, only a colour or a sign")
		}
	}
	for _, a := range page.all("a") {
		if target := strings.TrimPrefix(a.attributes["href"], "#"); !ids[target] {
			t.Errorf("link %q has target %q, which does not exist", a.text(), target)
		}
	}
	if len(ids) < 10 || level == 0 || len(page.all("svg")) < 10 {
		t.Errorf("the page has %d ids and %d drawings, want at least 10 of each", len(ids), len(page.all("svg")))
	}
	if page.attributes["lang"] == "" || len(page.all("main")) != 1 || len(page.all("h1")) != 1 ||
		page.all("title")[0].text() == "" {
		t.Error("language, main part, heading or title are missing")
	}
}
