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
	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const busySchema = `
	CREATE TABLE author (id int PRIMARY KEY, v int);
	CREATE TABLE log (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL, v int);
	CREATE INDEX ON log (at, id);
	CREATE TABLE note (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL,
		v int REFERENCES author);
	CREATE TABLE pin (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note_id int, v int);
	CREATE TABLE doc (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL, v int);
	CREATE TABLE doc_old (id int, at timestamptz, v int, run_id bigint);
	CREATE TABLE thread (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL,
		v int REFERENCES author);
	CREATE TABLE post (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		thread_id int NOT NULL REFERENCES thread ON DELETE CASCADE, v int);
	CREATE TABLE mark (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		post_id int NOT NULL REFERENCES post ON DELETE CASCADE, v int);
	CREATE TABLE tick (id int GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL, v int REFERENCES author,
		PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE tick_old PARTITION OF tick FOR VALUES FROM (MINVALUE) TO ('2000-01-01');
	CREATE TABLE tick_new PARTITION OF tick FOR VALUES FROM ('2000-01-01') TO ('3000-01-01');
	CREATE TABLE tock (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tick_id int, at timestamptz, v int,
		FOREIGN KEY (tick_id, at) REFERENCES tick ON DELETE SET NULL);
	CREATE TABLE other (id int PRIMARY KEY);
	CREATE TABLE spare (id int PRIMARY KEY)`

const busyPolicies = `
defaults: {batch: {rows: 5, lock_timeout: 100s}}
policies:
  plain: {table: log, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  guarded:
    table: note
    due: {age: {column: at, older_than: 7 days}}
    keep: {pinned: "EXISTS (SELECT FROM pin WHERE pin.note_id = t.id)"}
    then: [delete]
  archived:
    table: doc
    due: {age: {column: at, older_than: 7 days}}
    then: [archive: {into: doc_old, set: {run_id: run.id}}, delete]
  family: {table: thread, due: {age: {column: at, older_than: 7 days}}, then: [delete: {cascades: [post, mark]}]}
  parted: {table: tick, due: {age: {column: at, older_than: 7 days}}, then: [delete: {cascades: [tock]}]}
jobs: {daily: {schedule: "@daily", run: [plain, guarded, archived, family, parted]}}`

// busyNames lists the placeholders of the statements below, and the names that can replace each. A
// failed REINDEX CONCURRENTLY leaves an invalid index, and REINDEX TABLE or VACUUM FULL makes this
// index valid. Then the verifier would take it for an index of the application that replaces the
// index of pgretain. Therefore no table in $rebuilt has an index of pgretain.
var busyNames = []struct {
	name string
	all  []string
}{
	{"$any", []string{"log", "note", "doc", "thread", "author", "pin", "doc_old", "post", "mark", "tock", "tick"}},
	{"$table", []string{"log", "note", "doc", "thread", "author", "pin", "doc_old", "post", "mark", "tock"}},
	{"$kept", []string{"log", "post"}},                                         // tables that no policy archives
	{"$rebuilt", []string{"author", "pin", "doc_old", "post", "mark", "tock"}}, // tables without an index of pgretain's
	{"$pkey", []string{"log_pkey", "note_pkey", "doc_pkey", "thread_pkey"}},
	{"$own", []string{"retention.policy", "retention.run", "retention.batch", "retention.setting", "retention.hold"}},
	{"$mode", []string{"ACCESS SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "EXCLUSIVE",
		"ACCESS EXCLUSIVE"}},
}

// busyDefinitions lists statements that change no dependency of a policy. The statements of one
// string are one transaction. $wait sleeps less than 50 ms, and $n is the number of the session.
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
	`CREATE TABLE tick_$n PARTITION OF tick FOR VALUES FROM ('400$n-01-01') TO ('400$n-10-01');
		$wait;
		ALTER TABLE tick DETACH PARTITION tick_$n;
		DROP TABLE tick_$n`,
	`ALTER TABLE tick DETACH PARTITION tick_old;
		$wait;
		ALTER TABLE tick ATTACH PARTITION tick_old FOR VALUES FROM (MINVALUE) TO ('2000-01-01')`,
	"ALTER TABLE post DROP CONSTRAINT post_thread_id_fkey; $wait; ROLLBACK",
	"ALTER TABLE post RENAME TO tsop; $wait; ROLLBACK",
	"DROP TABLE post CASCADE; $wait; ROLLBACK",
}

// busyRows lists statements that insert rows that are due at once, and calls of runs that take
// them.
var busyRows = []string{
	"INSERT INTO log (at) SELECT now() - interval '7 days' FROM generate_series(1, 7); $wait",
	"INSERT INTO note (at) SELECT now() - interval '7 days' FROM generate_series(1, 7); $wait",
	"INSERT INTO pin (note_id) SELECT max(id) FROM note; $wait",
	"DELETE FROM pin; $wait",
	"INSERT INTO doc (at) SELECT now() - interval '7 days' FROM generate_series(1, 7); $wait",
	`WITH a AS (INSERT INTO thread (at) SELECT now() - interval '7 days' FROM generate_series(1, 7) RETURNING id),
			b AS (INSERT INTO post (thread_id) SELECT id FROM a RETURNING id)
		INSERT INTO mark (post_id) SELECT id FROM b;
		$wait`,
	`WITH a AS (INSERT INTO tick (at) SELECT now() - interval '7 days' RETURNING id, at)
		INSERT INTO tock (tick_id, at) SELECT id, at FROM a;
		$wait`,
	"CALL retention.run('plain')",
	"CALL retention.run('guarded')",
	"CALL retention.run('archived')",
	"CALL retention.run('family')",
	"CALL retention.run('parted')",
	"CALL retention.run_job('daily')",
}

// TestVerifyDuringUnrelatedChanges runs the verifier while other sessions change objects on which
// no policy depends. The verifier may report that it could not read an object, but it must never
// report drift.
func TestVerifyDuringUnrelatedChanges(t *testing.T) {
	t.Parallel()
	const seed, rounds = 1, 12
	in := kit.Install(t, busySchema, busyPolicies)
	wanted, _ := in.Compile(t, busyPolicies)
	// The policies and the job seem to be installed since 2020, so the verifier checks their
	// lateness.
	in.Exec(t, `UPDATE retention.policy SET installed_at = '2020-01-01';
		UPDATE retention.job SET installed_at = '2020-01-01'`)
	if outcome, err := in.Call("CALL retention.run_job('daily')"); err != nil {
		t.Fatal(outcome, err)
	}
	in.WantConforms(t, wanted)

	ctx, stop := context.WithCancel(t.Context())
	var sessions sync.WaitGroup
	defer sessions.Wait()
	defer stop()
	// In a deadlock the server must cancel the DDL. If it cancelled a run, the run would fail, and
	// the verifier would rightly report that failure.
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
	complete := 0
	// On a busy machine, some rounds cannot read everything. The loop continues until enough rounds
	// have read everything.
	for round := 0; round < rounds || complete < rounds/4 && round < 20*rounds; round++ {
		user := ""
		if round%4 == 3 {
			user = in.File.Install.Roles.Viewer
		}
		report := in.Verify(t, user, wanted)
		if report.Count(diag.Unknown) == 0 {
			complete++
		}
		if report.Count(diag.Drift) > 0 {
			var out bytes.Buffer
			_ = report.Text(&out, false, false)
			t.Errorf("seed %d, round %d, as %q: the verifier reports drift, but no dependency changed:\n%s",
				seed, round, user, out.String())
		}
	}
	if complete < rounds/4 {
		t.Errorf("seed %d: only %d of %d rounds could read everything", seed, complete, 20*rounds)
	}
}

// beBusy runs random statements until ctx is cancelled.
func beBusy(ctx context.Context, t *testing.T, conn *pgx.Conn, statements []string, seed uint64, n int) {
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	for ctx.Err() == nil {
		sql := statements[random.IntN(len(statements))]
		for _, x := range busyNames {
			sql = strings.ReplaceAll(sql, x.name, x.all[random.IntN(len(x.all))])
		}
		sql = strings.ReplaceAll(sql, "$wait", fmt.Sprintf("SELECT pg_sleep(%d * 0.001)", random.IntN(50)))
		sql = strings.ReplaceAll(sql, "$n", fmt.Sprint(n))
		_, err := conn.PgConn().Exec(context.Background(), sql).ReadAll() // ctx would cancel the statement
		var refused *pgconn.PgError
		if errors.As(err, &refused) && (slices.Contains([]string{"40P01", "55P03"}, refused.Code) ||
			refused.Message == "tuple concurrently updated") {
			continue // a deadlock, lock_timeout, or two sessions changed one object
		}
		if err != nil {
			t.Errorf("seed %d, session %d: %s: %v", seed, n, sql, err)
			return
		}
	}
}

// beginP starts a run of policy p at $1 and returns its id.
const beginP = `SELECT s.run_id
	FROM retention._begin(('p', $1::timestamptz, NULL, NULL, NULL, NULL, false, NULL)) s`

// TestBatchReadsFewCatalogRows checks that a batch reads few catalog rows, however many objects the
// database and the server have. It never scans a whole catalog of tables, columns, constraints,
// types, functions, partitions or roles. Nor does it scan the table of holds.
func TestBatchReadsFewCatalogRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE n (id bigint PRIMARY KEY, m_id bigint REFERENCES m ON DELETE CASCADE);
		CREATE TABLE u (id bigint PRIMARY KEY, m_id bigint REFERENCES m ON UPDATE CASCADE, seen boolean);
		CREATE TABLE attic (id bigint, at timestamptz, run_id bigint);
		CREATE INDEX ON n (m_id); CREATE INDEX ON u (m_id);
		INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 s' FROM generate_series(1, 40) i;
		INSERT INTO n SELECT i, i FROM generate_series(1, 40) i;
		DO $$ BEGIN FOR i IN 1..700 LOOP
			EXECUTE format('CREATE TABLE many_%s (id bigint PRIMARY KEY, m bigint, CHECK (m > 0))', i);
			EXECUTE format('CREATE FUNCTION many_%s() RETURNS int LANGUAGE sql AS ''SELECT 1''', i);
		END LOOP; END $$;
		CREATE TABLE parts (i int) PARTITION BY LIST (i);
		DO $$ BEGIN FOR i IN 1..700 LOOP
			EXECUTE format('CREATE TABLE part_%s PARTITION OF parts FOR VALUES IN (%1$s)', i);
		END LOOP;
		END $$`, `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    keep: {seen: "EXISTS (SELECT FROM u WHERE u.m_id = t.id AND u.seen)"}
    batch: {rows: 10}
    breaker: {fraction: 1}
    then:
      - archive: {into: attic, set: {run_id: run.id}}
      - delete: {cascades: [n]}
`, kit.On(pgtest.Server(t, sandbox.Options{})))
	in.Exec(t, "DO $$ BEGIN FOR i IN 1..700 LOOP EXECUTE format('CREATE ROLE many_%s', i); END LOOP; END $$; ANALYZE")
	if err := in.Operator(`SELECT retention.place_hold('n', '3', 'case 1')`); err != nil {
		t.Fatal(err)
	}
	in.Exec(t, `INSERT INTO retention.hold (table_name, rel, columns, attnums, types, match, reason)
		SELECT h.table_name, h.rel, h.columns, h.attnums, h.types, jsonb_build_object('id', (i + 1000)::text), h.reason
		FROM retention.hold h, generate_series(1, 5000) i`)
	in.Exec(t, "ANALYZE retention.hold")
	c := in.Conn(t)
	var id int64
	if err := c.QueryRow(t.Context(), beginP, noon).Scan(&id); err != nil {
		t.Fatal(err)
	}
	for range 3 { // starts the run, then processes two batches
		pgtest.Exec(t, c, "BEGIN")
		if _, err := c.Exec(t.Context(), "SELECT retention._step($1)", id); err != nil {
			t.Fatal(err)
		}
		var read []string
		if err := c.QueryRow(t.Context(), `SELECT array_agg(format('%s: %s rows', x::regclass,
				pg_stat_get_xact_tuples_returned(x)))
			FROM unnest('{pg_class,pg_attribute,pg_attrdef,pg_index,pg_constraint,pg_depend,pg_shdepend,
				pg_type,pg_proc,pg_trigger,pg_authid,pg_inherits,retention.hold}'::regclass[]) c,
				LATERAL (SELECT c::oid UNION ALL SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = c
					AND i.indrelid IN ('pg_inherits'::regclass, 'retention.hold'::regclass)) r (x)
			WHERE pg_stat_get_xact_tuples_returned(x) >= 700`).Scan(&read); err != nil {
			t.Fatal(err)
		}
		if read != nil {
			t.Errorf("a step read 700 rows or more of these relations: %s", read)
		}
		pgtest.Exec(t, c, "COMMIT")
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM attic"); n == 0 {
		t.Error("no batch took rows")
	}
}

// TestQueriesAfterManyRuns checks that functions and views that need the newest runs do not read
// the whole run log. One policy has 5,000 runs, another has none. A consumer of events does not
// read the events of other names.
func TestQueriesAfterManyRuns(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+"; CREATE TABLE other (id bigint PRIMARY KEY, at timestamptz NOT NULL)", `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  q: {table: other, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
`)
	in.Done("p", "now")
	in.Exec(t, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, started_at, ended_at)
		SELECT r.policy, r.table_name, r.policy_hash, r.as_of, 'done', r.started_at, r.ended_at
			FROM retention.run r, generate_series(1, 5000)`)
	in.Exec(t, "INSERT INTO retention.event (policy, event) SELECT 'p', 'gone' FROM generate_series(1, 5000)")
	in.Exec(t, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state)
		VALUES ('p', 'public.gone', '', now(), 'running')`)
	in.Exec(t, "ANALYZE")
	for _, c := range []struct {
		name, statement string
		most            int64
	}{
		{"a start", "SELECT retention._step(max(r.id)) FROM retention.run r WHERE r.policy = 'p'", 100},
		{"the status", "SELECT count(*) FROM retention.status", 100},
		{"the health", "SELECT count(*) FROM retention.health()", 100},
		{"the metrics", "SELECT count(*) FROM retention.metrics WHERE name <> 'retention_events_waiting'", 300},
		{"a preview", "SELECT retention.preview('p')", 1100},
		{"an acceptance", "SELECT retention.accept('q', 'why', 1)", 100},
		{
			name: "whether a run is in progress",
			statement: `SELECT retention._is_running((SELECT max(r.id) FROM retention.run r))
				FROM generate_series(1, 10)`,
			most: 100,
		},
		{"events of another name", "SELECT count(*) FROM retention.take_events(10, 'p', 'other')", 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := in.Conn(t)
			if c.name == "a start" {
				pgtest.Exec(t, conn, "SELECT retention._begin(('p', now(), NULL, NULL, NULL, NULL, false, NULL))")
			}
			pgtest.Exec(t, conn, "BEGIN")
			if _, err := conn.Exec(t.Context(), c.statement); err != nil {
				t.Fatal(err)
			}
			var read int64
			if err := conn.QueryRow(t.Context(), `
				SELECT sum(pg_stat_get_xact_tuples_returned(c.oid))
				FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
				WHERE coalesce(i.indrelid, c.oid) IN ('retention.run'::regclass, 'retention.event'::regclass)`,
			).Scan(&read); err != nil {
				t.Fatal(err)
			}
			if read > c.most {
				t.Errorf("read %d rows and index entries of the log and the events, want at most %d", read, c.most)
			}
		})
	}
}

// TestBatchReadsFewRowsOfLargeTables checks that the number of rows that a batch reads grows with
// the batch, not with the tables. It checks a table that a guard reads, and the groups of a rank.
// No batch hashes a whole table, or reads it once for each group. If no index leads to the groups,
// a batch reads the table once or twice.
func TestBatchReadsFewRowsOfLargeTables(t *testing.T) {
	t.Parallel()
	const rows, many = 20000, 100000
	const age = "due: {age: {column: at, older_than: 7 days}}, "
	for _, c := range []struct {
		name, rule string
		most       int64 // most rows of m and g that a batch of 1000 rows may read
	}{
		{"a guard", age + `keep: {open: "EXISTS (SELECT FROM g WHERE g.id = t.id)"}`, rows},
		{"a joined table", age + `join: {g: {table: g, where: "g.id = t.id"}}, where: "g.id IS NULL"`, rows},
		{"the newest are kept", age + `keep: {newest: {first: 2, per: [owner], order: "at DESC"}}`, rows},
		{"the newest are kept, by a nullable column", age + `keep: {newest: {first: 2, per: [kind], order: "at DESC"}}`,
			rows},
		{
			name: "the newest are kept, by two nullable columns",
			rule: age + `keep: {newest: {first: 2, per: [kind, part], order: "at DESC"}}`,
			most: rows,
		},
		{"all but the newest", `due: {beyond: {first: 2, per: [owner], order: "at DESC"}}`, rows},
		{"all but the newest, by a nullable column", `due: {beyond: {first: 2, per: [kind], order: "at DESC"}}`,
			rows},
		{
			name: "all but the newest, beside an age",
			rule: `due: {any: [{age: {column: at, older_than: 7 days}},
				{beyond: {first: 2, per: [owner], order: "at DESC"}}]}`,
			most: rows,
		},
		{
			name: "a rank that reads a rank",
			rule: `due: {beyond: {first: 2, per: [owner], order: "keep.tagged DESC, at DESC"}},
				keep: {tagged: {first: 1, per: [owner], among: "part = 1", order: "at DESC"}}`,
			most: rows,
		},
		{
			name: "a rank that reads a rank, by a nullable column",
			rule: `due: {beyond: {first: 2, per: [kind], order: "keep.tagged DESC, at DESC"}},
				keep: {tagged: {first: 1, per: [kind], among: "part = 1", order: "at DESC"}}`,
			most: rows,
		},
		{
			name: "a rank that reads a guard",
			rule: `due: {beyond: {first: 2, per: [owner], order: "keep.open DESC, at DESC"}},
				keep: {open: "EXISTS (SELECT FROM g WHERE g.id = t.id)"}`,
			most: 2 * many,
		},
		{
			name: "a rank and a guard",
			rule: `due: {beyond: {first: 2, per: [owner], order: "at DESC"}},
				keep: {open: "EXISTS (SELECT FROM g WHERE g.id = t.id)"}`,
			most: rows,
		},
		{
			name: "all but the newest, by an expression",
			rule: `due: {beyond: {first: 2, per: ["upper(kind)"], order: "at DESC"}}`,
			most: 4 * rows,
		},
		{
			name: "the newest are kept, by an expression",
			rule: age + `keep: {newest: {first: 2, per: ["upper(kind)"], order: "at DESC"}}`,
			most: 4 * rows,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := kit.Install(t, fmt.Sprintf(`
				CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL, owner text NOT NULL, kind text,
					part int);
				CREATE TABLE g (id bigint PRIMARY KEY);
				INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 s', 'o' || i %% 2000,
					nullif('k' || i %% 2000, 'k7'), nullif(i %% 3, 0) FROM generate_series(1, %d) i;
				INSERT INTO g SELECT -i FROM generate_series(1, %d) i`, rows, many),
				"policies:\n  p: {table: m, "+c.rule+", batch: {rows: 1000}, breaker: {fraction: 1}, then: [delete]}\n")
			in.Exec(t, "ANALYZE")
			conn := in.Conn(t)
			var id, taken, read int64
			step := func() {
				t.Helper()
				pgtest.Exec(t, conn, "SELECT pg_stat_force_next_flush()")
				pgtest.Exec(t, conn, "BEGIN")
				if _, err := conn.Exec(t.Context(), "SELECT retention._step($1)", id); err != nil {
					t.Fatal(err)
				}
				if err := conn.QueryRow(t.Context(), `
					SELECT (SELECT sum(b.scanned) FROM retention.batch b WHERE b.run_id = $1),
						sum(pg_stat_get_xact_tuples_returned(c.oid))
					FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
					WHERE coalesce(i.indrelid, c.oid) IN ('m'::regclass, 'g'::regclass)`, id,
				).Scan(&taken, &read); err != nil {
					t.Fatal(err)
				}
				pgtest.Exec(t, conn, "COMMIT")
			}
			if err := conn.QueryRow(t.Context(), beginP, noon).Scan(&id); err != nil {
				t.Fatal(err)
			}
			step() // starts the run, which may count the due rows
			for n := range 2 {
				if step(); taken < 1000*int64(n+1)-10 || read > c.most {
					t.Errorf("after batch %d: scanned %d rows and read %d, want at most %d read", n+1, taken, read,
						c.most)
				}
			}
		})
	}
}
