package races

import (
	"fmt"
	"testing"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestPostmasterIsKilledDuringARun checks a kill of the postmaster in the second batch of a run.
// Recovery rolls back the second batch. The first batch is kept if a later commit was flushed to
// disk. Otherwise the first batch may be lost, together with its log lines. The next run marks the
// killed run as abandoned and takes the remaining rows.
func TestPostmasterIsKilledDuringARun(t *testing.T) {
	t.Parallel()
	for _, flushed := range []bool{true, false} {
		t.Run(fmt.Sprintf("flushed %t", flushed), func(t *testing.T) {
			t.Parallel()
			testPostmasterKill(t, flushed)
		})
	}
}

func testPostmasterKill(t *testing.T, flushed bool) {
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"fsync": "on", "full_page_writes": "on"}})
	// The trigger sleeps. With a gate, the session that holds the gate's lock could end first, and
	// the run would continue for a moment.
	s := newStageOf(t, tableM+`
		CREATE FUNCTION sleeper() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600);
			RETURN OLD; END $$;
		CREATE TRIGGER sleeper BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15) EXECUTE FUNCTION sleeper();`,
		"policies: {p: "+simple+"}", kit.On(db))
	s.refill(30)
	run := s.run("p")
	s.waitForTrue(isSleeping, run.pid)
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

	s.watch = s.Conn(t) // the kill ended the old session
	taken := pgtest.Value[int](t, s.watch, "SELECT coalesce(sum(taken), 0) FROM retention.batch")
	if taken != 10 && (flushed || taken != 0) {
		t.Errorf("the log has %d taken rows, want 10, or 0 if nothing was flushed", taken)
	}
	s.wantLeft(numbers(taken+1, 30)...)
	s.wantRunLog("p running")
	state := pgtest.Value[string](t, s.watch, "SELECT last_state FROM retention.status WHERE policy = 'p'")
	if state != "abandoned" {
		t.Errorf("the state in retention.status is %q, want abandoned", state)
	}
	pgtest.Exec(t, s.watch, "DROP TRIGGER sleeper ON m")
	s.run("p").mustSucceed()
	s.wantLeft()
	s.wantRunLog("p abandoned", "p done")
	if taken := pgtest.Value[int](t, s.watch, "SELECT sum(taken) FROM retention.run"); taken != 30 {
		t.Errorf("the log has %d taken rows, want 30", taken)
	}
}
