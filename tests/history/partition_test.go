package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// partitionSchema has partitions in another schema, and partitions that are partitioned themselves.
const partitionSchema = `CREATE SCHEMA app; CREATE SCHEMA old;
	CREATE TABLE app.event (id bigint, at timestamptz, kind text, body text, PRIMARY KEY (id, at, kind))
		PARTITION BY RANGE (at);
	CREATE TABLE app.event_1 PARTITION OF app.event FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE app.event_2 PARTITION OF app.event FOR VALUES FROM ('2024-02-01') TO ('2024-03-01')
		PARTITION BY LIST (kind);
	CREATE TABLE app.event_2_a PARTITION OF app.event_2 FOR VALUES IN ('a');
	CREATE TABLE old.event_3 PARTITION OF app.event FOR VALUES FROM ('2024-03-01') TO ('2024-04-01');
	CREATE TABLE app.event_4 PARTITION OF app.event FOR VALUES FROM ('2024-04-01') TO ('2024-05-01')
		PARTITION BY LIST (kind);
	CREATE TABLE app.event_4_a PARTITION OF app.event_4 FOR VALUES IN ('a');
	CREATE TABLE app.event_5 PARTITION OF app.event FOR VALUES FROM ('2024-05-01') TO ('2024-06-01')`

// partitionsLater drops, detaches and creates partitions. Afterwards a table in another schema has
// the name of a dropped partition.
const partitionsLater = `SET ROLE kit_migrator;
	DROP TABLE app.event_1;
	DROP TABLE app.event_2_a;
	DROP TABLE old.event_3;
	DROP TABLE app.event_4;
	ALTER TABLE app.event DETACH PARTITION app.event_5;
	CREATE TABLE app.event_6 PARTITION OF app.event FOR VALUES FROM ('2024-06-01') TO ('2024-07-01');
	CREATE TABLE app."event 7 USING (x)" PARTITION OF app.event FOR VALUES FROM ('2024-07-01') TO ('2024-08-01')
		PARTITION BY LIST (kind);
	CREATE TABLE app.event_7_a PARTITION OF app."event 7 USING (x)" FOR VALUES IN ('a');
	CREATE TABLE app.event_2_b PARTITION OF app.event_2 FOR VALUES IN ('b');
	CREATE TABLE app."событие_за_первую_неделю_лета_1" PARTITION OF app.event
		FOR VALUES FROM ('2024-08-01') TO ('2024-08-08');
	CREATE TABLE app."событие_за_первую_неделю_лета_2" PARTITION OF app.event
		FOR VALUES FROM ('2024-08-08') TO ('2024-08-15');
	CREATE TABLE public.event_3 (nothing integer);
	INSERT INTO app.event SELECT 1, d, 'a' FROM (VALUES ('2024-06-02'::timestamptz), ('2024-07-02')) v (d);
	INSERT INTO app.event VALUES (1, '2024-02-02', 'b');
	RESET ROLE`

const partitionPolicy = `
policies:
  events:
    table: app.event
    where: kind <> 'keep'
    due: {age: {column: at, older_than: 7 days}}
    then: [delete]
`

// withoutIndex returns the tables of the partition tree of app.event, the root included, that have
// no valid index of pgretain.
const withoutIndex = `
	SELECT t.relid::text
	FROM pg_partition_tree('app.event') t
	WHERE NOT EXISTS (
		SELECT FROM pg_partition_tree((
			SELECT c.oid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
			WHERE i.indrelid = 'app.event'::regclass AND c.relname LIKE 'pgretain%')) x
		JOIN pg_index i ON i.indexrelid = x.relid
		WHERE i.indrelid = t.relid AND i.indisvalid AND i.indisready)
	ORDER BY 1`

// TestPartitionsChangedBeforeUp applies a migration after the table's partitions have changed. All
// partitions must have the index, and no other table may get one.
func TestPartitionsChangedBeforeUp(t *testing.T) {
	t.Parallel()
	in := kit.Prepare(t, partitionSchema, partitionPolicy)
	in.Generate(t, partitionPolicy)
	in.DB.Exec(t, partitionsLater)
	before := pgtest.Column[string](t, in, allTables)
	in.Up(t)
	if without := pgtest.Column[string](t, in, withoutIndex); len(without) > 0 {
		t.Errorf("tables without a valid index: %v", without)
	}
	after := pgtest.Column[string](t, in, allTables)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the migration changed the set of tables (-before +after):\n%s", diff)
	}
	// The first table has the name of a dropped partition. The second one was detached.
	for _, other := range []string{"public.event_3", "app.event_5"} {
		if n := pgtest.Value[int](t, in,
			"SELECT count(*) FROM pg_index WHERE NOT indisprimary AND indrelid = to_regclass($1)", other); n != 0 {
			t.Errorf("%s has %d indexes besides its key, want none", other, n)
		}
	}
	if run := in.Done("events", "2026-01-01"); run.Taken != 3 {
		t.Errorf("the run took %d rows, want 3", run.Taken)
	}
	wanted, _ := in.Compile(t, partitionPolicy)
	in.WantConforms(t, wanted)
}

const allTables = `SELECT oid::regclass::text FROM pg_class
	WHERE relkind IN ('r', 'p') AND relnamespace NOT IN (
		'pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'retention'::regnamespace)
	ORDER BY 1`

// TestPartitionDroppedBeforeDown undoes a migration after the table's partitions have changed. The
// undone migration must build the index on the partitions that exist at that time.
func TestPartitionDroppedBeforeDown(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, partitionSchema, partitionPolicy)
	in.Migrate(t, `
policies:
  other:
    table: app.event
    due: {age: {column: id, encoding: epoch_s, older_than: 7 days}}
    then: [delete]
`)
	in.DB.Exec(t, partitionsLater)
	down(t, in)
	if without := pgtest.Column[string](t, in, withoutIndex); len(without) > 0 {
		t.Errorf("tables without a valid index: %v", without)
	}
}

// TestLargePartitionIsNamed checks the index on partitions that were created after the migration
// was generated. Each attempt builds the index on the smallest partitions, with less than 64 MB
// together, because the build blocks writes to them. If other partitions remain, the migration
// fails, and its error names them. No attempt builds the index on a partition of 64 MB or more.
func TestLargePartitionIsNamed(t *testing.T) {
	t.Parallel()
	in := kit.Prepare(t, partitionSchema, partitionPolicy)
	in.Generate(t, partitionPolicy)
	in.DB.Exec(t, `SET ROLE kit_migrator;
		CREATE TABLE app.event_8 PARTITION OF app.event FOR VALUES FROM ('2024-08-01') TO ('2024-09-01');
		CREATE TABLE app.event_9 PARTITION OF app.event FOR VALUES FROM ('2024-09-01') TO ('2024-10-01');
		CREATE TABLE app.event_10 PARTITION OF app.event FOR VALUES FROM ('2024-10-01') TO ('2024-11-01');
		ALTER TABLE app.event_8 ALTER body SET STORAGE PLAIN;
		ALTER TABLE app.event_9 ALTER body SET STORAGE PLAIN;
		ALTER TABLE app.event_10 ALTER body SET STORAGE PLAIN;
		INSERT INTO app.event SELECT i, '2024-08-02', 'a', repeat('x', 7900) FROM generate_series(1, 8193) i;
		INSERT INTO app.event SELECT i, '2024-09-02', 'a', repeat('x', 7900) FROM generate_series(1, 5000) i;
		INSERT INTO app.event SELECT i, '2024-10-02', 'a', repeat('x', 7900) FROM generate_series(1, 4000) i;
		RESET ROLE`)
	for _, left := range []string{"app.event_8, app.event_9", "app.event_8", "app.event_8"} {
		_, err := in.TryUp(t)
		if list := install.Diagnostics(err); err == nil || list[0].Code.String() != "55000" ||
			list[0].Detail != "Partitions without it: "+left+"." {
			t.Fatalf("the migration: %+v, want SQLSTATE 55000 and as partitions without index: %s", list, left)
		}
	}
	in.DB.Exec(t, "SET ROLE kit_migrator; TRUNCATE app.event_8; RESET ROLE")
	in.Up(t)
	if without := pgtest.Column[string](t, in, withoutIndex); len(without) > 0 {
		t.Errorf("tables without a valid index: %v", without)
	}
}
