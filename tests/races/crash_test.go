package races

import (
	"fmt"
	"testing"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// The postmaster is killed in the middle of a run's second batch. After recovery the batch that was
// under way has not happened; the one before it has if anybody's commit came to the disk after it,
// else it may have, rows and log alike. The next run says "abandoned" of the first and finishes.
func TestPostmasterIsKilledDuringARun(t *testing.T) {
	t.Parallel()
	for _, flushed := range []bool{true, false} {
		t.Run(fmt.Sprintf("flushed %t", flushed), func(t *testing.T) {
			t.Parallel()
			killed(t, flushed)
		})
	}
}

func killed(t *testing.T, flushed bool) {
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"fsync": "on", "full_page_writes": "on"}})
	// The run sleeps by itself: a gate's session could die first, and let the run go on for a
	// moment.
	s := newStageOf(t, tableM+`
		CREATE FUNCTION sleeper() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN OLD; END $$;
		CREATE TRIGGER sleeper BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION sleeper();`,
		"policies: {p: "+simple+"}", kit.On(db))
	s.refill(30)
	run := s.run("p")
	s.sees(sleeps, run.pid)
	if flushed {
		s.Exec(t, "CREATE TABLE later ()")
	}
	if err := db.Server.Kill(); err != nil {
		t.Fatal(err)
	}
	<-run.done
	if err := db.Server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}

	s.watch = s.Conn(t) // the sessions of before are gone
	taken := pgtest.Value[int](t, s.watch, "SELECT coalesce(sum(taken), 0) FROM retention.batch")
	if taken != 10 && (flushed || taken != 0) {
		t.Errorf("the log says %d rows went, of 10", taken)
	}
	s.leaves(from(taken+1, 30)...)
	s.states("p running")
	if state := pgtest.Value[string](t, s.watch, "SELECT last_state FROM retention.status WHERE policy = 'p'"); state != "abandoned" {
		t.Errorf("status says %q", state)
	}
	pgtest.Exec(t, s.watch, "DROP TRIGGER sleeper ON m")
	s.run("p").ok()
	s.leaves()
	s.states("p abandoned", "p done")
	if taken := pgtest.Value[int](t, s.watch, "SELECT sum(taken) FROM retention.run"); taken != 30 {
		t.Errorf("the log says %d rows went, of 30", taken)
	}
}
