// Package firstday tests the first steps of a user who has a database and no policy yet.
package firstday

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// fill creates the tables as a role that is not a superuser, and rows as they are after some months
// of use.
func fill(t *testing.T, db *pgtest.DB) {
	t.Helper()
	db.Exec(t, "CREATE ROLE service_deploy LOGIN")
	db.Exec(t, `DO $$ BEGIN
		EXECUTE format('GRANT CREATE, TEMPORARY ON DATABASE %I TO service_deploy', current_database());
	END $$`)
	conn := db.Conn(t, "service_deploy")
	pgtest.Exec(t, conn, fixture.ReadFile(t, "testdata/schema.sql"))
	pgtest.Exec(t, conn, fixture.ReadFile(t, "testdata/data.sql"))
	pgtest.Until(t, db, `SELECT pg_stat_get_tuples_inserted('crm.activity'::regclass) = 12000`)
}

// fromAllTables is the FROM and WHERE clause of a query for the application's tables.
const fromAllTables = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname IN ('crm', 'Ops') AND c.relkind IN ('r', 'p') AND NOT c.relispartition`

// expect stores the expected rows of each table in schema expected, before any run.
func expect(t *testing.T, db *pgtest.DB) {
	t.Helper()
	db.Exec(t, `CREATE SCHEMA expected;
		DO $do$
		DECLARE
			name text;
		BEGIN
			FOR name IN
				SELECT format('expected.%I AS TABLE %I.%I', n.nspname || '.' || c.relname, n.nspname, c.relname)
				`+fromAllTables+`
			LOOP
				EXECUTE 'CREATE TABLE ' || name;
			END LOOP;
		END $do$`)
	db.Exec(t, fixture.ReadFile(t, "testdata/expected.sql"))
}

// differences returns, by table, the rows that are not expected (+) and the expected rows that are
// missing (-).
func differences(t *testing.T, db *pgtest.DB) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, name := range pgtest.Column[string](t, db, `SELECT n.nspname || '.' || c.relname `+fromAllTables) {
		schema, table, _ := strings.Cut(name, ".")
		got, want := pgx.Identifier{schema, table}.Sanitize(), pgx.Identifier{"expected", name}.Sanitize()
		rows := pgtest.Column[string](t, db, fmt.Sprintf(`
			(SELECT '+' || x::text FROM %[1]s x EXCEPT ALL SELECT '+' || x::text FROM %[2]s x)
			UNION ALL
			(SELECT '-' || x::text FROM %[2]s x EXCEPT ALL SELECT '-' || x::text FROM %[1]s x)`, got, want))
		if len(rows) > 0 {
			found[name] = rows
		}
	}
	return found
}

// accepted lists the proposals that the user accepts: all except the one for the audit log.
var accepted = []string{
	"job_queue_finished", "import_row_finished", "telemetry_old", "webhook_delivery_finished",
	"activity_old", "email_message_finished", "gps_fix_old", "lead_finished", "quote_expired",
	"search_cache_unused", "visit_finished", "web_session_expired", "click_old",
}

// windows are the windows that the user decides on, by policy. The proposed ones are guesses.
var windows = map[string]string{
	"job_queue_finished": "7 days", "activity_old": "30 days", "visit_finished": "120 days",
	"import_row_finished": "90 days", "telemetry_old": "90 days", "webhook_delivery_finished": "90 days",
	"email_message_finished": "90 days", "gps_fix_old": "90 days", "lead_finished": "90 days",
	"search_cache_unused": "90 days", "click_old": "90 days",
}

// edits returns the changes that the user makes to the policy file: text that occurs in it once,
// and its replacement.
func edits(now time.Time) [][2]string {
	return [][2]string{
		{"    table: crm.lead\n", "    table: crm.lead\n    where: \"stage <> 'won'\"\n"},
		{"      - job_queue_finished\n", ""},
		{"jobs:\n", "jobs:\n  queue: {schedule: \"* * * * *\", run: [job_queue_finished]}\n"},
		{"17 3 * * *", "17 " + strconv.Itoa(now.Add(6*time.Hour).UTC().Hour()) + " * * *"}, // not during the test
		{"undecided: by its name, people or laws may want these rows kept", "goes with the contract, by hand"},
		{"    crm.asset:", "    \"\\\"Ops\\\".\\\"Audit Log\\\"\": \"ten years, by law\"\n    crm.asset:"},
	}
}

// edit removes "# " from the lines of the accepted proposals and of the job. Then it applies edits
// and windows.
func edit(t *testing.T, file string) string {
	t.Helper()
	var out strings.Builder
	accepting := false
	for line := range strings.Lines(file) {
		if m := regexp.MustCompile(`^#   (\w+):\n$`).FindStringSubmatch(line); m != nil {
			accepting = m[1] == "retention" || slices.Contains(accepted, m[1])
		}
		if m := regexp.MustCompile(`^#       - (\w+)\n$`).FindStringSubmatch(line); accepting &&
			(m == nil || m[1] == "delete" || slices.Contains(accepted, m[1])) {
			line = strings.TrimPrefix(line, "# ")
		}
		out.WriteString(line)
	}
	text := out.String()
	for name, window := range windows {
		guess := regexp.MustCompile(`(?s)(\n  ` + name + `:\n.*?older_than: )[^#]+?  # a guess: [^\n]*`)
		if !guess.MatchString(text) {
			t.Fatalf("policy %s has no window that is marked as a guess, in\n%s", name, text)
		}
		text = guess.ReplaceAllString(text, "${1}"+window)
	}
	for _, e := range edits(time.Now()) {
		if n := strings.Count(text, e[0]); n != 1 {
			t.Fatalf("%q occurs %d times, want once, in\n%s", e[0], n, text)
		}
		text = strings.Replace(text, e[0], e[1], 1)
	}
	return text
}

// TestFirstDay starts with a database of 27 tables and no policy. With ten commands and nothing
// else, the user gets 13 policies that are reviewed, installed, scheduled, run and verified. Then
// pg_cron starts one of the jobs.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	fill(t, db)
	if n := pgtest.Value[int](t, db, "SELECT count(*) "+fromAllTables); n != 27 {
		t.Fatalf("the database has %d tables, want 27", n)
	}
	p := newUser(t, db.URL("service_deploy"))

	p.run(0, "init")
	checkFacts(t, db, p.read("retention.yaml"))
	expect(t, db)
	p.write("retention.yaml", edit(t, p.read("retention.yaml")))
	p.says("lint", "retention.yaml: 13 policies, 2 jobs, no errors\n")
	plan := p.says("plan", accepted...)
	p.says("generate", "policy visit_finished")
	p.says("bootstrap --apply --migrator service_deploy --database-url " + db.URL("")) // as the DBA
	p.says("migrate up")
	p.says("hold crm.visit_note author=court --reason claim", "crm.visit_note", `{"author":"court"}`, "180")
	first := p.says("run --first --yes --job retention", "would trip: the breaker allows 6,000")
	checkTaken(t, plan, first)

	// More jobs of the application end. pg_cron takes those that are due, and the older ones.
	db.Exec(t, `
		WITH ended AS (
			INSERT INTO "Ops"."Job Queue" ("Kind", "State", "finishedAt")
			SELECT 'mail', 'done', now() - n * interval '1 day' - interval '12 hours'
			FROM generate_series(0, 13) n, generate_series(1, 20)
			RETURNING *)
		INSERT INTO expected."Ops.Job Queue" SELECT * FROM ended WHERE "finishedAt" > now() - interval '7 days'`)
	pgtest.Until(t, db, `SELECT NOT EXISTS (SELECT FROM "Ops"."Job Queue"
		WHERE "Id" > 1500 AND "finishedAt" < now() - interval '7 days')`)
	pgtest.Until(t, db, `SELECT EXISTS (SELECT FROM retention.run
		WHERE policy = 'job_queue_finished' AND job = 'queue' AND state = 'done')`)
	p.says("status", accepted...)
	p.says("verify", "Found 0 drift, 0 unknown, ", "13 policies", "Verdict: conforms")
	if p.commands > 10 {
		t.Errorf("the user typed %d commands, want at most 10", p.commands)
	}
	if diff := cmp.Diff(map[string][]string{}, differences(t, db)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// checkTaken compares two numbers for each accepted policy except job_queue_finished. One is the
// number of due rows in the plan. The other is the number of rows that the first run deleted or
// dropped. They differ only for visit_finished, because the user placed a hold after the plan.
func checkTaken(t *testing.T, plan, first string) {
	t.Helper()
	if !regexp.MustCompile(`\ngps_fix_old .* 20\d\d-\d\d-\d\d \d\d:`).MatchString(first) {
		t.Errorf("the clock of gps_fix_old, in milliseconds, is not shown as a timestamp:\n%s", first)
	}
	for _, name := range without(accepted, "job_queue_finished") {
		due := regexp.MustCompile(`\n` + name + ` +new +([\d,]+) `).FindStringSubmatch(plan)
		took := regexp.MustCompile(`\n` + name + ` +\d+  done +([\d,]+) (deleted|dropped) `).FindStringSubmatch(first)
		if due == nil || took == nil || (due[1] != took[1]) != (name == "visit_finished") ||
			name == "visit_finished" && due[1]+took[1] != "430380" {
			t.Errorf("%s: the plan shows %q as due, the run took %q, in\n%s%s", name, due, took, plan, first)
		}
	}
}

// checkFacts checks what the policy file says about tables.
func checkFacts(t *testing.T, db *pgtest.DB, file string) {
	t.Helper()
	for _, want := range []string{
		`\n## crm\.activity, \d+ kB, about 12,000 rows, 12,000 inserts since statistics began\n`,
		`\n  trust: \[service_deploy\]`,
		`\n## crm\.lead, .*\n(##.*\n)*## 25\.0 % of the rows have no closed_at, and stay\.\n`,
		`\n## Ops\.Job Queue, .*\n(##.*\n)*## 25\.0 % of the rows have no finishedAt, and stay\.\n`,
		`\n#         column: ctime  # a guess: .*\n#         encoding: epoch_ms\n`,
		`\n#     where: "\\"State\\" IN \('done', 'failed'\)"  # a guess: `,
		`\n    crm\.technician: "small, \d+ kB, about 30 rows, 30 inserts since statistics began"\n`,
		`\n## crm\.click, \d+ kB, about 1,500 rows`, // a table without a key
	} {
		if !regexp.MustCompile(want).MatchString(file) {
			t.Errorf("the file lacks %s", want)
		}
	}
	// A column whose type is a domain can be a clock, too.
	sentence := regexp.MustCompile(`## last_used_at goes from (\S+) to (\S+), half of the rows are before (\S+)\.\n`)
	bounds := sentence.FindStringSubmatch(file)
	if bounds == nil || !pgtest.Value[bool](t, db, `
		SELECT min(last_used_at AT TIME ZONE 'UTC')::date = $1::date
			AND max(last_used_at AT TIME ZONE 'UTC')::date = $2::date
			AND abs(percentile_disc(0.5) WITHIN GROUP (ORDER BY last_used_at)::date - $3::date) <= 5
		FROM crm.search_cache`, bounds[1], bounds[2], bounds[3]) {
		t.Errorf("the file gives other bounds for crm.search_cache.last_used_at than the table has: %q", bounds)
	}
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == name })
}
