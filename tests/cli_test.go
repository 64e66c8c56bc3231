// Package tests tests the command line, installation and verification on a real PostgreSQL.
package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/internal/sandbox"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestCLI builds the command once and runs all tests of the command line with it.
func TestCLI(t *testing.T) {
	t.Parallel()
	binary := kit.Program(t)
	for name, test := range map[string]func(*testing.T, string){
		"bot queue":            testBotQueue,
		"interrupt":            testInterrupt,
		"interrupt dry run":    testInterruptedDryRun,
		"outcomes":             testOutcomes,
		"interrupted":          testInterruptedMigration,
		"refusals":             testRefusals,
		"standby":              testStandby,
		"snapshot":             testSnapshotOfSchemaFile,
		"sandbox command":      testSandboxCommand,
		"newer runtime":        testNewerRuntime,
		"older runtime":        testOlderRuntime,
		"merge":                testMerge,
		"two migrations":       testTwoMigrations,
		"cron elsewhere":       testCronElsewhere,
		"scheduling page":      testSchedulingPage,
		"ci page":              testCIPage,
		"schedule refused":     testScheduleRefused,
		"verbs":                testVerbs,
		"first run":            testFirst,
		"first cancelled":      testFirstInterrupted,
		"first of each":        testFirstOfEach,
		"odd schemas":          testOddSchemas,
		"each on expressions":  testEachOnExpressions,
		"scopes":               testScopes,
		"plan of scopes":       testPlanOfScopes,
		"plan of closed table": testPlanOfClosedTable,
		"looks again":          testLooksAgain,
		"serves reports":       testServesReports,
		"uninstall":            testUninstall,
		"rehearsal":            testRehearsal,
		"rehearsal away":       testRehearsalElsewhere,
		"rehearsal finds":      testRehearsalFinds,
		"rehearsal dump":       testRehearsalOfDump,
		"plan":                 testPlan,
		"forecast":             testForecast,
		"plan of change":       testPlanOfChange,
		"plan evaluates":       testPlanEvaluates,
		"plan of triggers":     testPlanOfTriggers,
		"types of clocks":      testTypesOfClocks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, binary)
		})
	}
}

const cliPolicy = `version: 1
install: {scheduler: none, roles: none}
defaults: {batch: {rows: 10}, breaker: {fraction: 1}}
policies:
  lines_old:
    table: app.lines
    due: {age: {column: at, older_than: 30 days}}
    throttle: {busy: 1%}
    then: [delete]
`

const linesSchema = "CREATE SCHEMA app; CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz);"

// cliProject writes a policy file with one policy, and snapshots, generates and migrates with the
// command.
func cliProject(t *testing.T, binary string, db *pgtest.DB) *cli {
	t.Helper()
	c := newCLI(t, binary, db.URL(""), t.TempDir())
	c.write("retention.yaml", cliPolicy)
	db.Exec(t, linesSchema+`
		INSERT INTO app.lines SELECT n, now() - interval '60 days' FROM generate_series(1, 20000) n; ANALYZE app.lines`)
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	return c
}

func (c *cli) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// testOutcomes checks that run and status say what a policy did with its rows, e.g. "2 deleted".
func testOutcomes(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := newCLI(t, binary, db.URL(""), t.TempDir())
	c.write("retention.yaml", `version: 1
install: {scheduler: none, roles: none}
policies:
  deletes: {table: a, where: seen, then: [{update: {table: b, as: b, where: "b.id = t.id", set: {seen: true}}}, delete]}
  updates:
    table: b
    where: "NOT seen"
    keep: {no: "NOT EXISTS (SELECT FROM pg_class, information_schema.tables)"}
    then: [update: {set: {seen: true}}]
  drops: {partitions_of: c, due: {age: {older_than: 7 days}}, then: [detach]}
  reads: {table: a, due: {position: {column: id, watermark: {table: mark, column: id}}}, then: [emit: {event: e}]}
jobs: {all: {schedule: "@daily", run: [reads, deletes, updates, drops]}}
`)
	db.Exec(t, `
		CREATE TABLE a (id int PRIMARY KEY, seen boolean NOT NULL);
		CREATE TABLE b (LIKE a INCLUDING ALL);
		CREATE TABLE mark (id int);
		CREATE TABLE c (at date PRIMARY KEY) PARTITION BY RANGE (at);
		CREATE TABLE c_1 PARTITION OF c FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
		CREATE TABLE c_2 PARTITION OF c FOR VALUES FROM ('2020-02-01') TO ('2020-03-01');
		INSERT INTO a SELECT n, n > 3 FROM generate_series(1, 5) n;
		INSERT INTO b SELECT n, false FROM generate_series(1, 4) n;
		INSERT INTO mark VALUES (0)`)
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	for _, args := range [][]string{{"run", "--job", "all"}, {"status"}} {
		r := c.must(args...)
		for policy, taken := range map[string]string{"deletes": "2 deleted", "updates": "3 updated",
			"drops": "1 detached", "reads": "5 taken"} {
			if !regexp.MustCompile(`(?m)^` + policy + ` .* ` + taken + ` `).MatchString(r.stdout) {
				t.Errorf("the output of %s does not say %q about %s:\n%s", args, taken, policy, r.stdout)
			}
		}
	}
}

// testInterrupt checks that Ctrl-C ends a run. The log has the interrupted run, and committed
// batches stay.
func testInterrupt(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	cmd := c.command("run", "lines_old", "--database-url", c.url)
	done := make(chan result, 1)
	go func() { done <- c.finish(cmd) }()
	for pgtest.Value[int64](t, db, "SELECT count(*) FROM retention.batch WHERE taken > 0") == 0 {
		select {
		case r := <-done:
			t.Fatalf("the run ended before its first batch: %+v", r)
		case <-time.After(20 * time.Millisecond):
		}
	}
	// Without a count by the breaker, the number of due rows is unknown, so there is no progress
	// bar.
	db.Exec(t, "UPDATE retention.run SET due = NULL")
	line := pgtest.Value[string](t, db, fixture.ReadFile(t, "..", "cmd/pgretain/sql/progress.sql"),
		pgtest.Value[int](t, db, "SELECT pid FROM retention.progress"))
	if !regexp.MustCompile("^lines_old: [0-9,]+ rows, ").MatchString(line) {
		t.Errorf("progress without a count is %q, want a number of rows and no bar", line)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r := <-done
	said := `policy "lines_old" was stopped by user`
	if r.code != 1 || !strings.Contains(r.stderr, said) || strings.Contains(r.stderr+r.stdout, "failed") ||
		!strings.Contains(r.stdout, "stopped") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	log := pgtest.Value[string](t, db, "SELECT concat_ws(' ', state, sqlstate, message) FROM retention.run "+
		"WHERE policy = 'lines_old'")
	if log != "stopped 57014 stopped by user" {
		t.Errorf("the run log says %q", log)
	}
	gone := 20000 - pgtest.Value[int64](t, db, "SELECT count(*) FROM app.lines")
	taken := pgtest.Value[int64](t, db, "SELECT taken FROM retention.run WHERE policy = 'lines_old'")
	if taken != gone || gone == 0 {
		t.Errorf("%d rows are deleted, but the log says %d; want the same, and some", gone, taken)
	}
	c.want(0, "was stopped by user", "status")
}

// testInterruptedDryRun interrupts a dry run with Ctrl-C while a guard waits. The command says that
// nothing was changed, and the run log has no row.
func testInterruptedDryRun(t *testing.T, binary string) {
	db := pgtest.Database(t)
	db.Exec(t, `CREATE FUNCTION waits() RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS
		'BEGIN PERFORM pg_advisory_xact_lock_shared(77); RETURN false; END'`)
	c := newCLI(t, binary, db.URL(""), t.TempDir())
	c.write("retention.yaml", cliPolicy+"    keep: {wait: \"public.waits()\"}\n")
	db.Exec(t, linesSchema+"INSERT INTO app.lines SELECT n, now() - interval '60 days' FROM generate_series(1, 20) n")
	c.must("snapshot")
	if r := c.finish(c.command("generate")); r.code != 0 {
		t.Fatal(r)
	}
	c.must("migrate", "up")
	gate := db.Conn(t)
	pgtest.Exec(t, gate, "SELECT pg_advisory_lock(77)")
	cmd := c.command("run", "lines_old", "--dry-run", "--database-url", c.url)
	done := make(chan result, 1)
	go func() { done <- c.finish(cmd) }()
	pgtest.Until(t, db, "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r := <-done
	if r.code != 2 || !strings.Contains(r.stderr, "the dry run was stopped: canceling statement due to user request") ||
		!strings.Contains(r.stderr, "Nothing was changed") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if n := pgtest.Value[int](t, db, "SELECT count(*) FROM retention.run"); n != 0 {
		t.Errorf("the run log has %d rows, want none", n)
	}
}

// testRefusals checks commands that cannot succeed. Each ends with exit code 1 or 2 and a message,
// and changes nothing.
func testRefusals(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	db.Exec(t, pgtest.MakeRole("cli_stranger LOGIN"))
	stranger := *c
	stranger.url = db.URL("cli_stranger")
	for _, args := range [][]string{{"status"}, {"preview", "lines_old"}, {"run", "lines_old"}} {
		stranger.want(2, "permission denied", args...)
	}

	empty := *c
	empty.url = pgtest.Database(t).URL("")
	for _, args := range [][]string{{"status"}, {"preview", "lines_old"}, {"run", "lines_old"}} {
		empty.want(2, "runtime is not installed", args...)
	}
	empty.want(1, `retention.yaml:6:12: error: table "app.lines" does not exist`, "migrate", "up")
	before := fixture.ReadFile(t, c.dir, "retention.catalog.json")
	empty.want(1, `retention.yaml:6:12: error: table "app.lines" does not exist`, "snapshot")
	if diff := cmp.Diff(before, fixture.ReadFile(t, c.dir, "retention.catalog.json")); diff != "" {
		t.Errorf("the failed snapshot changed retention.catalog.json:\n%s", diff)
	}

	db.Exec(t, "ALTER TABLE app.lines RENAME COLUMN at TO since")
	c.want(1, `retention.yaml:7:25: error: table "app.lines" has no column "at"`, "migrate", "up")
	db.Exec(t, "ALTER TABLE app.lines RENAME COLUMN since TO at")
	c.write("retention.yaml", cliPolicy+"  typed: {table: app.lines, where: \"id = at\", keep: {late: no_such(id)}, "+
		"then: [{emit: {event: gone, payload: {x: \"id || 1\", y: \"at + id\"}}}, {delete: {where: id}}]}\n")
	for _, want := range []string{
		`retention.yaml:10:37: error: operator does not exist: bigint = timestamp with time zone [P057]`,
		`retention.yaml:10:60: error: function no_such(bigint) does not exist [P057]`,
		`retention.yaml:10:160: error: argument of IS NOT TRUE must be type boolean, not type bigint [P057]`,
		`retention.yaml:10:130: error: operator does not exist: timestamp with time zone + bigint [P057]`,
	} {
		c.want(1, want, "migrate", "up")
	}
}

func testStandby(t *testing.T, binary string) {
	db := pgtest.Server(t, sandbox.Options{})
	c := cliProject(t, binary, db)
	signal := filepath.Join(db.Server.Dir(), "data", "standby.signal")
	if err := os.WriteFile(signal, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := db.Server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.want(2, "the server is a standby", "run", "lines_old")
	c.want(2, "the server is a standby", "migrate", "down")
	if r := c.must("preview", "lines_old"); !strings.Contains(r.stdout, "20,000") {
		t.Errorf("preview on a standby does not show 20,000 rows:\n%s", r.stdout)
	}
}

// testSnapshotOfSchemaFile checks that a snapshot of a schema file is byte for byte the snapshot of
// a database with this schema. For each example, it is also the file in the repository.
func testSnapshotOfSchemaFile(t *testing.T, binary string) {
	examples, err := filepath.Glob("../examples/*/retention.catalog.json")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, example := range examples {
		name := filepath.Base(filepath.Dir(example))
		t.Run(name, func(t *testing.T) { snapshotOfExample(t, binary, name) })
	}
	c := newCLI(t, binary, "", copyExample(t, "bot-queue"))
	c.write("broken.sql", "CREATE TABLE a (id int);\nSELEC 1;\n")
	r := c.finish(c.command("snapshot", "--schema", "broken.sql", "--catalog", "broken.json"))
	if _, err := os.Stat(filepath.Join(c.dir, "broken.json")); r.code != 2 ||
		!strings.HasPrefix(r.stderr, "broken.sql:2:1: error: ") || err == nil {
		t.Errorf("exit code %d, file %v\n%s", r.code, err, r.stderr)
	}
}

func snapshotOfExample(t *testing.T, binary, name string) {
	dir := copyExample(t, name)
	db := pgtest.Database(t)
	db.Exec(t, fixture.ReadFile(t, dir, "schema.sql"))
	c := newCLI(t, binary, db.URL(""), dir)
	checkedIn := fixture.ReadFile(t, dir, "retention.catalog.json")
	c.must("snapshot", "--catalog", "live.json")
	if r := c.finish(c.command("snapshot", "--schema", "schema.sql", "--catalog", "file.json")); r.code != 0 {
		t.Fatal(r)
	}
	for _, file := range []string{"live.json", "file.json"} {
		if diff := cmp.Diff(checkedIn, fixture.ReadFile(t, dir, file)); diff != "" {
			t.Errorf("%s differs from what is checked in (-want +got):\n%s", file, diff)
		}
	}
}

// testSandboxCommand checks that the sandbox prints its URL on the first line, contains the rows of
// the example, and removes its files at the end.
func testSandboxCommand(t *testing.T, binary string) {
	pgtest.Database(t) // skips where there is no PostgreSQL
	c := newCLI(t, binary, "", t.TempDir())
	example, err := filepath.Abs("../examples/bot-queue")
	if err != nil {
		t.Fatal(err)
	}
	cmd := c.command("sandbox", "--cron=false", "--example", example)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := make([]byte, 4096)
	n, err := out.Read(url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), strings.TrimSpace(string(url[:n])))
	if err != nil {
		t.Fatal(err)
	}
	if rows := pgtest.Value[int64](t, conn, "SELECT count(*) FROM public.enqueued_messages"); rows != 20000 {
		t.Errorf("the sandbox has %d messages, want 20000", rows)
	}
	socket := conn.Config().Host
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Errorf("%s exists after the sandbox ended", socket)
	}
}
