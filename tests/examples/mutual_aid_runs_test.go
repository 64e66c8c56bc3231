package examples

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// forgottenWhole checks an exchange with a message that cannot be changed. None of its rows is
// changed, and the run processes all other exchanges.
func (e *example) forgottenWhole(t *testing.T) {
	asOf := instants[0]
	e.fillMutualAid(t, asOf)
	_, taken := e.expectedAfter(t, asOf, memory[:1])
	// The trigger refuses the last message of a due request, so that other messages of its exchange
	// come first.
	request := pgtest.Value[string](t, e.conn, withAsOf(`SELECT x.request_id::text FROM messaging.messages m
		JOIN messaging.conversations c ON c.id = m.conversation_id
		JOIN requests.matches x ON x.id = c.request_match_id JOIN requests.help_requests r ON r.id = x.request_id
		WHERE m.forgotten_at IS NULL AND r.status = 'completed' AND r.content_forgotten_at IS NULL
			AND r.completed_at < :as_of - interval '364 days'
		GROUP BY 1 HAVING count(*) > 2 ORDER BY 1 LIMIT 1`, asOf))
	e.DB.Exec(t, `CREATE FUNCTION messaging.evidence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF OLD.id = (SELECT max(m.id) FROM messaging.messages m
				JOIN messaging.conversations c ON c.id = m.conversation_id
				JOIN requests.matches x ON x.id = c.request_match_id 
				WHERE x.request_id = '`+request+`' AND m.forgotten_at IS NULL) THEN
				RAISE 'this message is evidence'; END IF; RETURN NEW; END $$;
		ALTER FUNCTION messaging.evidence() SECURITY DEFINER;
		CREATE TRIGGER evidence BEFORE UPDATE ON messaging.messages FOR EACH ROW EXECUTE FUNCTION messaging.evidence()`)
	defer e.DB.Exec(t, "DROP FUNCTION messaging.evidence() CASCADE")
	whole := strings.Replace(memory[0].sql[0], "WHERE status = 'completed'", "WHERE r.id <> '"+
		request+"' AND status = 'completed'", 1)
	want, _ := e.expectedAfter(t, asOf, []step{{"exchange_forgotten", []string{whole}}})
	for _, rows := range []int{1000, 3} {
		e.SetBatch(rows)
		e.Run("exchange_forgotten", asOf)
		if diff := cmp.Diff(want, e.content(t)); diff != "" {
			t.Fatalf("batches of %d: rows differ (-want +got):\n%s", rows, diff)
		}
		o := e.Last("exchange_forgotten")
		if state := map[int]string{1000: "done", 3: "failed"}[rows]; o.State != state || o.Refused != 1 ||
			rows == 1000 && o.Taken != taken["exchange_forgotten"]-1 {
			t.Errorf("batches of %d: %+v", rows, o)
		}
		e.clearLog(t)
	}
}

// textsAreRemoved checks that no table, and no table of the runtime, contains a text after it was
// forgotten or deleted. There are finished requests, expired requests with and without a match, and
// expired messages.
func (e *example) textsAreRemoved(t *testing.T) {
	asOf := instants[0]
	e.fill(t, `INSERT INTO requests.help_requests (id, requester_id, title, description, payload, requirements,
		status, expired, updated_at, completed_at)
		SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, gen_random_uuid(), 'zauberwort',
			'zauberwort', '{"a": "zauberwort"}', '{"b": "zauberwort"}',
			s, s <> 'completed', :as_of - interval '90 days', CASE s WHEN 'completed'
				THEN :as_of - interval '181 days' END
		FROM unnest(ARRAY['completed', 'open', 'matched', 'in_progress']) WITH ORDINALITY u (s, n);
		INSERT INTO requests.matches (id, request_id, helper_id) SELECT id, id, id FROM requests.help_requests
			WHERE status <> 'open';
		INSERT INTO messaging.conversations (id, request_match_id) SELECT id, id FROM requests.matches;
		INSERT INTO messaging.conversations (id) VALUES ('00000000-0000-0000-0000-000000000009');
		INSERT INTO messaging.messages (conversation_id, sender_id, content, expired, created_at, updated_at)
		SELECT id, id, 'zauberwort', request_match_id IS NULL, :as_of - interval '90 days',
			:as_of - interval '8 days' FROM messaging.conversations`, asOf)
	words := func() int {
		t.Helper()
		n := 0
		for _, table := range pgtest.Column[string](t, e.conn,
			`SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname !~ '^(pg_|information_schema)'`) {
			n += pgtest.Value[int](t, e.conn, "SELECT count(*)::int FROM "+
				table+" x WHERE to_jsonb(x)::text LIKE '%zauberwort%'")
		}
		return n
	}
	if n := words(); n != 4+4 {
		t.Fatalf("%d rows have words", n)
	}
	e.runJob(t, "hard_delete", asOf)
	e.runJob(t, "memory", asOf)
	if n := words(); n != 0 {
		t.Errorf("%d rows have the words still", n)
	}
	left := pgtest.Column[string](t, e.conn, "SELECT status || ' ' || title FROM requests.help_requests ORDER BY id")
	if diff := cmp.Diff([]string{"completed [forgotten]", "matched [forgotten]", "in_progress [forgotten]"},
		left); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// healthAndMetrics checks that a failed run is a problem until a run succeeds, and that counters
// count taken rows.
func (e *example) healthAndMetrics(t *testing.T) {
	asOf := instants[0]
	e.fillMutualAid(t, asOf)
	problems := func() []string {
		t.Helper()
		return pgtest.Column[string](t, e.conn,
			"SELECT policy FROM retention.health() WHERE policy IS NOT NULL ORDER BY 1")
	}
	counter := func() float64 {
		t.Helper()
		return pgtest.Value[float64](t, e.conn, `SELECT value FROM retention.metrics
			WHERE name = 'retention_rows_taken_total' AND labels ->> 'policy' = 'notifications_destroy'`)
	}
	viewer := e.Conn(t)
	pgtest.Exec(t, viewer, "SET SESSION AUTHORIZATION retention_viewer")
	answer := func(status string, problems int) {
		t.Helper()
		got := pgtest.Value[map[string]any](t, viewer, fixture.ReadFile(t, directory("mutual-aid"), "health.sql"))
		at, err := time.Parse(time.RFC3339, fmt.Sprint(got["timestamp"]))
		uptime, counted := got["uptime"].(float64)
		list, _ := got["problems"].([]any)
		if got["status"] != status || got["service"] != "cleanup-service" || !counted || uptime < 0 || err != nil ||
			time.Since(at).Abs() > time.Hour || len(list) != problems {
			t.Errorf("GET /health answers %v, want %s with %d problems", got, status, problems)
		}
	}
	if diff := cmp.Diff([]string{}, problems()); diff != "" {
		t.Errorf("problems before anything ran:\n%s", diff)
	}
	answer("unhealthy", 9) // the tests deactivate the jobs
	const changed = 9      // health() warns of the schedule of each job, which starts no job during the test
	pgtest.Exec(t, e.conn, "UPDATE cron.job SET schedule = '0 0 29 2 *', active = true")
	defer pgtest.Exec(t, e.conn, "UPDATE cron.job SET active = false")
	answer("healthy", changed)
	before := counter()
	e.DB.Exec(t, "ALTER TABLE cleanup.exported_rows RENAME TO exported_elsewhere")
	if _, err := e.Call("CALL retention.run_job('hard_delete', $1)", asOf); err == nil {
		t.Error("hard_delete without a table to export to did not fail")
	}
	want := []string{"exports_expire", "messages_destroy", "notifications_destroy", "offers_destroy"}
	if diff := cmp.Diff(want, problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	answer("unhealthy", changed+len(want))
	e.DB.Exec(t, "ALTER TABLE cleanup.exported_elsewhere RENAME TO exported_rows")
	answer("healthy", changed+len(want)) // the next run continues, so these are warnings
	if counter() != before {
		t.Error("a failed run was counted")
	}
	_, taken := e.expectedAfter(t, asOf, hardDelete)
	e.job(t, "hard_delete", asOf, hardDelete)
	if diff := cmp.Diff([]string{}, problems()); diff != "" {
		t.Errorf("problems after a good run:\n%s", diff)
	}
	answer("healthy", changed)
	if got := counter() - before; got != float64(taken["notifications_destroy"]) {
		t.Errorf("the counter went up by %v, want %d", got, taken["notifications_destroy"])
	}
}

// oneInstance checks two runs of job dibs at the same time. One run processes the rows. The other
// waits for its bounded time and ends "busy".
func (e *example) oneInstance(t *testing.T) {
	asOf := instants[0]
	e.fillMutualAid(t, asOf)
	want, _ := e.expectedAfter(t, asOf, dibs)
	e.DB.Exec(t, `CREATE FUNCTION requests.gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			WHILE NOT pg_try_advisory_xact_lock(4711) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END $$;
		CREATE TRIGGER gate BEFORE UPDATE ON requests.dibs FOR EACH ROW EXECUTE FUNCTION requests.gate()`)
	defer e.DB.Exec(t, "DROP FUNCTION requests.gate() CASCADE")
	gate, other := e.Conn(t), e.Conn(t)
	pgtest.Exec(t, other, "SET SESSION AUTHORIZATION retention_runner")
	pgtest.Exec(t, gate, "SELECT pg_advisory_lock(4711)")
	defer gate.Close(context.Background()) // opens the gate in every case
	done := make(chan error, 1)
	go func() {
		_, err := other.Exec(context.Background(), "CALL retention.run_job('dibs', $1)", asOf)
		done <- err
	}()
	pgtest.Until(t, gate, "SELECT count(*) > 0 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'",
		other.PgConn().PID())
	e.DB.Exec(t, "UPDATE retention.job SET every = '10 ms' WHERE name = 'dibs'") // a run waits half of the interval
	defer e.DB.Exec(t, "UPDATE retention.job SET every = '5 min' WHERE name = 'dibs'")
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
