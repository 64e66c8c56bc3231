package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// forbiddenStatement is a statement that would bypass the breaker, a hold, a pause, a window or the
// log.
type forbiddenStatement struct {
	name, sql, code string
}

// forbidden has statements that the server refuses to the runner, the operator, the viewer and all
// other roles.
var forbidden = []forbiddenStatement{
	{"a batch", "SELECT retention.p_take(NULL)", "42501"},
	{"a step", "SELECT retention._step(1)", "55000"},
	{"calling a batch by name", "SELECT retention._attempt_batch(NULL, NULL, 1, false, true, NULL)", "42501"},
	{"ending a run", "SELECT retention._finish(1, 'done')", "42501"},
	{"an interrupted step", "SELECT retention._step(1, true)", "55000"},
	{"a run of one's own making",
		`INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state)
		VALUES ('p', 'public.m', '', '2099-01-01', 'running')`,
		"42501"},
	{"another as_of", "UPDATE retention.run SET as_of = '2099-01-01'", "42501"},
	{"purging the log", "DELETE FROM retention.run", "42501"},
	{"emptying the log", "TRUNCATE retention.run, retention.batch", "42501"},
	{"a forged batch",
		`INSERT INTO retention.batch (run_id, n, mode, next_pass, next_rows)
		VALUES (1, 99, 'locked', 1, 1000000)`,
		"42501"},
	{"an updated batch", "UPDATE retention.batch SET next_rows = 1000000", "42501"},
	{"releasing a hold by hand", "UPDATE retention.hold SET released_at = now()", "42501"},
	{"deleting a hold", "DELETE FROM retention.hold", "42501"},
	{"moving a hold", "UPDATE retention.hold SET match = '{}'", "42501"},
	{"placing a hold by hand",
		`INSERT INTO retention.hold (table_name, rel, columns, attnums, types, match,
		reason) VALUES ('public.m', 1, '{}', '{}', '{}', '{}', 'x')`,
		"42501"},
	{"another breaker", "UPDATE retention.policy SET breaker_rows = NULL, breaker_fraction = NULL", "42501"},
	{"another function for the pass", `UPDATE retention.policy SET passes = '[{"beyond": "x"}]'`, "42501"},
	{"resuming by hand", "DELETE FROM retention.setting", "42501"},
	{"accepting by hand", "INSERT INTO retention.setting (policy, name, value) VALUES ('p', 'accepted', 'x')", "42501"},
	{"another window by hand", "INSERT INTO retention.setting (policy, name, value) VALUES ('p', 'window', '1 day')",
		"42501"},
	{"changing a setting", "SELECT retention._change_setting('p', 'window', '1 day', 'x')", "42501"},
	{"rewriting history", "DELETE FROM retention.setting_change", "42501"},
	{"adopting by hand", "UPDATE retention.install SET database_name = 'x'", "42501"},
	{"deleting rows", "DELETE FROM m", "42501"},
	{"truncating the table", "TRUNCATE m", "42501"},
	{"becoming the owner", "SET ROLE retention_owner", "42501"},
	{"becoming the migrating role", "SET ROLE kit_migrator", "42501"},
	{"a function of one's own in our schema", "CREATE FUNCTION retention.x() RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"42501"},
	{"a table of one's own in our schema", "CREATE TABLE retention.x (a int)", "42501"},
	{"another body for the driver",
		`CREATE OR REPLACE PROCEDURE retention.run(policy text,
		as_of timestamptz DEFAULT NULL, reason text DEFAULT NULL, INOUT outcome text DEFAULT NULL,
		older_than interval DEFAULT NULL, scope jsonb DEFAULT NULL, dry_run boolean DEFAULT false)
		LANGUAGE sql AS 'SELECT 1'`,
		"42501"},
	{"taking the driver over", "ALTER PROCEDURE retention.run OWNER TO CURRENT_USER", "42501"},
	{"another owner's rights", "ALTER FUNCTION retention._step(bigint, boolean) SECURITY INVOKER", "42501"},
	{"a trigger on the log",
		`CREATE TRIGGER x BEFORE INSERT ON retention.batch FOR EACH ROW
		EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
		"42501"},
}

// TestOnlyTheDriverTakesRows checks that no role can take rows or write the log except through the
// driver.
func TestOnlyTheDriverTakesRows(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.Exec(t, pgtest.MakeRole("races_stranger"))
	s.refill(30)
	s.Exec(t, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, pid) OVERRIDING SYSTEM VALUE
		SELECT 'p', 'public.m', hash, '2024-06-01', 'done', 1 FROM retention.policy WHERE name = 'p'`)
	for _, role := range []string{"retention_runner", "retention_operator", "retention_viewer", "races_stranger"} {
		conn := s.session(role)
		for _, a := range forbidden {
			err := s.start(conn, a.sql).wait()
			if err == nil {
				t.Errorf("%s was not refused %s: %s", role, a.name, a.sql)
				continue
			}
			code := a.code
			if role == "retention_viewer" || role == "races_stranger" {
				code = "42501"
			}
			if err.Code != code {
				t.Errorf("%s, %s: ended with %s %s, want %s", role, a.name, err.Code, err.Message, code)
			}
		}
	}
	s.wantLeft(numbers(1, 30)...)
}

// TestStepOfAnotherSessionsRun checks that a second session of the runner cannot execute a step of
// a run in progress.
func TestStepOfAnotherSessionsRun(t *testing.T) {
	t.Parallel()
	s := newStage(t, gateAt15, simple)
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	id := pgtest.Value[int64](t, s.watch, "SELECT id FROM retention.run WHERE state = 'running'")
	for _, sql := range []string{"SELECT retention._step($1)", "SELECT retention._step($1, true)"} {
		if err := s.start(s.session("retention_runner"), sql, id).wait(); err == nil || err.Code != "55000" {
			t.Errorf("%s ended with %v, want 55000", sql, err)
		}
	}
	s.openGate()
	run.mustSucceed()
	s.wantRun("p", counts{State: "done", Taken: 30})
}

// TestRunnerCallsTheDriversFunctions checks that a runner can call _begin and _step directly, but
// with the same limits on as_of and the same breaker as the driver.
func TestRunnerCallsTheDriversFunctions(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", strings.Replace(simple, "batch:", "breaker: {rows: 20}, batch:", 1))
	s.refill(30)
	conn := s.session("retention_runner")
	s.start(conn, `SELECT retention._begin(('p', clock_timestamp() + interval '1 minute', NULL, NULL, NULL,
		NULL, false, NULL))`).mustSucceed()
	if o := s.Last("p"); o.State != "failed" || o.SQLState != "22023" {
		t.Errorf("_begin with a future as_of ended with %+v, want 22023", o)
	}
	s.start(conn, "SELECT retention._begin(('p', $1::timestamptz, NULL, NULL, NULL, NULL, false, NULL))",
		asOf).mustSucceed()
	id := s.Last("p").ID
	s.start(conn, "SELECT retention._step($1)", id).mustSucceed()
	s.wantRun("p", counts{State: "tripped"})
	if err := s.start(conn, "SELECT retention._step($1)", id).wait(); err == nil || err.Code != "55000" {
		t.Errorf("_step of a tripped run ended with %v, want 55000", err)
	}
	s.wantLeft(numbers(1, 30)...)
}

// TestFutureAsOf checks that run refuses a future as_of and logs the run as failed. preview accepts
// it.
func TestFutureAsOf(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.Exec(t, "INSERT INTO m VALUES (1, clock_timestamp())")
	for _, role := range []string{"retention_runner", "retention_operator"} {
		for _, at := range []string{"infinity", "2099-01-01"} {
			err := s.start(s.session(role), "CALL retention.run('p', $1)", at).wait()
			if err == nil || err.Code != "22023" || !strings.Contains(err.Message, "in the future") {
				t.Errorf("a run of %s as of %s ended with %v, want 22023", role, at, err)
			}
			s.wantRun("p", counts{State: "failed"})
		}
	}
	s.wantLeft(1)
	s.wantUnlocked()
	if n := pgtest.Value[int](t, s.watch, "SELECT due FROM retention.preview('p', '2099-01-01')"); n != 1 {
		t.Errorf("the preview as of 2099 has %d rows due, want 1", n)
	}
}

// TestPublicHasNoRights checks that PUBLIC has no privilege on the schema or on any object in it.
func TestPublicHasNoRights(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM, "policies: {p: "+simple+"}\njobs: {nightly: {schedule: \"0 1 * * *\", run: [p]}}")
	open := pgtest.Column[string](t, s.watch, `
		SELECT 'schema ' || nspname FROM pg_namespace n, aclexplode(coalesce(nspacl, acldefault('n', nspowner))) a
		WHERE nspname = 'retention' AND a.grantee = 0
		UNION ALL
		SELECT p.oid::regprocedure::text FROM pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a
		WHERE pronamespace = 'retention'::regnamespace AND a.grantee = 0
		UNION ALL
		SELECT c.oid::regclass::text FROM pg_class c, aclexplode(coalesce(relacl, acldefault('r', relowner))) a
		WHERE relnamespace = 'retention'::regnamespace AND relkind IN ('r', 'v', 'p', 'm') AND a.grantee = 0`)
	if len(open) > 0 {
		t.Errorf("PUBLIC has privileges on %q", open)
	}
	// Every SECURITY DEFINER function has a fixed search_path that ends with pg_temp.
	loose := pgtest.Column[string](t, s.watch, `SELECT p.oid::regprocedure::text FROM pg_proc p
		WHERE pronamespace = 'retention'::regnamespace AND prosecdef
		  AND NOT coalesce(array_to_string(proconfig, ' ') LIKE '%search_path=%pg_temp%', false)`)
	if len(loose) > 0 {
		t.Errorf("SECURITY DEFINER functions without a fixed search_path: %q", loose)
	}
	// Only functions with a fixed search_path may call a function without one. So no role except
	// the owner and the worker may execute a function without a fixed search_path.
	callable := pgtest.Column[string](t, s.watch, `SELECT p.oid::regprocedure::text || ' by ' || a.grantee::regrole
		FROM pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a
		WHERE pronamespace = 'retention'::regnamespace AND NOT prosecdef AND prokind = 'f' AND a.grantee <> proowner
		  AND a.grantee <> 'retention_worker'::regrole
		  AND NOT coalesce(array_to_string(proconfig, ' ') LIKE '%search_path=%', false)
		  AND p.proname NOT LIKE '%\_rows'`)
	if len(callable) > 0 {
		t.Errorf("functions without a fixed search_path that others may execute: %q", callable)
	}
}

// TestRunnerIsNoOperator checks that the runner may not execute the operator's functions.
func TestRunnerIsNoOperator(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	conn := s.session("retention_runner")
	for _, sql := range []string{
		"SELECT retention.pause('p')",
		"SELECT retention.resume('p')",
		"SELECT retention.accept('p')",
		"SELECT retention.adopt()",
		"SELECT retention.set_window('p', '8 days', 'x')",
		"SELECT retention.place_hold('public.m', '1', 'x')",
		"SELECT retention.release_hold(1, 'x')",
	} {
		if err := s.start(conn, sql).wait(); err == nil || err.Code != "42501" {
			t.Errorf("%s ended with %v, want 42501", sql, err)
		}
	}
}

// TestCopyOfTheDatabase checks that runs in a copy of the database take nothing until an operator
// calls adopt().
func TestCopyOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.refill(30)
	s.Exec(t, "UPDATE retention.install SET system_identifier = 1")
	s.run("p").mustSucceed()
	if o := s.wantRun("p", counts{State: "paused"}); !strings.Contains(o.Message, "this is a copy") {
		t.Errorf("the message in the log is %q, want one about a copy", o.Message)
	}
	s.wantLeft(numbers(1, 30)...)
	if err := s.Operator("SELECT retention.adopt('meant')"); err != nil {
		t.Fatal(err)
	}
	s.run("p").mustSucceed()
	s.wantLeft()
}
