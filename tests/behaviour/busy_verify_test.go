package behaviour

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const busySchema = `
	CREATE TABLE author (id int PRIMARY KEY, v int);
	CREATE TABLE log (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL, v int);
	CREATE INDEX ON log (at, id);
	CREATE TABLE note (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL, v int REFERENCES author);
	CREATE TABLE pin (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note_id int, v int);
	CREATE TABLE doc (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL, v int);
	CREATE TABLE doc_old (id int, at timestamptz, v int, run_id bigint);
	CREATE TABLE thread (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL, v int REFERENCES author);
	CREATE TABLE post (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, thread_id int NOT NULL REFERENCES thread ON DELETE CASCADE, v int);
	CREATE TABLE mark (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, post_id int NOT NULL REFERENCES post ON DELETE CASCADE, v int);
	CREATE TABLE tick (id int GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL, v int REFERENCES author, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE tick_old PARTITION OF tick FOR VALUES FROM (MINVALUE) TO ('2000-01-01');
	CREATE TABLE tick_new PARTITION OF tick FOR VALUES FROM ('2000-01-01') TO ('3000-01-01');
	CREATE TABLE tock (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tick_id int, at timestamptz, v int, FOREIGN KEY (tick_id, at) REFERENCES tick ON DELETE SET NULL);
	CREATE TABLE other (id int PRIMARY KEY);
	CREATE TABLE spare (id int PRIMARY KEY)`

const busyPolicies = `
defaults: {batch: {rows: 5, lock_timeout: 100s}}
policies:
  plain: {table: log, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  guarded: {table: note, due: {age: {column: at, older_than: 7 days}}, keep: {pinned: "EXISTS (SELECT FROM pin WHERE pin.note_id = t.id)"}, then: [delete]}
  archived: {table: doc, due: {age: {column: at, older_than: 7 days}}, then: [archive: {into: doc_old, set: {run_id: run.id}}, delete]}
  family: {table: thread, due: {age: {column: at, older_than: 7 days}}, then: [delete: {cascades: [post, mark]}]}
  parted: {table: tick, due: {age: {column: at, older_than: 7 days}}, then: [delete: {cascades: [tock]}]}
jobs: {daily: {schedule: "@daily", run: [plain, guarded, archived, family, parted]}}`

// busyNames are what stands for a name in the statements below. What rebuilds all indexes of a table makes those
// valid that a failed REINDEX CONCURRENTLY left: they are the application's then, and in place of pgretain's.
var busyNames = []struct {
	name string
	all  []string
}{
	{"$any", []string{"log", "note", "doc", "thread", "author", "pin", "doc_old", "post", "mark", "tock", "tick"}},
	{"$table", []string{"log", "note", "doc", "thread", "author", "pin", "doc_old", "post", "mark", "tock"}},
	{"$kept", []string{"log", "post"}},                                         // whose columns no archive has
	{"$rebuilt", []string{"author", "pin", "doc_old", "post", "mark", "tock"}}, // without an index of pgretain's
	{"$pkey", []string{"log_pkey", "note_pkey", "doc_pkey", "thread_pkey"}},
	{"$own", []string{"retention.policy", "retention.run", "retention.batch", "retention.setting", "retention.hold"}},
	{"$mode", []string{"ACCESS SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "EXCLUSIVE", "ACCESS EXCLUSIVE"}},
}

// busyDefinitions change nothing that a policy goes by. Several statements are one transaction, $wait some
// milliseconds in it, and $n the number of the session.
var busyDefinitions = []string{
	"ALTER TABLE $any ADD x$n int; $wait; ALTER TABLE $any DROP x$n",
	"ALTER TABLE $kept ADD IF NOT EXISTS y$n int; $wait",
	"ALTER TABLE $kept DROP IF EXISTS y$n; $wait",
	"CREATE INDEX i$n ON $any (v); $wait; DROP INDEX i$n",
	"CREATE INDEX IF NOT EXISTS k$n ON $any (v); $wait",
	"DROP INDEX IF EXISTS k$n; $wait",
	"CREATE INDEX CONCURRENTLY IF NOT EXISTS c$n ON $table (v)",
	"DROP INDEX CONCURRENTLY IF EXISTS c$n",
	"REINDEX TABLE $rebuilt; $wait",
	"REINDEX INDEX $pkey; $wait",
	"REINDEX TABLE CONCURRENTLY $any",
	"LOCK TABLE $any IN $mode MODE; $wait",
	"LOCK TABLE $own IN $mode MODE; $wait",
	"VACUUM $any",
	"VACUUM FULL $rebuilt",
	"ANALYZE $any",
	"TRUNCATE other; $wait",
	"ALTER TABLE IF EXISTS spare RENAME TO spared; $wait",
	"ALTER TABLE IF EXISTS spared RENAME TO spare; $wait",
	"CREATE VIEW w$n AS SELECT v FROM $any; $wait; DROP VIEW w$n",
	"CREATE OR REPLACE VIEW v$n AS SELECT v FROM log; $wait",
	"DROP VIEW IF EXISTS v$n; $wait",
	"CREATE TABLE tick_$n PARTITION OF tick FOR VALUES FROM ('400$n-01-01') TO ('400$n-10-01'); $wait; ALTER TABLE tick DETACH PARTITION tick_$n; DROP TABLE tick_$n",
	"ALTER TABLE tick DETACH PARTITION tick_old; $wait; ALTER TABLE tick ATTACH PARTITION tick_old FOR VALUES FROM (MINVALUE) TO ('2000-01-01')",
	"ALTER TABLE post DROP CONSTRAINT post_thread_id_fkey; $wait; ROLLBACK",
	"ALTER TABLE post RENAME TO tsop; $wait; ROLLBACK",
	"DROP TABLE post CASCADE; $wait; ROLLBACK",
}

// busyRows come and are due at once, and runs take them.
var busyRows = []string{
	"INSERT INTO log (at) SELECT now() - interval '7 days' FROM generate_series(1, 7); $wait",
	"INSERT INTO note (at) SELECT now() - interval '7 days' FROM generate_series(1, 7); $wait",
	"INSERT INTO pin (note_id) SELECT max(id) FROM note; $wait",
	"DELETE FROM pin; $wait",
	"INSERT INTO doc (at) SELECT now() - interval '7 days' FROM generate_series(1, 7); $wait",
	`WITH a AS (INSERT INTO thread (at) SELECT now() - interval '7 days' FROM generate_series(1, 7) RETURNING id),
		b AS (INSERT INTO post (thread_id) SELECT id FROM a RETURNING id) INSERT INTO mark (post_id) SELECT id FROM b; $wait`,
	"WITH a AS (INSERT INTO tick (at) SELECT now() - interval '7 days' RETURNING id, at) INSERT INTO tock (tick_id, at) SELECT id, at FROM a; $wait",
	"CALL retention.run('plain')", "CALL retention.run('guarded')", "CALL retention.run('archived')", "CALL retention.run('family')",
	"CALL retention.run('parted')", "CALL retention.run_job('daily')",
}

// Whatever others do meanwhile that a policy does not go by: the verifier sees it or says what it could not see,
// and calls nothing drift.
func TestVerifyBesideEverything(t *testing.T) {
	t.Parallel()
	const seed, rounds = 1, 12
	in := kit.Install(t, busySchema, busyPolicies)
	wanted, _ := in.Compile(t, busyPolicies)
	// The schedule has promised something by now: what is overdue is counted.
	in.Exec(t, "UPDATE retention.policy SET installed_at = '2020-01-01'; UPDATE retention.job SET installed_at = '2020-01-01'")
	if outcome, err := in.Call("CALL retention.run_job('daily')"); err != nil {
		t.Fatal(outcome, err)
	}
	in.WantConforms(t, wanted)

	ctx, stop := context.WithCancel(t.Context())
	var sessions sync.WaitGroup
	defer sessions.Wait()
	defer stop()
	// Who gives way is never a run, which would rightly be said to have failed.
	for n, b := range []struct {
		statements []string
		settings   string
	}{
		{busyDefinitions, "SET deadlock_timeout = '10ms'; SET lock_timeout = '1s'"},
		{busyDefinitions, "SET deadlock_timeout = '10ms'; SET lock_timeout = '1s'"},
		{busyRows, "SET deadlock_timeout = '1h'"},
	} {
		conn := in.Conn(t)
		pgtest.Exec(t, conn, b.settings)
		sessions.Go(func() { beBusy(ctx, t, conn, b.statements, seed, n) })
	}
	sawAll := 0
	for round := 0; round < rounds || sawAll < rounds/4 && round < 20*rounds; round++ { // how often it is disturbed, the machine decides
		user := ""
		if round%4 == 3 {
			user = in.File.Install.Roles.Viewer
		}
		report := in.Verify(t, user, wanted)
		if report.Count(diag.Unknown) == 0 {
			sawAll++
		}
		if report.Count(diag.Drift) > 0 {
			var out bytes.Buffer
			_ = report.Text(&out, false, false)
			t.Errorf("seed %d, round %d, as %q: nothing has changed that a policy goes by:\n%s", seed, round, user, out.String())
		}
	}
	if sawAll < rounds/4 {
		t.Errorf("seed %d: %d of %d rounds saw everything", seed, sawAll, 20*rounds)
	}
}

// beBusy runs statements, one after the other, until it is told to stop.
func beBusy(ctx context.Context, t *testing.T, conn *pgx.Conn, statements []string, seed uint64, n int) {
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	for ctx.Err() == nil {
		sql := statements[random.IntN(len(statements))]
		for _, x := range busyNames {
			sql = strings.ReplaceAll(sql, x.name, x.all[random.IntN(len(x.all))])
		}
		sql = strings.ReplaceAll(sql, "$wait", fmt.Sprintf("SELECT pg_sleep(%d * 0.001)", random.IntN(50)))
		sql = strings.ReplaceAll(sql, "$n", fmt.Sprint(n))
		_, err := conn.PgConn().Exec(context.Background(), sql).ReadAll() // not ctx, with which the statement would end
		var refused *pgconn.PgError
		if errors.As(err, &refused) && (slices.Contains([]string{"40P01", "55P03"}, refused.Code) || refused.Message == "tuple concurrently updated") {
			continue // deadlock, lock_timeout, two definitions of one object at once
		}
		if err != nil {
			t.Errorf("seed %d, session %d: %s: %v", seed, n, sql, err)
			return
		}
	}
}
