package history

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const lifeSchema = `CREATE SCHEMA app;
GRANT USAGE ON SCHEMA app TO retention_operator;
CREATE TABLE app.note (id bigint PRIMARY KEY, owner_id bigint, state text, at timestamptz NOT NULL);
INSERT INTO app.note SELECT i, i, 'done', '2020-01-01' FROM generate_series(1, 10) i;
CREATE TABLE app.event (id bigint, at timestamptz NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE app.event_1 PARTITION OF app.event FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE app.event_2 PARTITION OF app.event FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');`

// notes returns a policy file with one policy.
func notes(name, table string) string {
	return fmt.Sprintf(`policies:
  %s:
    table: %s
    where: "state = 'done'"
    due: {age: {column: at, older_than: {days: 30, at_least: 1}}}
    then: [delete]
`, name, table)
}

// TestTableRenamed renames the policy's table with a migration of the application. The next
// migration of pgretain adapts index, functions, privileges and registered rows. Runs trip as long
// as a hold has the old name of the table.
func TestTableRenamed(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, lifeSchema, notes("old", "app.note"))
	if err := in.Operator("SELECT retention.place_hold('app.note', '3', 'case 8')"); err != nil {
		t.Fatal(err)
	}
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+"; ALTER TABLE app.note RENAME TO memo; RESET ROLE")
	before := kit.Catalog(t, in.DB, "retention")
	in.Migrate(t, notes("old", "app.memo"))
	if n := pgtest.Value[int](t, in, `SELECT count(*)
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = 'app.memo'::regclass AND c.relname LIKE 'pgretain%' AND i.indisvalid`); n != 1 {
		t.Errorf("app.memo has %d valid indexes of pgretain, want 1", n)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.index_definition"); n != 1 {
		t.Errorf("retention.index_definition has %d rows, want 1", n)
	}
	run := in.Run("old", "2026-01-01")
	if run.State != "tripped" || !strings.Contains(run.Message,
		`is on table "app.note", which is called "app.memo" now`) || in.CountDue("old", "2026-01-01") != 0 {
		t.Fatalf("the run ended %s: %s; want tripped because the hold has the old name", run.State, run.Message)
	}
	for _, sql := range []string{
		"SELECT retention.place_hold('app.memo', '3', 'case 8')",
		"SELECT retention.release_hold(1, 'renamed')",
	} {
		if err := in.Operator(sql); err != nil {
			t.Fatal(err)
		}
	}
	if run := in.Done("old", "2026-01-01"); run.Taken != 9 {
		t.Errorf("the run took %d rows, want 9: all except the held one", run.Taken)
	}
	_, err := in.TryDown(t, false)
	if list := install.Diagnostics(err); err == nil || list[0].Code.String() != "42P01" {
		t.Fatalf("down while the table has its new name: %v, want SQLSTATE 42P01", err)
	}
	in.DB.Exec(t, "ALTER TABLE app.memo RENAME TO note")
	down(t, in)
	in.DB.Exec(t, "ALTER TABLE app.note RENAME TO memo")
	wantCatalog(t, in, before, "after going back")
}

// TestPolicyRemoved removes a policy from the file. Its settings are deleted; the log and the holds
// stay. If the policy comes back, it has no settings.
func TestPolicyRemoved(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, lifeSchema, notes("old", "app.note"))
	in.Done("old", "2020-01-05")
	for _, sql := range []string{
		"SELECT retention.place_hold('app.note', '3', 'case 8')",
		"SELECT retention.pause('old', 'wait')",
		"SELECT retention.set_window('old', '40 days', 'longer')",
	} {
		if err := in.Operator(sql); err != nil {
			t.Fatal(err)
		}
	}
	count := func(sql string, want int) {
		t.Helper()
		if got := pgtest.Value[int](t, in, "SELECT count(*) FROM "+sql); got != want {
			t.Errorf("SELECT count(*) FROM %s returns %d, want %d", sql, got, want)
		}
	}
	in.Migrate(t, notes("new", "app.note"))
	count("retention.run WHERE policy = 'old' AND state = 'done'", 1)
	count("retention.setting", 0)
	count("retention.setting_change WHERE policy = 'old' AND reason = 'the policy was dropped' AND new IS NULL", 2)
	count("retention.hold WHERE released_at IS NULL", 1)
	count("retention.policy WHERE name = 'old'", 0)
	count("pg_proc WHERE proname LIKE 'old\\_%'", 0)
	if run := in.Done("new", "2026-01-01"); run.Taken != 9 {
		t.Errorf("the run took %d rows, want 9: all except the held one", run.Taken)
	}
	down(t, in)
	count("retention.setting", 0)
	count("retention.run WHERE policy = 'new'", 1)
	in.Done("old", "2026-01-01")
	count("retention.run WHERE policy = 'old' AND state = 'done'", 2)
}

// TestPartitionsAttachedAndDropped checks that no migration is needed for a new or dropped
// partition. PostgreSQL creates the index on a new partition.
func TestPartitionsAttachedAndDropped(t *testing.T) {
	t.Parallel()
	const yaml = "policies: {events: {table: app.event, due: {age: {column: at, older_than: 30 days}}, then: [delete]}}"
	schema := strings.ReplaceAll(lifeSchema, "id bigint, at timestamptz NOT NULL)",
		"id bigint, at timestamptz NOT NULL, PRIMARY KEY (id, at))")
	in := kit.Prepare(t, schema, yaml)
	in.Migrate(t, yaml)
	files := len(in.Migrations)
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+`;
		CREATE TABLE app.event_3 PARTITION OF app.event FOR VALUES FROM ('2022-01-01') TO ('2023-01-01');
		DROP TABLE app.event_1; RESET ROLE`)
	in.Migrate(t, yaml)
	if len(in.Migrations) != files {
		t.Errorf("there is a migration for the changed partitions, want none: %v", names(in.Migrations))
	}
	in.Migrate(t, strings.Replace(yaml, "events:", "renamed:", 1))
	down(t, in)
	if n := pgtest.Value[int](t, in, `SELECT count(*)
		FROM pg_index i
		JOIN pg_inherits h ON h.inhrelid = i.indexrelid
		JOIN pg_class c ON c.oid = h.inhparent
		WHERE c.relname LIKE 'pgretain%' AND i.indisvalid`); n != 2 {
		t.Errorf("%d partitions have the index, want 2", n)
	}
}
