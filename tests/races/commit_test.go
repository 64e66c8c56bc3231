package races

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// deferringTrigger makes COMMIT fail in the batch that deletes row 15. SET CONSTRAINTS ALL
// IMMEDIATE does not help, because the deferred trigger defers its foreign key again.
const deferringTrigger = `CREATE TABLE parent (id int PRIMARY KEY);
	CREATE TABLE child (parent_id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
	CREATE FUNCTION defer() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
	BEGIN
		SET CONSTRAINTS ALL DEFERRED;
		INSERT INTO child VALUES (OLD.id);
		RETURN OLD;
	END $$;
	CREATE CONSTRAINT TRIGGER sly AFTER DELETE ON m DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN (OLD.id = 15) EXECUTE FUNCTION defer();`

// TestCommitFails checks a run whose COMMIT fails. After that the run cannot execute anything, so
// the run log still says "running". The session continues. Other sessions see that the run is
// abandoned, and the next run of the same session sees it too.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	s := newStage(t, deferringTrigger, simple)
	s.Exec(t, "GRANT INSERT ON child TO PUBLIC")
	s.refill(30)
	run := s.run("p")
	if err := run.wait(); err == nil || err.Code != "23503" {
		t.Fatalf("raised %v, want 23503", err)
	}
	s.wantLeft(numbers(11, 30)...)
	s.wantRunLog("p running")

	problems := pgtest.Column[string](t, s.watch,
		"SELECT problem FROM retention.health() WHERE severity = 'error' AND policy = 'p'")
	if !slices.Contains(problems, "the last run (1) abandoned") {
		t.Errorf("problems of health(): %q, want one of the abandoned run", problems)
	}

	s.Exec(t, "DROP TRIGGER sly ON m")
	s.run("p").mustSucceed()
	s.wantLeft()
	s.wantRunLog("p abandoned", "p done")

	again := s.start(run.conn, "CALL retention.run('p', $1)", asOf)
	again.mustSucceed()
	s.wantRunLog("p abandoned", "p done", "p done")
	s.wantUnlocked()
}

// TestMarkAbandonedFromAnotherSession checks that mark_abandoned() does not mark a run while its
// backend works. It marks the run after the backend has ended.
func TestMarkAbandonedFromAnotherSession(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	settle := func() int { return pgtest.Value[int](t, s.watch, "SELECT retention.mark_abandoned()") }
	if n := settle(); n != 0 {
		t.Errorf("mark_abandoned() marked %d runs whose backend works, want 0", n)
	}
	s.wantRunLog("p running")
	pgtest.Exec(t, s.watch, fmt.Sprintf("SELECT pg_terminate_backend(%d)", run.pid))
	<-run.done
	pgtest.WaitForExit(t, s, run.pid)
	if n := settle(); n != 1 {
		t.Errorf("mark_abandoned() marked %d runs, want 1", n)
	}
	s.wantRunLog("p abandoned")
	s.wantLeft(numbers(11, 30)...)
}

// TestTwoRunsOfOneTable checks that a table has at most one run at a time. A second run of the same
// policy, or of another policy of that table, ends "busy" at once. Its message names the backend of
// the first run.
func TestTwoRunsOfOneTable(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+gateAt15, "policies: {p: "+simple+", q: "+
		strings.Replace(simple, "7 days", "30 days", 1)+"}")
	for _, second := range []string{"p", "q"} {
		s.refill(30)
		s.shutGate()
		run := s.run("p")
		run.mustWait()
		s.run(second).mustSucceed()
		o := s.wantRun(second, counts{State: "busy"})
		if !strings.Contains(o.Message, fmt.Sprint("backend ", run.pid, " ")) {
			t.Errorf("the message of the busy run does not name the other backend: %q", o.Message)
		}
		s.openGate()
		run.mustSucceed()
		s.wantLeft()
		s.wantRunLog("p done", second+" busy")
		s.wantUnlocked()
	}
}

// TestManyRunsAtOnce checks ten concurrent runs of one table. The runs take every row once, no two
// runs overlap, and no lock is left.
func TestManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM, "policies: {p: "+simple+", q: "+strings.Replace(simple, "7 days", "30 days", 1)+"}")
	s.refill(300)
	var tasks []*task
	for i := range 10 {
		tasks = append(tasks, s.run([]string{"p", "q"}[i%2]))
	}
	for _, k := range tasks {
		k.mustSucceed()
	}
	s.wantLeft()
	overlaps := pgtest.Value[int](t, s.watch, `WITH work AS (SELECT run_id, min(at) AS first, max(at) AS last
		FROM retention.batch GROUP BY 1)
		SELECT count(*) FROM work a JOIN work b ON a.run_id < b.run_id
			WHERE tstzrange(a.first, a.last, '[]') && tstzrange(b.first, b.last, '[]')`)
	taken := pgtest.Value[int](t, s.watch, "SELECT sum(taken) FROM retention.run")
	other := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.run WHERE state NOT IN ('done', 'busy')")
	if overlaps != 0 || taken != 300 || other != 0 {
		t.Errorf("%d pairs of runs overlap, want 0; %d rows were taken, want 300; "+
			"%d runs ended neither done nor busy, want 0", overlaps, taken, other)
	}
	s.wantUnlocked()
}
