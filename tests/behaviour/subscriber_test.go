package behaviour

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// replication is a subscription of database sub to database pub on the same server.
type replication struct {
	pub, sub *pgtest.DB
	name     string // name of the subscription, the slot and the publication
}

// publisher returns a database on a server with wal_level = logical, which only this test uses.
func publisher(t *testing.T) *pgtest.DB {
	t.Helper()
	return pgtest.Server(t, sandbox.Options{Settings: map[string]string{"wal_level": "logical"}})
}

// subscribe creates a subscription and waits until all rows are copied. It creates the slot
// separately: on one server, CREATE SUBSCRIPTION would wait for its own transaction.
func subscribe(t *testing.T, pub, sub *pgtest.DB, name, what string) replication {
	t.Helper()
	pub.Exec(t, fmt.Sprintf("CREATE PUBLICATION %s FOR %s", name, what))
	pub.Exec(t, "SELECT pg_create_logical_replication_slot($1, 'pgoutput')", name)
	sub.Exec(t,
		fmt.Sprintf(`CREATE SUBSCRIPTION %s CONNECTION 'host=%s port=5432 user=postgres dbname=%s' PUBLICATION %[1]s
			WITH (create_slot = false)`, name, pub.Server.Dir(), pub.Name))
	pgtest.Until(t, sub, "SELECT bool_and(srsubstate IN ('r', 's')) FROM pg_subscription_rel")
	return replication{pub, sub, name}
}

// waitForSubscriber waits until the subscriber has received everything that is committed.
func (r replication) waitForSubscriber(t *testing.T) {
	t.Helper()
	lsn := pgtest.Value[string](t, r.pub, "SELECT pg_current_wal_flush_lsn()::text")
	pgtest.Until(t, r.pub, "SELECT confirmed_flush_lsn >= $1::pg_lsn FROM pg_replication_slots WHERE slot_name = $2",
		lsn, r.name)
}

// sameRows checks that the tables have the same rows on both sides. It returns the row count of
// each table.
func (r replication) sameRows(t *testing.T, tables ...string) string {
	t.Helper()
	r.waitForSubscriber(t)
	var counts []string
	for _, table := range tables {
		query := "SELECT x::text FROM " + table + " x ORDER BY 1"
		rows := pgtest.Column[string](t, r.pub, query)
		if diff := cmp.Diff(rows, pgtest.Column[string](t, r.sub, query)); diff != "" {
			t.Errorf("%s (-publisher +subscriber):\n%s", table, diff)
		}
		counts = append(counts, fmt.Sprint(len(rows)))
	}
	return strings.Join(counts, " ")
}

// copiedSchema is filled on the publisher by copiedRows. message and task have a row a day; the
// rows 8 to 20 are due at noon. Each message has two attachments. month has three partitions, and
// two are due.
const copiedSchema = `
	CREATE TABLE message (id int PRIMARY KEY, at timestamptz NOT NULL, room int NOT NULL);
	CREATE TABLE attachment (id int PRIMARY KEY, message_id int NOT NULL REFERENCES message ON DELETE CASCADE);
	CREATE INDEX ON attachment (message_id);
	CREATE TABLE old_message (id int PRIMARY KEY, at timestamptz, room int, run_id bigint);
	CREATE TABLE tally (room int PRIMARY KEY, n bigint NOT NULL);
	CREATE TABLE task (id int PRIMARY KEY, at timestamptz NOT NULL, done boolean NOT NULL DEFAULT false);
	CREATE TABLE note (id int PRIMARY KEY, at timestamptz NOT NULL);
	CREATE TABLE month (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
	CREATE TABLE month_1 PARTITION OF month FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE month_2 PARTITION OF month FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
	CREATE TABLE month_3 PARTITION OF month FOR VALUES FROM ('2024-03-01') TO ('2024-04-01')`

const copiedRows = `
	INSERT INTO message SELECT i, '2024-03-31 12:00+00'::timestamptz - i * interval '1 day', i % 3
		FROM generate_series(1, 20) i;
	INSERT INTO attachment SELECT i, 1 + i % 20 FROM generate_series(1, 40) i;
	INSERT INTO task SELECT id, at FROM message;
	INSERT INTO month SELECT i, '2024-01-01'::timestamptz + i * interval '1 day' FROM generate_series(0, 80) i`

const copiedPolicies = `
policies:
  messages:
    table: message
    due: {age: {column: at, older_than: 7 days}}
    batch: {rows: 5}
    then:
      - archive: {into: old_message, set: {run_id: run.id}}
      - insert: {into: tally, key: {room: t.room}, add: {n: 1}}
      - delete: {cascades: [attachment]}
  tasks: {table: task, where: "NOT done", due: {age: {column: at, older_than: 7 days}},
        then: [update: {set: {done: true}}]}
  notes: {table: note, due: {age: {column: at, older_than: 7 days}},
        keep: {oldest: "EXISTS (SELECT FROM message m WHERE m.id = t.id AND m.id = 20)"}, then: [delete]}
  months: {partitions_of: month, due: {age: {older_than: 7 days}}, then: [drop]}`

// applied creates triggers on a subscriber that record what each transaction of the subscription
// does. As of PostgreSQL 16 they fire as the owner of the tables.
const applied = `
	CREATE TABLE applied (xid xid8 DEFAULT pg_current_xact_id(), what text);
	CREATE FUNCTION applied() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
		INSERT INTO public.applied (what) VALUES (concat(TG_OP, ' ', TG_TABLE_NAME)); RETURN NULL; END $$;
	DO $$ DECLARE v_table text; BEGIN
		FOREACH v_table IN ARRAY '{message,attachment,old_message,tally,task}'::text[] LOOP
			EXECUTE format('CREATE TRIGGER applied AFTER INSERT OR UPDATE OR DELETE ON %I
				FOR EACH ROW EXECUTE FUNCTION applied()', v_table);
			EXECUTE format('ALTER TABLE %I ENABLE REPLICA TRIGGER applied', v_table);
		END LOOP;
	END $$`

// copiedTables has the tables whose rows the policies change.
var copiedTables = []string{"message", "attachment", "old_message", "tally", "task"}

// subscriber is a replication whose two sides have the same policies.
type subscriber struct {
	replication
	pub, sub *kit.Installed
}

// TestSubscriber checks that a subscriber gets the changes that runs make on the publisher. On the
// subscriber, policies take no rows of tables that the subscription fills.
func TestSubscriber(t *testing.T) {
	t.Parallel()
	pub := kit.Install(t, copiedSchema, copiedPolicies, kit.On(publisher(t)))
	sub := kit.Install(t, copiedSchema, copiedPolicies, kit.On(pub.Sibling(t, "subscriber")))
	pub.Exec(t, copiedRows+"; UPDATE retention.install SET logical_messages = true")
	sub.Exec(t, applied)
	s := subscriber{subscribe(t, pub.DB, sub.DB, "s", "TABLE message, attachment, old_message, tally, task, month"),
		pub, sub}
	s.refused(t)
	s.checkReplicaIdentity(t)
	s.checkTransactions(t)
	s.checkPartitions(t)
	s.checkUnpublished(t)
	sub.Exec(t, "ALTER SUBSCRIPTION s DISABLE")
	// Changes that a disabled subscription misses can still arrive.
	if o := sub.Run("messages", "2024-05-01"); o.State != "tripped" {
		t.Errorf("disabled: the run ended %s: %s, want tripped", o.State, o.Message)
	}
	sub.Exec(t, "DROP SUBSCRIPTION s")
	if o := sub.Done("messages", "2024-05-01"); o.Taken != 20 {
		t.Errorf("dropped: the run took %d rows, want 20", o.Taken)
	}
}

func (s subscriber) refused(t *testing.T) {
	found := s.sub.Finding(t, copiedPolicies, "V050")
	for policy, table := range map[string]string{"messages": "message", "tasks": "task", "months": "month_1"} {
		why := fmt.Sprintf(`table public.%s is filled by subscription "s"`, table)
		if o := s.sub.Run(policy, noon); o.State != "tripped" || !strings.HasPrefix(o.Message, why) {
			t.Errorf("the run of %s ended %s, want tripped because of %s: %s", policy, o.State, table, o.Message)
		}
		if !strings.Contains(found, fmt.Sprintf(`policy "%s" was not generated for this catalog: %s`, policy, why)) {
			t.Errorf("verify does not report the subscription for %s:\n%s", policy, found)
		}
	}
	if got := s.sameRows(t, append(copiedTables, "month")...); got != "20 40 0 0 20 81" {
		t.Errorf("rows that are left: %s, want 20 40 0 0 20 81", got)
	}
	s.sub.Exec(t, "INSERT INTO note SELECT id, at FROM message")
	if o := s.sub.Done("notes", noon); o.Taken != 12 || o.Kept["oldest"] != 1 {
		t.Errorf("the run of notes took %d rows and kept %v, want 12, and 1 by guard oldest", o.Taken, o.Kept)
	}
}

// checkReplicaIdentity checks tables without a replica identity. PostgreSQL refuses to update or
// delete their rows, because a subscriber could not find them. This includes a table to which an
// insert step adds.
func (s subscriber) checkReplicaIdentity(t *testing.T) {
	for table, what := range map[string]string{"message": "delete", "tally": "update"} {
		s.pub.Exec(t, "ALTER TABLE "+table+" REPLICA IDENTITY NOTHING")
		want := fmt.Sprintf(`policy "messages" cannot %s rows of published table "public.%s"`, what, table)
		if found := s.pub.Finding(t, copiedPolicies, "V058"); !strings.HasPrefix(found, want) {
			t.Errorf("for table %s verify finds %q, want V058", table, found)
		}
		if o := s.pub.Run("messages", noon); o.State != "failed" || o.SQLState != "55000" ||
			!strings.Contains(o.Message, "does not have a replica identity") {
			t.Errorf("without the replica identity of %s the run ended %s, want failed: %s", table, o.State, o.Message)
		}
		s.pub.Exec(t, "ALTER TABLE "+table+" REPLICA IDENTITY DEFAULT")
	}
	if got := s.sameRows(t, copiedTables...); got != "20 40 0 0 20" {
		t.Errorf("rows that are left: %s, want 20 40 0 0 20", got)
	}
}

// checkTransactions checks that the subscriber applies each batch as one transaction, and gets the
// rows that restore() brings back.
func (s subscriber) checkTransactions(t *testing.T) {
	s.sub.Exec(t, "TRUNCATE applied")
	run := s.pub.Done("messages", noon)
	s.pub.Done("tasks", noon)
	if got := s.sameRows(t, copiedTables...); got != "7 14 13 3 20" {
		t.Errorf("rows after the runs: %s, want 7 14 13 3 20", got)
	}
	if wrong := s.sub.Rows(`SELECT FROM message WHERE at < '2024-03-24 12:00+00' UNION ALL SELECT FROM old_message
		WHERE at >= '2024-03-24 12:00+00'
		UNION ALL SELECT FROM task WHERE done <> (at < '2024-03-24 12:00+00') UNION ALL SELECT FROM attachment
		WHERE message_id > 7`); len(wrong) > 0 {
		t.Errorf("the subscriber has %d rows that differ from the expected ones", len(wrong))
	}
	transactions := pgtest.Column[string](t, s.sub, `SELECT string_agg(concat(n, ' ', what), ', ' ORDER BY what)
		FROM (SELECT xid, what, count(*) AS n FROM applied GROUP BY xid, what) x GROUP BY xid ORDER BY xid`)
	if diff := cmp.Diff([]string{
		"10 DELETE attachment, 5 DELETE message, 5 INSERT old_message, 3 INSERT tally",
		"10 DELETE attachment, 5 DELETE message, 5 INSERT old_message, 3 UPDATE tally",
		"6 DELETE attachment, 3 DELETE message, 3 INSERT old_message, 3 UPDATE tally",
		"13 UPDATE task",
	}, transactions); diff != "" {
		t.Errorf("transactions of the subscription (-want +got):\n%s", diff)
	}
	if err := s.pub.Operator("SELECT retention.restore('messages', $1)", run.ID); err != nil {
		t.Fatal(err)
	}
	if got := s.sameRows(t, copiedTables...); got != "20 14 0 3 20" {
		t.Errorf("rows after a restore: %s, want 20 14 0 3 20", got)
	}
}

// checkPartitions drops partitions on the publisher. The subscriber keeps them, and the replication
// continues. There they can be dropped after REFRESH PUBLICATION.
func (s subscriber) checkPartitions(t *testing.T) {
	if o := s.pub.Done("months", noon); o.Taken != 2 {
		t.Errorf("the run took %d partitions, want 2", o.Taken)
	}
	s.pub.Exec(t, "INSERT INTO month VALUES (81, '2024-03-31')")
	s.waitForSubscriber(t)
	if left := pgtest.Column[string](t, s.sub, `SELECT tableoid::regclass || ' ' || count(*)
		FROM month GROUP BY tableoid
		ORDER BY 1`); !slices.Equal(left, []string{"month_1 31", "month_2 29", "month_3 22"}) {
		t.Errorf("the subscriber has the partitions %s", left)
	}
	s.sub.Exec(t, "ALTER SUBSCRIPTION s REFRESH PUBLICATION")
	s.sub.Exec(t, "DROP TABLE month_1, month_2")
	s.pub.Exec(t, "DELETE FROM month WHERE id < 70")
	if got := s.sameRows(t, "month"); got != "12" {
		t.Errorf("rows after the partitions: %s, want 12", got)
	}
}

// checkUnpublished removes a table from the publication. A subscription fires no foreign keys, so
// rows stay on the subscriber that the publisher deletes by a cascade.
func (s subscriber) checkUnpublished(t *testing.T) {
	s.pub.Exec(t, `ALTER PUBLICATION s DROP TABLE attachment;
		INSERT INTO message VALUES (99, '2024-01-01', 0);
		INSERT INTO attachment VALUES (99, 99)`)
	s.sub.Exec(t, "ALTER SUBSCRIPTION s REFRESH PUBLICATION")
	s.sameRows(t, "message")
	s.sub.Exec(t, "INSERT INTO attachment VALUES (99, 99)")
	s.pub.Done("messages", noon)
	s.sameRows(t, "message", "old_message")
	if left := pgtest.Column[int](t, s.sub, `SELECT a.id FROM attachment a
		WHERE NOT EXISTS (SELECT FROM message m WHERE m.id = a.message_id)`); !slices.Equal(left, []int{99}) {
		t.Errorf("attachments without a message are %v, want 99", left)
	}
}

// TestUpgradeByReplication copies a whole database, with the tables of pgretain, by a subscription.
// Servers are upgraded this way. A run on the subscriber is refused: its row in the log would
// conflict with the publisher's next one, and the replication would stop.
func TestUpgradeByReplication(t *testing.T) {
	t.Parallel()
	pub := kit.Install(t, plain, old(""), kit.On(publisher(t).Sibling(t, "shop")))
	pub.Done("p", "2024-03-20 12:00:00+00")
	next := pub.Sibling(t, "next")
	file := filepath.Join(pub.Server.Dir(), "schema.sql")
	for _, command := range [][]string{
		{"pg_dump", "--schema-only", "--file", file, pub.URL("")},
		{"psql", "-X", "-v", "ON_ERROR_STOP=1", "--file", file, next.URL("")},
	} {
		if out, err := pub.Server.Command(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command[0], err, out)
		}
	}
	r := subscribe(t, pub.DB, next, "everything", "ALL TABLES")
	conn := next.Conn(t)
	pgtest.Exec(t, conn, "SET ROLE retention_runner")
	for _, more := range []string{"", ", dry_run => true"} {
		_, err := conn.Exec(t.Context(), "CALL retention.run('p', '2024-03-31 12:00+00'"+more+")")
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != "55000" ||
			refused.Message != `a subscription fills the run log` {
			t.Errorf("run('p'%s): got %v, want 55000", more, err)
		}
	}
	pub.Done("p", noon)
	r.sameRows(t, pgtest.Column[string](t, pub,
		"SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, "+
			"'retention'::regnamespace)")...)

	next.Exec(t, "DROP SUBSCRIPTION everything")
	next.Exec(t, "INSERT INTO m VALUES (21, '2024-01-01')")
	// the query in the hint of V018
	set := pgtest.Column[string](t, next, `SELECT format('%s to %s', sequence_name,
		setval('retention.' || sequence_name, largest)) FROM retention._sequences_behind()`)
	if !slices.Contains(set, "run_id_seq to 2") {
		t.Errorf("sequences were set to %v, want run_id_seq to 2", set)
	}
	if state, message, left := runOn(t, next); state != "paused" || left != 8 {
		t.Errorf("before adopt(), the run ended %s with %d rows left, want paused and 8: %s", state, left, message)
	}
	next.Exec(t, "SELECT retention.adopt('the new server')")
	if state, message, left := runOn(t, next); state != "done" || left != 7 {
		t.Errorf("after adopt(), the run ended %s with %d rows left, want done and 7: %s", state, left, message)
	}
}
