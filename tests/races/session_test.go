package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// sleepyWith returns the policy sleepy with another value of "busy", the share of time in which a
// run works.
func sleepyWith(busy string) string { return strings.Replace(sleepy, "0.00001", busy, 1) }

// TestSessionDefaults checks that a run works READ COMMITTED and READ WRITE whatever the session's
// defaults are.
func TestSessionDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, set, naiveCode string }{
		{"repeatable read", "SET default_transaction_isolation = 'repeatable read'", "40001"},
		{"serializable", "SET default_transaction_isolation = 'serializable'", "40001"},
		{"read only", "SET default_transaction_read_only = on", "25006"},
		{"deferrable",
			`
			SET default_transaction_isolation = 'serializable';
			SET default_transaction_read_only = on;
			SET default_transaction_deferrable = on`,
			"25006"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, plainDriver, simple)
			race := func(role, call string, args ...any) *task {
				s.refill(30)
				s.appExec("BEGIN; UPDATE m SET at = " + fresh + " WHERE id = 15")
				conn := s.session(role)
				pgtest.Exec(t, conn, c.set)
				k := s.start(conn, call, args...)
				k.waitsOrEnds()
				s.appExec("COMMIT")
				return k
			}
			if err := race("kit_migrator", "CALL plain()").wait(); err == nil || err.Code != c.naiveCode {
				t.Errorf("the plain driver ended with %v, want %s", err, c.naiveCode)
			}
			race("retention_runner", "CALL retention.run('p', $1)", asOf).mustSucceed()
			s.wantLeft(15)
			s.wantRun("p", counts{State: "done", Taken: 29})
			s.wantUnlocked()
		})
	}
}

// TestSessionSettings checks that settings of the session do not change what a run takes or whether
// it ends. Each of these settings changes the effect of statements or limits their duration.
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
		"SET check_function_bodies = off", "SET jit = on; SET jit_above_cost = 0",
		"SET enable_indexscan = off; SET enable_indexonlyscan = off",
		"SET plpgsql.variable_conflict = use_column",
		"SET plpgsql.extra_errors = 'all'",
		"SET array_nulls = off",
		"SET transform_null_equals = on",
	} {
		s.refill(30)
		s.Exec(t, "TRUNCATE sig; INSERT INTO sig VALUES (15)")
		conn := s.Conn(t)
		pgtest.Exec(t, conn, set) // as the superuser, because only superusers may change some settings
		pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION retention_runner")
		if err := s.start(conn, "CALL retention.run('p', $1)", asOf).wait(); err != nil {
			t.Errorf("after %s the run ended with %v", set, err)
		}
		s.wantLeft(15)
		s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"signal": 1}})
		if t.Failed() {
			t.Fatalf("the setting was %s", set)
		}
	}
}

// TestSessionWithMuchMemory checks that catalog queries use little memory although work_mem is
// large. PostgreSQL allocates the hash table of a recursive query at once. Its size depends on the
// estimated number of rows, up to work_mem.
func TestSessionWithMuchMemory(t *testing.T) {
	t.Parallel()
	s := newStage(t, archive+"CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);",
		strings.Replace(simple, "delete", "delete: {cascades: [child]}", 1))
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT id, id FROM m")
	s.Exec(t, "SELECT retention.place_hold('public.child', '15', 'case')")
	conn := s.Conn(t)
	pgtest.Exec(t, conn, "SET work_mem = '256MB'") // hash tables may use twice that
	pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION retention_runner")
	s.start(conn, "CALL retention.run('p', $1)", asOf).mustSucceed()
	s.wantLeft(15)
	pgtest.Exec(t, conn, "RESET SESSION AUTHORIZATION")
	pgtest.Exec(t, conn, "SELECT * FROM retention.preview('p')")
	pgtest.Exec(t, conn, "SELECT * FROM retention.blast_radius('p')")
	peak := pgtest.Value[int](t, conn, "SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\\s+(\\d+) "+
		"kB')::int / 1024")
	if peak >= 400 { // the peak includes shared_buffers
		t.Errorf("the session's memory peaked at %d MB, want less than 400 MB", peak)
	}
}

// TestSessionWithoutTriggers checks that the server refuses runs and restores in a session that
// fires no triggers. In such a session foreign keys neither refuse a delete nor cascade, so a
// restored row could lack its parent.
func TestSessionWithoutTriggers(t *testing.T) {
	t.Parallel()
	s := newStage(t, archive+"CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m);", archived)
	s.refill(30)
	s.Exec(t, "INSERT INTO child VALUES (1, 15)")
	conn := s.Conn(t)
	pgtest.Exec(t, conn, "SET session_replication_role = replica")
	if err := s.start(conn, "CALL retention.run('p', $1)", asOf).wait(); err == nil || err.Code != "55000" {
		t.Errorf("the run ended with %v, want 55000", err)
	}
	s.wantLeft(numbers(1, 30)...)
	s.wantRun("p", counts{State: "failed"})
	s.run("p").mustSucceed()
	s.wantLeft(15)
	if err := s.start(conn, "SELECT retention.restore('p', (SELECT max(id) FROM retention.run))").wait(); err == nil ||
		err.Code != "55000" {
		t.Errorf("restore ended with %v, want 55000", err)
	}
	s.wantLeft(15)
}

// TestInsideATransactionBlock checks that the server refuses a run inside a transaction block,
// before the run locks or writes anything.
func TestInsideATransactionBlock(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+plainDriver, "policies: {p: "+
		simple+"}\njobs: {nightly: {schedule: \"0 1 * * *\", run: [p]}}")
	s.refill(30)
	naive := s.session("kit_migrator")
	pgtest.Exec(t, naive, "BEGIN")
	k := s.start(naive, "CALL plain()")
	if err := k.wait(); err == nil || err.Code != "2D000" {
		t.Errorf("the plain driver ended with %v, want 2D000", err)
	}
	pgtest.Exec(t, naive, "ROLLBACK")
	if pgtest.Value[int](t, naive,
		"SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'") == 0 {
		t.Error("the plain driver left no lock; so this test proves nothing")
	}

	for _, call := range []string{"CALL retention.run('p', '" + asOf + "')", "CALL retention.run_job('nightly', '" +
		asOf + "')"} {
		for _, around := range [][2]string{
			{"BEGIN", "ROLLBACK"},
			{"BEGIN ISOLATION LEVEL SERIALIZABLE; SAVEPOINT a", "ROLLBACK"},
		} {
			runner := s.session("retention_runner")
			pgtest.Exec(t, runner, around[0])
			if err := s.start(runner, call).wait(); err == nil || err.Code != "2D000" {
				t.Errorf("%s in %s ended with %v, want 2D000", call, around[0], err)
			}
			pgtest.Exec(t, runner, around[1])
			s.wantUnlocked()
		}
		// The call is the second of two statements in one string, or it is in a DO block with an
		// EXCEPTION clause.
		for _, wrapped := range []string{
			"SELECT 1; " + call,
			"DO $$ DECLARE o text; BEGIN " + strings.Replace(call, ")", ", NULL, o)",
				1) + "; EXCEPTION WHEN division_by_zero THEN END $$",
		} {
			runner := s.session("retention_runner")
			_, err := runner.PgConn().Exec(t.Context(), wrapped).ReadAll()
			if err == nil || !strings.Contains(err.Error(), "2D000") {
				t.Errorf("%s ended with %v, want 2D000", wrapped, err)
			}
			s.wantUnlocked()
		}
	}
	s.wantLeft(numbers(1, 30)...)
	s.wantRunLog()
}
