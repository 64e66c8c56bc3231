package races

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// TestCancelledDryRun cancels a dry run while it waits in code of the policy, in its first or its
// second batch. It must leave nothing: no taken row, no row in a table of the runtime, and no lock.
// The caller gets the server's error. A dry run and a run of the same session then work.
func TestCancelledDryRun(t *testing.T) {
	t.Parallel()
	const jobs = "\njobs: {j: {schedule: '@daily', run: [p]}}"
	wait := map[string]string{
		"at the start":          `where: "waits(id)"`,
		"in the first batch":    `keep: {k: "NOT waits(id)"}`,
		"in the second batch":   `keep: {k: "id > 15 AND NOT waits(id)"}`,
		"in a trigger":          "",
		"statement_timeout":     `keep: {k: "NOT waits(id)"}`,
		"a call of preview_job": `keep: {k: "NOT waits(id)"}`,
	}
	for name, rule := range wait {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := tableM + `CREATE TABLE other (id int);
				CREATE FUNCTION waits(id int) RETURNS boolean LANGUAGE plpgsql AS $$
				BEGIN
					PERFORM pg_advisory_xact_lock_shared(77);
					RETURN true;
				END $$;`
			if rule == "" {
				schema += `CREATE FUNCTION wait_too() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS
					'BEGIN PERFORM waits(old.id); RETURN old; END';
					CREATE TRIGGER wait_too BEFORE DELETE ON m FOR EACH ROW WHEN (old.id = 15)
						EXECUTE FUNCTION wait_too();`
			} else {
				rule += ", "
			}
			s := newStageOf(t, schema, "policies: {p: "+strings.Replace(simple, "then:", rule+"then:", 1)+"}"+jobs)
			s.refill(30)
			s.Exec(t, "UPDATE retention.policy SET batch_time_ms = NULL, batch_rows = 10")
			before := s.everything()
			call := "CALL retention.run('p', $1, dry_run => true)"
			conn := s.session("retention_operator")
			switch name {
			case "a call of preview_job":
				call = "SELECT * FROM retention.preview_job('j', $1)"
			case "statement_timeout":
				pgtest.Exec(t, conn, "SET statement_timeout = '3s'")
			}
			s.shutGate()
			dry := s.start(conn, call, asOf)
			if name != "statement_timeout" {
				dry.mustWait()
				s.Exec(t, "SELECT pg_cancel_backend($1)", dry.pid)
			}
			if err := dry.wait(); err == nil || err.Code != "57014" {
				t.Errorf("raised %v, want 57014", err)
			}
			s.openGate()
			pgtest.Exec(t, conn, "SET statement_timeout = 0")
			s.wantUnlocked()
			if locks := pgtest.Column[string](t, s.watch, `SELECT concat_ws(' ', locktype, mode, relation::regclass)
				FROM pg_locks WHERE pid = $1`, dry.pid); len(locks) > 0 {
				t.Errorf("the session still has the locks %q", locks)
			}
			if diff := cmp.Diff(before, s.everything()); diff != "" {
				t.Errorf("the dry run left something (-before +after):\n%s", diff)
			}
			s.start(conn, "CALL retention.run('p', $1, dry_run => true)", asOf).mustSucceed()
			if o := s.Last("p"); o.State != "done" || o.Taken != 30 {
				t.Errorf("the next dry run ended %s after %d rows, want done after 30", o.State, o.Taken)
			}
			s.start(conn, "CALL retention.run('p', $1)", asOf).mustSucceed()
			s.wantLeft()
		})
	}
}

// everything returns all rows of all tables of the application and the runtime, as text.
func (s *stage) everything() []string {
	s.t.Helper()
	var all []string
	for _, table := range pgtest.Column[string](s.t, s.watch, `SELECT c.oid::regclass::text FROM pg_class c
		WHERE c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, 'retention'::regnamespace) ORDER BY 1`) {
		all = append(all, pgtest.Column[string](s.t, s.watch,
			fmt.Sprintf("SELECT '%s ' || x::text FROM %[1]s x ORDER BY 1", table))...)
	}
	return all
}
