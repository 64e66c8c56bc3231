package races

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// refusal is something in the schema that does not let row 15 of 30 go.
type refusal struct {
	name, schema, rule, data string
	naiveCode                string // the SQLSTATE with which a plain DELETE takes nothing at all
	refused                  int64
	message                  string // part of what the batch's log says
}

const raising = `CREATE FUNCTION object() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN RAISE EXCEPTION 'row % is sacred', OLD.id; END $$;
	CREATE TRIGGER sacred BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION object();`

var refusals = []refusal{
	{
		name:   "a NO ACTION child",
		schema: `CREATE TABLE child (m_id int REFERENCES m);`, data: "INSERT INTO child VALUES (15)",
		rule: simple, naiveCode: "23503", refused: 1, message: "violates foreign key constraint",
	},
	{
		name:   "a RESTRICT child, LOCKED",
		schema: signals + `CREATE TABLE child (m_id int REFERENCES m ON DELETE RESTRICT);`, data: "INSERT INTO child VALUES (15)",
		// 23001 is PostgreSQL 18's
		rule: guarded, naiveCode: "23503 or 23001", refused: 1, message: "foreign key constraint",
	},
	{
		// Checked at COMMIT, were it not for SET CONSTRAINTS ALL IMMEDIATE.
		name:   "a deferred foreign key",
		schema: `CREATE TABLE child (m_id int REFERENCES m DEFERRABLE INITIALLY DEFERRED);`, data: "INSERT INTO child VALUES (15)",
		rule: simple, naiveCode: "23503", refused: 1, message: "violates foreign key constraint",
	},
	{
		name: "a raise in a trigger", schema: raising,
		rule: simple, naiveCode: "P0001", refused: 1, message: "row 15 is sacred",
	},
	{
		name: "a deferred trigger", schema: strings.ReplaceAll(raising,
			"CREATE TRIGGER sacred BEFORE DELETE ON m FOR EACH ROW",
			"CREATE CONSTRAINT TRIGGER sacred AFTER DELETE ON m DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"),
		rule: simple, naiveCode: "P0001", refused: 1, message: "row 15 is sacred",
	},
	{
		name: "a NOT NULL child that is to be set NULL",
		schema: `CREATE TABLE child (m_id int NOT NULL REFERENCES m ON DELETE SET NULL);
			CREATE TABLE other (m_id int NOT NULL REFERENCES m ON DELETE SET DEFAULT);`, data: "INSERT INTO child VALUES (15)",
		rule: withCascades(simple, "public.child, public.other"), naiveCode: "23502", refused: 1, message: "null value in column",
	},
}

// One row that does not go keeps neither the others nor the run.
func TestOneRowIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, c.rule)
			s.refill(30)
			s.Exec(t, c.data)
			naive := s.start(s.Conn(t), "DELETE FROM m WHERE at < "+cutoff).end()
			if naive == nil || !strings.Contains(c.naiveCode, naive.Code) {
				t.Errorf("a plain DELETE ended with %v, want %s", naive, c.naiveCode)
			}
			s.leaves(from(1, 30)...)

			s.run("p").ok()
			s.leaves(15)
			o := s.logged("p", counts{State: "done", Taken: 29, Refused: c.refused})
			message := pgtest.Value[string](t, s.watch,
				"SELECT string_agg(message, '; ') FROM retention.batch WHERE run_id = $1 AND refused > 0", o.ID)
			if !strings.Contains(message, c.message) {
				t.Errorf("the log says %q, want %q", message, c.message)
			}
			s.unlocked()
		})
	}
}

// Of 5000 rows in one batch exactly the refused one stays, found in a few steps.
func TestRefusedRowAmongFiveThousand(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`,
		strings.Replace(simple, "batch:", "breaker: {fraction: 1}, batch:", 1))
	s.refill(20000)
	s.Exec(t, "INSERT INTO child VALUES (12345)")
	s.SetBatch(5000)
	s.run("p").ok()
	s.leaves(12345)
	o := s.logged("p", counts{State: "done", Taken: 19999, Refused: 1})
	all := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.batch WHERE run_id = $1", o.ID)
	if all > 100 { // eleven, and more where a second does not suffice to find the row
		t.Errorf("it took %d batches:\n%s", all, s.batches(o.ID))
	}
}

// TestTriggerVetoes has a BEFORE trigger that returns NULL, and perhaps updates the row. It keeps
// its row, and the log says so.
func TestTriggerVetoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rule, instead string }{
		"RANGE": {simple, ""}, "LOCKED": {guarded, ""}, "written instead": {guarded,
			"UPDATE m SET id = id WHERE id = OLD.id;"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals+`CREATE FUNCTION veto() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS
				'BEGIN `+c.instead+` RETURN NULL; END';
				CREATE TRIGGER veto BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION veto();`, c.rule)
			s.refill(30)
			s.run("p").ok()
			s.leaves(15)
			s.logged("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"trigger": 1}})
		})
	}
}

// A thousand refusals and as many as rows are taken are no accident: the run fails, and what went
// before stays gone.
func TestTooManyRefusedRows(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`, simple)
	s.refill(1300)
	s.Exec(t, "INSERT INTO child SELECT i FROM generate_series(21, 1300) i")
	err := s.run("p").end()
	n := s.Last("p").Refused // a batch ends after a second, on a busy machine before all of its ten rows are tried
	if want := fmt.Sprintf("nearly all rows are refused: %d, while 20 were taken; %[1]d rows were refused, the "+
		"first: update or delete on table \"m\" violates", n); err == nil ||
		err.Code != "23503" || n <= 1020 || n > 1030 || !strings.Contains(err.Message, want) {
		t.Errorf("raised %v", err)
	}
	s.leaves(from(21, 1300)...)
	s.logged("p", counts{State: "failed", Taken: 20, Refused: n})
	s.unlocked()
}

// Application triggers run with our search_path. A row whose trigger lacks something there is
// refused by name, and the others go.
func TestTriggerThatNeedsAnotherPath(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE SCHEMA shop; CREATE TABLE shop.audit_log (m_id int);
		CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO audit_log VALUES (OLD.id); RETURN OLD; END';
		CREATE TRIGGER audit BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION audit();`, simple)
	s.refill(30)
	s.run("p").ok()
	s.leaves(15)
	o := s.logged("p", counts{State: "done", Taken: 29, Refused: 1})
	if want := `1 row was refused: relation "audit_log" does not exist`; o.Message != want {
		t.Errorf("the log says %q, want %q", o.Message, want)
	}
	s.unlocked()
}
