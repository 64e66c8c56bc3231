package races

import (
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestRunJobAsksEverything simulates a change that the mark overlooks: a trigger of a role that is
// not trusted, after which the mark is stored again. A run that a person starts must not rely on
// the mark. It asks everything, and takes no row.
func TestRunJobAsksEverything(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL)",
		`install: {scheduler: none}
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs:
  j: {schedule: "* * * * *", run: [p]}
`)
	in.Exec(t, pgtest.MakeRole("asks_eve")+`
		CREATE SCHEMA eve AUTHORIZATION asks_eve;
		CREATE FUNCTION eve.t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN old; END';
		ALTER FUNCTION eve.t() OWNER TO asks_eve`)
	take := func(call, state string, rows int) {
		t.Helper()
		in.Exec(t, `INSERT INTO m SELECT n, now() - interval '8 days' FROM generate_series(1, 5) n
			ON CONFLICT DO NOTHING`)
		in.Call("CALL retention." + call) //nolint:errcheck // the log has the state
		left := pgtest.Value[int](t, in, "SELECT count(*) FROM m")
		if last := in.Last("p"); last.State != state || left != rows {
			t.Errorf("%s ended %s: %s, and left %d rows; want %s and %d rows", call, last.State, last.Message, left,
				state, rows)
		}
	}
	take("run_job('j')", "done", 0)
	in.Exec(t, `CREATE TRIGGER t BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION eve.t();
		UPDATE retention.vouched v SET mark = k.mark, asked_at = clock_timestamp()
		FROM retention.vouched o CROSS JOIN LATERAL retention._marks(ARRAY[o]) k WHERE v.policy = 'p'`)
	if !pgtest.Value[bool](t, in, "SELECT retention._is_vouched(p) FROM retention.policy p") {
		t.Error("the mark does not overlook the trigger")
	}
	take("run_job('j', dry_run => true)", "tripped", 5)
	take("run_job('j')", "tripped", 5)
	take("run_if_due('j')", "tripped", 5)
	in.Exec(t, "DROP TRIGGER t ON m")
	take("run('p')", "done", 0)
}

// TestRunJobAsksAgainForEachPolicy runs a policy in another job while run_job is busy with the
// policy before it. What the other run asked is older than the run of run_job, so that asks again.
func TestRunJobAsksAgainForEachPolicy(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE n (LIKE m INCLUDING ALL);
		INSERT INTO m VALUES (1, '2024-01-01'); INSERT INTO n VALUES (1, '2024-01-01');
		CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN PERFORM pg_advisory_xact_lock_shared(15); RETURN old; END';
		CREATE TRIGGER waits BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION waits()`,
		`install: {scheduler: none}
policies:
  p: {table: m, triggers: [waits], due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  q: {table: n, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs:
  j: {schedule: "@hourly", run: [p, q]}
  k: {schedule: "@hourly", run: [q]}
`)
	gate := in.Conn(t)
	pgtest.Exec(t, gate, "SELECT pg_advisory_lock(15)")
	runner, ended := in.Conn(t, "retention_runner"), make(chan error, 1)
	go func() {
		_, err := runner.Exec(t.Context(), "CALL retention.run_job('j')")
		ended <- err
	}()
	pgtest.Until(t, in, `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`)
	in.Call("CALL retention.run_if_due('k')") //nolint:errcheck // the log has the state
	opened := pgtest.Value[string](t, in, "SELECT clock_timestamp()::text")
	pgtest.Exec(t, gate, "SELECT pg_advisory_unlock(15)")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if !pgtest.Value[bool](t, in, "SELECT asked_at > $1 FROM retention.vouched WHERE policy = 'q'", opened) {
		t.Error("the run of q by run_job relied on what the run of job k had asked")
	}
}
