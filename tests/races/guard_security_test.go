package races

import (
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A guard table whose row security hides rows from the owner looks empty, and everything that it
// keeps would go. With row_security = off that is an error, and nothing goes.
func TestGuardTableWithRowSecurity(t *testing.T) {
	t.Parallel()
	s := newStage(t, signals, guarded)
	s.Exec(t, `ALTER TABLE sig ENABLE ROW LEVEL SECURITY;
		CREATE FUNCTION naive() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$
			WITH gone AS (DELETE FROM m t WHERE at < `+cutoff+` AND NOT EXISTS (SELECT FROM sig s WHERE s.m_id = t.id) RETURNING 1)
			SELECT count(*) FROM gone $$;
		ALTER FUNCTION naive OWNER TO retention_owner`)
	s.refill(30)
	s.Exec(t, "INSERT INTO sig SELECT id FROM m")
	if n := pgtest.Value[int](t, s.watch, "SELECT naive()"); n != 30 {
		t.Errorf("the plain statement took %d rows; then this test shows nothing", n)
	}

	s.refill(30)
	if err := s.run("p").end(); err == nil || err.Code != "42501" {
		t.Errorf("raised %v, want 42501", err)
	}
	s.leaves(from(1, 30)...)
	if o := s.logged("p", counts{State: "failed"}); !strings.Contains(o.Message, "row-level security") {
		t.Errorf("the log says %q", o.Message)
	}
	s.unlocked()

	s.Exec(t, "ALTER TABLE sig DISABLE ROW LEVEL SECURITY")
	s.run("p").ok()
	s.logged("p", counts{State: "done", Kept: map[string]int64{"signal": 30}})
}

// The same for the policy's own table: not "nothing due", but an error.
func TestTableWithRowSecurity(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.refill(30)
	s.Exec(t, "ALTER TABLE m ENABLE ROW LEVEL SECURITY")
	if err := s.run("p").end(); err == nil || err.Code != "42501" {
		t.Errorf("raised %v, want 42501", err)
	}
	s.leaves(from(1, 30)...)
	s.logged("p", counts{State: "failed"})
}

// citext's = lives in public. Under a pinned path without public the guard would compare by case
// and the row would go; count, due, preview and batch must all agree with what was written.
func TestOperatorsOutsidePgCatalog(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, v int NOT NULL DEFAULT 0, email citext)`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {vip: "email = 'vip@x.org'"}, then: [delete]}}`,
		kit.Before("CREATE EXTENSION citext SCHEMA public"))
	mail := func() {
		s.refill(30)
		s.Exec(t, "UPDATE m SET email = CASE WHEN id % 2 = 0 THEN 'VIP@x.org' ELSE 'no@x.org' END")
	}
	mail()
	s.application("SET search_path = pg_catalog, pg_temp; DELETE FROM public.m WHERE email = 'vip@x.org' IS FALSE; " +
		"RESET search_path")
	s.leaves() // the plain statement under a pinned path: all 15 are gone as well

	mail()
	due, kept := s.Count("p", asOf)
	preview := pgtest.Value[int64](t, s.watch, "SELECT due FROM retention.preview('p', $1)", asOf)
	if due != 15 || kept["vip"] != 15 || preview != 15 || s.CountDue("p", asOf) != 15 {
		t.Errorf("count says %d (kept %v), preview %d, due() %d; want 15", due, kept, preview, s.CountDue("p", asOf))
	}
	runner := s.session("retention_runner")
	pgtest.Exec(t, runner, "SET search_path = pg_catalog, pg_temp")
	s.start(runner, "CALL retention.run('p', $1)", asOf).ok()
	s.logged("p", counts{State: "done", Taken: 15, Kept: map[string]int64{"vip": 15}})
}

// hostile is a schema that an attacker owns and puts ahead of pg_catalog: everything in it that
// the plain driver's procedure or ours might call by its bare name tells on its caller.
const hostile = `
	CREATE SCHEMA hostile; GRANT USAGE, CREATE ON SCHEMA hostile TO PUBLIC;
	CREATE TABLE hostile.seen (who text, what text); GRANT INSERT ON hostile.seen TO PUBLIC;
	CREATE FUNCTION hostile.tell(what text) RETURNS void LANGUAGE sql AS 'INSERT INTO hostile.seen VALUES (current_user, what)';
	CREATE FUNCTION hostile.eq(a int, b int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''=''); RETURN true; END';
	CREATE OPERATOR hostile.= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.eq);
	CREATE FUNCTION hostile.lt(a timestamptz, b timestamptz) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''<''); RETURN true; END';
	CREATE OPERATOR hostile.< (LEFTARG = timestamptz, RIGHTARG = timestamptz, FUNCTION = hostile.lt);
	CREATE FUNCTION hostile.gt(a timestamptz, b timestamptz) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''>''); RETURN true; END';
	CREATE OPERATOR hostile.> (LEFTARG = timestamptz, RIGHTARG = timestamptz, FUNCTION = hostile.gt);
	CREATE FUNCTION hostile.now() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''now''); RETURN ''infinity''; END';
	CREATE FUNCTION hostile.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''clock_timestamp''); RETURN ''infinity''; END';
	CREATE FUNCTION hostile.pg_sleep(n float8) RETURNS void LANGUAGE sql AS 'SELECT hostile.tell(''pg_sleep'')';
	CREATE FUNCTION hostile.concat_ws(a text, b text, c text) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''concat_ws''); RETURN b; END';
	CREATE FUNCTION hostile.format(a text, b text) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''format''); RETURN a; END';
	CREATE FUNCTION hostile."format"(a text, b bigint) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.tell(''format''); RETURN a; END';
	CREATE TYPE hostile.text AS (x int); CREATE TYPE hostile.int8 AS (x int); CREATE TYPE hostile.record AS (x int);
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA hostile TO PUBLIC;`

// A hostile search_path of the session, of the role or of the database reaches nothing: neither
// the driver, which runs with its caller's rights, nor any function that it calls.
func TestHostileSearchPath(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM, `policies: {p: `+drowsyAt("50%")+`}
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
			t.Error("the plain procedure was not hijacked; then this test shows nothing")
		}
		s.start(runner, call).ok()
		s.leaves()
		s.logged("p", counts{State: "done", Taken: 30})
		if seen := pgtest.Column[string](t, s.watch,
			"SELECT who || ' called ' || what FROM hostile.seen"); len(seen) > 0 {
			t.Errorf("hijacked: %q", seen)
		}
	}
}

// So do temporary objects of the caller: pg_temp comes last in every pinned path.
func TestTemporaryObjectsOfTheCaller(t *testing.T) {
	t.Parallel()
	s := newStage(t, signals, guarded)
	s.refill(30)
	s.Exec(t, "INSERT INTO sig VALUES (15)")
	runner := s.session("retention_runner")
	pgtest.Exec(t, runner, `CREATE TEMP TABLE sig (m_id int); CREATE TEMP TABLE run (id int); CREATE TEMP TABLE hold (id int);
		CREATE TEMP TABLE m (id int, at timestamptz); INSERT INTO pg_temp.m VALUES (1, '2000-01-01'); GRANT ALL ON pg_temp.sig, pg_temp.m TO PUBLIC`)
	s.start(runner, "CALL retention.run('p', $1)", asOf).ok()
	if left := pgtest.Column[int](t, s.watch, "SELECT id FROM public.m"); len(left) != 1 || left[0] != 15 {
		t.Errorf("left are %v, want [15]", left)
	}
	if n := pgtest.Value[int](t, runner, "SELECT count(*) FROM pg_temp.m"); n != 1 {
		t.Error("the caller's temporary table lost a row")
	}
}
