package races

import (
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestGuardTableWithRowSecurity checks a guard table whose row security hides all rows from the
// owner. A plain statement takes every row that the guard keeps. A run raises an error and takes
// nothing, because it sets row_security = off.
func TestGuardTableWithRowSecurity(t *testing.T) {
	t.Parallel()
	s := newStage(t, signals, guarded)
	s.Exec(t, `ALTER TABLE sig ENABLE ROW LEVEL SECURITY;
		CREATE FUNCTION naive() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$
			WITH gone AS (DELETE FROM m t WHERE at < `+cutoff+`
				AND NOT EXISTS (SELECT FROM sig s WHERE s.m_id = t.id) RETURNING 1)
			SELECT count(*) FROM gone $$;
		ALTER FUNCTION naive OWNER TO retention_owner`)
	s.refill(30)
	s.Exec(t, "INSERT INTO sig SELECT id FROM m")
	if n := pgtest.Value[int](t, s.watch, "SELECT naive()"); n != 30 {
		t.Errorf("the plain statement took %d rows; so this test proves nothing", n)
	}

	s.refill(30)
	if err := s.run("p").wait(); err == nil || err.Code != "42501" {
		t.Errorf("raised %v, want 42501", err)
	}
	s.wantLeft(numbers(1, 30)...)
	if o := s.wantRun("p", counts{State: "failed"}); !strings.Contains(o.Message, "row-level security") {
		t.Errorf("the message in the log is %q, want one about row-level security", o.Message)
	}
	s.wantUnlocked()

	s.Exec(t, "ALTER TABLE sig DISABLE ROW LEVEL SECURITY")
	s.run("p").mustSucceed()
	s.wantRun("p", counts{State: "done", Kept: map[string]int64{"signal": 30}})
}

// TestTableWithRowSecurity checks that a run raises an error if row security hides rows of the
// policy's table. It must not end as if no row were due.
func TestTableWithRowSecurity(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.refill(30)
	s.Exec(t, "ALTER TABLE m ENABLE ROW LEVEL SECURITY")
	if err := s.run("p").wait(); err == nil || err.Code != "42501" {
		t.Errorf("raised %v, want 42501", err)
	}
	s.wantLeft(numbers(1, 30)...)
	s.wantRun("p", counts{State: "failed"})
}

// TestOperatorsOutsidePgCatalog checks a guard that uses the operator = of citext in schema public.
// With a search_path without public, the guard would compare by case and the run would take the
// row. Count, due rows, preview and batch must all use the operator of citext.
func TestOperatorsOutsidePgCatalog(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, v int NOT NULL DEFAULT 0,
		email citext)`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			keep: {vip: "email = 'vip@x.org'"}, then: [delete]}}`,
		kit.Before("CREATE EXTENSION citext SCHEMA public"))
	mail := func() {
		s.refill(30)
		s.Exec(t, "UPDATE m SET email = CASE WHEN id % 2 = 0 THEN 'VIP@x.org' ELSE 'no@x.org' END")
	}
	mail()
	s.appExec(`
		SET search_path = pg_catalog, pg_temp;
		DELETE FROM public.m WHERE email = 'vip@x.org' IS FALSE;
		RESET search_path`)
	s.wantLeft() // the plain statement with a fixed search_path deletes all 30 rows

	mail()
	due, kept := s.Count("p", asOf)
	preview := pgtest.Value[int64](t, s.watch, "SELECT due FROM retention.preview('p', $1)", asOf)
	countDue := s.CountDue("p", asOf)
	if due != 15 || kept["vip"] != 15 || preview != 15 || countDue != 15 {
		t.Errorf("rows due: %d in the count (kept %v), %d in the preview, %d by CountDue; want 15 each",
			due, kept, preview, countDue)
	}
	runner := s.session("retention_runner")
	pgtest.Exec(t, runner, "SET search_path = pg_catalog, pg_temp")
	s.start(runner, "CALL retention.run('p', $1)", asOf).mustSucceed()
	s.wantRun("p", counts{State: "done", Taken: 15, Kept: map[string]int64{"vip": 15}})
}

// hostile creates a schema that an attacker owns and puts before pg_catalog in search_path. It has
// objects with unqualified names that a driver might use. Each function records its caller.
const hostile = `
	CREATE SCHEMA hostile; GRANT USAGE, CREATE ON SCHEMA hostile TO PUBLIC;
	CREATE TABLE hostile.seen (who text, what text); GRANT INSERT ON hostile.seen TO PUBLIC;
	CREATE FUNCTION hostile.tell(what text) RETURNS void
		LANGUAGE sql AS 'INSERT INTO hostile.seen VALUES (current_user, what)';
	CREATE FUNCTION hostile.eq(a int, b int) RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''=''); RETURN true; END';
	CREATE OPERATOR hostile.= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.eq);
	CREATE FUNCTION hostile.lt(a timestamptz, b timestamptz) RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''<''); RETURN true; END';
	CREATE OPERATOR hostile.< (LEFTARG = timestamptz, RIGHTARG = timestamptz, FUNCTION = hostile.lt);
	CREATE FUNCTION hostile.gt(a timestamptz, b timestamptz) RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''>''); RETURN true; END';
	CREATE OPERATOR hostile.> (LEFTARG = timestamptz, RIGHTARG = timestamptz, FUNCTION = hostile.gt);
	CREATE FUNCTION hostile.now() RETURNS timestamptz
		LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''now''); RETURN ''infinity''; END';
	CREATE FUNCTION hostile.clock_timestamp() RETURNS timestamptz
		LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''clock_timestamp''); RETURN ''infinity''; END';
	CREATE FUNCTION hostile.pg_sleep(n float8) RETURNS void LANGUAGE sql AS 'SELECT hostile.tell(''pg_sleep'')';
	CREATE FUNCTION hostile.concat_ws(a text, b text, c text) RETURNS text
		LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''concat_ws''); RETURN b; END';
	CREATE FUNCTION hostile.format(a text, b text) RETURNS text
		LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''format''); RETURN a; END';
	CREATE FUNCTION hostile."format"(a text, b bigint) RETURNS text
		LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''format''); RETURN a; END';
	CREATE TYPE hostile.text AS (x int); CREATE TYPE hostile.int8 AS (x int); CREATE TYPE hostile.record AS (x int);
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA hostile TO PUBLIC;`

// TestHostileSearchPath checks that a hostile search_path of the session does not affect the
// driver, which runs with its caller's rights, or the functions that it calls.
func TestHostileSearchPath(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM, `policies: {p: `+sleepyWith("50%")+`}
jobs: {nightly: {schedule: "0 1 * * *", run: [p]}}`)
	s.Exec(t, hostile)
	s.Exec(t, `CREATE PROCEDURE naive() LANGUAGE plpgsql AS $$
		BEGIN
			PERFORM format('%s', 'x'::pg_catalog.text);
			IF clock_timestamp() > now() THEN PERFORM pg_sleep(0); END IF;
		END $$`)
	for _, call := range []string{"CALL retention.run('p', '" + asOf + "')", "CALL retention.run_job('nightly', '" +
		asOf + "')"} {
		s.refill(30)
		runner := s.session("retention_runner")
		pgtest.Exec(t, runner, "SET search_path = hostile, pg_catalog, public")
		pgtest.Exec(t, runner, "CALL public.naive()")
		if n := pgtest.Exec(t, s.watch, "DELETE FROM hostile.seen"); n == 0 {
			t.Error("the plain procedure was not hijacked; so this test proves nothing")
		}
		s.start(runner, call).mustSucceed()
		s.wantLeft()
		s.wantRun("p", counts{State: "done", Taken: 30})
		if seen := pgtest.Column[string](t, s.watch,
			"SELECT who || ' called ' || what FROM hostile.seen"); len(seen) > 0 {
			t.Errorf("the run called functions of schema hostile: %q", seen)
		}
	}
}

// TestTemporaryObjectsOfTheCaller checks that temporary objects of the caller do not affect a run.
// pg_temp comes last in every fixed search_path.
func TestTemporaryObjectsOfTheCaller(t *testing.T) {
	t.Parallel()
	s := newStage(t, signals, guarded)
	s.refill(30)
	s.Exec(t, "INSERT INTO sig VALUES (15)")
	runner := s.session("retention_runner")
	pgtest.Exec(t, runner, `CREATE TEMP TABLE sig (m_id int);
		CREATE TEMP TABLE run (id int);
		CREATE TEMP TABLE hold (id int);
		CREATE TEMP TABLE m (id int, at timestamptz);
		INSERT INTO pg_temp.m VALUES (1, '2000-01-01');
		GRANT ALL ON pg_temp.sig, pg_temp.m TO PUBLIC`)
	s.start(runner, "CALL retention.run('p', $1)", asOf).mustSucceed()
	if left := pgtest.Column[int](t, s.watch, "SELECT id FROM public.m"); len(left) != 1 || left[0] != 15 {
		t.Errorf("rows %v are left, want [15]", left)
	}
	if n := pgtest.Value[int](t, runner, "SELECT count(*) FROM pg_temp.m"); n != 1 {
		t.Error("the caller's temporary table lost a row")
	}
}
