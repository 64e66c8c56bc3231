package tests

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// testBotQueue runs the commands of the demo, without waiting for pg_cron. It compares the
// remaining rows with those that a plain query keeps.
func testBotQueue(t *testing.T, binary string) {
	db := pgtest.CronServer(t)
	dir := copyExample(t, "bot-queue")
	db.Exec(t, "CREATE ROLE bot_deploy LOGIN; ALTER SCHEMA public OWNER TO bot_deploy")
	app := db.Conn(t, "bot_deploy")
	pgtest.Exec(t, app, fixture.ReadFile(t, dir, "schema.sql"))
	pgtest.Exec(t, app, fixture.ReadFile(t, dir, "data.sql"))

	c := newCLI(t, binary, db.URL("bot_deploy"), dir)
	c.neverTick()
	c.want(2, "runtime is not installed", "status")
	c.want(2, "retention_owner", "migrate", "up")
	db.Exec(t, c.must("bootstrap").stdout)
	before := kit.Catalog(t, db, "retention")
	c.must("migrate", "up")
	c.must("migrate", "status")

	pgtest.Exec(t, app, fixture.ReadFile(t, dir, "later.sql"))
	db.Exec(t, `CREATE TABLE public.survivor AS
		SELECT id
		FROM (
			SELECT id, row_number() OVER (PARTITION BY device_key ORDER BY created_at DESC, id DESC) AS place
			FROM public.enqueued_messages
			WHERE created_at >= (now() AT TIME ZONE 'UTC') - interval '7 days') x
		WHERE place <= 1000`)
	ttl := regexp.MustCompile(`(?s)due +66,000.*\n1 +delete +public\.enqueued_messages +66,000 ` +
		`.*LOCKS ON\s+public\.enqueued_messages +ROW EXCLUSIVE`)
	if r := c.must("preview", "enqueued_messages_ttl"); !ttl.MatchString(r.stdout) {
		t.Errorf("preview does not count 66,000 rows:\n%s", r.stdout)
	}
	all := regexp.MustCompile(`(?s)enqueued_messages_ttl +66,000 .*\nall +\d`)
	if r := c.must("preview"); !all.MatchString(r.stdout) {
		t.Errorf("preview has no line for each policy, or no sum:\n%s", r.stdout)
	}
	c.previewJSON(t)
	job := regexp.MustCompile(`(?s)_ttl +done +66,000 .*_cap +done +28,500 `)
	if r := c.must("preview", "--job", "enqueued_messages"); !job.MatchString(r.stdout) {
		t.Errorf("the preview of the job does not take 66,000 rows, then 28,500:\n%s", r.stdout)
	}
	r := c.must("run", "--job", "enqueued_messages", "--reason", "test")
	if !strings.Contains(r.stdout, "28,500 deleted") {
		t.Errorf("the run of the cap did not delete 28,500 rows:\n%s", r.stdout)
	}
	wrong := pgtest.Value[int64](t, db, `SELECT count(*) FROM (SELECT id FROM public.survivor) s
		FULL JOIN public.enqueued_messages m USING (id) WHERE s.id IS NULL OR m.id IS NULL`)
	if wrong != 0 {
		t.Errorf("%d rows were wrongly deleted or wrongly kept", wrong)
	}
	taken := pgtest.Column[string](t, db, `SELECT labels ->> 'policy' || ' ' || value FROM retention.metrics
		WHERE name = 'retention_rows_taken_total' AND labels ->> 'policy' LIKE 'enqueued%' ORDER BY 1`)
	if diff := cmp.Diff([]string{"enqueued_messages_cap 28500", "enqueued_messages_ttl 66000"}, taken); diff != "" {
		t.Error(diff)
	}

	c.must("status")
	if r := c.must("status", "--format", "json"); !strings.Contains(r.stdout, `"policy":"enqueued_messages_ttl"`) &&
		!strings.Contains(r.stdout, `"policy": "enqueued_messages_ttl"`) {
		t.Errorf("status --format json does not contain policy enqueued_messages_ttl:\n%s", r.stdout)
	}
	c.want(2, "there is no policy", "run", "enqueued_messages_tll")
	c.want(2, "there is no policy", "preview", "enqueued_messages_tll")
	c.want(2, "there is no job", "run", "--job", "enqueued")
	c.want(2, "in the future", "run", "enqueued_messages_ttl", "--as-of", "2999-01-01")
	c.want(2, "invalid input syntax", "run", "enqueued_messages_ttl", "--as-of", "yesterdayish")

	c.must("migrate", "down", "--all")
	db.Exec(t, "DROP TABLE public.survivor")
	if diff := cmp.Diff(before, kit.Catalog(t, db, "retention")); diff != "" {
		t.Errorf("the catalog differs after migrate down (-before +after):\n%s", diff)
	}
}

// neverTick changes the schedule to February 29, with one more migration, so that pg_cron starts no
// run during the test.
func (c *cli) neverTick() {
	c.t.Helper()
	yaml := fixture.ReadFile(c.t, c.dir, "retention.yaml")
	c.write("retention.yaml", strings.Replace(yaml, "*/5 * * * *", "0 0 29 2 *", 1))
	r := c.finish(c.command("generate"))
	if r.code != 0 || !strings.Contains(r.stdout, "~ cron retention.enqueued_messages") {
		c.t.Fatal(r)
	}
}

// previewJSON checks the JSON output of preview.
func (c *cli) previewJSON(t *testing.T) {
	t.Helper()
	r := c.must("preview", "enqueued_messages_ttl", "--format", "json", "--limit", "100")
	var report struct {
		Version  int
		Policies []struct {
			Policy  string
			Due     int
			Capped  bool
			Effects []struct {
				Effect, Note string
				Table        string `json:"table_name"`
				Rows         int
			}
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
		t.Fatalf("%v in\n%s", err, r.stdout)
	}
	if len(report.Policies) != 1 || report.Version != 1 {
		t.Fatalf("the report is %+v", report)
	}
	p := report.Policies[0]
	if p.Due != 100 || !p.Capped || len(p.Effects) != 1 || p.Effects[0].Rows != 100 ||
		!strings.Contains(p.Effects[0].Note, "at least") {
		t.Errorf("the preview is %+v", p)
	}
}
