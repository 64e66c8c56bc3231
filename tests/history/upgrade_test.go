package history

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/quote"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

var (
	botQueue = filepath.Join("..", "..", "examples", "bot-queue")
	rowHash  = regexp.MustCompile(`"hash": "[0-9a-f]{12}"`)
)

// beforeVersion returns the objects as version 0 of the runtime would want them. The functions and
// rows that contain the version have number 0, and each policy has another hash.
func beforeVersion(wanted []generator.Object) []generator.Object {
	before := slices.Clone(wanted)
	for i, o := range before {
		name, _, _ := strings.Cut(o.Name, "(")
		switch {
		case name == "retention._half_upgraded" || name == "retention._stop_reason" || o.Kind == generator.KindInstall:
			before[i].SQL = strings.NewReplacer("'1'", "'0'", `version": "1"`, `version": "0"`).Replace(o.SQL)
		case o.Kind == generator.KindPolicy:
			before[i].SQL = rowHash.ReplaceAllString(o.SQL, `"hash": "`+generator.Hash("0", o.SQL)+`"`)
		}
	}
	return before
}

// nextVersion returns the objects that a later version might want. A table with rows gets a column
// and an index. A view that other views read shows the column between two others. One function is
// dropped.
func nextVersion(t *testing.T, wanted []generator.Object) []generator.Object {
	t.Helper()
	next := slices.DeleteFunc(slices.Clone(wanted),
		func(o generator.Object) bool { return o.Name == "retention.mark_abandoned()" })
	if len(next) != len(wanted)-1 {
		t.Fatal("there is no retention.mark_abandoned()")
	}
	for i, o := range next {
		if o.Name == "retention.job_status" {
			next[i].SQL = strings.NewReplacer(
				"r.id AS last_run,", "r.id AS last_run, r.origin AS last_origin,",
				"x.tripped_by\n", "x.tripped_by, x.origin\n",
			).Replace(o.SQL)
		}
	}
	return append(next, generator.Object{
		Kind: generator.KindUpgrade, Name: "1/run_origin", As: generator.AsOwner,
		SQL: "ALTER TABLE retention.run ADD COLUMN IF NOT EXISTS origin text NOT NULL DEFAULT 'schedule';\n" +
			"CREATE INDEX IF NOT EXISTS run_origin ON retention.run (origin);\n",
		Drop: "ALTER TABLE retention.run DROP COLUMN IF EXISTS origin;\n",
	})
}

// installed installs the example with the objects that a version wants.
func installed(t *testing.T, version func([]generator.Object) []generator.Object) *kit.Installed {
	t.Helper()
	in := kit.ShippedFiles(t, botQueue)
	in.Migrations = fstest.MapFS{}
	grow(t, in, version(in.WantedObjects(t, botQueue)))
	in.Up(t)
	in.DB.Exec(t, "UPDATE cron.job SET active = false")
	return in
}

// TestUpgrade upgrades an example that has a log, holds and settings to the next version, undoes
// the upgrade, and upgrades again.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	in := installed(t, beforeVersion)
	liveBotQueue(t, in)
	columns := runtimeColumns(t, in)
	rows := runtimeRows(t, in, columns)
	for _, table := range []string{"run", "batch", "hold", "setting", "setting_change", "total"} {
		if len(rows[table]) == 0 {
			t.Errorf("retention.%s has no row before the upgrade, want some", table)
		}
	}
	first := kit.Catalog(t, in.DB, "retention")
	files := grow(t, in, nextVersion(t, in.WantedObjects(t, botQueue)))
	in.Up(t)
	fresh := installed(t, func(o []generator.Object) []generator.Object { return nextVersion(t, o) })
	next := kit.Catalog(t, fresh.DB, "retention")
	wantCatalog(t, in, next, "after the upgrade from that of a new install")
	wantRows(t, in, columns, rows, "after the upgrade")
	if got := in.Rows("SELECT last_run IS NOT NULL, last_origin FROM retention.job_status WHERE policy = '" +
		ttl + "'"); !slices.Equal(got, []string{"(t,schedule)"}) {
		t.Errorf("job_status shows %q, want a last run with last_origin schedule", got)
	}
	last := files[len(files)-1] // earlier files replace the policies that call the function
	if want := "-- pgretain: drop function \"retention.mark_abandoned()\""; !strings.Contains(last.Text, want) {
		t.Errorf("%s does not contain %q", last.Name, want)
	}

	down(t, in)
	wantCatalog(t, in, first, "after undoing the upgrade")
	wantRows(t, in, columns, rows, "after undoing the upgrade")
	in.Up(t)
	wantCatalog(t, in, next, "after the second upgrade from that of a new install")
	wantRows(t, in, columns, rows, "after the second upgrade")
	afterBotQueue(t, in)
}

// runtimeColumns returns the columns of each table of the runtime into which migrations write no
// rows.
func runtimeColumns(t *testing.T, in *kit.Installed) map[string][]string {
	t.Helper()
	columns := map[string][]string{}
	for _, table := range pgtest.Column[string](t, in, `SELECT relname::text FROM pg_class
		WHERE relnamespace = 'retention'::regnamespace AND relkind = 'r'
		  AND relname NOT IN ('goose_db_version', 'policy', 'job', 'index_definition')`) {
		columns[table] = pgtest.Column[string](t, in, `SELECT attname::text FROM pg_attribute
			WHERE attrelid = ('retention.' || $1)::regclass AND attnum > 0 AND NOT attisdropped
			  AND attname NOT IN ('runtime_version', 'runtime_build', 'state')
			ORDER BY attnum`, table)
	}
	return columns
}

// runtimeRows returns the rows of these columns by table.
func runtimeRows(t *testing.T, in *kit.Installed, columns map[string][]string) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for table, names := range columns {
		list := make([]string, len(names))
		for i, name := range names {
			list[i] = quote.Ident(name)
		}
		rows[table] = in.Rows("SELECT " + strings.Join(list, ", ") + " FROM retention." + quote.Ident(table))
	}
	return rows
}

func wantRows(t *testing.T, in *kit.Installed, columns map[string][]string, want map[string][]string, when string) {
	t.Helper()
	if diff := cmp.Diff(want, runtimeRows(t, in, columns)); diff != "" {
		t.Errorf("rows of the runtime's tables differ %s (-want +got)\n%s", when, diff)
	}
}

// operate executes statements as an operator.
func operate(t *testing.T, in *kit.Installed, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := in.Operator(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// runJobs runs jobs as the runner, and fails the test if one of their policies fails.
func runJobs(t *testing.T, in *kit.Installed, jobs ...string) {
	t.Helper()
	for _, job := range jobs {
		if outcome, err := in.Call("CALL retention.run_job($1, 'now')", job); err != nil {
			t.Fatalf("job %s: %s %v", job, outcome, err)
		}
	}
}

// due inserts $1 messages of bot 1 that are $2 days old.
const due = `INSERT INTO public.enqueued_messages (device_key, session_id, message, created_at)
	SELECT repeat('a', 64), 's', 'm', (now() AT TIME ZONE 'UTC') - make_interval(days => $2)
	FROM generate_series(1, $1::int)`

// liveBotQueue fills the tables of the runtime: it places and releases holds, runs jobs, makes a
// preview and pauses a policy.
func liveBotQueue(t *testing.T, in *kit.Installed) {
	in.DB.Exec(t, "INSERT INTO public.bots VALUES (repeat('a', 64), 'one')")
	in.DB.Exec(t, due, 300, 8)
	operate(t, in,
		"SELECT retention.place_hold('public.enqueued_messages', '1', 'case 8')",
		"SELECT retention.place_hold('public.enqueued_messages', '2', 'case 9')",
		"SELECT retention.release_hold(2, 'closed')")
	runJobs(t, in, "enqueued_messages")
	if o := in.Last("enqueued_messages_ttl"); o.Taken != 299 || o.Kept["hold"] != 1 {
		t.Fatalf("the first run took %d rows and held %d, want 299 and 1", o.Taken, o.Kept["hold"])
	}
	in.DB.Exec(t, due, 1500, 1)
	operate(t, in,
		"CALL retention.run('enqueued_messages_ttl', dry_run => true)",
		"SELECT retention.pause('enqueued_messages_cap', 'a look first')")
}

// afterBotQueue checks that hold and pause of liveBotQueue still have an effect.
func afterBotQueue(t *testing.T, in *kit.Installed) {
	in.DB.Exec(t, due, 20, 9)
	if o := in.Done("enqueued_messages_ttl", "now"); o.Taken != 20 || o.Kept["hold"] != 1 {
		t.Errorf("the first run after the upgrade took %d rows and held %d, want 20 and 1", o.Taken, o.Kept["hold"])
	}
	if o := in.Run("enqueued_messages_cap", "now"); o.State != "paused" ||
		!strings.Contains(o.Message, "a look first") {
		t.Errorf("the run of the paused policy ended %s: %s; want paused", o.State, o.Message)
	}
	operate(t, in, "SELECT retention.resume('enqueued_messages_cap')")
	if o := in.Done("enqueued_messages_cap", "now"); o.Taken != 500 || o.Kept["hold"] != 1 {
		t.Errorf("the cap took %d rows and held %d, want 500 and 1", o.Taken, o.Kept["hold"])
	}
	operate(t, in, "SELECT retention.release_hold(1, 'closed')")
	if o := in.Done("enqueued_messages_ttl", "now"); o.Taken > 1 {
		t.Errorf("after the release the run took %d rows, want at most the released one", o.Taken)
	}
}
