package citus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// TestMovedShard moves a shard to the other worker and back. Rows can be restored after the shard
// has come back. No run takes rows of a shard whose holds, pauses and windows are still on the
// other worker.
func TestMovedShard(t *testing.T) {
	c := start(t)
	c.install(policyFile)
	if err := c.job(c.coordinator); err != nil {
		t.Fatal(err)
	}
	shard := pgtest.Value[string](t, c.coordinator,
		"SELECT get_shard_id_for_distribution_column('app.message', 1)::text")
	number := pgtest.Value[int](t, c.coordinator, `SELECT count(*) FROM pg_dist_shard
		WHERE logicalrelid = 'app.message'::regclass AND shardid < $1::text::bigint`, shard)
	has, other := c.node(shard)
	run := pgtest.Value[int64](t, has, "SELECT max(id) FROM retention.run WHERE policy = $1 AND taken > 0",
		"messages_old@"+shard)
	if n := pgtest.Value[int](t, other, "SELECT count(*) FROM retention.run WHERE id = $1", run); n > 0 {
		t.Errorf("both nodes have a run %d, want different IDs", run)
	}
	restore := func(conn *pgx.Conn) error {
		_, err := conn.Exec(t.Context(), "SELECT retention.restore($1, $2)", "messages_old@"+shard, run)
		return err
	}
	c.move(number, "block_writes")
	if err := restore(has); err == nil ||
		!strings.Contains(err.Error(), "shard "+shard+" is no longer on this server") {
		t.Errorf("restore() into a shard that has moved to another node: %v, want that the shard is not there", err)
	}
	if err := restore(other); err == nil {
		t.Error("restore() of a run of another node succeeds, want an error")
	}
	c.move(number, "force_logical")
	if err := c.job(c.coordinator); err != nil {
		t.Fatal(err)
	}
	if err := restore(has); err != nil {
		t.Fatal(err)
	}
	archived := pgtest.Value[int](t, c.coordinator, "SELECT count(*) FROM app.message_old WHERE run_id = $1", run)
	held := pgtest.Value[int](t, has, `SELECT count(*) FROM retention.hold
		WHERE table_name = 'app.message' AND match ?& '{id,tenant_id}'`)
	if archived > 0 || held == 0 {
		t.Errorf("after restore(), %d rows are archived, want 0; %d rows are held, want some", archived, held)
	}

	c.move(number, "block_writes") // the holds of the restored rows are on the old node
	lines := pgtest.Value[int](t, c.coordinator, "SELECT count(*) FROM app.message")
	if err := c.job(c.coordinator); err == nil ||
		!strings.Contains(err.Error(), "not all holds, pauses and windows of node") {
		t.Errorf("job with a shard whose holds are on another node: %v, want that holds are missing", err)
	}
	pgtest.Exec(t, other, documented(t, "SELECT retention.place_hold"))
	if err := c.job(c.coordinator); err != nil {
		t.Error(err)
	}
	if n := pgtest.Value[int](t, c.coordinator, "SELECT count(*) FROM app.message"); n != lines {
		t.Errorf("%d of %d rows are left, want all: the restored rows are held", n, lines)
	}
	pgtest.Exec(t, other, `SELECT retention.place_hold($1, '{"tenant_id": 2}', 'by the name of a shard')`,
		"app.message_"+shard)
	if n := pgtest.Value[int](t, other, `SELECT count(*) FROM retention.hold
		WHERE table_name = 'app.message' AND match = '{"tenant_id": "2"}'`); n != 1 {
		t.Errorf("place_hold() with the name of a shard gives %d holds on the distributed table, want 1", n)
	}
}

// TestArchiveNotColocated removes the archive table from the colocation group of the policy's
// table, and moves it to the other worker. The run must fail and take no row: the files that are
// still on its disk are not the archive.
func TestArchiveNotColocated(t *testing.T) {
	c := start(t)
	c.install(policyFile)
	if err := c.job(c.coordinator); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, c.coordinator, `INSERT INTO app.message
		SELECT g % 600, g, now() - interval '8 days', 'mail' FROM generate_series($1::int, $1 + 1000) g`, rows+1)
	pgtest.Exec(t, c.coordinator, "SELECT update_distributed_table_colocation('app.message_old', 'none')")
	pgtest.Exec(t, c.coordinator, `
		SELECT citus_move_shard_placement(
			s.shardid, n.nodename, n.nodeport, o.nodename, o.nodeport, 'block_writes')
		FROM pg_dist_shard s
		JOIN pg_dist_placement p USING (shardid)
		JOIN pg_dist_node n USING (groupid)
		JOIN pg_dist_node o ON o.groupid NOT IN (0, n.groupid)
		WHERE s.logicalrelid = 'app.message_old'::regclass`)
	before := pgtest.Value[int](t, c.coordinator, "SELECT count(*) FROM app.message")
	err := c.job(c.coordinator)
	if err == nil || !strings.Contains(err.Error(),
		`table "app.message_old" is not distributed by "tenant_id" any more, or not beside "app.message"`) {
		t.Errorf("a run whose archive has moved away ends with %v", err)
	}
	if n := pgtest.Value[int](t, c.coordinator, "SELECT count(*) FROM app.message"); n != before {
		t.Errorf("the run took %d rows, want none", before-n)
	}
}

// TestSplit splits shards, and adds pins and holds, while runs are in progress. A row that was
// pinned or held before a run took it must stay.
func TestSplit(t *testing.T) {
	c := start(t)
	c.install(policyFile)
	pgtest.Exec(t, c.coordinator, "CREATE TABLE public.kept (tenant_id bigint, id bigint)")
	for _, err := range c.during(func() {
		for i := range 3 {
			pgtest.Exec(t, c.coordinator, `
				SELECT citus_split_shard_by_split_points(
					s.shardid,
					ARRAY[((s.shardminvalue::bigint + s.shardmaxvalue::bigint) / 2)::text],
					ARRAY(SELECT nodeid FROM pg_dist_node WHERE groupid > 0 ORDER BY 1),
					'block_writes')
				FROM (SELECT * FROM pg_dist_shard
				      WHERE logicalrelid = 'app.message'::regclass
				      ORDER BY shardid OFFSET $1 LIMIT 1) s`, i)
			pgtest.Exec(t, c.coordinator, `SELECT isolate_tenant_to_new_shard('app.message', $1::int, 'CASCADE',
				shard_transfer_mode => 'block_writes')`, 20+i)
			for n := range 40 { // lock a due message of each tenant and pin it
				tenant := 100 + 40*i + n
				pgtest.Exec(t, c.coordinator, "BEGIN")
				ids := pgtest.Column[int64](t, c.coordinator, `
					SELECT m.id
					FROM app.message m
					WHERE m.tenant_id = $1 AND m.at < now() - interval '7 days'
					ORDER BY m.id DESC LIMIT 1
					FOR UPDATE`, tenant)
				pgtest.Exec(t, c.coordinator, `
					INSERT INTO app.pin SELECT $1::bigint, x FROM unnest($2::bigint[]) x ON CONFLICT DO NOTHING`,
					tenant, ids)
				pgtest.Exec(t, c.coordinator, `
					INSERT INTO public.kept SELECT $1::bigint, x FROM unnest($2::bigint[]) x`, tenant, ids)
				pgtest.Exec(t, c.coordinator, "COMMIT")
			}
			for _, node := range c.nodes {
				pgtest.Exec(t, c.connect(node), `SELECT retention.place_hold(
					'app.message', jsonb_build_object('tenant_id', $1::int)::text, 'case')`, 400+i)
			}
			pgtest.Exec(t, c.coordinator, `INSERT INTO public.kept
				SELECT m.tenant_id, m.id FROM app.message m WHERE m.tenant_id = $1`, 400+i)
		}
	}) {
		// One node has the hold already, and the other one does not yet have it.
		if !strings.Contains(err.Error(), "not all holds, pauses and windows of node") {
			t.Error(err)
		}
	}
	got := pgtest.Value[string](t, c.coordinator, `SELECT format(
		'%s due rows left, %s kept rows taken, %s rows lost, %s reactions without message',
		(SELECT count(*)
		 FROM app.message m
		 WHERE m.at < now() - interval '7 days'
		   AND m.kind <> 'bill'
		   AND m.tenant_id NOT BETWEEN 400 AND 402
		   AND NOT EXISTS (SELECT FROM app.pin p WHERE p.tenant_id = m.tenant_id AND p.message_id = m.id)),
		(SELECT count(*)
		 FROM (SELECT tenant_id, id FROM public.kept EXCEPT SELECT tenant_id, id FROM app.message) x),
		$1 - (SELECT count(*) FROM app.message) - (SELECT count(*) FROM app.message_old),
		(SELECT count(*)
		 FROM app.reaction r LEFT JOIN app.message m ON (m.tenant_id, m.id) = (r.tenant_id, r.message_id)
		 WHERE m.id IS NULL))`, rows)
	const want = "0 due rows left, 0 kept rows taken, 0 rows lost, 0 reactions without message"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	c.run("verify", "--fleet", "fleet.yaml")
}

// TestPrepared inserts a pin on a worker in a prepared transaction. Until COMMIT PREPARED, and
// after it, the pin keeps its message.
func TestPrepared(t *testing.T) {
	c := start(t)
	c.install(policyFile)
	shard := pgtest.Value[string](t, c.coordinator,
		"SELECT get_shard_id_for_distribution_column('app.message', 2)::text")
	pin := pgtest.Value[string](t, c.coordinator,
		"SELECT shard_name('app.pin', get_shard_id_for_distribution_column('app.pin', 2))")
	has, _ := c.node(shard)
	const due = "SELECT count(*) FROM app.message WHERE tenant_id = 2 AND at < now() - interval '7 days'"
	before := pgtest.Value[int](t, c.coordinator, due)
	for _, statement := range []string{
		"BEGIN",
		"SET LOCAL citus.enable_manual_changes_to_shards = on",
		"INSERT INTO " + pin + " SELECT tenant_id, id FROM app.message_" + shard + `
			WHERE tenant_id = 2 ON CONFLICT DO NOTHING`,
		"PREPARE TRANSACTION 'in doubt'",
	} {
		pgtest.Exec(t, has, statement)
	}
	for _, state := range []string{"busy", "done"} {
		if err := c.job(c.coordinator); err != nil {
			t.Fatal(err)
		}
		if after := pgtest.Value[int](t, c.coordinator, due); before == 0 || after != before {
			t.Errorf("%d of %d pinned messages are left, want all of at least 1", after, before)
		}
		got := pgtest.Value[string](t, has,
			"SELECT state FROM retention.run WHERE policy = $1 ORDER BY id DESC LIMIT 1", "messages_old@"+shard)
		if got != state && !(state == "busy" && got == "more") {
			t.Errorf("the run ended %q, want %q", got, state)
		}
		if state == "busy" {
			pgtest.Exec(t, has, "COMMIT PREPARED 'in doubt'")
		}
	}
}

// TestOtherTables checks that runs take rows from shards of partitioned tables. Runs on columnar
// tables, and on tables of Citus's schema-based sharding, fail and take no row.
func TestOtherTables(t *testing.T) {
	c := start(t)
	for statement := range strings.SplitSeq(`CREATE EXTENSION IF NOT EXISTS citus_columnar;
CREATE SCHEMA other AUTHORIZATION shard_owner;
GRANT CREATE ON DATABASE `+database+` TO shard_owner;
SET ROLE shard_owner;
CREATE TABLE other.part (
    tenant_id bigint, id bigint, at timestamptz NOT NULL, PRIMARY KEY (tenant_id, id, at)
) PARTITION BY RANGE (at);
CREATE TABLE other.part_1 PARTITION OF other.part FOR VALUES FROM ('2000-01-01') TO ('2020-01-01');
CREATE TABLE other.part_2 PARTITION OF other.part DEFAULT;
CREATE INDEX ON other.part (at, tenant_id, id);
CREATE TABLE other.pin (tenant_id bigint, id bigint, PRIMARY KEY (tenant_id, id));
CREATE TABLE other.col (
    tenant_id bigint, id bigint, at timestamptz NOT NULL, PRIMARY KEY (tenant_id, id)
) USING columnar;
CREATE INDEX ON other.col (at, tenant_id, id);
SELECT create_distributed_table('other.part', 'tenant_id');
SELECT create_distributed_table('other.pin', 'tenant_id', colocate_with => 'other.part');
SELECT create_distributed_table('other.col', 'tenant_id');
SET citus.enable_schema_based_sharding = on;
CREATE SCHEMA tenant_a;
CREATE TABLE tenant_a.part (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE INDEX ON tenant_a.part (at, id);
INSERT INTO other.part
    SELECT g % 50, g, timestamptz '2020-01-01' + (g - 500) * interval '1 day' FROM generate_series(1, 1000) g;
INSERT INTO other.pin SELECT g % 50, g FROM generate_series(1, 1000, 10) g;
INSERT INTO other.col SELECT g % 50, g, '2020-01-01' FROM generate_series(1, 1000) g;
INSERT INTO tenant_a.part SELECT g, '2020-01-01' FROM generate_series(1, 1000) g;
RESET ROLE`, ";\n") {
		pgtest.Exec(t, c.coordinator, statement)
	}
	c.install(`version: 1
install: {scheduler: none, trust: [shard_owner]}
each: {each_other: {shards_of: other}, each_tenant: {schemas: "tenant_*"}}
defaults: {breaker: {fraction: 1}}
policies:
  parts_old:
    table: each_other.part
    due: {age: {column: at, older_than: 7 days}}
    keep: {pinned: "EXISTS (SELECT FROM each_other.pin p WHERE p.tenant_id = t.tenant_id AND p.id = t.id)"}
    then: [delete]
  columns_old:
    table: each_other.col
    due: {age: {column: at, older_than: 7 days}}
    then: [delete]
  tenants_old:
    table: each_tenant.part
    due: {age: {column: at, older_than: 7 days}}
    then: [delete]
`)
	c.run("hold", "other.part", "tenant_id=3", "--reason", "case 3", "--fleet", "fleet.yaml")
	for _, node := range c.nodes {
		conn := c.connect(node)
		pgtest.Exec(t, conn, "CALL retention.run('parts_old')")
		for policy, why := range map[string]string{
			"columns_old": `stored by access method "columnar"`,
			"tenants_old": "table tenant_a.part is distributed by Citus",
		} {
			if _, err := conn.Exec(t.Context(), "CALL retention.run('"+policy+"')"); err == nil ||
				!strings.Contains(err.Error(), why) {
				t.Errorf("run of %s: %v, want an error with %q", policy, err, why)
			}
		}
	}
	got := pgtest.Value[string](t, c.coordinator, `SELECT concat_ws(' ',
		(SELECT count(*) FROM other.part),
		(SELECT count(*) FROM other.part WHERE id % 10 = 1 OR tenant_id = 3),
		(SELECT count(*) FROM other.col),
		(SELECT count(*) FROM tenant_a.part))`)
	if diff := cmp.Diff("120 120 1000 1000", got); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

// TestOneLog reads the run logs of all workers in one view on the coordinator. The view has a line
// for a worker that does not answer or is disabled.
func TestOneLog(t *testing.T) {
	c := start(t)
	c.install(policyFile)
	if err := c.job(c.coordinator); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, c.coordinator, documented(t, "CREATE VIEW"))
	lines := func() string {
		return strings.Join(pgtest.Column[string](t, c.coordinator,
			`SELECT concat_ws(' ', state, sum(taken), count(*), min(message))
			FROM retention_log GROUP BY nodeport, state ORDER BY min(nodeport)`), "\n")
	}
	var want []string
	for _, node := range c.nodes {
		want = append(want, pgtest.Value[string](t, c.connect(node),
			"SELECT concat_ws(' ', 'done', sum(taken), count(*)) FROM retention.run"))
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), lines()); diff != "" {
		t.Errorf("the log differs (-want +got):\n%s", diff)
	}
	pgtest.Exec(t, c.coordinator, `UPDATE pg_dist_node SET nodeport = 1
		WHERE groupid = (SELECT max(groupid) FROM pg_dist_node)`)
	if got := lines(); !strings.HasPrefix(got, "unknown 1 failed to connect to ") || !strings.HasSuffix(got, want[0]) {
		t.Errorf("with a worker that does not answer the log is:\n%s", got)
	}
	pgtest.Exec(t, c.coordinator, "UPDATE pg_dist_node SET isactive = false WHERE nodeport = 1")
	if got := lines(); !strings.HasPrefix(got, "unknown 1 the node is disabled") || !strings.HasSuffix(got, want[0]) {
		t.Errorf("with a worker that is disabled the log is:\n%s", got)
	}
}

// TestCoordinatorsCron lets pg_cron on the coordinator start the job as docs/scale.md schedules it.
// It needs pg_cron to be configured for the test's database.
func TestCoordinatorsCron(t *testing.T) {
	c := start(t)
	if pgtest.Value[string](t, c.coordinator,
		"SELECT coalesce(current_setting('cron.database_name', true), '')") != database {
		t.Skip("skipped: no pg_cron for " + database)
	}
	c.install(policyFile)
	c.placeHolds()
	pgtest.Exec(t, c.coordinator, `
		SET citus.enable_ddl_propagation = off;
		CREATE EXTENSION pg_cron;
		RESET citus.enable_ddl_propagation`)
	pgtest.Exec(t, c.coordinator, documented(t, "SELECT cron.schedule"))
	pgtest.Exec(t, c.coordinator, "SELECT cron.alter_job(jobid, schedule => '1 second') FROM cron.job")
	pgtest.Until(t, c.coordinator, "SELECT count(*) > 0 FROM cron.job_run_details WHERE status = 'succeeded'")
	c.checkRows()
}
