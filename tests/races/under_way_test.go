package races

import (
	"fmt"
	"testing"

	"pgretain/tests/pgtest"
)

// Whatever advisory locks somebody takes, runs start: those by table that runs once took, and any
// other.
func TestAdvisoryLocksKeepNoRunAway(t *testing.T) {
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
			s.run("p").ok()
			s.leaves()
			s.logged("p", counts{State: "done", Taken: 30})
		})
	}
}

// A run that is written down as running while its backend does something else, or is gone: all who
// may read the status see it as abandoned, whatever they may see of sessions, and the next run
// takes its place.
func TestTheCallIsGone(t *testing.T) {
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
				s.shut()
				pid = int(s.start(conn, "SELECT pg_advisory_lock(77)").pid)
			default:
				_, _ = conn.PgConn().Exec(t.Context(), now).ReadAll()
				pid = int(conn.PgConn().PID())
			}
			s.Exec(t, "INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, pid) SELECT name, "+
				"table_name, hash, now(), 'running', $1 FROM retention.policy WHERE name = 'p'", pid)
			for _, role := range []string{"retention_viewer", "retention_runner", "retention_operator", ""} {
				looker := s.watch
				if role != "" {
					looker = s.session(role)
				}
				if state := pgtest.Value[string](t, looker,
					"SELECT last_state FROM retention.status WHERE policy = 'p'"); state != "abandoned" {
					t.Errorf("%q sees %s", role, state)
				}
				if n := pgtest.Value[int](t, looker, "SELECT count(*) FROM retention.progress"); n != 0 {
					t.Errorf("%q sees progress", role)
				}
			}
			s.run("p").ok()
			s.states("p abandoned", "p done")
			s.leaves()
			if now == "" {
				s.open()
			}
		})
	}
}

// A run that ends while somebody looks is never shown as abandoned: neither to a snapshot from
// before its end, nor where it ends between the look at its row and the one at its backend.
func TestAnEndIsNotAbandoned(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait()
	before := s.session("retention_viewer")
	pgtest.Exec(t, before, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	const look = "SELECT last_state FROM retention.status WHERE policy = 'p'"
	for _, ended := range []bool{false, true} {
		if state := pgtest.Value[string](t, before, look); state != "running" {
			t.Errorf("a snapshot from before the end says %s (ended: %v)", state, ended)
		}
		if !ended {
			s.open()
			run.ok()
			_ = run.conn.Close(t.Context())
		}
	}

	looks := make(chan error)
	go func() {
		conn, err := s.session("retention_viewer"), error(nil)
		for range 2000 {
			var state string
			if err = conn.QueryRow(t.Context(), look).Scan(&state); err == nil && state == "abandoned" {
				err = fmt.Errorf("a run is shown as abandoned")
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
