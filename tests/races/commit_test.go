package races

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// sly makes COMMIT fail in the batch that deletes row 15, past SET CONSTRAINTS ALL IMMEDIATE: a
// deferred trigger that defers again what it does.
const sly = `CREATE TABLE parent (id int PRIMARY KEY);
	CREATE TABLE child (parent_id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
	CREATE FUNCTION defer() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
	BEGIN
		SET CONSTRAINTS ALL DEFERRED;
		INSERT INTO child VALUES (OLD.id);
		RETURN OLD;
	END $$;
	CREATE CONSTRAINT TRIGGER sly AFTER DELETE ON m DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	WHEN (OLD.id = 15) EXECUTE FUNCTION defer();`

// When COMMIT itself fails, nothing of ours can run any more: the row says "running", and a pooled
// session lives on. Others see that nothing runs in it, and so does its own next run.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	s := newStage(t, sly, simple)
	s.Exec(t, "GRANT INSERT ON child TO PUBLIC")
	s.refill(30)
	run := s.run("p")
	if err := run.end(); err == nil || err.Code != "23503" {
		t.Fatalf("raised %v, want 23503", err)
	}
	s.leaves(from(11, 30)...)
	s.states("p running")

	problems := pgtest.Column[string](t, s.watch, "SELECT problem FROM retention.health() WHERE severity = 'error' "+
		"AND policy = 'p'")
	if !slices.Contains(problems, "the last run (1) abandoned") {
		t.Errorf("health says %q", problems)
	}

	s.Exec(t, "DROP TRIGGER sly ON m")
	s.run("p").ok()
	s.leaves()
	s.states("p abandoned", "p done")

	again := s.start(run.conn, "CALL retention.run('p', $1)", asOf)
	again.ok()
	s.states("p abandoned", "p done", "p done")
	s.unlocked()
}

// What is under way nobody else can settle, also between its batches; what is not any more,
// everybody who runs policies.
func TestSettleFromElsewhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	settle := func() int { return pgtest.Value[int](t, s.watch, "SELECT retention.mark_abandoned()") }
	if n := settle(); n != 0 {
		t.Errorf("%d runs under way were settled", n)
	}
	s.states("p running")
	pgtest.Exec(t, s.watch, fmt.Sprintf("SELECT pg_terminate_backend(%d)", run.pid))
	<-run.done
	pgtest.WaitForExit(t, s, run.pid)
	if n := settle(); n != 1 {
		t.Errorf("%d runs were settled", n)
	}
	s.states("p abandoned")
	s.leaves(from(11, 30)...)
}

// One run per table at a time: a second run, of the same policy or of another one of that table,
// ends "busy" at once and names the holder's backend.
func TestTwoRunsOfOneTable(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+gateAt15, "policies: {p: "+simple+", q: "+
		strings.Replace(simple, "7 days", "30 days", 1)+"}")
	for _, second := range []string{"p", "q"} {
		s.refill(30)
		s.shut()
		run := s.run("p")
		run.mustWait()
		s.run(second).ok()
		o := s.logged(second, counts{State: "busy"})
		if !strings.Contains(o.Message, fmt.Sprint("backend ", run.pid, " ")) {
			t.Errorf("busy with whom? %q", o.Message)
		}
		s.open()
		run.ok()
		s.leaves()
		s.states("p done", second+" busy")
		s.unlocked()
	}
}

// Ten sessions at once: whatever becomes of each, every row goes once, no two runs overlap, and
// nothing is left behind.
func TestManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM, "policies: {p: "+simple+", q: "+strings.Replace(simple, "7 days", "30 days", 1)+"}")
	s.refill(300)
	var tasks []*task
	for i := range 10 {
		tasks = append(tasks, s.run([]string{"p", "q"}[i%2]))
	}
	for _, k := range tasks {
		k.ok()
	}
	s.leaves()
	overlaps := pgtest.Value[int](t, s.watch, `WITH work AS (SELECT run_id, min(at) AS first, max(at) AS last FROM retention.batch GROUP BY 1)
		SELECT count(*) FROM work a JOIN work b ON a.run_id < b.run_id WHERE tstzrange(a.first, a.last, '[]') && tstzrange(b.first, b.last, '[]')`)
	taken := pgtest.Value[int](t, s.watch, "SELECT sum(taken) FROM retention.run")
	other := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.run WHERE state NOT IN ('done', 'busy')")
	if overlaps != 0 || taken != 300 || other != 0 {
		t.Errorf("%d pairs of runs overlap, %d rows were taken, %d runs ended otherwise", overlaps, taken, other)
	}
	s.unlocked()
}
