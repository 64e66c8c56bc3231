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
