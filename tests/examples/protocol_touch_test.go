package examples

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pgretain/tests/pgtest"
)

// touch calls the application's function and returns the numbers of touched and revived rows.
func (e *example) touch(t *testing.T, slugs ...string) string {
	t.Helper()
	return pgtest.Value[string](t, e.conn, `SELECT touched || ' ' || revived
		FROM retention.tracked_protocols_touch($1)`, append([]string{}, slugs...))
}

// protocolTouch checks touches of several slugs in different spellings. Each touched row gets the
// time of the call, and no other row changes.
func (e *example) protocolTouch(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	for name, c := range map[string]struct {
		slugs []string
		want  string
		read  []string
	}{
		"nothing": {nil, "0 0", []string{}},
		"unknown": {[]string{"nobody", "p-1000", "P-1"}, "0 0", []string{}},
		"one":     {[]string{"p-1"}, "1 0", []string{"p-1"}},
		"several": {[]string{"p-5", "p-2", "Ünknown protocol 7"}, "3 0",
			[]string{"p-2", "p-5", "Ünknown protocol 7"}},
		"repeated":           {[]string{"p-1", "p-1", " p-1", "p-1\n", "\tp-1 "}, "1 0", []string{"p-1"}},
		"empty and repeated": {[]string{"", "  ", "p-2", "p-2", "nobody"}, "1 0", []string{"p-2"}},
		"never read":         {[]string{"p-9"}, "1 0", []string{"p-9"}},
	} {
		e.fillProtocols(t, asOf, 30)
		before := e.content(t)
		start := pgtest.Value[string](t, e.conn, "SELECT clock_timestamp()::text")
		if got := e.touch(t, c.slugs...); got != c.want {
			t.Errorf("%s: touched and revived %s, want %s", name, got, c.want)
		}
		read := pgtest.Column[string](t, e.conn, `SELECT slug FROM public.tracked_protocols
			WHERE last_read_at BETWEEN $1::timestamptz AND clock_timestamp()`, start)
		if diff := cmp.Diff(sorted(c.read), sorted(read)); diff != "" {
			t.Errorf("%s: what was read differs (-want +got):\n%s", name, diff)
		}
		e.onlyChanged(t, before, "public.tracked_protocols")
		same := "SELECT slug || name || created_at FROM public.tracked_protocols ORDER BY 1"
		if got := len(pgtest.Column[string](t, e.conn, same)); got != len(before["public.tracked_protocols"]) {
			t.Errorf("%s: %d rows", name, got)
		}
		// A touched row is not due now.
		e.runJob(t, "prune", start)
		if left := pgtest.Value[int](t, e.conn, "SELECT count(*) FROM public.tracked_protocols WHERE slug = ANY ($1)",
			c.read); left != len(c.read) {
			t.Errorf("%s: %d of them are left", name, left)
		}
	}
}

// protocolRevive checks that a touch of a deleted protocol tracks it again and writes one event for
// the ingest. A slug that is no protocol is not tracked.
func (e *example) protocolRevive(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	e.fillProtocols(t, asOf, 30)
	e.runJob(t, "prune", asOf)
	e.clearLog(t)
	before := e.content(t)
	start := pgtest.Value[string](t, e.conn, "SELECT clock_timestamp()::text")
	if got := e.touch(t, " p-5 ", "p-5", "p-1", "nobody", "p-60"); got != "1 2" { // p-60 was never tracked
		t.Fatalf("touched and revived %s, want 1 2", got)
	}
	rows := pgtest.Column[string](t, e.conn, `
		SELECT concat_ws(' ', slug, name, created_at >= $1::timestamptz, last_read_at >= $1::timestamptz)
		FROM public.tracked_protocols WHERE slug IN ('p-5', 'p-60') ORDER BY slug`, start)
	if diff := cmp.Diff([]string{"p-5 P 5 t t", "p-60 P 60 t t"}, rows); diff != "" {
		t.Error(diff)
	}
	events := pgtest.Column[string](t, e.conn,
		"SELECT concat_ws(' ', policy, event, payload ->> 'slug') FROM retention.event ORDER BY 1")
	if diff := cmp.Diff([]string{"tracked_protocols protocol_revived p-5", "tracked_protocols protocol_revived p-60"},
		events); diff != "" {
		t.Error(diff)
	}
	if got := e.touch(t, "p-5", "p-60"); got != "2 0" {
		t.Errorf("again: touched and revived %s, want 2 0", got)
	}
	if n := pgtest.Value[int](t, e.conn, "SELECT count(*) FROM retention.event"); n != 2 {
		t.Errorf("%d events for two protocols", n)
	}
	e.onlyChanged(t, before, "public.tracked_protocols", "retention.event")
}

// protocolWithoutData checks that a touch of a tracked protocol without data writes an event for
// the ingest, until it has data.
func (e *example) protocolWithoutData(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	e.fillProtocols(t, asOf, 30)
	pgtest.Exec(t, e.conn, "DELETE FROM public.protocol_metrics WHERE slug IN ('p-1', 'p-2', 'p-60')")
	events := func(want ...string) {
		t.Helper()
		got := pgtest.Column[string](t, e.conn,
			"SELECT concat_ws(' ', event, payload ->> 'slug') FROM retention.take_events() ORDER BY id")
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	}
	// Slug 7 is tracked, but no protocol has it, so there is nothing to ingest.
	if got := e.touch(t, "p-1", "p-3", "p-60", "Ünknown protocol 7"); got != "3 1" {
		t.Errorf("touched and revived %s, want 3 1", got)
	}
	events("protocol_revived p-1", "protocol_revived p-60")
	e.touch(t, "p-1")
	events("protocol_revived p-1")
	pgtest.Exec(t, e.conn, withAsOf(`INSERT INTO public.protocol_metrics (slug, measured_at, tvl)
		VALUES ('p-1', :as_of, 1)`, asOf))
	e.touch(t, "p-1")
	events()
}

// protocolConsumers checks that the ingest takes only events of revived protocols, and leaves
// events of pruned ones to other consumers.
func (e *example) protocolConsumers(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	e.fillProtocols(t, asOf, 30)
	e.runJob(t, "prune", asOf)
	pruned := e.Last("tracked_protocols").Taken
	e.touch(t, "p-5", "p-60")
	take := func(event string) []string {
		return pgtest.Column[string](t, e.conn, "SELECT payload ->> 'slug' FROM retention.take_events(p_event => $1)",
			event)
	}
	if diff := cmp.Diff([]string{"p-5", "p-60"}, take("protocol_revived")); diff != "" {
		t.Error(diff)
	}
	if again, left := take("protocol_revived"), take("protocol_pruned"); len(again) != 0 ||
		int64(len(left)) != pruned || pruned == 0 {
		t.Errorf("%v once more, and %d that were pruned, want %d", again, len(left), pruned)
	}
}

// protocolLog checks that the report after a run has the number of deleted protocols, at most 20 of
// their names, and the state done.
func (e *example) protocolLog(t *testing.T) {
	const asOf = "2024-03-31 12:00:00+00"
	for _, deleted := range []int{0, 3, 20, 50} {
		e.fill(t, fmt.Sprintf(`INSERT INTO public.tracked_protocols (slug, name, last_read_at)
			SELECT 'p-' || i, 'P', :as_of - interval '31 days' FROM generate_series(1, %d) i`, deleted), asOf)
		e.runJob(t, "prune", asOf)
		rows := e.report(t, "pruned")
		if len(rows) != 1 || rows[0]["deleted"] != float64(deleted) || rows[0]["state"] != "done" {
			t.Fatalf("%d were deleted, the report says %v", deleted, rows)
		}
		slugs, _ := rows[0]["slugs"].([]any)
		if len(slugs) != min(deleted, 20) {
			t.Errorf("%d were deleted, the report names %v", deleted, slugs)
		}
		if n := pgtest.Value[int](t, e.conn, `SELECT count(DISTINCT payload ->> 'slug') FROM retention.event
			WHERE event = 'protocol_pruned' AND run_id = $1`,
			e.Last("tracked_protocols").ID); n != deleted {
			t.Errorf("%d were deleted, %d events name them", deleted, n)
		}
	}
}
