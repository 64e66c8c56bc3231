package races

import (
	"fmt"
	"testing"

	"pgretain/tests/pgtest"
)

// TestAdvisoryLocksDoNotBlockRuns checks that runs start although another session has taken
// advisory locks with keys like those of runs.
func TestAdvisoryLocksDoNotBlockRuns(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"pg_advisory_lock", "pg_advisory_lock_shared"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", simple)
			s.refill(30)
			other := s.session("kit_migrator")
			pgtest.Exec(t, other, "SELECT "+kind+"(n::bigint << 32 | 'm'::regclass::oid::bigint) FROM "+
				"generate_series(1347571750, 1347571761) n")
			pgtest.Exec(t, other, "SELECT "+kind+"(n) FROM generate_series(1, 20) n")
			pgtest.Exec(t, other, "SELECT "+kind+"('retention.run'::regclass::oid::int, n) FROM generate_series(1, "+
				"20) n")
			s.run("p").mustSucceed()
			s.wantLeft()
			s.wantRun("p", counts{State: "done", Taken: 30})
		})
	}
}

// TestStatusOfAnAbandonedRun checks a run that is logged as running while its backend executes
// something else or has ended. Every role that may read the status sees it as abandoned, and the
// next run starts.
func TestStatusOfAnAbandonedRun(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]string{
		"idle":                  "SELECT 1",
		"in a transaction":      "BEGIN; SELECT 1",
		"in a failed one":       "BEGIN; SELECT 1; SELECT 1/0",
		"reads the run log":     "BEGIN; SELECT count(*) FROM retention.run",
		"in another statement":  "",
		"ended, pid in use":     "",
		"ended, nobody has pid": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", simple)
			s.refill(30)
			conn, pid := s.session("retention_operator"), 0
			switch {
			case name == "ended, pid in use":
				pid = int(pgtest.Value[int](t, s.watch,
					"SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"))
			case name == "ended, nobody has pid":
				pid = 1<<22 + 1
			case now == "":
				s.shutGate()
				pid = int(s.start(conn, "SELECT pg_advisory_lock(77)").pid)
			default:
				_, _ = conn.PgConn().Exec(t.Context(), now).ReadAll()
				pid = int(conn.PgConn().PID())
			}
			s.Exec(t, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, pid)
				SELECT name, table_name, hash, now(), 'running', $1 FROM retention.policy WHERE name = 'p'`, pid)
			for _, role := range []string{"retention_viewer", "retention_runner", "retention_operator", ""} {
				observer := s.watch
				if role != "" {
					observer = s.session(role)
				}
				if state := pgtest.Value[string](t, observer,
					"SELECT last_state FROM retention.status WHERE policy = 'p'"); state != "abandoned" {
					t.Errorf("role %q sees state %s, want abandoned", role, state)
				}
				if n := pgtest.Value[int](t, observer, "SELECT count(*) FROM retention.progress"); n != 0 {
					t.Errorf("role %q sees the run in retention.progress", role)
				}
			}
			s.run("p").mustSucceed()
			s.wantRunLog("p abandoned", "p done")
			s.wantLeft()
			if now == "" {
				s.openGate()
			}
		})
	}
}

// TestEndedRunIsNeverShownAsAbandoned checks a run that ends while another session reads the
// status. The status must never show this run as abandoned. The session's snapshot may be older
// than the end of the run. The run may also end between two reads of the session: after its log row
// was read, and before the state of its backend is read.
func TestEndedRunIsNeverShownAsAbandoned(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	before := s.session("retention_viewer")
	pgtest.Exec(t, before, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	const look = "SELECT last_state FROM retention.status WHERE policy = 'p'"
	for _, ended := range []bool{false, true} {
		if state := pgtest.Value[string](t, before, look); state != "running" {
			t.Errorf("a snapshot from before the end has state %s, want running (ended: %v)", state, ended)
		}
		if !ended {
			s.openGate()
			run.mustSucceed()
			_ = run.conn.Close(t.Context())
		}
	}

	looks := make(chan error)
	go func() {
		conn, err := s.session("retention_viewer"), error(nil)
		for range 2000 {
			var state string
			if err = conn.QueryRow(t.Context(), look).Scan(&state); err == nil && state == "abandoned" {
				err = fmt.Errorf("the status shows a run as abandoned")
			}
			if err != nil {
				break
			}
		}
		looks <- err
	}()
	runner := s.session("retention_runner")
	for {
		select {
		case err := <-looks:
			if err != nil {
				t.Error(err)
			}
			return
		default:
			pgtest.Exec(t, runner, "CALL retention.run('p', '"+asOf+"')")
		}
	}
}
