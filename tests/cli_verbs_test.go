package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/htmlreport"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const verbsPolicy = `version: 1
policies:
  notes_old:
    table: app.notes
    due: {age: {column: at, older_than: {days: 30, at_least: 7}}}
    ensure: {seen: {type: boolean}}
    breaker: {rows: 100}
    budget: {rows: 120}
    then: [{archive: {into: app.notes_gone, set: {run_id: run.id}}}, delete]
jobs:
  nightly: {schedule: "0 0 29 2 *", run: [notes_old]}
`

// atWork is an installation with two roles: one that migrates, and an operator.
type atWork struct {
	*cli   // runs commands as the operator
	db     *pgtest.DB
	deploy *cli     // runs commands as the migrating role
	before []string // catalog before the installation
}

func newAtWork(t *testing.T, binary string) *atWork {
	t.Helper()
	db := pgtest.CronServer(t)
	db.Exec(t, "CREATE ROLE deploy LOGIN; CREATE ROLE anna LOGIN; CREATE SCHEMA app AUTHORIZATION deploy")
	pgtest.Exec(t, db.Conn(t, "deploy"), `
		CREATE TABLE app.notes (id bigint PRIMARY KEY, kind text NOT NULL, at timestamptz NOT NULL);
		CREATE TABLE app.notes_gone (id bigint, kind text, at timestamptz, seen boolean, run_id bigint);
		INSERT INTO app.notes SELECT n, 'k' || n % 3, now() - interval '60 days' FROM generate_series(1, 300) n;
		INSERT INTO app.notes SELECT n, 'k' || n % 3, now() FROM generate_series(301, 400) n;
		CREATE INDEX mine ON app.notes (kind)`)
	deploy := newCLI(t, binary, db.URL("deploy"), t.TempDir())
	deploy.write("retention.yaml", verbsPolicy)
	db.Exec(t, deploy.must("bootstrap").stdout)
	db.Exec(t, "GRANT retention_operator TO anna")
	before := kit.Catalog(t, db, "retention")
	deploy.must("snapshot")
	if r := deploy.finish(deploy.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	deploy.must("migrate", "up")
	return &atWork{newCLI(t, binary, db.URL("anna"), deploy.dir), db, deploy, before}
}

// answer returns the rows of a command's JSON output.
func (a *atWork) answer(args ...string) []map[string]any {
	a.t.Helper()
	r := a.must(append(args, "--json")...)
	var found struct {
		Version int
		Verb    string
		Rows    []map[string]any
	}
	if err := json.Unmarshal([]byte(r.stdout), &found); err != nil || found.Version != 1 || found.Verb != args[0] ||
		found.Rows == nil {
		a.t.Fatalf("%q: %v in\n%s", args, err, r.stdout)
	}
	return found.Rows
}

// is compares the result of a query, as text.
func (a *atWork) is(want, sql string) {
	a.t.Helper()
	if got := pgtest.Value[string](a.t, a.db, "SELECT ("+sql+")::text"); got != want {
		a.t.Errorf("%s: %q, want %q", sql, got, want)
	}
}

// reports checks that report replaces a former report, but no other file. It needs no policy file.
func reports(t *testing.T, binary string, a *atWork) {
	t.Helper()
	for range 2 {
		a.must("report", "--output", "report.html")
		text, err := os.ReadFile(filepath.Join(a.dir, "report.html"))
		if err != nil || !strings.HasPrefix(string(text), htmlreport.Mark) ||
			!strings.Contains(string(text), "<strong>Drift</strong>") ||
			!strings.Contains(string(text), "pgretain preview notes_old") {
			t.Errorf("%v in the report\n%s", err, text)
		}
	}
	a.write("own.html", "my own")
	a.want(2, "is not a report", "report", "--output", "own.html")
	if text, err := os.ReadFile(filepath.Join(a.dir, "own.html")); err != nil || string(text) != "my own" {
		t.Errorf("report changed own.html, which is not a report: %v, now %s", err, text)
	}
	a.must("report", "--output", "own.html", "--force")
	a.want(2, "is not a regular file", "report", "--output", ".", "--force")
	a.want(2, "could not read policy file", "report", "--policy", "none.yaml")
	bare := newCLI(t, binary, a.db.URL("anna"), t.TempDir()).must("report").stdout
	if !strings.Contains(bare, "<strong>Not verified</strong>") ||
		!strings.Contains(bare, "tripped: 101 or more rows are due") || strings.Count(bare, "<html") != 1 {
		t.Errorf("the report without a policy file does not say that it was not verified:\n%s", bare)
	}
}

// testVerbs checks as the operator that each command does what its SQL function does.
func testVerbs(t *testing.T, binary string) {
	a := newAtWork(t, binary)
	lines := func(want int, r result, words ...string) {
		t.Helper()
		for _, word := range words {
			if r.code != want || !strings.Contains(r.stdout+r.stderr, word) {
				t.Errorf("exit code %d, want %d and %q in\n%s%s", r.code, want, word, r.stdout, r.stderr)
			}
		}
	}
	// The message of a tripped run says how to accept it: in the log, and in the output of run and
	// status.
	acceptHints := []string{"pgretain accept notes_old --reason '...'", "SELECT retention.accept('notes_old', '...')"}
	lines(1, a.run("run", "notes_old"), acceptHints...)
	lines(1, a.run("run", "--job", "nightly"), acceptHints...)
	lines(1, a.run("status"), acceptHints...)
	_, err := a.db.Conn(t, "anna").Exec(t.Context(), "CALL retention.run_job('nightly')")
	if err == nil || !strings.Contains(err.Error(), acceptHints[0]) || !strings.Contains(err.Error(), acceptHints[1]) {
		t.Errorf("run_job() returns %v, want an error with both ways to accept", err)
	}

	reports(t, binary, a)

	lines(0, a.run("accept", "notes_old", "--rows", "119", "--reason", "too few"), "119", "too few")
	a.is("too few", "SELECT reason FROM retention.setting WHERE name = 'accepted' AND value LIKE '% 119' AND set_by "+
		"= 'anna'")
	lines(1, a.run("run", "notes_old"), "119 were accepted")
	a.is("400", "SELECT count(*) FROM app.notes")
	a.answer("accept", "notes_old", "--reason", "looked at")

	lines(0, a.run("pause", "notes_old", "--reason", "release 42"), "notes_old")
	lines(1, a.run("run", "notes_old"), "paused by anna", "release 42")
	if rows := a.answer("resume", "notes_old"); rows[0]["resumed"] != true {
		t.Errorf("resumed: %v", rows)
	}
	a.answer("pause")
	a.is("*", "SELECT policy FROM retention.setting WHERE name = 'paused'")
	a.answer("resume")
	a.is("0", "SELECT count(*) FROM retention.setting WHERE name = 'paused'")

	held := a.answer("hold", "app.notes", "kind=k1", "id=1", "--reason", `case "7"`, "--until", "2100-01-01")
	if held[0]["rows_held"] != 1.0 || held[0]["hold"] != 1.0 {
		t.Errorf("held: %v", held)
	}
	a.is(`{"id": "1", "kind": "k1"} case "7" 2100-01-01`,
		"SELECT match::text || ' ' || reason || ' ' || (until AT TIME ZONE 'UTC')::date FROM retention.hold WHERE "+
			"placed_by = 'anna'")
	lines(0, a.run("holds"), "app.notes", `{"id":"1","kind":"k1"}`, `case "7"`, "2100-01-01")
	lines(0, a.run("why", "notes_old", "id=1"), "hold")
	if rows := a.answer("why", "notes_old", "id=350"); rows[0]["due"] != false || rows[0]["kept_by"] != "not due" ||
		rows[0]["until"] == nil {
		t.Errorf("why: %v", rows)
	}
	lines(0, a.run("why", "notes_old", "id=350", "--as-of", "2100-01-01"), "yes")
	lines(0, a.run("why", "notes_old", "id=-1"), "no such row")
	for _, wrong := range [][]string{{"hold", "app.notes", "id"}, {"hold", "app.notes"}, {"why", "notes_old", "=1"},
		{"hold", "app.notes", "id=1", "id=2"}, {"release"}} {
		a.want(2, "--help", wrong...)
	}
	a.want(2, "needs a reason", "hold", "app.notes", "id=2")
	a.want(2, "there is no hold 9", "release", "9")
	a.want(2, `there is no policy "nobody"`, "accept", "nobody", "--rows", "1")

	a.must("run", "notes_old") // takes the accepted rows, except the held one
	a.is("120", "SELECT count(*) FROM app.notes_gone")
	a.is("1", "SELECT count(*) FROM app.notes WHERE id = 1")
	run := pgtest.Value[string](t, a.db, "SELECT max(id)::text FROM retention.run")
	a.want(2, "keeps no row", "restore", "notes_old", run, "id=400")
	a.want(2, "--help", "restore", "notes_old", run, "id")
	if rows := a.answer("restore", "notes_old", run, "id=2"); rows[0]["restored"] != 1.0 {
		t.Errorf("restored: %v", rows)
	}
	if rows := a.answer("restore", "notes_old", run); rows[0]["restored"] != 119.0 {
		t.Errorf("restored: %v", rows)
	}
	a.is("400", "SELECT count(*) FROM app.notes")
	lines(0, a.run("release", "1", "--reason", "closed"), "app.notes")
	a.is("closed", "SELECT release_reason FROM retention.hold WHERE id = 1 AND released_by = 'anna'")

	lines(0, a.run("window", "notes_old", "50 days", "--reason", "wait"), "50 days")
	a.is("50 days", "SELECT retention.window_of('notes_old')")
	a.must("window", "notes_old", "default", "--reason", "no more")
	a.is("30 days", "SELECT retention.window_of('notes_old')")
	a.db.Exec(t, "UPDATE retention.install SET database_name = 'another'")
	a.want(1, "this is a copy", "run", "notes_old")
	lines(0, a.run("adopt", "--reason", "meant"), "adopted by anna")
	a.is("meant", "SELECT reason FROM retention.setting_change WHERE name = 'adopted'")
	a.is("true", "SELECT retention._copy() IS NULL")
	a.db.Exec(t, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, pid)
		VALUES ('gone', 'x', '', now(), 'running', 1)`)
	if rows := a.answer("mark-abandoned"); rows[0]["ended"] != 1.0 {
		t.Errorf("mark-abandoned answers %v, want 1 run ended", rows)
	}
	a.is("abandoned", "SELECT state FROM retention.run WHERE policy = 'gone'")

	// Each JSON output contains its version.
	for _, args := range [][]string{{"status"}, {"preview"}, {"run", "notes_old"}, {"verify"}, {"migrate", "status"},
		{"holds"}, {"version"},
		{"generate", "--check"}, {"lint"}, {"plan"}} {
		c := a.deploy
		if args[0] == "run" || args[0] == "holds" {
			c = a.cli
		}
		r := c.run(append(args, "--json")...)
		if args[0] == "generate" || args[0] == "lint" || args[0] == "version" {
			r = c.finish(c.command(append(args, "--json")...))
		}
		var form struct{ Version int }
		if err := json.Unmarshal([]byte(r.stdout), &form); err != nil || form.Version != 1 {
			t.Errorf("%q: %v in\n%s%s", args, err, r.stdout, r.stderr)
		}
	}
}

// testFirst checks "run --first". After one question it takes the rows that are due when it starts,
// without stopping at the breaker, and no others.
func testFirst(t *testing.T, binary string) {
	a := newAtWork(t, binary)
	answered := func(answer string, args ...string) result {
		t.Helper()
		cmd := a.command(append(args, "--database-url", a.url)...)
		cmd.Stdin = strings.NewReader(answer)
		return a.finish(cmd)
	}
	for _, answer := range []string{"", "n\n", "what?\n"} {
		if r := answered(answer, "run", "--first"); r.code != 2 ||
			!strings.Contains(r.stderr, "Take up to 300 rows, of 1 policy?") ||
			!strings.Contains(r.stderr, "nothing was done") {
			t.Errorf("%q: %+v", answer, r)
		}
	}
	a.want(2, "no job", "run", "--first", "--job", "daily", "--yes")
	a.want(2, "no policy", "run", "--first", "nobody", "--yes")
	a.want(2, "--yes requires --first", "run", "notes_old", "--yes")
	a.is("400 0", "SELECT (SELECT count(*) FROM app.notes) || ' ' || (SELECT count(*) FROM retention.run) + (SELECT "+
		"count(*) FROM retention.setting)")

	// A trigger adds due rows after the question was answered.
	a.db.Exec(t, `
		CREATE FUNCTION app.more() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN
			INSERT INTO app.notes
			SELECT n, 'late', now() - interval '60 days' FROM generate_series(1001, 1400) n
			ON CONFLICT DO NOTHING;
			RETURN NULL;
		END $$;
		CREATE TRIGGER more AFTER INSERT ON retention.setting EXECUTE FUNCTION app.more();
		UPDATE retention.policy SET budget_rows = NULL`)
	if r := answered("y\n", "run", "--first", "--job", "nightly"); r.code != 1 ||
		!strings.Contains(r.stderr, "and 300 were accepted") {
		t.Errorf("%+v", r)
	}
	a.is("800", "SELECT count(*) FROM app.notes")
	a.db.Exec(t, "DROP TRIGGER more ON retention.setting; DELETE FROM app.notes WHERE kind = 'late'; UPDATE "+
		"retention.policy SET budget_rows = 120")

	a.must("pause", "notes_old", "--reason", "not yet") // a paused policy is left out
	if r := a.run("run", "--first"); r.code != 1 || !strings.Contains(r.stdout, "not yet") {
		t.Error(r)
	}
	a.must("resume", "notes_old")
	if r := answered("y\n", "run", "--first", "--reason", "day one"); r.code != 0 ||
		strings.Count(r.stdout, "notes_old ") != 4 {
		t.Errorf("%+v", r)
	}
	a.is("100 300", "SELECT (SELECT count(*) FROM app.notes) || ' ' || (SELECT count(*) FROM app.notes_gone)")
	a.is("more 120, more 120, done 60", "SELECT string_agg(state || ' ' || taken, ', ' ORDER BY id) FROM "+
		"retention.run WHERE reason = 'day one'")
	a.is("0", "SELECT count(*) FROM retention.setting")
	a.must("run", "--first", "--yes") // nothing is due, and nothing runs
	a.is("4", "SELECT count(*) FROM retention.run")
}

// testUninstall checks that uninstall needs an export of the log while a hold is in force.
// Afterwards the catalog is as before the installation.
func testUninstall(t *testing.T, binary string) {
	a := newAtWork(t, binary)
	a.must("hold", "app.notes", "id=1", "--reason", "case 7")
	c := a.deploy
	c.write("migrations/00099_own.sql", "-- +goose Up\nCREATE TABLE app.own ();\n-- +goose Down\nDROP TABLE app.own;\n")
	c.must("migrate", "up")
	full := kit.Catalog(t, a.db, "retention")
	c.want(2, "1 hold in force", "uninstall", "--yes")
	export := filepath.Join(c.dir, "log.jsonl")
	r := c.run("uninstall", "--export", export)
	for _, word := range []string{"notes_old", "retention.nightly", "app.notes.seen", "1 hold in force",
		"roles, extension pg_cron"} {
		if r.code != 2 || !strings.Contains(r.stdout, word) {
			t.Errorf("exit code %d, want 2 and %q in\n%s%s", r.code, word, r.stdout, r.stderr)
		}
	}
	if diff := cmp.Diff(full, kit.Catalog(t, a.db, "retention")); diff != "" {
		t.Errorf("uninstall without an answer changed the catalog:\n%s", diff)
	}

	// A migration of the user stays applied, and so does its row in goose_db_version.
	c.must("uninstall", "--export", export, "--yes")
	if text := fixture.ReadFile(t, export); !strings.Contains(text, "case 7") ||
		!strings.Contains(text, `"table": "hold"`) {
		t.Errorf("the export is %s", text)
	}
	a.is("app.own", "SELECT to_regclass('app.own')")
	a.is("99", "SELECT string_agg(version_id::text, ',') FROM retention.goose_db_version WHERE version_id > 0")
	a.is("0", "SELECT count(*) FROM cron.job")

	pgtest.Exec(t, a.db.Conn(t, "deploy"), "DROP TABLE app.own")
	a.db.Exec(t, "DELETE FROM retention.goose_db_version WHERE version_id = 99")
	if r := c.must("uninstall", "--yes", "--json"); !strings.Contains(r.stdout, `"version": 1`) {
		t.Error(r.stdout)
	}
	if diff := cmp.Diff(a.before, kit.Catalog(t, a.db, "retention")); diff != "" {
		t.Errorf("the catalog differs from that before the installation (-before +after):\n%s", diff)
	}
	a.is("400", "SELECT count(*) FROM app.notes")
	c.must("uninstall", "--yes") // again, as after an interruption
}

// testFirstOfEach checks that "run --first" also takes rows in schemas for which no policy has been
// installed yet. A schema for which none can be installed does not stop the others.
func testFirstOfEach(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := newCLI(t, binary, db.URL(""), t.TempDir())
	c.write("retention.yaml", `version: 1
install: {scheduler: none, roles: none}
each: {each_t: {schemas: "t_*"}}
policies: {old: {table: each_t.m, due: {age: {column: at, older_than: 7 days}}, then: [delete], breaker: {rows: 1}}}
jobs: {daily: {schedule: "@daily", run: [old]}}
`)
	member := func(schema string) {
		t.Helper()
		db.Exec(t, "CREATE SCHEMA "+schema+"; CREATE TABLE "+
			schema+".m (id int PRIMARY KEY, at timestamptz); CREATE INDEX ON "+schema+".m (at, id)")
	}
	member("t_a")
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	for i, args := range [][]string{{"--job", "daily"}, {"old"}, {}} {
		place := []string{"t_b", "t_c", "t_d"}[i]
		member(place)
		if i == 2 {
			db.Exec(t, "CREATE SCHEMA t_z; CREATE TABLE t_z.m (id int PRIMARY KEY)")
		}
		db.Exec(t, "INSERT INTO t_a.m SELECT n, '2024-01-01' FROM generate_series(1, 3) n; INSERT INTO "+
			place+".m TABLE t_a.m")
		if r := c.run(append([]string{"run", "--first", "--yes"}, args...)...); r.code != i/2 {
			t.Errorf("%q: %v", args, r)
		}
		if n := pgtest.Value[int](t, db, "SELECT (SELECT count(*) FROM t_a.m) + (SELECT count(*) FROM "+
			place+".m)"); n != 0 {
			t.Errorf("%q: %d due rows are left, want none", args, n)
		}
	}
}

// testFirstInterrupted interrupts "run --first". The same command then takes the remaining rows.
func testFirstInterrupted(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	db.Exec(t, "UPDATE retention.policy SET breaker_rows = 50")
	cmd := c.command("run", "--first", "--yes", "--json", "--database-url", c.url)
	done := make(chan result, 1)
	go func() { done <- c.finish(cmd) }()
	pgtest.Until(t, db, "SELECT EXISTS (SELECT FROM retention.batch WHERE taken > 0)")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.code != 1 || !strings.Contains(r.stdout, `"state": "stopped"`) {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	left := pgtest.Value[int](t, db, "SELECT count(*) FROM app.lines")
	if left == 0 || left == 20000 {
		t.Errorf("%d rows are left", left)
	}
	db.Exec(t, "UPDATE retention.policy SET busy = 1, batch_rows = 5000")
	c.must("run", "--first", "--yes")
	if left := pgtest.Value[int](t, db, "SELECT count(*) FROM app.lines"); left != 0 {
		t.Errorf("%d rows are left", left)
	}
}
