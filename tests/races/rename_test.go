package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// TestGuardTableRenamedDuringABatch renames the table of a guard after a batch has compared the
// mark, while the batch waits for the policy's own table. No row is taken after that. If the guard
// names the table, the run trips and says what to do. If only a function of the application names
// it, the run skips the rows and shows the server's message.
func TestGuardTableRenamedDuringABatch(t *testing.T) {
	t.Parallel()
	const function = `CREATE FUNCTION has_signal(p_id int) RETURNS boolean LANGUAGE plpgsql STABLE
		SET search_path = public, pg_temp AS 'BEGIN RETURN EXISTS (SELECT FROM sig s WHERE s.m_id = p_id); END'`
	for name, c := range map[string]struct{ rule, state, message string }{
		"one statement": {guarded, "tripped", `table "public.sig" is not there; undo it, or correct the policy file`},
		"row by row":    {guarded, "tripped", `table "public.sig" is not there; undo it, or correct the policy file`},
		"in a function": {
			withKeep(simple, "has_signal(id)"), "done",
			`20 rows were refused, the first: relation "sig" does not exist`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals+function, c.rule)
			s.Exec(t, "GRANT SELECT ON sig TO retention_worker")
			s.refill(30)
			s.Exec(t, "UPDATE retention.policy SET batch_time_ms = NULL, batch_rows = 10")
			if name == "row by row" {
				s.useRowByRow()
			}
			runner := s.session("retention_runner")
			run := pgtest.Value[int64](t, runner, `SELECT s.run_id
				FROM retention._begin(('p', '`+asOf+`', NULL, NULL, NULL, NULL, false, NULL)) s`)
			for range 2 { // the start, and the first batch
				pgtest.Exec(t, runner, "SELECT retention._step($1)", run)
			}
			s.wantLeft(numbers(11, 30)...)
			s.appExec("BEGIN; LOCK TABLE m IN ACCESS EXCLUSIVE MODE")
			step := s.start(runner, "SELECT retention._step($1)", run)
			step.mustWait()
			s.Exec(t, "ALTER TABLE sig RENAME TO gone")
			s.appExec("COMMIT")
			step.mustSucceed()
			for n := 0; n < 200 && s.Last("p").State == "running"; n++ {
				pgtest.Exec(t, runner, "SELECT retention._step($1)", run)
			}
			if o := s.Last("p"); o.State != c.state || !strings.Contains(o.Message, c.message) {
				t.Errorf("the run ended %s: %s; want %s: %s", o.State, o.Message, c.state, c.message)
			}
			s.wantLeft(numbers(11, 30)...)
			s.wantUnlocked()
		})
	}
}
