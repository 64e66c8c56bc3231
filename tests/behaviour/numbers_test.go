package behaviour

import (
	"context"
	"fmt"
	"slices"
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

// Who looks at numbers alone sees which policy is behind and since when, and what stops it. 12 rows are due at noon.
func TestMetricsSayWhatIsBehind(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+"; CREATE TABLE child (m_id int REFERENCES m)", `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: {days: 7, at_least: 1}}}
    keep: {late: id = 20}
    budget: {rows: 5}
    breaker: {rows: 20}
    then: [delete]
jobs:
  j: {schedule: ["0 3 * * *", "0 5 * * 1"], run: [p]}`)
	in.Exec(t, "UPDATE retention.policy SET installed_at = '2024-01-01 00:00+00'; UPDATE retention.install SET adopted_at = '2024-01-01 00:00+00'")
	const behind, hour = "retention_caught_up_timestamp_seconds=2024-01-01 00:00", 60 * 60
	want := func(after string, want ...string) {
		t.Helper()
		got := pgtest.Column[string](t, in.Viewer(), `
			SELECT concat(m.name, '{' || (m.labels ->> 'guard') || '}', '=', CASE WHEN m.name ~ 'timestamp' AND m.name !~ 'success'
			           THEN to_char(to_timestamp(m.value) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') ELSE round(m.value)::text END)
			FROM retention.metrics m
			WHERE m.name ~ '(left|kept|row|tripped|running|caught_up|interval|paused|holds|until|scheduler|problems)' AND m.name !~ '_(refused|scanned|taken)_|_rows_total|table_rows'
			  AND m.labels ->> 'severity' IS DISTINCT FROM 'warning' AND m.name <> 'retention_failed_in_a_row' OR m.name = 'retention_failed_in_a_row' AND m.value > 0 ORDER BY 1`)
		always := []string{fmt.Sprintf("retention_interval_seconds=%d", 24*hour)}
		want = append(want, always...)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s:\n%s", after, diff)
		}
	}
	run := func() error {
		_, err := in.Call("CALL retention.run_job('j', $1)", noon)
		if err != nil {
			return err
		}
		return nil
	}
	want("migrate", behind, "retention_tripped=0", "retention_problems=0")
	for _, left := range []string{"7", "2"} { // of 12
		if err := run(); err != nil {
			t.Fatal(err)
		}
		want("a run that its budget ended", behind, "retention_rows_left="+left, "retention_rows_kept{late}=1", "retention_tripped=0", "retention_problems=0")
	}
	in.Exec(t, "INSERT INTO child VALUES (8)") // refuses to let it go
	if err := run(); err != nil {
		t.Fatal(err)
	}
	want("a row that is refused", behind, "retention_rows_left=1", "retention_rows_kept{late}=1", "retention_tripped=0", "retention_problems=0")
	in.Exec(t, "DELETE FROM child")
	in.Done("p", "2024-03-30 12:00:00+00")
	caught := "retention_caught_up_timestamp_seconds=2024-03-30 12:00"
	want("a run by hand that leaves nothing", caught, "retention_rows_left=0", "retention_rows_kept{late}=1", "retention_tripped=0", "retention_problems=0")
	if outcome, err := in.Call("CALL retention.run('p', $1, older_than => '30 days')", noon); err != nil {
		t.Fatal(outcome, err)
	}
	want("a longer window by hand", caught, "retention_rows_left=0", "retention_tripped=0", "retention_problems=0")

	if err := in.Operator("SELECT retention.pause('p', 'wait'), retention.place_hold('m', '1', 'case 1', '2999-01-01 00:00+00'), retention.place_hold('m', '2', 'case 2')"); err != nil {
		t.Fatal(err)
	}
	in.Exec(t, "UPDATE retention.setting SET set_at = '2024-03-01 00:00+00'")
	hold := []string{"retention_holds=2", "retention_hold_until_timestamp_seconds=2999-01-01 00:00"}
	want("a pause and holds", append(hold, caught, "retention_paused_timestamp_seconds=2024-03-01 00:00", "retention_rows_left=0", "retention_tripped=0", "retention_problems=0")...)
	in.Exec(t, "SELECT retention.resume('p'); INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(101, 130) i")
	in.Exec(t, "UPDATE retention.policy SET budget_rows = NULL")
	if err := run(); err == nil {
		t.Error("the breaker did not trip")
	}
	want("a breaker", append(hold, caught, "retention_rows_left=31", "retention_tripped=1", "retention_failed_in_a_row=1", "retention_problems=1")...)
	driver := in.Conn(t) // between the start of a run and its end
	pgtest.Exec(t, driver, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, started_at)
		SELECT name, table_name, hash, now(), 'running', clock_timestamp() - interval '1 hour 20 s' FROM retention.policy`)
	pgtest.Exec(t, driver, "BEGIN")
	pgtest.Exec(t, driver, "LOCK TABLE retention.run IN ROW EXCLUSIVE MODE")
	running := pgtest.Value[float64](t, in, "SELECT value FROM retention.metrics WHERE name = 'retention_running_seconds'")
	if running < hour || running > 3*hour {
		t.Errorf("running for %.0f seconds", running)
	}
}

// Rows count by table and by what was done with them, from run to run; several things that are done with one table count
// together.
func TestRowsByTableAndVerb(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE "old rows" (LIKE m); CREATE TABLE r (id int PRIMARY KEY, note text);
		CREATE TABLE part (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE); CREATE TABLE s (id int PRIMARY KEY, at timestamptz NOT NULL, parent int, done boolean);
		CREATE TABLE d (id int, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE d_1 PARTITION OF d FOR VALUES FROM ('2024-01-01') TO ('2024-01-02'); CREATE TABLE d_2 PARTITION OF d FOR VALUES FROM ('2024-01-02') TO ('2024-01-03');
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 5) i; INSERT INTO part SELECT i, i % 5 + 1 FROM generate_series(1, 12) i; INSERT INTO r VALUES (1), (2), (9);
		INSERT INTO s SELECT i, CASE WHEN i < 5 THEN timestamptz '2024-01-01' ELSE '2024-03-31' END, i - 4 FROM generate_series(1, 6) i; INSERT INTO d VALUES (1, '2024-01-01')`, `
policies:
  gone:
    table: m
    due: &week {age: {column: at, older_than: 7 days}}
    breaker: {fraction: 100%}
    then: [{archive: {into: '"old rows"'}}, {update: {table: r, as: r, where: "r.id = t.id", set: {note: "'gone'"}}}, {delete: {cascades: [part]}}]
  marked: {table: s, where: "done IS NULL", due: *week, then: [{update: {set: {done: "true"}}}]}
  self: {table: s, due: *week, then: [{update: {table: s, as: c, where: "c.parent = t.id AND c.id > 4", set: {parent: null}}}, delete]}
  parts: {partitions_of: d, due: {age: {older_than: 7 days}}, then: [{insert: {into: r, set: {id: "1000", note: name}}}, drop]}`)
	for _, policy := range []string{"gone", "marked", "self", "parts"} {
		in.SetBatch(2)
		if o := in.Done(policy, noon); o.Taken == 0 {
			t.Errorf("%+v", o)
		}
	}
	in.Exec(t, "INSERT INTO m VALUES (9, '2024-01-01'), (10, '2024-01-01')")
	in.Done("gone", noon)
	want := []string{"gone archive public.old rows 7", "gone cascade public.part 12", "gone delete public.m 7", "gone update public.r 3",
		"marked update public.s 4", "parts drop public.d 1", "parts insert public.r 1", "self delete+update public.s 6"}
	got := pgtest.Column[string](t, in.Viewer(), `SELECT concat_ws(' ', labels ->> 'policy', labels ->> 'verb', labels ->> 'table', value)
		FROM retention.metrics WHERE name = 'retention_rows_total' AND type = 'counter' ORDER BY 1`)
	if diff := cmp.Diff(want, got); diff != "" {
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
