package races

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// refusal is a schema that refuses the deletion of row 15 of 30.
type refusal struct {
	name, schema, rule, data string
	naiveCode                string // SQLSTATE with which a plain DELETE fails
	refused                  int64
	message                  string // text that the message of the batch contains
}

const raisingTrigger = `CREATE FUNCTION object() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN RAISE EXCEPTION 'row % is sacred', OLD.id; END $$;
	CREATE TRIGGER sacred BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION object();`

var refusals = []refusal{
	{
		name:   "a NO ACTION child",
		schema: `CREATE TABLE child (m_id int REFERENCES m);`, data: "INSERT INTO child VALUES (15)",
		rule: simple, naiveCode: "23503", refused: 1, message: "violates foreign key constraint",
	},
	{
		name:   "a RESTRICT child, row by row",
		schema: signals + `CREATE TABLE child (m_id int REFERENCES m ON DELETE RESTRICT);`,
		data:   "INSERT INTO child VALUES (15)",
		// PostgreSQL 18 raises 23001
		rule: guarded, naiveCode: "23503 or 23001", refused: 1, message: "foreign key constraint",
	},
	{
		// Without SET CONSTRAINTS ALL IMMEDIATE the server would check this key at COMMIT.
		name:   "a deferred foreign key",
		schema: `CREATE TABLE child (m_id int REFERENCES m DEFERRABLE INITIALLY DEFERRED);`,
		data:   "INSERT INTO child VALUES (15)",
		rule:   simple, naiveCode: "23503", refused: 1, message: "violates foreign key constraint",
	},
	{
		name: "a raise in a trigger", schema: raisingTrigger,
		rule: simple, naiveCode: "P0001", refused: 1, message: "row 15 is sacred",
	},
	{
		name: "a deferred trigger", schema: strings.ReplaceAll(raisingTrigger,
			"CREATE TRIGGER sacred BEFORE DELETE ON m FOR EACH ROW",
			"CREATE CONSTRAINT TRIGGER sacred AFTER DELETE ON m DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"),
		rule: simple, naiveCode: "P0001", refused: 1, message: "row 15 is sacred",
	},
	{
		name: "a NOT NULL child that is to be set NULL",
		schema: `CREATE TABLE child (m_id int NOT NULL REFERENCES m ON DELETE SET NULL);
			CREATE TABLE other (m_id int NOT NULL REFERENCES m ON DELETE SET DEFAULT);`,
		data:      "INSERT INTO child VALUES (15)",
		rule:      withCascades(simple, "public.child, public.other"),
		naiveCode: "23502",
		refused:   1, message: "null value in column",
	},
}

// TestOneRowIsRefused checks that a run refuses one row and takes the others.
func TestOneRowIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, c.rule)
			s.refill(30)
			s.Exec(t, c.data)
			naive := s.start(s.Conn(t), "DELETE FROM m WHERE at < "+cutoff).wait()
			if naive == nil || !strings.Contains(c.naiveCode, naive.Code) {
				t.Errorf("a plain DELETE ended with %v, want %s", naive, c.naiveCode)
			}
			s.wantLeft(numbers(1, 30)...)

			s.run("p").mustSucceed()
			s.wantLeft(15)
			o := s.wantRun("p", counts{State: "done", Taken: 29, Refused: c.refused})
			message := pgtest.Value[string](t, s.watch,
				"SELECT string_agg(message, '; ') FROM retention.batch WHERE run_id = $1 AND refused > 0", o.ID)
			if !strings.Contains(message, c.message) {
				t.Errorf("the message in the log is %q, want %q", message, c.message)
			}
			s.wantUnlocked()
		})
	}
}

// TestRefusedRowAmongFiveThousand checks that a run finds the one refused row among batches of
// 5,000 rows in few steps.
func TestRefusedRowAmongFiveThousand(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`,
		strings.Replace(simple, "batch:", "breaker: {fraction: 1}, batch:", 1))
	s.refill(20000)
	s.Exec(t, "INSERT INTO child VALUES (12345)")
	s.SetBatch(5000)
	s.run("p").mustSucceed()
	s.wantLeft(12345)
	o := s.wantRun("p", counts{State: "done", Taken: 19999, Refused: 1})
	all := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.batch WHERE run_id = $1", o.ID)
	if all > 100 { // eleven batches are normal; there are more if one second is too short to find the row
		t.Errorf("the run needed %d batches, want at most 100:\n%s", all, s.batches(o.ID))
	}
}

// TestTriggerVetoes checks a BEFORE trigger that returns NULL, and may update the row. The row
// stays, and the log counts it as kept by the trigger.
func TestTriggerVetoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rule, instead string }{
		"one statement": {simple, ""}, "row by row": {guarded, ""}, "written instead": {guarded,
			"UPDATE m SET id = id WHERE id = OLD.id;"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals+`
				CREATE FUNCTION veto() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS
				'BEGIN `+c.instead+` RETURN NULL; END';
				CREATE TRIGGER veto BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15)
					EXECUTE FUNCTION veto();`, c.rule)
			s.refill(30)
			s.run("p").mustSucceed()
			s.wantLeft(15)
			s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"trigger": 1}})
		})
	}
}

// TestTooManyRefusedRows checks that a run fails once it has refused 1,000 rows more than it took.
// Its finished batches stay.
func TestTooManyRefusedRows(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`, simple)
	s.refill(1300)
	s.Exec(t, "INSERT INTO child SELECT i FROM generate_series(21, 1300) i")
	err := s.run("p").wait()
	// A batch ends after one second. On a busy machine it may end before it has tried all of its
	// ten rows.
	n := s.Last("p").Refused
	if want := fmt.Sprintf("nearly all rows are refused: %d, while 20 were taken; %[1]d rows were refused, the "+
		"first: update or delete on table \"m\" violates", n); err == nil ||
		err.Code != "23503" || n <= 1020 || n > 1030 || !strings.Contains(err.Message, want) {
		t.Errorf("raised %v", err)
	}
	s.wantLeft(numbers(21, 1300)...)
	s.wantRun("p", counts{State: "failed", Taken: 20, Refused: n})
	s.wantUnlocked()
}

// TestTriggerThatNeedsAnotherSearchPath checks that triggers of the application run with the
// search_path of pgretain. The run refuses a row whose trigger does not find a table there. The log
// names the missing table.
func TestTriggerThatNeedsAnotherSearchPath(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE SCHEMA shop; CREATE TABLE shop.audit_log (m_id int);
		CREATE FUNCTION audit() RETURNS trigger
			LANGUAGE plpgsql AS 'BEGIN INSERT INTO audit_log VALUES (OLD.id); RETURN OLD; END';
		CREATE TRIGGER audit BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION audit();`, simple)
	s.refill(30)
	s.run("p").mustSucceed()
	s.wantLeft(15)
	o := s.wantRun("p", counts{State: "done", Taken: 29, Refused: 1})
	if want := `1 row was refused: relation "audit_log" does not exist`; o.Message != want {
		t.Errorf("the message in the log is %q, want %q", o.Message, want)
	}
	s.wantUnlocked()
}
