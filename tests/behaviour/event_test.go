package behaviour

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// emits are two policies that say which rows went, one that finds none, and a job of them all.
const emits = `
policies:
  late: {table: m, due: {age: {column: at, older_than: 15 days}}, batch: {rows: 2}, then: [delete, {emit: {event: gone, payload: {id: id}}}]}
  rest: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete, {emit: {event: left, payload: {id: id}}}]}
  none: {table: m, where: id < 0, then: [delete, {emit: {event: never, payload: {id: id}}}]}
jobs: {nightly: {schedule: "@daily", run: [late, rest, none]}}`

// rung are the notifications that a session hears until one with the payload "end".
func rung(t *testing.T, in *kit.Installed, listener *pgx.Conn) []map[string]any {
	t.Helper()
	in.Exec(t, "SELECT pg_notify('pgretain', '\"end\"')")
	ctx, cancel := context.WithTimeout(t.Context(), pgtest.MaxWait)
	defer cancel()
	var heard []map[string]any
	for {
		n, err := listener.WaitForNotification(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if n.Payload == `"end"` {
			return heard
		}
		payload := map[string]any{}
		if err := json.Unmarshal([]byte(n.Payload), &payload); err != nil || n.Channel != "pgretain" {
			t.Fatalf("%s: %v", n.Payload, err)
		}
		heard = append(heard, payload)
	}
}

// One NOTIFY for each run that wrote events, and none for the others.
func TestEventsAreRungOncePerRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, emits)
	listener := in.Conn(t)
	pgtest.Exec(t, listener, "LISTEN pgretain")
	if _, err := in.Call("CALL retention.run_job('nightly', $1)", noon); err != nil {
		t.Fatal(err)
	}
	got := rung(t, in, listener)
	want := []map[string]any{{"policy": "late", "run": 1.0, "events": 5.0}, {"policy": "rest", "run": 2.0, "events": 8.0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
	in.Exec(t, "INSERT INTO m VALUES (99, '2024-01-01')")
	in.Done("rest", noon)
	got = rung(t, in, listener)
	if diff := cmp.Diff([]map[string]any{{"policy": "rest", "run": 4.0, "events": 1.0}}, got); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
	if waiting := in.Rows("SELECT labels ->> 'policy', value FROM retention.metrics WHERE name = 'retention_events_waiting'"); strings.Join(waiting, " ") != "(late,5) (rest,9)" {
		t.Errorf("metrics: %v", waiting)
	}
}

// A bell that cannot be rung changes no run and stops no policy, whether it fails at once or only when it is committed:
// the call fails after all of that.
func TestBellThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ fault, code string }{
		"at once": {"REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC", "42501"},
		"at the commit": {`CREATE FUNCTION public.late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'too many notifications in the NOTIFY queue'; END $$;
			CREATE CONSTRAINT TRIGGER late AFTER INSERT ON retention.setting_change DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.late();
			CREATE OR REPLACE FUNCTION retention._ring(p_runs bigint[], p_full double precision DEFAULT pg_catalog.pg_notification_queue_usage())
			RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN INSERT INTO retention.setting_change (policy, name) VALUES ('x', 'x'); END $$`, "P0001"},
	} {
		in := kit.Install(t, plain, emits)
		in.Exec(t, c.fault)
		_, err := in.Call("CALL retention.run_job('nightly', $1)", noon)
		if (err == nil) != (c.code == "") || err != nil && err.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
		got := in.Rows("SELECT policy, state, taken FROM retention.run WHERE taken > 0")
		want := []string{`(late,done,5)`, `(rest,done,8)`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: runs:\n%s", name, diff)
		}
		if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.event"); n != 13 {
			t.Errorf("%s: %d events", name, n)
		}
	}
}

// A queue that is half full is left alone.
func TestBellAndAFullQueue(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, emits)
	in.Done("late", noon)
	listener := in.Conn(t)
	pgtest.Exec(t, listener, "LISTEN pgretain")
	for full, rings := range map[float64]int{0.5: 1, 0.51: 0} {
		pgtest.Exec(t, in.Runner(), "SELECT retention._ring(ARRAY[1], $1)", full) // a session rings for its own runs only
		if heard := rung(t, in, listener); len(heard) != rings {
			t.Errorf("%v: heard %v", full, heard)
		}
	}
}

// Each event is handed out once, oldest first; what is not committed comes again; two consumers do
// not wait for each other.
func TestTakeEvents(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, emits)
	if _, err := in.Call("CALL retention.run_job('nightly', $1)", noon); err != nil {
		t.Fatal(err)
	}
	written := pgtest.Column[string](t, in, "SELECT policy || (payload ->> 'id') FROM retention.event ORDER BY id")
	if len(written) != 13 || !strings.HasPrefix(written[4], "late") || !strings.HasPrefix(written[5], "rest") {
		t.Fatalf("%v", written)
	}
	consumers := []*pgx.Conn{in.Conn(t), in.Conn(t)}
	take := func(consumer int, arguments string) []string {
		t.Helper()
		return pgtest.Column[string](t, consumers[consumer], "SELECT policy || (payload ->> 'id') FROM retention.take_events("+arguments+")")
	}
	for _, c := range consumers {
		pgtest.Exec(t, c, "SET SESSION AUTHORIZATION retention_operator; SET lock_timeout = '3min'; BEGIN")
	}
	for _, c := range []struct {
		consumer  int
		arguments string
		want      []string
	}{{0, "3", written[:3]}, {1, "4", written[3:7]}, {0, "p_policy => 'late'", []string{}}, {0, "1, 'rest'", written[7:8]}, {0, "0", []string{}},
		{0, "p_event => 'gone'", []string{}}, {0, "2, p_event => 'left'", written[8:10]}, {0, "1, 'rest', 'left'", written[10:11]}, {0, "9, 'rest', 'gone'", []string{}}} {
		if diff := cmp.Diff(c.want, take(c.consumer, c.arguments)); diff != "" {
			t.Errorf("take_events(%s) (-want +got):\n%s", c.arguments, diff)
		}
	}
	pgtest.Exec(t, consumers[0], "ROLLBACK")
	pgtest.Exec(t, consumers[1], "COMMIT")
	if diff := cmp.Diff(append(append([]string{}, written[:3]...), written[7:]...), take(0, "")); diff != "" {
		t.Errorf("after the rollback (-want +got):\n%s", diff)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.event"); n != 0 {
		t.Errorf("%d events are left", n)
	}
	if _, err := in.Runner().Exec(t.Context(), "SELECT retention.take_events()"); err == nil {
		t.Error("the runner took events away")
	}
}
