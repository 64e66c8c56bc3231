package races

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// TestCancelWhileRowsAreHalved cancels a run while it takes a part of a batch, after it has refused
// a row of the batch. The batch is undone, and the run ends.
func TestCancelWhileRowsAreHalved(t *testing.T) {
	t.Parallel()
	// The first three deletes of row 15 are those of a batch of one statement, of all locked rows,
	// and of their first half. Each of them fails, because it deletes row 3.
	s := newStage(t, `CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);
		CREATE SEQUENCE deletes;
		CREATE FUNCTION wait_late() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
		BEGIN
			PERFORM gate(nextval('deletes') = 4);
			RETURN OLD;
		END $$;
		CREATE TRIGGER late BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION wait_late()`, simple)
	s.refill(30)
	s.SetBatch(30)
	s.Exec(t, "INSERT INTO child VALUES (3)")
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	s.Exec(t, "SELECT pg_cancel_backend($1)", int32(run.pid))
	if err := run.wait(); err == nil || err.Code != "57014" {
		t.Errorf("the run ended with %v, want 57014", err)
	}
	s.openGate()
	s.wantLeft(numbers(1, 30)...)
	s.wantRun("p", counts{State: "stopped"})
	s.run("p").mustSucceed()
	s.wantLeft(3)
	s.wantRun("p", counts{State: "done", Taken: 29, Refused: 1})
}

// TestRowsThatStepsChange checks a batch with a refused row, in which the delete of a row changes
// or deletes other rows of the batch: those whose ids begin with its id.
func TestRowsThatStepsChange(t *testing.T) {
	t.Parallel()
	for action, left := range map[string][]int{"SET NULL": {120}, "CASCADE": {1, 12, 120}} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `ALTER TABLE m ADD parent int REFERENCES m ON DELETE `+action+`;
				CREATE INDEX ON m (parent);
				CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`, withCascades(simple, "m"))
			s.refill(200)
			s.Exec(t, "UPDATE m SET parent = id / 10 WHERE id >= 10; INSERT INTO child VALUES (120)")
			s.SetBatch(200)
			s.run("p").mustSucceed()
			s.wantLeft(left...)
			o := s.Last("p")
			gone := o.Taken
			if action == "CASCADE" {
				gone += o.Cascaded["public.m"]
			}
			if gone != int64(200-len(left)) || o.Refused != int64(len(left)) || len(o.Kept) > 0 || o.State != "done" {
				t.Errorf("the run ended with %+v, want %d rows gone and %d refused\n%s", o, 200-len(left), len(left),
					s.batches(o.ID))
			}
		})
	}
}

// TestRefusedHeldAndLocked checks a batch that has refused rows, a row with a held related row, and
// a row with a related row that another session has locked. The run counts each of them, and takes
// the others.
func TestRefusedHeldAndLocked(t *testing.T) {
	t.Parallel()
	s := newStage(t, `
		CREATE TABLE r (id int PRIMARY KEY, m_id int);
		CREATE TABLE child (m_id int PRIMARY KEY REFERENCES m);`,
		strings.Replace(strings.Replace(simple, "100s", "50ms", 1), "[delete]",
			`[{delete: {table: r, as: r, where: "r.m_id = t.id"}}, delete]`, 1))
	s.refill(60)
	s.SetBatch(60)
	s.Exec(t, "INSERT INTO r SELECT id, id FROM m; INSERT INTO child VALUES (7), (8), (43)")
	if err := s.Operator(`SELECT retention.place_hold('r', '22', 'case 1')`); err != nil {
		t.Fatal(err)
	}
	s.appExec("BEGIN; SELECT FROM r WHERE id = 31 FOR UPDATE")
	s.run("p").mustSucceed()
	s.wantLeft(7, 8, 22, 31, 43)
	s.wantRun("p", counts{State: "done", Taken: 55, Refused: 3, Contended: 1, Kept: map[string]int64{"hold": 1},
		Related: map[string]int64{"public.r": 55}})
	if diff := cmp.Diff([]int{7, 8, 22, 31, 43}, s.ids("r")); diff != "" {
		t.Errorf("rows of r left (-want +got):\n%s", diff)
	}
	s.appExec("ROLLBACK")
	s.run("p").mustSucceed()
	s.wantLeft(7, 8, 22, 43)
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.batch WHERE refused > 3"); n != 0 {
		t.Errorf("%d batches count more than 3 refused rows", n)
	}
}

// TestConstraintsOfOneName checks a batch row by row whose deletes need a deferred foreign key.
// Another table has a foreign key of the same name that is initially immediate.
func TestConstraintsOfOneName(t *testing.T) {
	t.Parallel()
	s := newStage(t, `
		CREATE TABLE r (m_id int CONSTRAINT k REFERENCES m DEFERRABLE INITIALLY DEFERRED);
		CREATE TABLE other (m_id int CONSTRAINT k REFERENCES m DEFERRABLE INITIALLY IMMEDIATE);
		CREATE FUNCTION clear() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
		BEGIN
			DELETE FROM r WHERE NOT EXISTS (SELECT FROM m WHERE m.id = r.m_id);
			RETURN NULL;
		END $$;
		CREATE TRIGGER clear AFTER DELETE ON m FOR EACH STATEMENT EXECUTE FUNCTION clear()`, simple)
	s.refill(30)
	s.Exec(t, "INSERT INTO r SELECT id FROM m")
	s.useRowByRow()
	s.run("p").mustSucceed()
	s.wantLeft()
	s.wantRun("p", counts{State: "done", Taken: 30})
}
