package examples

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// forgottenWhole: where one message of an exchange cannot be changed, none of it is, and all other
// exchanges are forgotten.
func (e *example) forgottenWhole(t *testing.T) {
	asOf := instants[0]
	e.fillMutualAid(t, asOf)
	_, taken := e.after(t, asOf, memory[:1])
	// One message of a request that is due: the last one, so that others of its exchange come first.
	request := pgtest.Value[string](t, e.conn, says(`SELECT x.request_id::text FROM messaging.messages m JOIN messaging.conversations c ON c.id = m.conversation_id
		JOIN requests.matches x ON x.id = c.request_match_id JOIN requests.help_requests r ON r.id = x.request_id
		WHERE m.forgotten_at IS NULL AND r.status = 'completed' AND r.content_forgotten_at IS NULL AND r.completed_at < :as_of - interval '364 days'
		GROUP BY 1 HAVING count(*) > 2 ORDER BY 1 LIMIT 1`, asOf))
	e.DB.Exec(t, `CREATE FUNCTION messaging.evidence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF OLD.id = (SELECT max(m.id) FROM messaging.messages m JOIN messaging.conversations c ON c.id = m.conversation_id
				JOIN requests.matches x ON x.id = c.request_match_id WHERE x.request_id = '`+request+`' AND m.forgotten_at IS NULL) THEN
				RAISE 'this message is evidence'; END IF; RETURN NEW; END $$;
		ALTER FUNCTION messaging.evidence() SECURITY DEFINER;
		CREATE TRIGGER evidence BEFORE UPDATE ON messaging.messages FOR EACH ROW EXECUTE FUNCTION messaging.evidence()`)
	defer e.DB.Exec(t, "DROP FUNCTION messaging.evidence() CASCADE")
	whole := strings.Replace(memory[0].sql[0], "WHERE status = 'completed'", "WHERE r.id <> '"+request+"' AND status = 'completed'", 1)
	want, _ := e.after(t, asOf, []step{{"exchange_forgotten", []string{whole}}})
	for _, rows := range []int{1000, 3} {
		e.SetBatch(rows)
		e.Run("exchange_forgotten", asOf)
		if diff := cmp.Diff(want, e.content(t)); diff != "" {
			t.Fatalf("batches of %d: rows differ (-want +got):\n%s", rows, diff)
		}
		o := e.Last("exchange_forgotten")
		if o.State != "done" || o.Refused != 1 || rows == 1000 && o.Taken != taken["exchange_forgotten"]-1 {
			t.Errorf("batches of %d: %+v", rows, o)
		}
		e.forget(t)
	}
}

// healthAndMetrics: a run that failed is a problem until one succeeds, and counters count rows.
func (e *example) healthAndMetrics(t *testing.T) {
	asOf := instants[0]
	e.fillMutualAid(t, asOf)
	problems := func() []string {
		t.Helper()
		return pgtest.Column[string](t, e.conn, "SELECT policy FROM retention.health() WHERE policy IS NOT NULL ORDER BY 1")
	}
	counter := func() float64 {
		t.Helper()
		return pgtest.Value[float64](t, e.conn, `SELECT value FROM retention.metrics
			WHERE name = 'retention_rows_taken_total' AND labels ->> 'policy' = 'notifications_destroy'`)
	}
	if diff := cmp.Diff([]string{}, problems()); diff != "" {
		t.Errorf("problems before anything ran:\n%s", diff)
	}
	before := counter()
	e.DB.Exec(t, "ALTER TABLE cleanup.exported_rows RENAME TO exported_elsewhere")
	if _, err := e.Call("CALL retention.run_job('hard_delete', $1)", asOf); err == nil {
		t.Error("hard_delete without a table to export to did not fail")
	}
	e.DB.Exec(t, "ALTER TABLE cleanup.exported_elsewhere RENAME TO exported_rows")
	want := []string{"exports_expire", "messages_destroy", "notifications_destroy", "offers_destroy"}
	if diff := cmp.Diff(want, problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if counter() != before {
		t.Error("a failed run was counted")
	}
	_, taken := e.after(t, asOf, hardDelete)
	e.job(t, "hard_delete", asOf, hardDelete)
	if diff := cmp.Diff([]string{}, problems()); diff != "" {
		t.Errorf("problems after a good run:\n%s", diff)
	}
	if got := counter() - before; got != float64(taken["notifications_destroy"]) {
		t.Errorf("the counter went up by %v, want %d", got, taken["notifications_destroy"])
	}
}

// oneInstance: of two that expire dibs at the same time one does it, the other passes by.
func (e *example) oneInstance(t *testing.T) {
	asOf := instants[0]
	e.fillMutualAid(t, asOf)
	want, _ := e.after(t, asOf, dibs)
	e.DB.Exec(t, `CREATE FUNCTION requests.gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			WHILE NOT pg_try_advisory_xact_lock(4711) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END $$;
		CREATE TRIGGER gate BEFORE UPDATE ON requests.dibs FOR EACH ROW EXECUTE FUNCTION requests.gate()`)
	defer e.DB.Exec(t, "DROP FUNCTION requests.gate() CASCADE")
	gate, other := e.Conn(t), e.Conn(t)
	pgtest.Exec(t, other, "SET SESSION AUTHORIZATION retention_runner")
	pgtest.Exec(t, gate, "SELECT pg_advisory_lock(4711)")
	defer gate.Close(context.Background()) // which opens it, whatever happens
	done := make(chan error, 1)
	go func() {
		_, err := other.Exec(context.Background(), "CALL retention.run_job('dibs', $1)", asOf)
		done <- err
	}()
	pgtest.Until(t, gate, "SELECT count(*) > 0 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", other.PgConn().PID())
	e.runJob(t, "dibs", asOf)
	if o := e.Last("dibs_expire"); o.State != "busy" || o.Taken != 0 {
		t.Errorf("the second instance: %+v", o)
	}
	pgtest.Exec(t, gate, "SELECT pg_advisory_unlock(4711)")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, e.content(t)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
