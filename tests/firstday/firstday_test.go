// Package firstday goes the way of somebody who has a database and no policy yet.
package firstday

import (
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

// fill makes the tables as a role that is no superuser, and the rows that they have after some
// months.
func fill(t *testing.T, db *pgtest.DB) {
	t.Helper()
	db.Exec(t, "CREATE ROLE service_deploy LOGIN")
	db.Exec(t, `DO $$ BEGIN EXECUTE format('GRANT CREATE, TEMPORARY ON DATABASE %I TO service_deploy', current_database()); END $$`)
	conn := db.Conn(t, "service_deploy")
	pgtest.Exec(t, conn, fixture.ReadFile(t, "testdata/schema.sql"))
	pgtest.Exec(t, conn, fixture.ReadFile(t, "testdata/data.sql"))
	pgtest.Until(t, db, `SELECT pg_stat_get_tuples_inserted('crm.activity'::regclass) = 12000`)
}

const ofTheDatabase = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname IN ('crm', 'Ops') AND c.relkind IN ('r', 'p') AND NOT c.relispartition`

// expect writes down what is to remain of each table, before anything runs.
func expect(t *testing.T, db *pgtest.DB) {
	t.Helper()
	db.Exec(t, `CREATE SCHEMA expected; DO $do$ DECLARE name text; BEGIN
		FOR name IN SELECT format('expected.%I AS TABLE %I.%I', n.nspname || '.' || c.relname, n.nspname, c.relname) `+ofTheDatabase+`
		LOOP EXECUTE 'CREATE TABLE ' || name; END LOOP; END $do$`)
	db.Exec(t, fixture.ReadFile(t, "testdata/expected.sql"))
}

// wrong are the rows that are there and should not be (+), and those that should be and are not
// (-), by table.
func wrong(t *testing.T, db *pgtest.DB) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, name := range pgtest.Column[string](t, db, `SELECT n.nspname || '.' || c.relname `+ofTheDatabase) {
		schema, table, _ := strings.Cut(name, ".")
		is, want := pgx.Identifier{schema, table}.Sanitize(), pgx.Identifier{"expected", name}.Sanitize()
		rows := pgtest.Column[string](t, db, "(SELECT '+' || x::text FROM "+
			is+" x EXCEPT ALL SELECT '+' || x::text FROM "+want+" x) UNION ALL "+
			"(SELECT '-' || x::text FROM "+want+" x EXCEPT ALL SELECT '-' || x::text FROM "+is+" x)")
		if len(rows) > 0 {
			found[name] = rows
		}
	}
	return found
}

// accepted are the proposals that the person likes: all but the one on the audit log.
var accepted = []string{"job_queue_finished", "import_row_finished", "telemetry_old", "webhook_delivery_finished",
	"activity_old",
	"email_message_finished", "gps_fix_old", "lead_finished", "quote_expired", "search_cache_unused", "visit_finished", "web_session_expired"}

// edits are what the person changes besides: what is written, once, and what is to stand there.
func edits(now time.Time) [][2]string {
	return [][2]string{
		{"column: occurred_at, older_than: 90 days", "column: occurred_at, older_than: 30 days"},
		{"column: finished_at, older_than: 90 days", "column: finished_at, older_than: 120 days"},
		{`column: "\"finishedAt\"", older_than: 90 days`, `column: "\"finishedAt\"", older_than: 7 days`},
		{"    table: crm.lead\n", "    table: crm.lead\n    where: \"stage <> 'won'\"\n"},
		{"      - job_queue_finished\n", ""},
		{"jobs:\n", "jobs:\n  queue: {schedule: \"* * * * *\", run: [job_queue_finished]}\n"},
		{"17 3 * * *", "17 " + strconv.Itoa(now.Add(6*time.Hour).UTC().Hour()) + " * * *"}, // no tick comes meanwhile
		{"undecided: table crm.click has no key", "emptied by the people of the web site, who say so: it has no key"},
		{"undecided: by its name, people or laws may want these rows kept", "goes with the contract, by hand"},
		{"    crm.asset:", "    \"\\\"Ops\\\".\\\"Audit Log\\\"\": \"ten years, by law\"\n    crm.asset:"},
	}
}

// edit removes "# " from the lines of some proposals and of the job, and makes the edits.
func edit(t *testing.T, file string) string {
	t.Helper()
	var out strings.Builder
	taking := false
	for line := range strings.Lines(file) {
		if m := regexp.MustCompile(`^#   (\w+):\n$`).FindStringSubmatch(line); m != nil {
			taking = m[1] == "retention" || slices.Contains(accepted, m[1])
		}
		if m := regexp.MustCompile(`^#       - (\w+)\n$`).FindStringSubmatch(line); taking &&
			(m == nil || m[1] == "delete" || slices.Contains(accepted, m[1])) {
			line = strings.TrimPrefix(line, "# ")
		}
		out.WriteString(line)
	}
	text := out.String()
	for _, e := range edits(time.Now()) {
		if n := strings.Count(text, e[0]); n != 1 {
			t.Fatalf("%q is written %d times in\n%s", e[0], n, text)
		}
		text = strings.Replace(text, e[0], e[1], 1)
	}
	return text
}

// TestFirstDay: from a database of 27 tables, with no policy, to a dozen policies that are
// reviewed, installed, scheduled, run and verified, by ten commands and nothing else. Then pg_cron
// runs one of them of its own accord.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	fill(t, db)
	if n := pgtest.Value[int](t, db, "SELECT count(*) "+ofTheDatabase); n != 27 {
		t.Fatalf("%d tables", n)
	}
	p := newPerson(t, db.URL("service_deploy"))

	p.run(0, "init")
	facts(t, db, p.read("retention.yaml"))
	expect(t, db)
	p.write("retention.yaml", edit(t, p.read("retention.yaml")))
	p.says("lint", "retention.yaml: 12 policies, 2 jobs, no errors\n")
	plan := p.says("plan", accepted...)
	p.says("generate", "policy visit_finished")
	p.says("bootstrap --apply --migrator service_deploy --database-url " + db.URL("")) // as the DBA
	p.says("migrate up")
	p.says("hold crm.visit_note author=court --reason claim", "crm.visit_note", `{"author":"court"}`, "180")
	first := p.says("run --first --yes --job retention", "would trip: the breaker allows 6,000")
	promised(t, plan, first)

	// The application goes on: more jobs end, and pg_cron takes those that are due, besides those
	// that were.
	db.Exec(t, `WITH ended AS (INSERT INTO "Ops"."Job Queue" ("Kind", "State", "finishedAt")
			SELECT 'mail', 'done', now() - n * interval '1 day' - interval '12 hours' FROM generate_series(0, 13) n, generate_series(1, 20) RETURNING *)
		INSERT INTO expected."Ops.Job Queue" SELECT * FROM ended WHERE "finishedAt" > now() - interval '7 days'`)
	pgtest.Until(t, db, `SELECT NOT EXISTS (SELECT FROM "Ops"."Job Queue" WHERE "Id" > 1500 AND "finishedAt" < now() - interval '7 days')`)
	pgtest.Until(t, db, `SELECT EXISTS (SELECT FROM retention.run WHERE policy = 'job_queue_finished' AND job = 'queue' AND state = 'done')`)
	p.says("status", accepted...)
	p.says("verify", "Found 0 drift, 0 unknown, ", "12 policies", "Verdict: conforms")
	if p.commands > 10 {
		t.Errorf("%d commands", p.commands)
	}
	if diff := cmp.Diff(map[string][]string{}, wrong(t, db)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// promised holds what the first run took to what the plan had said, policy by policy, but for the
// rows that were held since.
func promised(t *testing.T, plan, first string) {
	t.Helper()
	if !regexp.MustCompile(`\ngps_fix_old .* 20\d\d-\d\d-\d\d \d\d:`).MatchString(first) {
		t.Errorf("milliseconds are not shown as an instant:\n%s", first)
	}
	for _, name := range without(accepted, "job_queue_finished") {
		due := regexp.MustCompile(`\n` + name + ` +new +([\d,]+) `).FindStringSubmatch(plan)
		took := regexp.MustCompile(`\n` + name + ` +\d+  done +([\d,]+) (deleted|dropped) `).FindStringSubmatch(first)
		if due == nil || took == nil || (due[1] != took[1]) != (name == "visit_finished") ||
			name == "visit_finished" && due[1]+took[1] != "430380" {
			t.Errorf("%s: the plan said %q, and the run took %q in\n%s%s", name, due, took, plan, first)
		}
	}
}

// facts holds what the file says of tables to what is in them.
func facts(t *testing.T, db *pgtest.DB, file string) {
	t.Helper()
	for _, want := range []string{
		`\n## crm\.activity, \d+ kB, about 12,000 rows, 12,000 inserts since statistics began\n`,
		`\n  trust: \[service_deploy\]`,
		`\n## crm\.lead, .*\n(##.*\n)*## 25\.0 % of the rows have no closed_at, and stay\.\n`,
		`\n## Ops\.Job Queue, .*\n(##.*\n)*## 25\.0 % of the rows have no finishedAt, and stay\.\n`,
		`\n#     due: \{age: \{column: ctime, encoding: epoch_ms, older_than: 90 days\}\}\n`,
		`\n    crm\.technician: "small, \d+ kB, about 30 rows, 30 inserts since statistics began"\n`,
		`\n    crm\.click: "undecided: table crm\.click has no key, \d+ kB, about 1,500 rows`,
	} {
		if !regexp.MustCompile(want).MatchString(file) {
			t.Errorf("the file lacks %s", want)
		}
	}
	// A column of a domain is a clock as others are.
	bounds := regexp.MustCompile(`## last_used_at goes from (\S+) to (\S+), half of the rows are before (\S+)\.\n`).FindStringSubmatch(file)
	if bounds == nil || !pgtest.Value[bool](t, db, `SELECT min(last_used_at AT TIME ZONE 'UTC')::date = $1::date AND max(last_used_at AT TIME ZONE 'UTC')::date = $2::date
			AND abs(percentile_disc(0.5) WITHIN GROUP (ORDER BY last_used_at)::date - $3::date) <= 5 FROM crm.search_cache`, bounds[1], bounds[2], bounds[3]) {
		t.Errorf("the file says of a clock: %q", bounds)
	}
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return one == name })
}
