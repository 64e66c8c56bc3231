package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// drowsyAt is a policy with a share of time that it may work.
func drowsyAt(busy string) string { return strings.Replace(drowsy, "0.00001", busy, 1) }

// Whatever the session's defaults are, a run works READ COMMITTED, READ WRITE.
func TestSessionDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, set, naiveCode string }{
		{"repeatable read", "SET default_transaction_isolation = 'repeatable read'", "40001"},
		{"serializable", "SET default_transaction_isolation = 'serializable'", "40001"},
		{"read only", "SET default_transaction_read_only = on", "25006"},
		{"deferrable", "SET default_transaction_isolation = 'serializable'; SET default_transaction_read_only = on; " +
			"SET default_transaction_deferrable = on", "25006"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, plainDriver, simple)
			race := func(role, call string, args ...any) *task {
				s.refill(30)
				s.application("BEGIN; UPDATE m SET at = " + fresh + " WHERE id = 15")
				conn := s.session(role)
				pgtest.Exec(t, conn, c.set)
				k := s.start(conn, call, args...)
				k.waits()
				s.application("COMMIT")
				return k
			}
			if err := race("kit_migrator", "CALL plain()").end(); err == nil || err.Code != c.naiveCode {
				t.Errorf("the plain driver ended with %v, want %s", err, c.naiveCode)
			}
			race("retention_runner", "CALL retention.run('p', $1)", asOf).ok()
			s.leaves(15)
			s.logged("p", counts{State: "done", Taken: 29})
			s.unlocked()
		})
	}
}

// Other settings of a session that change what statements do or how long they may take.
func TestSessionSettings(t *testing.T) {
	t.Parallel()
	s := newStage(t, signals, guarded)
	for _, set := range []string{
		"SET lock_timeout = '1ms'", "SET row_security = off", "SET client_min_messages = error",
		"SET DateStyle = 'SQL, DMY'; SET TimeZone = 'America/New_York'; SET IntervalStyle = 'sql_standard'",
		"SET quote_all_identifiers = on", "SET synchronous_commit = off",
		"SET session_replication_role = local", "SET plan_cache_mode = force_generic_plan",
		"SET standard_conforming_strings = off", "SET escape_string_warning = on", "SET extra_float_digits = -15",
		"SET idle_in_transaction_session_timeout = '1ms'", "SET bytea_output = escape",
		"SET check_function_bodies = off", "SET jit = on; SET jit_above_cost = 0", "SET enable_indexscan = off; SET " +
			"enable_indexonlyscan = off",
		"SET plpgsql.variable_conflict = use_column", "SET plpgsql.extra_errors = 'all'", "SET array_nulls = off", "SET transform_null_equals = on",
	} {
		s.refill(30)
		s.Exec(t, "TRUNCATE sig; INSERT INTO sig VALUES (15)")
		conn := s.Conn(t)
		pgtest.Exec(t, conn, set) // as the superuser: some are his alone
		pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION retention_runner")
		if err := s.start(conn, "CALL retention.run('p', $1)", asOf).end(); err != nil {
			t.Errorf("%s: %v", set, err)
		}
		s.leaves(15)
		s.logged("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"signal": 1}})
		if t.Failed() {
			t.Fatalf("with %s", set)
		}
	}
}

// What a run, preview and blast_radius ask of the catalog takes little memory in a session that may
// have much: PostgreSQL allocates the hash table of a recursive query at once, as large as its
// estimate of the rows says and work_mem allows.
func TestSessionWithMuchMemory(t *testing.T) {
	t.Parallel()
	s := newStage(t, archive+"CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);",
		strings.Replace(simple, "delete", "delete: {cascades: [child]}", 1))
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT id, id FROM m")
	s.Exec(t, "SELECT retention.place_hold('public.child', '15', 'case')")
	conn := s.Conn(t)
	pgtest.Exec(t, conn, "SET work_mem = '256MB'") // twice that for a hash table
	pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION retention_runner")
	s.start(conn, "CALL retention.run('p', $1)", asOf).ok()
	s.leaves(15)
	pgtest.Exec(t, conn, "RESET SESSION AUTHORIZATION")
	pgtest.Exec(t, conn, "SELECT * FROM retention.preview('p')")
	pgtest.Exec(t, conn, "SELECT * FROM retention.blast_radius('p')")
	peak := pgtest.Value[int](t, conn, "SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\\s+(\\d+) "+
		"kB')::int / 1024")
	if peak >= 400 { // with shared_buffers
		t.Errorf("the session took %d MB", peak)
	}
}

// In a session that fires no triggers a foreign key neither keeps a row nor takes its children
// along: nothing goes there, and nothing comes back, where its parent may be gone.
func TestSessionWithoutTriggers(t *testing.T) {
	t.Parallel()
	s := newStage(t, archive+"CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m);", archived)
	s.refill(30)
	s.Exec(t, "INSERT INTO child VALUES (1, 15)")
	conn := s.Conn(t)
	pgtest.Exec(t, conn, "SET session_replication_role = replica")
	if err := s.start(conn, "CALL retention.run('p', $1)", asOf).end(); err == nil || err.Code != "55000" {
		t.Errorf("a run: %v, want 55000", err)
	}
	s.leaves(from(1, 30)...)
	s.logged("p", counts{State: "failed"})
	s.run("p").ok()
	s.leaves(15)
	if err := s.start(conn, "SELECT retention.restore('p', (SELECT max(id) FROM retention.run))").end(); err == nil ||
		err.Code != "55000" {
		t.Errorf("restore: %v, want 55000", err)
	}
	s.leaves(15)
}

// Inside somebody's transaction a run is refused before it has locked or written anything.
func TestInsideATransactionBlock(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+plainDriver, "policies: {p: "+
		simple+"}\njobs: {nightly: {schedule: \"0 1 * * *\", run: [p]}}")
	s.refill(30)
	naive := s.session("kit_migrator")
	pgtest.Exec(t, naive, "BEGIN")
	k := s.start(naive, "CALL plain()")
	if err := k.end(); err == nil || err.Code != "2D000" {
		t.Errorf("the plain driver ended with %v, want 2D000", err)
	}
	pgtest.Exec(t, naive, "ROLLBACK")
	if pgtest.Value[int](t, naive, "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = "+
		"'advisory'") == 0 {
		t.Error("the plain driver left no lock; then this test shows nothing")
	}

	for _, call := range []string{"CALL retention.run('p', '" + asOf + "')", "CALL retention.run_job('nightly', '" +
		asOf + "')"} {
		for _, around := range [][2]string{
			{"BEGIN", "ROLLBACK"},
			{"BEGIN ISOLATION LEVEL SERIALIZABLE; SAVEPOINT a", "ROLLBACK"},
		} {
			runner := s.session("retention_runner")
			pgtest.Exec(t, runner, around[0])
			if err := s.start(runner, call).end(); err == nil || err.Code != "2D000" {
				t.Errorf("%s in %s: %v, want 2D000", call, around[0], err)
			}
			pgtest.Exec(t, runner, around[1])
			s.unlocked()
		}
		// As a string of two statements, from DO with an EXCEPTION block, and from a function.
		for _, wrapped := range []string{
			"SELECT 1; " + call,
			"DO $$ DECLARE o text; BEGIN " + strings.Replace(call, ")", ", NULL, o)",
				1) + "; EXCEPTION WHEN division_by_zero THEN END $$",
		} {
			runner := s.session("retention_runner")
			_, err := runner.PgConn().Exec(t.Context(), wrapped).ReadAll()
			if err == nil || !strings.Contains(err.Error(), "2D000") {
				t.Errorf("%s: %v, want 2D000", wrapped, err)
			}
			s.unlocked()
		}
	}
	s.leaves(from(1, 30)...)
	s.states()
}
