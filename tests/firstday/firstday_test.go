// Package firstday goes the way of somebody who has a database and no policy yet.
package firstday

import (
	"os"
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
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// person runs commands in a directory, and counts them.
type person struct {
	*testing.T
	dir, url string
	commands int
}

// newPerson has an empty directory and the program.
func newPerson(t *testing.T, url string) *person {
	t.Helper()
	return &person{T: t, dir: t.TempDir(), url: url}
}

// run runs a command line, which must end with a code, and returns what it writes.
func (p *person) run(code int, line string) string {
	p.Helper()
	p.commands++
	words := strings.Fields(line)
	cmd := exec.Command(kit.Program(p.T), words...)
	cmd.Dir, cmd.Env = p.dir, os.Environ()
	if p.url != "" {
		cmd.Env = append(cmd.Env, kit.Settings(p.T, p.url)...)
	}
	got, stdout, stderr := kit.Finish(p.T, cmd)
	if got != code {
		p.Fatalf("pgretain %s: exit code %d, want %d\n%s%s", line, got, code, stdout, stderr)
	}
	return stdout + stderr
}

func (p *person) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

func (p *person) write(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

const schema = "../../internal/propose/testdata/schema.sql"

// fill makes the tables as a role that is no superuser, and the rows that they have after some months.
func fill(t *testing.T, db *pgtest.DB) {
	t.Helper()
	db.Exec(t, pgtest.MakeRole("locker_deploy LOGIN"))
	db.Exec(t, "ALTER SCHEMA public OWNER TO locker_deploy")
	db.Exec(t, `DO $$ BEGIN EXECUTE format('GRANT CREATE, TEMPORARY ON DATABASE %I TO locker_deploy', current_database()); END $$`)
	conn := db.Conn(t, "locker_deploy")
	pgtest.Exec(t, conn, fixture.ReadFile(t, schema))
	pgtest.Exec(t, conn, fixture.ReadFile(t, "testdata/data.sql"))
	pgtest.Until(t, db, `SELECT pg_stat_get_tuples_inserted('public.event'::regclass) = 12000`)
}

// accepted are the proposals that the person likes, a dozen.
var accepted = []string{"audit_event_old", "door_log_old", "heartbeat_old", "message_finished", "parcel_finished", "parcel_scan_old", "ticket_finished",
	"cache_unused", "public_event_old", "outbox_finished", "pickup_code_expired", "session_expired"}

// accept removes "# " from the lines of some proposals and of the job, and gives a reason for the one table that is left.
func accept(file string) string {
	var out strings.Builder
	taking := false
	for line := range strings.Lines(file) {
		if m := regexp.MustCompile(`^#   (\w+):\n$`).FindStringSubmatch(line); m != nil {
			taking = m[1] == "retention" || slices.Contains(accepted, m[1])
		}
		if m := regexp.MustCompile(`^#       - (\w+)\n$`).FindStringSubmatch(line); m != nil && slices.Index(accepted, m[1]) < 0 && m[1] != "delete" {
			out.WriteString(line)
			continue
		}
		if taking {
			line = strings.TrimPrefix(line, "# ")
		}
		out.WriteString(line)
	}
	return regexp.MustCompile(`(?m)^  exempt:.*$`).ReplaceAllString(out.String(), "$0\n    net.reading: \"a decision is made in spring\"")
}

// TestFirstDay: from a database of 27 tables, with no policy, to a dozen policies that are reviewed, installed, scheduled, run and
// verified, by ten commands.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	fill(t, db)
	p := newPerson(t, db.URL("locker_deploy"))
	want := rows(t, db, fixture.ReadFile(t, "testdata/expected.sql"))

	p.run(0, "init")
	facts(t, db, p.read("retention.yaml"))
	p.write("retention.yaml", strings.Replace(accept(p.read("retention.yaml")), "17 3 * * *", "0 0 29 2 *", 1)) // no tick comes meanwhile
	if out := p.run(0, "lint"); out != "retention.yaml: 12 policies, 1 job, no errors\n" {
		t.Errorf("lint says %s", out)
	}
	if out := p.run(0, "plan"); !strings.Contains(out, "parcel_finished") {
		t.Errorf("plan says %s", out)
	}
	p.run(0, "generate")
	if out := p.run(2, "bootstrap --apply --migrator locker_deploy"); !strings.Contains(out, "could not do everything") || !strings.Contains(out, "CREATE ROLE retention_owner") {
		t.Errorf("a role that may not says %s", out)
	}
	p.commands--                                                                      // the person knows better
	p.run(0, "bootstrap --apply --migrator locker_deploy --database-url "+db.URL("")) // as the DBA
	p.run(0, "migrate up")
	p.run(0, "preview --job retention")
	p.run(0, "run --job retention")
	p.run(0, "status")
	p.run(0, "verify")
	if p.commands > 10 {
		t.Errorf("%d commands", p.commands)
	}
	if diff := cmp.Diff(want, counted(t, db, want)); diff != "" {
		t.Errorf("rows that stayed (-want +got):\n%s", diff)
	}
	if jobs := pgtest.Column[string](t, db, "SELECT jobname || ' ' || schedule FROM cron.job WHERE active"); !slices.Equal(jobs, []string{"retention.retention 0 0 29 2 *"}) {
		t.Errorf("jobs: %q", jobs)
	}
}

// facts holds what the file says of tables to what is in them.
func facts(t *testing.T, db *pgtest.DB, file string) {
	t.Helper()
	for _, want := range []string{
		`\n## public\.event, \d+ kB, about 12,000 rows, 12,000 inserts since statistics began\n`,
		`\n## net\.heartbeat, \d+ kB, about 2,000 rows, 2,000 inserts since`,
		`\n  trust: \[locker_deploy\]`,
		`\n## net\.parcel, .*\n(##.*\n)*## 33\.\d % of the rows have no delivered_at, and stay\.\n`,
		`\n    net\.city: "small, \d+ kB, about 20 rows, 20 inserts since statistics began"\n`,
		`\n    net\.locker: "small, `,
		`\n    net\.survey: "undecided: no column tells how old a row is, \d+ kB, about 2,000 rows`,
	} {
		if !regexp.MustCompile(want).MatchString(file) {
			t.Errorf("the file lacks %s", want)
		}
	}
	bounds := regexp.MustCompile(`## createdAt goes from (\S+) to (\S+), half of the rows are before (\S+)\.\n`).FindStringSubmatch(file)
	if bounds == nil || !pgtest.Value[bool](t, db, `SELECT min("createdAt" AT TIME ZONE 'UTC')::date = $1::date AND max("createdAt" AT TIME ZONE 'UTC')::date = $2::date
			AND abs(percentile_disc(0.5) WITHIN GROUP (ORDER BY "createdAt")::date - $3::date) <= 5 FROM net."Door Log"`, bounds[1], bounds[2], bounds[3]) {
		t.Errorf("the file says of a clock: %q", bounds)
	}
}

// What a schema file gives is what its database gives, but for sizes; owners are those of the file. Nothing is overwritten.
func TestSchemaFile(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	db.Exec(t, fixture.ReadFile(t, schema))
	p := newPerson(t, db.URL(""))
	golden, catalog := fixture.ReadFile(t, "../../internal/propose/testdata/retention.yaml"), fixture.ReadFile(t, "../../internal/propose/testdata/catalog.json")
	p.write("schema.sql", fixture.ReadFile(t, schema))
	p.write("owned.sql", fixture.ReadFile(t, schema)+`ALTER TABLE public.outbox OWNER TO "The Queue"; ALTER TABLE net.city OWNER TO nobody_else;`)

	if out := p.run(2, "lint"); !strings.Contains(out, `"pgretain init" writes a first one`) {
		t.Error(out)
	}
	p.run(0, "snapshot")
	equal(t, catalog, p.read("retention.catalog.json"))
	p.run(0, "snapshot --schema schema.sql --catalog of_file.json")
	equal(t, catalog, p.read("of_file.json"))
	if out := p.run(2, "init"); !strings.Contains(out, "\"retention.catalog.json\" exists already") {
		t.Error(out)
	}
	p.run(0, "init --schema schema.sql --catalog new.json")
	equal(t, golden, p.read("retention.yaml"))
	equal(t, catalog, p.read("new.json"))
	p.run(2, "init --schema schema.sql --catalog third.json")
	equal(t, golden, p.read("retention.yaml"))

	p.run(0, "snapshot --catalog again.json") // as long as no policy is decided on
	equal(t, catalog, p.read("again.json"))
	p.run(0, "generate --catalog new.json --migrations as_it_is")
	p.write("all.yaml", regexp.MustCompile(`(?m)^# `).ReplaceAllString(golden, ""))
	p.run(0, "generate --policy all.yaml --catalog new.json --migrations all")
	p.run(0, "lint --sandbox --schema schema.sql --policy all.yaml --catalog new.json --migrations all") // and runs them

	p.run(0, "init --schema owned.sql --policy owned.yaml --catalog owned.json")
	if got := p.read("owned.yaml"); !strings.Contains(got, `trust: ["\"The Queue\""]`) || strings.Contains(got, "nobody_else") {
		t.Errorf("owners:\n%s", got)
	}
	p.run(0, "lint --policy owned.yaml --catalog owned.json")
}

func equal(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A database without a table that grows gets proposals all the same; one without tables nothing.
func TestNothingGrows(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	p := newPerson(t, db.URL(""))
	if out := p.run(2, "init"); !strings.Contains(out, "has no tables") {
		t.Error(out)
	}
	db.Exec(t, fixture.ReadFile(t, schema))
	p.run(0, "init")
	if got := p.read("retention.yaml"); !strings.Contains(got, "\n## audit.event, 16 kB, 0 inserts since") || strings.Contains(got, "small") {
		t.Errorf("sizes:\n%s", got)
	}
}

// rows reads a query of names and numbers.
func rows(t *testing.T, db *pgtest.DB, query string) map[string]int64 {
	t.Helper()
	found, _ := db.Query(t.Context(), query) // found gives the same error
	list, err := pgx.CollectRows(found, pgx.RowToStructByPos[struct {
		Table string
		Rows  int64
	}])
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, row := range list {
		counts[row.Table] = row.Rows
	}
	return counts
}

func counted(t *testing.T, db *pgtest.DB, tables map[string]int64) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for name := range tables {
		counts[name] = pgtest.Value[int64](t, db, "SELECT count(*) FROM "+name)
	}
	return counts
}
