package races

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// itemSchema creates tables blob and item. The constant items contains their data. A policy deletes
// items, and then blobs that no item uses. The text of itemSchema ends before the action of the
// foreign key, which each test adds.
const (
	itemSchema = `CREATE TABLE blob (id int PRIMARY KEY, free boolean, freed timestamptz);
		CREATE TABLE item (id int PRIMARY KEY, at timestamptz NOT NULL, blob_id int REFERENCES blob ON DELETE `
	items = `INSERT INTO blob SELECT generate_series(1, 4);
		INSERT INTO item SELECT i, '2024-01-01', i FROM generate_series(1, 4) i`
	lastUse = `{table: blob, as: b,
		where: "b.id = t.blob_id AND NOT EXISTS (SELECT FROM item x WHERE x.blob_id = b.id)"`
)

func itemRule(step string) string {
	return `{table: item, due: {age: {column: at, older_than: 7 days}}, then: [delete, ` + step + `],
		batch: {lock_timeout: 100s}}`
}

// TestRelatedRowIsUsedAgainMeanwhile checks that a batch waits for a locked blob, and leaves it
// unchanged if another session has added an item that uses it.
func TestRelatedRowIsUsedAgainMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ onDelete, step string }{
		"delete, SET NULL":    {"SET NULL", "delete: " + lastUse + ", cascades: [item]}"},
		"delete, CASCADE":     {"CASCADE", "delete: " + lastUse + ", cascades: [item]}"},
		"update":              {"NO ACTION", "update: " + lastUse + `, set: {free: "true"}}`},
		"update from the row": {"NO ACTION", "update: " + lastUse + `, set: {freed: t.at}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, itemSchema+c.onDelete+"); "+items, itemRule(c.step))
			// The INSERT locks the blob FOR KEY SHARE. An update of other columns does not conflict
			// with that lock.
			s.appExec(
				"BEGIN; INSERT INTO item VALUES (100, '2024-05-31', 2); SELECT FROM blob WHERE id = 2 FOR SHARE")
			run := s.run("p")
			run.mustWait()
			s.appExec("COMMIT")
			run.mustSucceed()
			got := pgtest.Column[string](t, s.watch,
				"SELECT i.id || ' ' || b FROM item i JOIN blob b ON b.id = i.blob_id")
			if diff := cmp.Diff([]string{"100 (2,,)"}, got); diff != "" {
				t.Errorf("items with their blobs (-want +got):\n%s", diff)
			}
			if n := pgtest.Value[int](t, s.watch,
				"SELECT count(*) FROM blob WHERE id <> 2 AND free IS NULL AND freed IS NULL"); n != 0 {
				t.Errorf("the run did not change %d blobs that no item uses", n)
			}
		})
	}
}

// bodySchema creates table body with related rows, and table attic for their copies. A session that
// has just written to attic waits at the gate.
const bodySchema = `CREATE TABLE body (id int PRIMARY KEY, m_id int, v text);
	CREATE TABLE attic (id int, m_id int, v text);
	CREATE TRIGGER gate AFTER INSERT ON attic FOR EACH STATEMENT EXECUTE FUNCTION gate_keeper();`

const archiveBody = `{archive: {table: body, as: b, where: "b.m_id = t.id", into: attic}}`

func bodyRule(then string) string {
	return `{table: m, due: {age: {column: at, older_than: 7 days}}, then: [` + archiveBody + ", " + then + `],
		triggers: [gate], batch: {lock_timeout: 100s}}`
}

// TestRelatedCopyIsTheLastVersion checks that a related row is archived in its last version before
// it is deleted, and that no row is deleted without a copy.
func TestRelatedCopyIsTheLastVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, then string }{
		"cascade": {"ALTER TABLE body ADD FOREIGN KEY (m_id) REFERENCES m ON DELETE CASCADE",
			"delete: {cascades: [body]}"},
		"delete":                {"", `delete: {table: body, as: b, where: "b.m_id = t.id"}, delete`},
		"another way to say it": {"", `delete: {table: body, as: x, where: "x.m_id = t.id"}, delete`},
		"sql":                   {"", `sql: "DELETE FROM public.body USING batch WHERE body.m_id = batch.id", delete`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, bodySchema+c.schema, bodyRule(c.then))
			s.refill(3)
			s.Exec(t, "INSERT INTO body SELECT id, id, 'old' FROM m")
			s.appExec("BEGIN; UPDATE body SET v = 'new' WHERE id = 1")
			run := s.run("p")
			run.mustWait() // for the lock on row 1 of body
			s.shutGate()
			s.appExec("COMMIT")
			run.mustWait()
			change := s.start(s.app, "UPDATE body SET v = 'lost' WHERE id = 2")
			change.mustWait()
			s.openGate()
			run.mustSucceed()
			change.mustSucceed()
			got := pgtest.Column[string](t, s.watch, "SELECT id || ' ' || v FROM attic ORDER BY 1")
			if diff := cmp.Diff([]string{"1 new", "2 old", "3 old"}, got); diff != "" {
				t.Errorf("the archive (-want +got):\n%s", diff)
			}
			if left := s.ids("body"); len(left) > 0 {
				t.Errorf("rows %v are left, want none", left)
			}
		})
	}
}

// TestDescendantInsertedAfterTheCopy checks rows that refer to a row of the policy along two
// foreign keys. The batch copies such a row if it exists at the time of the copy. A session that
// inserts such a row later waits for the batch, and then violates the foreign key.
func TestDescendantInsertedAfterTheCopy(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{
		"archive": `archive: {table: leaf, as: l, into: attic,
			where: "l.body_id IN (SELECT b.id FROM body b WHERE b.m_id = t.id)"}`,
		"insert": `insert: {table: leaf, as: l, into: attic, set: {id: l.id, body_id: l.body_id},
			where: "l.body_id = ANY (ARRAY(SELECT b.id FROM body b WHERE b.m_id = t.id))"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `CREATE TABLE body (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
				CREATE TABLE leaf (id int PRIMARY KEY, body_id int REFERENCES body ON DELETE CASCADE);
				CREATE TABLE attic (id int, body_id int);
				CREATE TRIGGER gate AFTER INSERT ON attic FOR EACH STATEMENT EXECUTE FUNCTION gate_keeper();`,
				"{table: m, due: {age: {column: at, older_than: 7 days}}, then: [{"+then+"}, {delete: {cascades: "+
					"[body, leaf]}}], triggers: [gate], batch: {lock_timeout: 100s}}")
			s.refill(3)
			s.Exec(t, "INSERT INTO body SELECT id, id FROM m; INSERT INTO leaf SELECT id, id FROM m WHERE id <> 2")
			s.appExec("BEGIN; INSERT INTO leaf VALUES (101, 1)")
			run := s.run("p")
			run.mustWait() // for the row of body to which row 101 refers
			s.shutGate()
			s.appExec("COMMIT")
			run.mustWait()
			late := s.start(s.app, "INSERT INTO leaf VALUES (102, 2)")
			late.waitsOrEnds()
			s.openGate()
			run.mustSucceed()
			if err := late.wait(); err == nil || err.Code != "23503" {
				t.Errorf("an INSERT that refers to a deleted row ended with %v, want 23503", err)
			}
			if diff := cmp.Diff([]int{1, 3, 101}, s.ids("attic")); diff != "" {
				t.Errorf("the copies (-want +got):\n%s", diff)
			}
			if left := s.ids("leaf"); len(left) > 0 {
				t.Errorf("rows %v are left, want none", left)
			}
		})
	}
}

// TestRelatedRowAfterTheCopyStays checks that a related row stays if it is inserted after the copy
// and no foreign key prevents it.
func TestRelatedRowAfterTheCopyStays(t *testing.T) {
	t.Parallel()
	s := newStage(t, bodySchema, bodyRule(`delete: {table: body, as: b, where: "b.m_id = t.id"}, delete`))
	s.refill(3)
	s.Exec(t, "INSERT INTO body SELECT id, id, 'old' FROM m")
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	s.appExec("INSERT INTO body VALUES (102, 2, 'late')")
	s.openGate()
	run.mustSucceed()
	if diff := cmp.Diff([]int{102}, s.ids("body")); diff != "" {
		t.Errorf("rows left (-want +got):\n%s", diff)
	}
	s.wantRun("p", counts{State: "done", Taken: 3, Related: map[string]int64{"public.attic": 3, "public.body": 3}})
}

// TestRelatedRowsOfSeveralPartitions checks rows of several partitions with the same ctid. The run
// takes only the related rows.
func TestRelatedRowsOfSeveralPartitions(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE body (id int, m_id int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
		CREATE TABLE body_1 PARTITION OF body FOR VALUES FROM (0) TO (100);
		CREATE TABLE body_2 PARTITION OF body FOR VALUES FROM (100) TO (200);
		CREATE TABLE attic (id int, m_id int);`,
		bodyRule(`delete: {table: body, as: b, where: "b.m_id = t.id"}, delete`))
	s.refill(10)
	s.Exec(t, `
		INSERT INTO body SELECT i, i FROM generate_series(1, 10) i;
		INSERT INTO body SELECT 100 + i, i + 5 FROM generate_series(1, 10) i`)
	s.run("p").mustSucceed()
	if diff := cmp.Diff(numbers(106, 110), s.ids("body")); diff != "" {
		t.Errorf("rows left (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append(numbers(1, 10), numbers(101, 105)...), s.ids("attic")); diff != "" {
		t.Errorf("rows archived (-want +got):\n%s", diff)
	}
}
