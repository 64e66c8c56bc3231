package behaviour

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// originServer starts a server and installs a policy on a table of 20 rows. At noon, 13 of them are
// due.
func originServer(t *testing.T) *kit.Installed {
	t.Helper()
	db := pgtest.Server(t, sandbox.Options{})
	return kit.Install(t, plain, old(""), kit.On(db))
}

// runOn calls a run as role retention_runner. It returns state and message of the newest run, and
// the number of rows left in m.
func runOn(t *testing.T, db *pgtest.DB) (state, message string, left int) {
	t.Helper()
	conn := db.Conn(t)
	pgtest.Exec(t, conn, "SET ROLE retention_runner")
	pgtest.Exec(t, conn, "CALL retention.run('p', '2024-03-31 12:00+00')")
	pgtest.Exec(t, conn, "RESET ROLE")
	row := conn.QueryRow(t.Context(), `SELECT state, coalesce(message, ''), (SELECT count(*) FROM m)::int
		FROM retention.run ORDER BY id DESC LIMIT 1`)
	if err := row.Scan(&state, &message, &left); err != nil {
		t.Fatal(err)
	}
	return state, message, left
}

// wantRefusalThenAdopt checks that a run on a copy takes nothing before adopt is called. After
// adopt and a restart of the copy, a run takes the due rows.
func wantRefusalThenAdopt(t *testing.T, what string, db *pgtest.DB) {
	t.Helper()
	state, message, left := runOn(t, db)
	if state != "paused" || left != 20 || !strings.Contains(message, "retention.adopt") {
		t.Fatalf("%s: the run ended %s, want paused; %d rows left: %s", what, state, left, message)
	}
	db.Exec(t, "SELECT retention.adopt('moved')")
	if err := db.Server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state, message, left := runOn(t, db.Reopen(t)); state != "done" || left != 7 {
		t.Errorf("%s, adopted: the run ended %s, want done; %d rows left: %s", what, state, left, message)
	}
}

// A restarted server is not a copy, even after a crash.
func TestRestartIsNoCopy(t *testing.T) {
	t.Parallel()
	in := originServer(t)
	for _, how := range []func() error{func() error { return nil }, in.Server.Kill} {
		if err := how(); err != nil {
			t.Fatal(err)
		}
		if err := in.Server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if why := pgtest.Value[string](t, in.Reopen(t), "SELECT coalesce(retention._copy(), '')"); why != "" {
			t.Errorf("the restarted server counts as a copy: %s", why)
		}
	}
	if state, message, left := runOn(t, in.Reopen(t)); state != "done" || left != 7 {
		t.Errorf("after the restarts, the run ended %s, want done; %d rows left: %s", state, left, message)
	}
}

// A physical copy has the system identifier of the original, but runs recognise it as a copy. One
// recorded property that differs is enough, because the other properties can be equal. On another
// machine, for example, the path of the data directory can be the same.
func TestPhysicalCopies(t *testing.T) {
	t.Parallel()
	in := originServer(t)
	for _, properties := range []string{"server", "server - 'files'", "server - 'data directory'"} {
		in.Exec(t, "UPDATE retention.install SET server = "+properties)
		wantRefusalThenAdopt(t, "a base backup, by "+properties, in.Clone(t))
		in.Exec(t, "SELECT retention.adopt('as before')")
	}
	in.Exec(t, "UPDATE retention.install SET server = server - 'data directory'")
	if err := in.Server.Kill(); err != nil {
		t.Fatal(err)
	}
	wantRefusalThenAdopt(t, "a copy of the files", in.CloneFiles(t))
	if err := in.Server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state, message, left := runOn(t, in.Reopen(t)); state != "done" || left != 7 {
		t.Errorf("the original: the run ended %s, want done; %d rows left: %s", state, left, message)
	}
}

// A standby that follows its primary is not a copy. After it is promoted, its timeline alone shows
// that it is a copy. The message of the run tells how to adopt it.
func TestPromotedStandby(t *testing.T) {
	t.Parallel()
	in := originServer(t)
	in.Exec(t, "UPDATE retention.install SET server = server - '{files,data directory}'::text[]")
	standby := in.Standby(t, nil)
	standby.CatchUp(t, in.DB)
	if why := pgtest.Value[string](t, standby, `SELECT coalesce(stopped_by, '')
		FROM retention.preview('p')`); why != "" {
		t.Errorf("a standby that follows its primary has stopped_by = %s", why)
	}
	if err := in.Server.Kill(); err != nil {
		t.Fatal(err)
	}
	standby.Exec(t, "SELECT pg_promote()")
	wantRefusalThenAdopt(t, "a promoted standby", standby)
}

// A standby is promoted while a run is in progress on its primary. The new primary has complete
// batches of that run. Its own runs take nothing until adopt is called. Then they take the
// remaining rows. The unfinished run of the old primary becomes abandoned.
func TestPromotedDuringARun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("throttle: {busy: 1%}, batch: {rows: 1}, "),
		kit.On(pgtest.Server(t, sandbox.Options{})))
	standby := in.Standby(t, nil)
	standby.CatchUp(t, in.DB)
	runner := in.Conn(t)
	pgtest.Exec(t, runner, "SET SESSION AUTHORIZATION retention_runner")
	ended := make(chan error, 1)
	go func() {
		_, err := runner.Exec(context.Background(), "CALL retention.run('p', $1)", noon)
		ended <- err
	}()
	pgtest.Until(t, standby, "SELECT count(*) > 2 FROM retention.batch WHERE taken > 0")
	if err := in.Server.Kill(); err != nil {
		t.Fatal(err)
	}
	if <-ended == nil {
		t.Fatal("the run ended before its server was killed")
	}
	standby.Exec(t, "SELECT pg_promote()")
	taken := pgtest.Value[int](t, standby, "SELECT sum(taken)::int FROM retention.batch")
	if state, message, left := runOn(t, standby); state != "paused" || left != 20-taken {
		t.Fatalf("promoted: %s, %d rows left after %d were taken: %s", state, left, taken, message)
	}
	standby.Exec(t, "SELECT retention.adopt('failover')")
	if state, message, left := runOn(t, standby); state != "done" || left != 7 {
		t.Errorf("adopted: %s, %d rows left: %s", state, left, message)
	}
	if n := pgtest.Value[int](t, standby, "SELECT count(*) FROM m WHERE at < '2024-03-24 12:00+00'"); n != 0 {
		t.Errorf("%d due rows are left", n)
	}
	if state := pgtest.Value[string](t, standby, `SELECT state FROM retention.run
		ORDER BY id LIMIT 1`); state != "abandoned" {
		t.Errorf("the run of the old primary is %s, want abandoned", state)
	}
}

// TestRowsOutsideTheHeap checks tables whose rows are not in a heap of this server, or that an
// extension distributes. Batches find rows by ctid, so such a policy is refused or its runs trip.
func TestRowsOutsideTheHeap(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE m (at timestamptz NOT NULL, n int, PRIMARY KEY (at, n)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
		INSERT INTO m SELECT '2024-01-02', generate_series(1, 9)`
	for name, c := range map[string]struct{ change, message string }{
		"another access method": {
			change: `CREATE ACCESS METHOD columns TYPE TABLE HANDLER heap_tableam_handler;
				ALTER TABLE m_1 SET ACCESS METHOD columns`,
			message: `table public.m_1 is stored by access method "columns"`,
		},
		"Citus": {
			change: `SET allow_system_table_mods = on;
				CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
				GRANT SELECT ON pg_catalog.pg_dist_partition TO public;
				INSERT INTO pg_catalog.pg_dist_partition VALUES ('m')`,
			message: `table public.m is distributed by Citus`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, schema, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
				then: [delete]}}`)
			in.Exec(t, c.change)
			if o := in.Run("p", noon); o.State != "tripped" || !strings.Contains(o.Message, c.message) {
				t.Errorf("the run ended %s: %s", o.State, o.Message)
			}
			if rows := in.Rows("SELECT n::text FROM m_1"); len(rows) != 9 {
				t.Errorf("%d rows are left, want 9", len(rows))
			}
		})
	}
	// This p_take deletes more rows than the batch locked, just as if one ctid named rows of
	// several tables.
	t.Run("a batch deletes more rows than it locked", func(t *testing.T) {
		t.Parallel()
		in := kit.Install(t, schema, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			then: [delete: {where: "n > 0"}]}}`)
		in.Exec(t, `SELECT retention.place_hold('m', '{"n": 4}', 'case');
			CREATE OR REPLACE FUNCTION retention.p_take(retention.batch_range) RETURNS retention.take_result
			LANGUAGE plpgsql AS $$ BEGIN
				DELETE FROM m;
				RETURN ROW(9, '{}'::jsonb, '{}'::jsonb)::retention.take_result;
			END $$`)
		if o := in.Run("p", noon); o.State != "failed" || o.SQLState != "PR005" ||
			!strings.Contains(o.Message, "9 rows were changed, but the batch has 8") {
			t.Errorf("the run ended %s: %s %s", o.State, o.SQLState, o.Message)
		}
		if rows := in.Rows("SELECT n FROM m"); len(rows) != 9 {
			t.Errorf("%d rows are left, want 9", len(rows))
		}
	})
	t.Run("foreign tables in a snapshot", func(t *testing.T) {
		t.Parallel()
		const yaml = `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			then: [archive: {into: far}, insert: {into: far, set: {n: t.n}}, delete]}}`
		in := kit.Prepare(t, schema, yaml, kit.Before(`CREATE FOREIGN DATA WRAPPER nowhere;
			CREATE SERVER far FOREIGN DATA WRAPPER nowhere;
			CREATE FOREIGN TABLE far (at timestamptz, n int) SERVER far`))
		if _, list := in.Compile(t, yaml); len(list) != 0 {
			t.Errorf("the generator reports %v, want nothing", list)
		}
		if list := generator.Notes(in.File, in.Catalog); len(list) != 2 || list[0].Code.String() != "P053" ||
			list[1].Severity != diag.Warning {
			t.Errorf("notes on steps that write to a foreign table: %v", list)
		}
		for _, yaml := range []string{"table: far, due: {age: {column: at, older_than: 7 days}}, then: [delete]",
			"partitions_of: far, due: {age: {older_than: 7 days}}, then: [drop]"} {
			_, list := in.Compile(t, "policies: {p: {"+yaml+"}}")
			if len(list) != 1 || list[0].Code.String() != "P053" ||
				list[0].Message != `"public.far" is a foreign table, with rows on another server` {
				t.Errorf("%s: the generator reports %v, want P053", yaml, list)
			}
		}
		in.Exec(t, `ALTER TABLE m DROP CONSTRAINT m_pkey;
			CREATE FOREIGN TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2024-03-01') SERVER far`)
		if _, list := in.Compile(t, yaml); len(list) != 1 || list[0].Code.String() != "P053" ||
			!strings.Contains(list[0].Message, `"public.m_2"`) {
			t.Errorf("with a foreign partition: %v", list)
		}
	})
}

// Guards and steps read and write tables of another server through postgres_fdw, with the user
// mapping of the worker. No policy takes rows of such tables.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{})
	far := db.Sibling(t, "far")
	far.Exec(t, `CREATE TABLE pin (n int);
		INSERT INTO pin VALUES (3);
		CREATE TABLE old (at timestamptz, n int CHECK (n <> 5));
		CREATE TABLE m_2 (at timestamptz NOT NULL, n int NOT NULL);
		INSERT INTO m_2 SELECT '2024-02-02', generate_series(11, 19)`)
	const yaml = `
policies:
  rows:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    keep: {pin: "EXISTS (SELECT FROM far.pin f WHERE f.n = t.n)"}
    then: [archive: {into: far.old}, delete]
  months: {partitions_of: m, due: {age: {older_than: 7 days}}, then: [drop]}`
	in := kit.Install(t, `CREATE TABLE m (at timestamptz NOT NULL, n int NOT NULL, PRIMARY KEY (at, n))
			PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
		CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-03-01') TO ('2024-04-01');
		INSERT INTO m SELECT '2024-01-02', generate_series(1, 9)`, yaml,
		kit.On(db), kit.Before(`CREATE EXTENSION postgres_fdw;
			CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw
				OPTIONS (host '`+db.Server.Dir()+`', port '5432', dbname 'far');
			CREATE USER MAPPING FOR retention_worker SERVER far
				OPTIONS (user 'postgres', password_required 'false');
			CREATE USER MAPPING FOR postgres SERVER far;
			CREATE SCHEMA far;
			IMPORT FOREIGN SCHEMA public FROM SERVER far INTO far;
			GRANT USAGE ON SCHEMA far TO `+kit.Migrator+` WITH GRANT OPTION;
			GRANT ALL ON ALL TABLES IN SCHEMA far TO `+kit.Migrator+` WITH GRANT OPTION;
			ALTER TABLE far.m_2 OWNER TO `+kit.Migrator))
	// The foreign table refuses row 5. The run rolls the batch back on both servers, and repeats it
	// without this row.
	if o := in.Done("rows", noon); o.Taken != 7 || o.Refused != 1 || o.Kept["pin"] != 1 {
		t.Errorf("took %d, refused %d (%s), kept %v", o.Taken, o.Refused, o.Message, o.Kept)
	}
	left, archived := pgtest.Column[int](t, in, "SELECT n FROM m ORDER BY 1"), pgtest.Column[int](t, far,
		"SELECT n FROM old ORDER BY 1")
	if !slices.Equal(left, []int{3, 5}) || !slices.Equal(archived, []int{1, 2, 4, 6, 7, 8, 9}) {
		t.Errorf("left in m: %v; archived on the other server: %v", left, archived)
	}

	in.Exec(t, `ALTER TABLE m DROP CONSTRAINT m_pkey;
		ALTER TABLE m ATTACH PARTITION far.m_2 FOR VALUES FROM ('2024-02-01') TO ('2024-03-01')`)
	if o := in.Run("rows", noon); o.State != "tripped" ||
		!strings.HasPrefix(o.Message, "table far.m_2 is a foreign one") {
		t.Errorf("the run ended %s: %s", o.State, o.Message)
	}
	in.Exec(t, `CREATE ACCESS METHOD columns TYPE TABLE HANDLER heap_tableam_handler;
		ALTER TABLE m_1 SET ACCESS METHOD columns`)
	// The access method of a partition does not matter when it is dropped. The policy does not take
	// a foreign partition.
	if o := in.Done("months", noon); o.Taken != 1 {
		t.Errorf("%d partitions were dropped, want 1", o.Taken)
	}
	if left := in.Rows("SELECT relid FROM pg_partition_tree('m') WHERE level = 1"); !slices.Equal(left,
		[]string{"(far.m_2)", "(m_3)"}) {
		t.Errorf("partitions left: %v", left)
	}
	if _, list := in.Compile(t, yaml); len(list) != 1 || list[0].Code.String() != "P053" || list[0].Position.Line != 6 {
		t.Errorf("lint: %v", list)
	}
	in.Exec(t, `CREATE TABLE m_0 PARTITION OF m FOR VALUES FROM ('2023-01-01') TO ('2024-01-01')
			PARTITION BY RANGE (at);
		ALTER TABLE m DETACH PARTITION far.m_2;
		ALTER TABLE m_0 ATTACH PARTITION far.m_2 FOR VALUES FROM ('2023-02-01') TO ('2023-03-01')`)
	if o := in.Run("months", noon); o.State != "tripped" { // dropping m_0 would leave rows on the other server
		t.Errorf("a foreign table below a partition: the run ended %s: %s", o.State, o.Message)
	}
	if n := pgtest.Value[int](t, far, "SELECT count(*) FROM m_2"); n != 9 {
		t.Errorf("the foreign table has %d rows, want 9", n)
	}
}

// skipUnless skips the test if the server lacks a feature. It runs the query sql on the catalog
// instead of comparing version numbers.
func skipUnless(t *testing.T, what, sql string) {
	t.Helper()
	if !pgtest.Value[bool](t, pgtest.Database(t), sql) {
		t.Skipf("this server has no %s", what)
	}
}

const (
	hasVirtual  = "SELECT EXISTS (SELECT FROM pg_get_keywords() WHERE word = 'virtual')"
	hasTemporal = `SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'pg_constraint'::regclass
		AND attname = 'conperiod')`
	hasEnforced = `SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'pg_constraint'::regclass
		AND attname = 'conenforced')`
)

// TestVirtualColumns uses virtual generated columns, which no index can contain, as clock,
// condition and rank, and archives them.
func TestVirtualColumns(t *testing.T) {
	t.Parallel()
	skipUnless(t, "virtual generated columns", hasVirtual)
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, seconds bigint NOT NULL, kind text,
			at timestamptz NOT NULL GENERATED ALWAYS AS (to_timestamp(seconds)) VIRTUAL,
			short text GENERATED ALWAYS AS (left(kind, 1)) VIRTUAL);
		CREATE TABLE old (LIKE m);
		INSERT INTO m SELECT i, extract(epoch FROM timestamptz '2024-04-01 00:00Z' - i * interval '1 hour'),
			(ARRAY['ab', 'ac', 'b', NULL])[i % 4 + 1]
		FROM generate_series(1, 400) i;
		CREATE TABLE n AS SELECT * FROM m;`, `
policies:
  aged:
    table: public.m
    where: "short = 'a'"
    due:   {age: {column: at, older_than: 7 days}}
    keep:  {few: {first: 10, per: [short], order: "at"}}
    then:  [{archive: {into: public.old}}, delete]
  newest:
    table: public.m
    where: "id > 300"
    due:   {beyond: {first: 3, per: [short], order: at DESC}}
    then:  [delete]
`)
	in.SetBatch(7)
	const want = `id IN (SELECT id FROM (SELECT *, row_number() OVER (PARTITION BY short ORDER BY at) AS place
			FROM n WHERE short = 'a') x
		WHERE at < timestamptz '2024-03-25 00:00Z' AND place > 10)`
	in.Done("aged", "2024-04-01 00:00Z")
	wantSameRows(t, in, "m WHERE true", "n WHERE NOT "+want)
	wantSameRows(t, in, "old", "n WHERE "+want)
	in.DB.Exec(t, "TRUNCATE n; INSERT INTO n SELECT * FROM m")
	in.Done("newest", "2024-04-01 00:00Z")
	wantSameRows(t, in, "m", `n WHERE id <= 300 OR id IN (SELECT id FROM
		(SELECT *, row_number() OVER (PARTITION BY short ORDER BY at DESC) AS place FROM n WHERE id > 300) x
			WHERE place <= 3)`)
}

// TestNotNullNotValid checks a constraint NOT NULL NOT VALID, which permits NULL in older rows. In
// a rank, these rows form a group.
func TestNotNullNotValid(t *testing.T) {
	t.Parallel()
	skipUnless(t, "NOT NULL NOT VALID", hasEnforced)
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, kind text, at timestamptz NOT NULL);
		INSERT INTO m SELECT i, CASE WHEN i > 4 THEN 'a' END, '2024-01-01' FROM generate_series(1, 8) i;
		ALTER TABLE m ADD CONSTRAINT strict NOT NULL kind NOT VALID`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			keep: {few: {first: 2, per: [kind], order: id DESC}}, then: [delete]}}`)
	in.Done("p", noon)
	if diff := cmp.Diff([]int{3, 4, 7, 8}, pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY id")); diff != "" {
		t.Errorf("rows left (-want +got):\n%s", diff)
	}
}

// wantSameRows compares the rows of two tables. A WHERE clause may follow each name.
func wantSameRows(t *testing.T, in *kit.Installed, got, want string) {
	t.Helper()
	const rows = "SELECT concat_ws(' ', id, at, short) FROM "
	if diff := cmp.Diff(pgtest.Column[string](t, in, rows+want+" ORDER BY id"),
		pgtest.Column[string](t, in, rows+got+" ORDER BY id")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", got, diff)
	}
}

// TestWithoutOverlaps checks a table whose primary key contains a range. Another table references
// it with PERIOD. A run refuses the referenced rows, keeps a held row and takes all other due rows.
func TestWithoutOverlaps(t *testing.T) {
	t.Parallel()
	skipUnless(t, "keys WITHOUT OVERLAPS", hasTemporal)
	in := kit.Install(t, `
		CREATE TABLE booking (room int, during tstzrange, note text, PRIMARY KEY (room, during WITHOUT OVERLAPS));
		CREATE TABLE payment (id int PRIMARY KEY, room int NOT NULL, during tstzrange NOT NULL,
			FOREIGN KEY (room, PERIOD during) REFERENCES booking (room, PERIOD during));
		INSERT INTO booking SELECT r,
			tstzrange(timestamptz '2024-04-01 00:00Z' - d * interval '1 day',
			timestamptz '2024-04-01 00:00Z' - (d - 1) * interval '1 day')
		FROM generate_series(1, 3) r, generate_series(1, 20) d;
		INSERT INTO payment VALUES (1, 2, '[2024-03-20 06:00Z, 2024-03-21 06:00Z)');`, `
policies:
  aged:
    table: public.booking
    due:  {age: {expression: "(upper(during))::timestamptz", older_than: 7 days}}
    then: [delete]
`, kit.Before("CREATE EXTENSION btree_gist"))
	in.SetBatch(5)
	if err := in.Operator(`SELECT retention.place_hold('public.booking',
		'{"room": 3, "during": "[2024-03-15 00:00Z, 2024-03-16 00:00Z)"}', 'case 1')`); err != nil {
		t.Fatal(err)
	}
	o := in.Run("aged", "2024-04-01 00:00Z")
	if o.State != "done" || o.Refused != 2 || o.Kept["hold"] != 1 {
		t.Errorf("ended %s with %d refused, kept %v: %s", o.State, o.Refused, o.Kept, o.Message)
	}
	got := pgtest.Column[string](t, in, `SELECT room || ' ' || lower(during)::date FROM booking
		WHERE upper(during) < '2024-03-25 00:00Z' ORDER BY 1`)
	if diff := cmp.Diff([]string{"2 2024-03-20", "2 2024-03-21", "3 2024-03-15"}, got); diff != "" {
		t.Errorf("due rows left (-want +got):\n%s", diff)
	}
}

// TestNotEnforced checks a foreign key that is NOT ENFORCED. It cascades no delete, so it does not
// stop a run. Once it is enforced, the run trips.
func TestNotEnforced(t *testing.T) {
	t.Parallel()
	skipUnless(t, "constraints that are NOT ENFORCED", hasEnforced)
	in := kit.Install(t, `
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE child (id int PRIMARY KEY,
			m_id int CONSTRAINT child_of REFERENCES m ON DELETE CASCADE NOT ENFORCED);
		INSERT INTO m SELECT i, timestamptz '2024-04-01 00:00Z' - i * interval '1 day'
			FROM generate_series(1, 20) i;
		INSERT INTO child SELECT i, i FROM generate_series(1, 40) i;`, `
protect: [public.child]
policies:
  aged:
    table: public.m
    due:  {age: {column: at, older_than: 7 days}}
    then: [delete]
`)
	if o := in.Done("aged", "2024-04-01 00:00Z"); o.Taken != 13 || len(o.Cascaded) > 0 {
		t.Errorf("took %d rows, cascaded %v", o.Taken, o.Cascaded)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM child"); n != 40 {
		t.Errorf("%d rows of child are left, want 40", n)
	}
	in.DB.Exec(t, `DELETE FROM child WHERE m_id NOT IN (SELECT id FROM m);
		ALTER TABLE child ALTER CONSTRAINT child_of ENFORCED`)
	if o := in.Run("aged", "2024-04-07 00:00Z"); o.State != "tripped" {
		t.Errorf("with the foreign key in force the run ended %s: %s", o.State, o.Message)
	}
}
