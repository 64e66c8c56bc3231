package behaviour

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A monitoring system asks all the time: metrics waits for no lock, and counts nothing.
func TestMetricsWaitForNoLock(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+`; CREATE TABLE n (id int, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE n_1 PARTITION OF n FOR VALUES FROM ('2024-01-01') TO ('2024-02-01'); INSERT INTO n SELECT i, '2024-01-02' FROM generate_series(1, 7) i;
		CREATE TABLE empty (id int PRIMARY KEY, at timestamptz); ANALYZE`, `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  q: {table: n, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  r: {table: empty, due: {age: {column: at, older_than: 7 days}}, then: [delete]}`)
	viewer := in.Viewer()
	pgtest.Exec(t, viewer, "SET lock_timeout = '1ms'")
	locked, err := in.Conn(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = locked.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := locked.Exec(t.Context(), "LOCK TABLE m, n, n_1, empty IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	got := pgtest.Value[string](t, viewer, "SELECT string_agg(concat_ws(' ', labels ->> 'table', coalesce(value::text, 'unknown')), ', ' ORDER BY labels ->> 'table') FROM retention.metrics WHERE name = 'retention_table_rows'")
	if diff := cmp.Diff("public.empty 0, public.m 20, public.n 7", got); diff != "" {
		t.Error(diff)
	}
}

// The time that a run still needs is by its last batches, once there were ten.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	for _, c := range []struct {
		batches int
		want    string
	}{{9, "-"}, {10, "00:16:30"}, {60, "00:00:00.67"}} {
		tx, err := in.Conn(t).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// Counting takes an hour; the first 30 batches take 1 row in 1 s, the others 10 rows in 0.01 s.
		for _, sql := range []string{
			"LOCK TABLE retention.run IN ROW EXCLUSIVE MODE",
			`INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, due, started_at)
			 SELECT name, table_name, hash, now(), 'running', 1000, now() - interval '1 hour' FROM retention.policy`,
			`INSERT INTO retention.batch (run_id, n, mode, at, taken, next_pass, next_rows)
			 SELECT r.id, n, CASE n WHEN 0 THEN 'start' ELSE 'range' END, now() + least(n, 30) * interval '1 s' + greatest(n - 30, 0) * interval '10 ms',
			        CASE WHEN n > 30 THEN 10 ELSE least(n, 1) END, 1, 500
			 FROM retention.run r, generate_series(0, ` + fmt.Sprint(c.batches) + `) n`,
		} {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		got := pgtest.Value[string](t, tx, "SELECT coalesce(time_left::text, '-') FROM retention.progress")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d batches: %s", c.batches, diff)
		}
		_ = tx.Rollback(t.Context())
	}
}
