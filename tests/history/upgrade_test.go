package history

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/quote"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// past is what an example has seen under an earlier version of the runtime, and what must be true
// once it is upgraded.
type past struct {
	live  func(t *testing.T, in *kit.Installed)
	leave []string // tables of the runtime that have rows then
	after func(t *testing.T, in *kit.Installed)
}

var pasts = map[string]past{
	"bot-queue": {liveBotQueue,
		[]string{"run", "batch", "hold", "setting", "setting_change", "total"}, afterBotQueue},
	"mutual-aid": {liveMutualAid,
		[]string{"run", "batch", "hold", "event", "undo", "restored", "report", "total"}, afterMutualAid},
	"trade-dedup": {liveTradeDedup,
		[]string{"run", "batch", "setting", "setting_change", "claim", "report", "total"}, afterTradeDedup},
}

// TestUpgradeFromVersion1 takes examples as version 1 of the runtime generated them, with a past, to
// today's version, back and there again.
func TestUpgradeFromVersion1(t *testing.T) {
	t.Parallel()
	for name, p := range pasts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("..", "testdata", "runtime-1", name)
			in := kit.Shipped(t, dir)
			p.live(t, in)
			columns := runtimeColumns(t, in)
			rows := runtimeRows(t, in, columns)
			for _, table := range p.leave {
				if len(rows[table]) == 0 {
					t.Errorf("the past left no row in retention.%s", table)
				}
			}
			first := kit.Catalog(t, in.DB, "retention")
			grow(t, in, in.Wanted(t, dir))
			in.Up(t)
			today := freshCatalog(t, dir)
			wantCatalog(t, in, today, "upgraded, against a new install")
			wantRows(t, in, columns, rows, "after the upgrade")

			down(t, in)
			wantCatalog(t, in, first, "back at version 1")
			wantRows(t, in, columns, rows, "back at version 1")
			in.Up(t)
			wantCatalog(t, in, today, "upgraded again, against a new install")
			wantRows(t, in, columns, rows, "after the second upgrade")

			p.after(t, in)
			in.StartJobs()
			in.WantConforms(t, in.Wanted(t, dir))
		})
	}
}

// freshCatalog is the catalog of an example that today's generator installed from nothing.
func freshCatalog(t *testing.T, dir string) []string {
	t.Helper()
	in := kit.ShippedFiles(t, dir)
	in.Migrations = fstest.MapFS{}
	grow(t, in, in.Wanted(t, dir))
	in.Up(t)
	in.DB.Exec(t, "UPDATE cron.job SET active = false")
	return kit.Catalog(t, in.DB, "retention")
}

// runtimeColumns are the columns of the runtime's tables, but for those that migrations write.
func runtimeColumns(t *testing.T, in *kit.Installed) map[string][]string {
	t.Helper()
	columns := map[string][]string{}
	for _, table := range pgtest.Column[string](t, in, `SELECT relname::text FROM pg_class
		WHERE relnamespace = 'retention'::regnamespace AND relkind = 'r'
		  AND relname NOT IN ('goose_db_version', 'policy', 'job', 'index_definition')`) {
		columns[table] = pgtest.Column[string](t, in, `SELECT attname::text FROM pg_attribute
			WHERE attrelid = ('retention.' || $1)::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'runtime_version'
			ORDER BY attnum`, table)
	}
	return columns
}

// runtimeRows are the rows of these columns, by table.
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
		t.Errorf("%s rows of the runtime's tables differ (-want +got)\n%s", when, diff)
	}
}

func operate(t *testing.T, in *kit.Installed, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := in.Operator(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// runJobs runs jobs as the runner; none of their policies may fail.
func runJobs(t *testing.T, in *kit.Installed, jobs ...string) {
	t.Helper()
	for _, job := range jobs {
		if outcome, err := in.Call("CALL retention.run_job($1, 'now')", job); err != nil {
			t.Fatalf("job %s: %s %v", job, outcome, err)
		}
	}
}

// due adds messages of bot 1 that are n days old.
const due = `INSERT INTO public.enqueued_messages (device_key, session_id, message, created_at)
	SELECT repeat('a', 64), 's', 'm', (now() AT TIME ZONE 'UTC') - make_interval(days => $2) FROM generate_series(1, $1::int)`

func liveBotQueue(t *testing.T, in *kit.Installed) {
	in.DB.Exec(t, "INSERT INTO public.bots VALUES (repeat('a', 64), 'one')")
	in.DB.Exec(t, due, 300, 8)
	operate(t, in, "SELECT retention.place_hold('public.enqueued_messages', ARRAY['1'], 'case 8')",
		"SELECT retention.place_hold('public.enqueued_messages', ARRAY['2'], 'case 9')", "SELECT retention.release_hold(2, 'closed')")
	runJobs(t, in, "enqueued_messages", "retention_log")
	if o := in.Last("enqueued_messages_ttl"); o.Taken != 299 || o.Kept["hold"] != 1 {
		t.Fatalf("the first run took %d", o.Taken)
	}
	in.DB.Exec(t, due, 1500, 1)
	operate(t, in, "CALL retention.run('enqueued_messages_ttl', dry_run => true)",
		"SELECT retention.pause('enqueued_messages_cap', 'a look first')")
}

// The hold holds, the pause pauses.
func afterBotQueue(t *testing.T, in *kit.Installed) {
	in.DB.Exec(t, due, 20, 9)
	if o := in.Done("enqueued_messages_ttl", "now"); o.Taken != 20 || o.Kept["hold"] != 1 {
		t.Errorf("the first run after the upgrade took %d rows and held %d, want 20 and 1", o.Taken, o.Kept["hold"])
	}
	if o := in.Run("enqueued_messages_cap", "now"); o.State != "paused" || !strings.Contains(o.Message, "a look first") {
		t.Errorf("the paused policy ended %s: %s", o.State, o.Message)
	}
	operate(t, in, "SELECT retention.resume('enqueued_messages_cap')")
	if o := in.Done("enqueued_messages_cap", "now"); o.Taken != 500 || o.Kept["hold"] != 1 {
		t.Errorf("the cap took %d", o.Taken)
	}
	operate(t, in, "SELECT retention.release_hold(1, 'closed')")
	if o := in.Done("enqueued_messages_ttl", "now"); o.Taken > 1 {
		t.Errorf("the released row and %d others went", o.Taken-1)
	}
}

var mutualAidJobs = []string{"mark_expired", "hard_delete", "memory", "decay", "trust_edges", "decay_report", "dibs"}

func liveMutualAid(t *testing.T, in *kit.Installed) {
	dir := filepath.Join("..", "testdata", "runtime-1", "mutual-aid")
	in.DB.Exec(t, kit.ReadFile(t, dir, "data.sql"))
	in.DB.Exec(t, kit.ReadFile(t, dir, "later.sql"))
	runJobs(t, in, mutualAidJobs...)
	if o := in.Run("activity_log", "now"); o.State != "tripped" {
		t.Fatalf("activity_log ended %s", o.State)
	}
	operate(t, in, fmt.Sprintf("SELECT retention.restore('offers_expire', %d)", in.Last("offers_expire").ID))
}

// What was restored is held still, and what was marked can be taken back.
func afterMutualAid(t *testing.T, in *kit.Installed) {
	before := in.Last("offers_expire")
	if o := in.Done("offers_expire", "now"); o.ID == before.ID || o.Taken != 0 || o.Kept["hold"] == 0 {
		t.Errorf("offers_expire took %d rows and held %d, want what was restored to be held", o.Taken, o.Kept["hold"])
	}
	marked := in.Last("messages_expire")
	operate(t, in, fmt.Sprintf("SELECT retention.restore('messages_expire', %d)", marked.ID))
	if got := pgtest.Value[int64](t, in, "SELECT restored FROM retention.restored ORDER BY id DESC LIMIT 1"); got != marked.Taken || got == 0 {
		t.Errorf("restored %d of %d messages that a run before the upgrade marked", got, marked.Taken)
	}
	runJobs(t, in, mutualAidJobs...)
	o := in.Run("activity_log", "now")
	operate(t, in, fmt.Sprintf("SELECT retention.accept(%d, 'looked at')", o.ID))
	if o := in.Done("activity_log", "now"); o.Taken <= 10000 {
		t.Errorf("activity_log took %d", o.Taken)
	}
}

// claim asks for trade n once a statement, as a worker of the application.
func claim(t *testing.T, in *kit.Installed, trades int) {
	t.Helper()
	conn := in.Conn(t, "whale_worker")
	for n := range trades {
		pgtest.Exec(t, conn, "SELECT retention.processed_trades_claim($1)", fmt.Sprintf("0x%d", n%40))
	}
	pgtest.Exec(t, conn, "SELECT retention.processed_trades_advance('whale_worker_global', extract(epoch FROM now())::bigint, '0x0')")
}

func liveTradeDedup(t *testing.T, in *kit.Installed) {
	claim(t, in, 60)
	operate(t, in, "SELECT retention.set_window('processed_trades', '5 minutes', 'the API is slow')")
	in.DB.Exec(t, "UPDATE whale.processed_trade SET expires_at = now() - interval '1 hour' WHERE tx_hash > '0x2'")
	runJobs(t, in, "processed_trades", "duplicate_rate")
}

// The window that was set counts, and a claim from before the upgrade is claimed.
func afterTradeDedup(t *testing.T, in *kit.Installed) {
	if got := pgtest.Value[string](t, in, "SELECT retention.window_of('processed_trades')::text"); got != "00:05:00" {
		t.Errorf("the window is %s", got)
	}
	if pgtest.Value[bool](t, in.Conn(t, "whale_worker"), "SELECT retention.processed_trades_claim('0x0')") {
		t.Error("a trade that was claimed before the upgrade is claimed again")
	}
	before := in.Rows("SELECT sum(asked) FROM retention.claim")
	claim(t, in, 60)
	if slices.Equal(before, in.Rows("SELECT sum(asked) FROM retention.claim")) {
		t.Error("claims are not counted any more")
	}
	in.DB.Exec(t, "UPDATE whale.processed_trade SET expires_at = now() - interval '1 hour'")
	if o := in.Done("processed_trades", "now"); o.Taken != 40 {
		t.Errorf("took %d of 40", o.Taken)
	}
	operate(t, in, "SELECT retention.set_window('processed_trades', NULL, 'as it was')")
}
