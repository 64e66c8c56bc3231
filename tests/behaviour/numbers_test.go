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

// TestMetricsWaitForNoLock checks that the view metrics waits for no lock on a table of a policy.
// It reads estimated row counts.
func TestMetricsWaitForNoLock(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+`;
		CREATE TABLE n (id int, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE n_1 PARTITION OF n FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
		INSERT INTO n SELECT i, '2024-01-02' FROM generate_series(1, 7) i;
		CREATE TABLE empty (id int PRIMARY KEY, at timestamptz);
		ANALYZE`, `
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
	got := pgtest.Value[string](t, viewer, `SELECT string_agg(concat_ws(' ', labels ->> 'table',
		coalesce(value::text, 'unknown')), ', ' ORDER BY labels ->> 'table') FROM retention.metrics
		WHERE name = 'retention_table_rows'`)
	if diff := cmp.Diff("public.empty 0, public.m 20, public.n 7", got); diff != "" {
		t.Errorf("the metric differs (-want +got):\n%s", diff)
	}
}

// TestMetricsOfLatePolicy checks that metrics show which policy is late, since when, and why. 12
// rows are due at noon.
func TestMetricsOfLatePolicy(t *testing.T) {
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
	in.Exec(t, `UPDATE retention.policy SET installed_at = '2024-01-01 00:00+00';
		UPDATE retention.install SET adopted_at = '2024-01-01 00:00+00';
		UPDATE retention.job SET installed_at = '2024-01-01 00:00+00'`)
	const behind, hour = "retention_caught_up_timestamp_seconds=2024-01-01 00:00", 60 * 60
	want := func(after string, want ...string) {
		t.Helper()
		got := pgtest.Column[string](t, in.Viewer(), `
			SELECT concat(m.name, '{' || (m.labels ->> 'guard') || '}', '=',
			       CASE WHEN m.name ~ 'caught' AND m.value > extract(epoch FROM now()) - 600 THEN 'now'
			            WHEN m.name ~ 'timestamp' AND m.name !~ 'success'
			            THEN to_char(to_timestamp(m.value) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
			            ELSE round(m.value)::text END)
			FROM retention.metrics m
			WHERE m.name ~ '(left|kept|row|tripped|running|caught_up|interval|paused|holds|until|scheduler|problems)'
			  AND m.name !~ '_(refused|scanned|taken)_|_rows_total|table_rows'
			  AND m.labels ->> 'severity' IS DISTINCT FROM 'warning' AND m.name !~ '_in_a_row'
			  OR m.name ~ '_in_a_row' AND m.value > 0 ORDER BY 1`)
		always := []string{fmt.Sprintf("retention_interval_seconds=%d", 24*hour)}
		want = append(want, always...)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", after, diff)
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
	// Two runs of five rows each, of 12 due rows.
	for _, after := range [][]string{{"retention_rows_left=7", "retention_rows_kept{late}=1"},
		{"retention_rows_left=2"}} {
		if err := run(); err != nil {
			t.Fatal(err)
		}
		want("a run that its budget ended", append(after, behind, "retention_tripped=0", "retention_problems=0")...)
	}
	in.Exec(t, "INSERT INTO child VALUES (8)") // its foreign key refuses the delete of row 8
	if err := run(); err != nil {
		t.Fatal(err)
	}
	want("a row that is refused", behind, "retention_rows_left=1", "retention_rows_kept{late}=1",
		"retention_tripped=0", "retention_problems=0")
	in.Exec(t, "DELETE FROM child")
	in.Done("p", "2024-03-30 12:00:00+00")
	want("a run by hand long before now", behind, "retention_rows_left=1", "retention_rows_kept{late}=1",
		"retention_tripped=0", "retention_problems=0")
	// Each row gets the age that it had at noon.
	in.Exec(t, "UPDATE m SET at = now() - (timestamptz '2024-03-31 12:00+00' - at)")
	in.Done("p", "now")
	caught := "retention_caught_up_timestamp_seconds=now"
	want("a run by hand that leaves nothing", caught, "retention_rows_left=0", "retention_rows_kept{late}=1",
		"retention_tripped=0", "retention_problems=0")
	if outcome, err := in.Call("CALL retention.run('p', $1, older_than => '30 days')", noon); err != nil {
		t.Fatal(outcome, err)
	}
	want("a longer window by hand", caught, "retention_rows_left=0", "retention_rows_kept{late}=1",
		"retention_tripped=0", "retention_problems=0")

	if err := in.Operator(`SELECT retention.pause('p', 'wait'), retention.place_hold('m', '1', 'case 1',
		'2999-01-01 00:00+00'), retention.place_hold('m', '2', 'case 2')`); err != nil {
		t.Fatal(err)
	}
	in.Exec(t, "UPDATE retention.setting SET set_at = '2024-03-01 00:00+00'")
	hold := []string{"retention_holds=2", "retention_hold_until_timestamp_seconds=2999-01-01 00:00"}
	want("a pause and holds", append(hold, caught, "retention_paused_timestamp_seconds=2024-03-01 00:00",
		"retention_rows_left=0", "retention_rows_kept{late}=1", "retention_tripped=0", "retention_problems=0")...)
	in.Exec(t, "SELECT retention.resume('p'); INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(101, 130) i")
	in.Exec(t, "UPDATE retention.policy SET budget_rows = NULL")
	if err := run(); err == nil {
		t.Error("the breaker did not trip")
	}
	want("a breaker", append(hold, caught, "retention_rows_left=30", "retention_tripped=1",
		"retention_failed_in_a_row=1", "retention_problems=1")...)
	// A "busy" call hides neither an earlier trip nor a run in progress.
	const busy = `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, ended_at)
		SELECT name, table_name, hash, now(), 'busy', now() FROM retention.policy`
	in.Exec(t, busy)
	want("a call that was busy", append(hold, caught, "retention_rows_left=30", "retention_tripped=1",
		"retention_failed_in_a_row=1", "retention_problems=1")...)
	driver := in.Conn(t) // has started a run that has not ended
	pgtest.Exec(t, driver, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, started_at)
		SELECT name, table_name, hash, now(), 'running', clock_timestamp() - interval '1 hour 20 s'
		FROM retention.policy`)
	pgtest.Exec(t, driver, "BEGIN")
	pgtest.Exec(t, driver, "LOCK TABLE retention.run IN ROW EXCLUSIVE MODE")
	in.Exec(t, busy)
	running := pgtest.Value[float64](t, in, `SELECT value FROM retention.metrics
		WHERE name = 'retention_running_seconds'`)
	if running < hour || running > 3*hour {
		t.Errorf("retention_running_seconds is %.0f, want 1 to 3 hours", running)
	}
}

// TestRowsByTableAndVerb checks that metrics count rows by table and verb, summed over runs.
// Several verbs on one table count together, as "delete+update".
func TestRowsByTableAndVerb(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE "old rows" (LIKE m);
		CREATE TABLE r (id int PRIMARY KEY, note text);
		CREATE TABLE part (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
		CREATE TABLE s (id int PRIMARY KEY, at timestamptz NOT NULL, parent int, done boolean);
		CREATE TABLE d (id int, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE d_1 PARTITION OF d FOR VALUES FROM ('2024-01-01') TO ('2024-01-02');
		CREATE TABLE d_2 PARTITION OF d FOR VALUES FROM ('2024-01-02') TO ('2024-01-03');
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 5) i;
		INSERT INTO part SELECT i, i % 5 + 1 FROM generate_series(1, 12) i;
		INSERT INTO r VALUES (1), (2), (9);
		INSERT INTO s SELECT i, CASE WHEN i < 5 THEN timestamptz '2024-01-01' ELSE '2024-03-31' END, i - 4
			FROM generate_series(1, 6) i;
		INSERT INTO d VALUES (1, '2024-01-01')`, `
policies:
  gone:
    table: m
    due: &week {age: {column: at, older_than: 7 days}}
    breaker: {fraction: 100%}
    then: [{archive: {into: '"old rows"'}},
          {update: {table: r, as: r, where: "r.id = t.id", set: {note: "'gone'"}}}, {delete: {cascades: [part]}}]
  marked: {table: s, where: "done IS NULL", due: *week, then: [{update: {set: {done: "true"}}}]}
  self: {table: s, due: *week, then: [{update: {table: s, as: c, where: "c.parent = t.id AND c.id > 4",
        set: {parent: null}}}, delete]}
  parts: {partitions_of: d, due: {age: {older_than: 7 days}},
        then: [{insert: {into: r, set: {id: "1000", note: name}}}, drop]}`)
	for _, policy := range []string{"gone", "marked", "self", "parts"} {
		in.SetBatch(2)
		if o := in.Done(policy, noon); o.Taken == 0 {
			t.Errorf("the run of %s took no row: %+v", policy, o)
		}
	}
	in.Exec(t, "INSERT INTO m VALUES (9, '2024-01-01'), (10, '2024-01-01')")
	in.Done("gone", noon)
	want := []string{"gone archive public.old rows 7", "gone cascade public.part 12", "gone delete public.m 7",
		"gone update public.r 3",
		"marked update public.s 4", "parts drop public.d 1", "parts insert public.r 1", "self delete+update public.s 6"}
	got := pgtest.Column[string](t, in.Viewer(), `SELECT concat_ws(' ', labels ->> 'policy', labels ->> 'verb',
		labels ->> 'table', value)
		FROM retention.metrics WHERE name = 'retention_rows_total' AND type = 'counter' ORDER BY 1`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the metric differs (-want +got):\n%s", diff)
	}
}

// TestTimeLeft checks that progress estimates the time left from the last batches. Before the tenth
// batch, progress shows no estimate.
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
		// Counting took an hour. The first 30 batches each take 1 row in 1 s, later batches 10 rows
		// in 0.01 s.
		for _, sql := range []string{
			"LOCK TABLE retention.run IN ROW EXCLUSIVE MODE",
			`INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, due, started_at)
			 SELECT name, table_name, hash, now(), 'running', 1000, now() - interval '1 hour' FROM retention.policy`,
			`INSERT INTO retention.batch (run_id, n, mode, at, taken, next_pass, next_rows)
				 SELECT r.id, n, CASE n WHEN 0 THEN 'start'
				ELSE 'range' END, now() + least(n, 30) * interval '1 s' + greatest(n - 30, 0) * interval '10 ms',
				        CASE WHEN n > 30 THEN 10 ELSE least(n, 1) END, 1, 500
				 FROM retention.run r, generate_series(0, ` + fmt.Sprint(c.batches) + `) n`,
		} {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		got := pgtest.Value[string](t, tx, "SELECT coalesce(time_left::text, '-') FROM retention.progress")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("after %d batches, time_left differs (-want +got):\n%s", c.batches, diff)
		}
		_ = tx.Rollback(t.Context())
	}
}

// TestWindowsFromData checks windows whose length comes from a column, a join or an expression. The
// window is evaluated for each row, in the time zone of the install.
func TestWindowsFromData(t *testing.T) {
	const schema = `CREATE TABLE owner (id int PRIMARY KEY, days numeric, months int, keep interval, enabled boolean);
		CREATE TABLE m (id int PRIMARY KEY, owner_id int, days int, at timestamptz NOT NULL, ms bigint, day date)`
	const data = `INSERT INTO owner VALUES (1, 5, 1, '5 days', true), (2, NULL, NULL, NULL, true),
			(3, -1, -1, '-1 day', true), (4, 0, 0, '0', true), (5, 100, 4, '1 month 2 days 03:00', false),
			(6, 1.5, 2, '36 hours', true), (7, 99999999, 9999999, '9999 years', true), (8, -7, -2, NULL, true);
		INSERT INTO m SELECT o * 1000 + i, nullif(o, 9), nullif(i % 12, 11) - 1,
			:as_of - i * interval '1 day' - (i % 3 - 1) * interval '1 microsecond',
			(extract(epoch FROM :as_of - i * interval '1 day') * 1000)::bigint,
			(:as_of - i * interval '1 day')::date
			FROM generate_series(1, 9) o, unnest(ARRAY[0, 1, 2, 3, 4, 5, 6, 29, 30, 31, 48, 59, 60, 61, 90, 91, 100,
				101, 122]) i`
	suite{zone: "America/New_York", scenarios: []scenario{
		{
			name:   "days of the owner",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {age: {column: at, older_than: {days: o.days, else: 30, never: [-1], at_least: 3,
				at_most: 60}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m LEFT JOIN owner o ON o.id = m.owner_id
				WHERE CASE WHEN o.days IS NULL THEN at < :as_of - interval '30 days' WHEN o.days <= 0
				OR o.days > 365000 THEN false
				WHEN o.days > 60 THEN at < :as_of - interval '60 days'
				WHEN o.days < 3 THEN at < :as_of - interval '3 days'
				ELSE at < :as_of - o.days::int * interval '1 day' END`,
		},
		{
			name:   "no else, no bounds",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id AND o.enabled"}},
				due: {age: {column: at, older_than: {months: o.months}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id
				WHERE enabled AND months > 0 AND months <= 12000 AND at < :as_of - months * interval '1 month'`,
		},
		{
			name:   "zero",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {age: {column: at, inclusive: true, older_than: {days: o.days, at_least: 0}}},
				then: [delete]}`,
			goes: `SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id WHERE o.days >= 0 AND o.days <= 365000
				AND at <= :as_of - floor(o.days)::int * interval '1 day' - (o.days - floor(o.days)) * interval
				'24 hours'`,
		},
		{
			name:   "an interval",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {age: {column: ms, encoding: epoch_ms, older_than: {interval: o.keep, else: 2 months,
				at_least: 2 days}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m LEFT JOIN owner o ON o.id = m.owner_id
				WHERE CASE WHEN o.keep IS NULL THEN to_timestamp(ms / 1000.0) < :as_of - interval '2 months'
				WHEN o.keep <= '0' OR o.keep > '1000 years' THEN false
				ELSE to_timestamp(ms / 1000.0) < least(:as_of - o.keep, :as_of - interval '2 days') END`,
		},
		{
			name:   "the row's own",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {age: {column: day,
				older_than: {weeks: days, never: [3, 4], else: 1 month}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE day < CASE WHEN days IS NULL THEN :as_of - interval '1 month'
				WHEN days IN (3, 4) OR days <= 0 THEN NULL ELSE :as_of - days * interval '7 days' END::date`,
		},
		{
			name:   "in tiers",
			schema: schema,
			data:   data,
			rule: `{table: "@.m",
				join: {w: "SELECT max(days) AS days FROM @.owner x WHERE x.id <= t.owner_id AND x.days < 1000"},
				due: {age: {column: at, older_than: [{when: "owner_id < 3", then: {days: "w.days + 1"}},
				{when: "owner_id = 3", then: null}, {when: "w.days > 99", then: 90 days},
				{else: {days: days, at_most: 2}}]}}, then: [delete]}`,
			goes: `SELECT m.* FROM m, LATERAL (SELECT max(days) AS w FROM owner x WHERE x.id <= m.owner_id
				AND x.days < 1000) x WHERE at < CASE WHEN owner_id < 3 THEN :as_of - (w + 1)::int * interval '1 day'
				WHEN owner_id = 3 THEN NULL WHEN w > 99 THEN :as_of - interval '90 days'
				ELSE CASE WHEN days > 2 THEN :as_of - interval '2 days'
				WHEN days > 0 THEN :as_of - days * interval '1 day' END END`,
		},
		{
			name:   "read once",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {query: "SELECT id, days FROM @.owner WHERE as_of > '2000-01-01'",
				where: "o.id = t.owner_id"}}, due: {expires: {column: at,
				grace: {hours: "o.days * 24", at_least: 48 hours}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id
				WHERE o.days > 0 AND o.days <= 365000
				AND at < :as_of - greatest(o.days * 24, 48)::float * interval '1 hour'`,
		},
	}}.run(t)
}

func TestNumbersFromData(t *testing.T) {
	const schema = `CREATE TABLE owner (id int PRIMARY KEY, max_rows int, strict boolean);
		CREATE TABLE m (id int PRIMARY KEY, owner_id int, starred boolean, score int, at timestamptz NOT NULL)`
	const data = `INSERT INTO owner VALUES (1, 3, true), (2, NULL, true), (3, -1, false), (4, 0, false),
			(5, 100, true);
		INSERT INTO m SELECT i, nullif(i % 7, 6), i % 11 = 0, i % 4, :as_of - i * interval '1 day'
			FROM generate_series(1, 160) i`
	const ranked = `(SELECT m.*, row_number() OVER (PARTITION BY owner_id ORDER BY score DESC, id DESC) AS place
		FROM m)`
	suite{scenarios: []scenario{
		{
			name:   "beyond",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {beyond: {first: {count: o.max_rows, else: 7, never: [-1], at_most: 10}, per: [owner_id],
				order: "score DESC, id DESC"}}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at FROM ` + ranked + ` x
				LEFT JOIN owner o ON o.id = x.owner_id WHERE CASE WHEN max_rows IS NULL THEN place > 7
				WHEN max_rows > 0 THEN place > least(max_rows, 10) ELSE false END`,
		},
		{
			name:   "zero, and a sub-select",
			schema: schema,
			data:   data,
			rule: `{table: "@.m",
				due: {beyond: {first: {count: "(SELECT max_rows FROM @.owner o WHERE o.id = t.owner_id)",
				at_least: 0}, per: [owner_id], order: "score DESC, id DESC"}}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at FROM ` + ranked + ` x
				JOIN owner o ON o.id = x.owner_id WHERE max_rows >= 0 AND place > max_rows`,
		},
		{
			name:   "a guard",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {age: {column: at, older_than: 10 days}},
				keep: {some: {first: {count: o.max_rows, else: 2, at_least: 1}, per: [owner_id],
				among: "NOT starred", order: "score DESC, id DESC"}}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at
				FROM (SELECT m.*, row_number() OVER (PARTITION BY owner_id, starred
				ORDER BY score DESC, id DESC) AS place FROM m) x LEFT JOIN owner o ON o.id = x.owner_id
				WHERE at < :as_of - interval '10 days' AND (starred OR CASE WHEN max_rows IS NULL THEN place > 2
				WHEN max_rows > 0 THEN place > max_rows ELSE false END)`,
		},
		{
			name:   "with ties",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {beyond: {first: {count: o.max_rows, else: 9}, per: [owner_id], order: "score DESC",
				with_ties: true}}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at
				FROM (SELECT m.*, rank() OVER (PARTITION BY owner_id ORDER BY score DESC) AS place FROM m) x
				LEFT JOIN owner o ON o.id = x.owner_id WHERE CASE WHEN max_rows IS NULL THEN place > 9
				WHEN max_rows > 0 THEN place > max_rows ELSE false END`,
		},
		{
			name:   "ranks read joins",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"},
				w: "SELECT coalesce(o.max_rows, 0) AS n"}, where: "o.strict IS NOT FALSE",
				due: {beyond: {first: 4, per: ["coalesce(o.max_rows, -5)"], among: "NOT starred OR w.n = 3",
				order: "w.n, score DESC, id"}}, keep: {late: "o.max_rows = 100 AND score = 0"}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at
				FROM (SELECT m.*, o.max_rows, row_number() OVER (PARTITION BY coalesce(o.max_rows, -5)
				ORDER BY coalesce(o.max_rows, 0), score DESC, m.id) AS place
				FROM m LEFT JOIN owner o ON o.id = m.owner_id WHERE o.strict IS NOT FALSE
				AND (NOT starred OR coalesce(o.max_rows, 0) = 3)) x
				WHERE place > 4 AND (max_rows = 100 AND score = 0) IS FALSE`,
		},
	}}.run(t)
}

func TestCeilings(t *testing.T) {
	const schema = `CREATE TABLE shipper (name text PRIMARY KEY, done_ms bigint, done timestamptz, seq bigint);
		CREATE TABLE m (id int PRIMARY KEY, seq bigint, ms bigint, at timestamptz NOT NULL)`
	const data = `INSERT INTO shipper VALUES ('a', (extract(epoch FROM :as_of - interval '12 days') * 1000)::bigint,
			:as_of - interval '12 days', 30), ('b', (extract(epoch FROM :as_of - interval '9 days') * 1000)::bigint,
			NULL, 44);
		INSERT INTO m SELECT i, i / 3, (extract(epoch FROM :as_of - i * interval '6 hours') * 1000)::bigint,
			:as_of - i * interval '6 hours' FROM generate_series(1, 200) i`
	suite{scenarios: []scenario{
		{
			name:   "inclusive, in the clock's type",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {age: {column: ms, encoding: epoch_ms, older_than: 7 days,
				up_to: "SELECT min(done_ms) FROM @.shipper"}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE at < :as_of - interval '7 days' AND at <= :as_of - interval '12 days'`,
		},
		{
			name:   "NULL is nothing",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {expires: {column: at,
				up_to: "SELECT done FROM @.shipper WHERE name = 'b'"}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE false`,
		},
		{
			name:   "a position",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {position: {column: seq, up_to: "SELECT min(seq) FROM @.shipper"}},
				then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE seq <= 30`,
		},
		{
			name:   "is not rounded up",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {position: {column: seq, up_to: "SELECT avg(seq) + 0.7 FROM @.shipper"}},
				then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE seq <= 37`,
		},
		{
			name:   "is not rounded to a second",
			schema: schema + "; ALTER TABLE m ADD s timestamptz(0)",
			data:   data + "; UPDATE m SET s = :as_of - seq * interval '1 s'",
			rule: `{table: "@.m", due: {position: {column: s, up_to: "SELECT as_of - interval '6.4 s'"}},
				then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE seq >= 7`,
		},
		{
			name: "a watermark moves",
			schema: schema + `;
				CREATE TABLE rolled (what text, seq bigint);
				CREATE TABLE sums (one int PRIMARY KEY, n bigint NOT NULL, total numeric)`,
			data: data + "; INSERT INTO rolled VALUES ('m', 10), ('other', 5)",
			rule: `{table: "@.m", due: {position: {column: seq, up_to: "SELECT max(seq) FROM @.shipper",
				watermark: {table: "@.rolled", column: seq, where: "what = 'm'"}}},
				then: [{insert: {into: "@.sums", key: {one: 1}, add: {n: "count(*)", total: sum(id)}}}]}`,
			goes:      `SELECT m.* FROM m WHERE seq > 10 AND seq <= 44`,
			uncounted: true,
			leaves: map[string]string{
				"m":      "SELECT * FROM m",
				"rolled": "SELECT what, CASE WHEN what = 'm' THEN 44 ELSE seq END FROM rolled",
				"sums":   "SELECT 1, count(*), sum(id) FROM m WHERE seq > 10 AND seq <= 44",
			},
		},
		{
			name:   "a watermark without a ceiling",
			schema: schema + "; CREATE TABLE rolled (seq bigint)",
			data:   data + "; INSERT INTO rolled VALUES (-1)",
			rule: `{table: "@.m", where: "id % 2 = 0",
				due: {position: {column: seq, watermark: {table: "@.rolled", column: seq}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE id % 2 = 0`,
			leaves: map[string]string{
				"m":      "SELECT * FROM m WHERE id % 2 > 0",
				"rolled": "SELECT max(seq) FROM m WHERE id % 2 = 0",
			},
		},
		{
			name:   "no watermark, nothing",
			schema: schema + "; CREATE TABLE rolled (seq bigint)",
			data:   data + "; INSERT INTO rolled VALUES (NULL)",
			rule: `{table: "@.m", due: {position: {column: seq, watermark: {table: "@.rolled", column: seq}}},
				then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE false`,
		},
	}}.run(t)
}

func TestBeyond(t *testing.T) {
	// Groups have 1 to 5 rows; one group is NULL. Scores have ties.
	const schema = `CREATE TABLE m (id int PRIMARY KEY, g int, h text, score int, at timestamptz NOT NULL,
		flag boolean)`
	const data = `INSERT INTO m SELECT row_number() OVER (), nullif(g, 4), CASE WHEN i % 2 = 0 THEN 'x' END,
		nullif((i * 7 + g) % 4, 3), :as_of - (g * 5 + i) * interval '1 day', CASE i % 3 WHEN 0 THEN true
		WHEN 1 THEN false END
		FROM generate_series(1, 6) g, generate_series(1, 5) i WHERE i <= g OR g = 4`
	rule := func(rank, more string) string {
		return `{table: "@.m", due: {beyond: {` + rank + `}}, ` + more + `then: [delete]}`
	}
	// place returns the oracle's rank as SQL: the number of rows before the row.
	place := func(group, among, before string) string {
		return "(SELECT count(*) FROM m x WHERE " + group + " AND " + among + " AND (" + before + "))"
	}
	const same = "x.g IS NOT DISTINCT FROM m.g"
	suite{scenarios: []scenario{
		{
			name:   "one per group",
			schema: schema,
			data:   data,
			rule:   rule(`first: 1, per: [g], order: "at DESC"`, ""),
			goes: "SELECT * FROM m WHERE " + place(same, "true", "x.at > m.at OR x.at = m.at AND x.id > m.id") +
				" >= 1",
		},
		{
			name:   "three per group",
			schema: schema,
			data:   data,
			rule:   rule(`first: 3, per: [g], order: "at DESC, id DESC"`, ""),
			goes:   "SELECT * FROM m WHERE " + place(same, "true", "x.at > m.at") + " >= 3",
		},
		{
			name:   "no group",
			schema: schema,
			data:   data,
			rule:   rule(`first: 3, order: "at"`, ""),
			goes: "SELECT * FROM m WHERE " + place("true", "true", "x.at < m.at OR x.at = m.at AND x.id < m.id") +
				" >= 3",
		},
		{
			name:   "fewer than first",
			schema: schema,
			data:   data,
			rule:   rule(`first: 100, order: "at"`, ""),
			goes:   "SELECT * FROM m WHERE false",
		},
		{
			name:   "exactly first",
			schema: "CREATE TABLE m (id int PRIMARY KEY, g int NOT NULL)",
			data:   "INSERT INTO m SELECT g * 10 + i, g FROM generate_series(1, 5) g, generate_series(1, g) i",
			rule:   rule(`first: 3, per: [g], order: id DESC`, ""),
			goes:   "SELECT * FROM m WHERE id IN (41, 51, 52)",
		},
		{
			name:   "two columns, one NULL",
			schema: schema,
			data:   data,
			rule:   rule(`first: 1, per: [g, h], order: "id"`, ""),
			goes: "SELECT * FROM m WHERE " +
				place(same+" AND x.h IS NOT DISTINCT FROM m.h", "true", "x.id < m.id") + " >= 1",
		},
		{
			name:   "order by a row with a NULL in it",
			schema: schema,
			data:   data,
			rule:   rule(`first: 3, order: "(score, id)"`, ""),
			goes: "SELECT * FROM m WHERE " +
				place("true", "true",
					"(x.score < m.score OR x.score IS NOT NULL AND m.score IS NULL OR x.score IS NOT DISTINCT FROM "+
						"m.score AND x.id < m.id)") + " >= 3",
		},
		{
			name:   "an expression",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, per: ["g % 2", "coalesce(h, '')"], order: "id"`, ""),
			goes: "SELECT * FROM m WHERE " +
				place("x.g % 2 IS NOT DISTINCT FROM m.g % 2 AND coalesce(x.h, '') = coalesce(m.h, '')", "true",
					"x.id < m.id") + " >= 2",
		},
		{
			name:   "a row of NULLs is not NULL",
			schema: "CREATE TYPE pair AS (a int, b int); CREATE TABLE m (id int PRIMARY KEY, g pair)",
			data: `INSERT INTO m SELECT i, CASE i % 3 WHEN 0 THEN ROW(NULL, NULL)::pair
				WHEN 1 THEN ROW(1, NULL)::pair END FROM generate_series(1, 12) i`,
			rule: rule(`first: 2, per: [g], order: "id"`, ""),
			goes: "SELECT * FROM m WHERE id > 6",
		},
		{
			name:   "a row with NULLs has a place",
			schema: "CREATE TYPE pair AS (a int, b int); CREATE TABLE m (id int PRIMARY KEY, o pair)",
			data:   "INSERT INTO m VALUES (1, '(1,1)'), (2, '(1,)'), (3, '(,)'), (4, NULL), (5, '(0,0)')",
			rule:   `{table: "@.m", where: "true", keep: {best: {first: 2, order: "o DESC"}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE id IN (1, 4, 5)",
		},
		{
			name:   "ties by the key, downwards",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, per: [g], order: "score DESC"`, ""),
			goes: "SELECT * FROM m WHERE score IS NOT NULL AND " +
				place(same, "x.score IS NOT NULL", "x.score > m.score OR x.score = m.score AND x.id > m.id") +
				" >= 2",
		},
		{
			name:   "ties by the key, upwards",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, per: [g], order: "score"`, ""),
			goes: "SELECT * FROM m WHERE score IS NOT NULL AND " +
				place(same, "x.score IS NOT NULL", "x.score < m.score OR x.score = m.score AND x.id < m.id") +
				" >= 2",
		},
		{
			name:   "with ties",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, per: [g], order: "score DESC", with_ties: true`, ""),
			goes: "SELECT * FROM m WHERE score IS NOT NULL AND " +
				place(same, "x.score IS NOT NULL", "x.score > m.score") + " >= 2",
		},
		{
			name:   "with ties, no group, guarded",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, order: "score DESC, h", with_ties: true`, "keep: {starred: flag}, "),
			goes: "SELECT * FROM m WHERE flag = false AND score IS NOT NULL AND " +
				place("true", "x.score IS NOT NULL",
					"x.score > m.score OR x.score = m.score AND (x.h < m.h OR x.h IS NOT NULL AND m.h IS NULL)") +
				" >= 2",
		},
		{
			name:   "with ties, many of them, guarded",
			schema: schema,
			data: `INSERT INTO m SELECT i, 1, NULL, (i * 7 % 40) / 10, :as_of, i % 3 = 0
				FROM generate_series(1, 40) i`,
			rule: rule(`first: 2, per: ["g + 1"], order: "-score", with_ties: true`, "keep: {starred: flag}, "),
			goes: "SELECT * FROM m WHERE score < 3 AND NOT flag",
		},
		{
			name:   "second item NULLS FIRST",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, order: "g DESC, h NULLS FIRST, score DESC NULLS LAST, id"`, ""),
			goes: `SELECT * FROM m WHERE g IS NOT NULL AND id NOT IN (SELECT id FROM m WHERE g IS NOT NULL
				ORDER BY g DESC, h IS NOT NULL, h, score IS NULL, score DESC, id LIMIT 2)`,
		},
		{
			name:   "first item NULLS FIRST has no place all the same",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, order: "score DESC NULLS FIRST, at DESC"`, ""),
			goes: `SELECT * FROM m WHERE score IS NOT NULL AND id NOT IN (SELECT id FROM m WHERE score IS NOT NULL
				ORDER BY score DESC, at DESC, id DESC LIMIT 2)`,
		},
		{
			name:   "order by an expression",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, per: [g], order: "-score, abs(id - 7)"`, ""),
			goes: `SELECT * FROM m WHERE score IS NOT NULL
				AND id NOT IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY g
				ORDER BY score DESC, abs(id - 7), id) AS n FROM m WHERE score IS NOT NULL) x WHERE n <= 2)`,
		},
		{
			name:   "among",
			schema: schema,
			data:   data,
			rule:   rule(`first: 1, per: [g], order: "at DESC", among: "flag"`, ""),
			goes:   "SELECT * FROM m WHERE flag AND " + place(same, "x.flag", "x.at > m.at") + " >= 1",
		},
		{
			name:   "where takes no place",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", where: "h = 'x'", due: {beyond: {first: 1, per: [g], order: "at DESC"}},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE h = 'x' AND " + place(same, "x.h = 'x'", "x.at > m.at") + " >= 1",
		},
		{
			name:   "where over a table",
			schema: schema + "; CREATE TABLE o (g int)",
			data:   data + "; INSERT INTO o VALUES (2), (5)",
			rule: `{table: "@.m", where: "g IN (SELECT g FROM @.o)",
				due: {beyond: {first: 1, per: [g], order: "at DESC"}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE g IN (2, 5) AND " + place(same, "true", "x.at > m.at") + " >= 1",
		},
		{
			name:   "what a guard keeps takes a place",
			schema: schema,
			data:   data,
			rule:   rule(`first: 2, per: [g], order: "at DESC"`, "keep: {starred: flag}, "),
			goes:   "SELECT * FROM m WHERE flag = false AND " + place(same, "true", "x.at > m.at") + " >= 2",
		},
		{
			name:   "kept once: due by age and by rank",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {any: [{beyond: {first: 1, per: [g], order: "at DESC"}},
				{age: {column: at, older_than: 9 days}}, {age: {column: at, older_than: 99 hours}}]},
				keep: {starred: flag, x: "h = 'x' AND flag IS FALSE"}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE false",
			kept: map[string]int64{"starred": 12, "x": 9},
		},
		{
			name:   "kept once: due by age and by an age and a rank",
			schema: schema,
			data:   data,
			rule: `{table: "@.m",
				due: {any: [{age: {column: at, older_than: 9 days}, beyond: {first: 2, per: [g], order: "at DESC"}},
				{age: {column: at, older_than: 30 days, nulls: due}}]}, keep: {all: "id > 0"}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE false",
			kept: map[string]int64{"all": 12},
		},
		{
			name:   "guarded rows first",
			schema: schema,
			data:   data,
			rule: rule(`first: 2, per: [g], order: "keep.starred DESC, id DESC"`,
				`keep: {starred: "coalesce(flag, false)"}, `),
			goes: "SELECT * FROM m WHERE coalesce(flag, false) = false AND " +
				place(same, "true",
					"coalesce(x.flag, false) AND NOT coalesce(m.flag, false) OR coalesce(x.flag, false) = "+
						"coalesce(m.flag, false) AND x.id > m.id") + " >= 2",
		},
		{
			name:   "guarded rows have no place",
			schema: schema,
			data:   data,
			rule: rule(`first: 1, per: [g], among: "NOT keep.starred", order: "id DESC"`,
				`keep: {starred: flag}, `),
			goes: "SELECT * FROM m WHERE flag = false AND " + place(same, "x.flag = false", "x.id > m.id") +
				" >= 1",
		},
		{
			name:   "a rank reads a rank within its groups",
			schema: schema + "; ALTER TABLE m ALTER at SET NOT NULL, ADD k int NOT NULL DEFAULT 0",
			data:   data + "; UPDATE m SET k = id % 3",
			rule: rule(`first: 2, per: [k], order: "keep.best DESC, id DESC"`,
				`keep: {best: {first: 1, per: [h, k], order: "at"},
					old: {first: 1, per: [k], order: "keep.best, id"}}, `),
			goes: `WITH b AS (SELECT *, row_number() OVER (PARTITION BY h, k ORDER BY at, id) = 1 AS best FROM m),
				o AS (SELECT *, row_number() OVER (PARTITION BY k ORDER BY best, id) = 1 AS old,
				row_number() OVER (PARTITION BY k ORDER BY best DESC, id DESC) AS place FROM b)
				SELECT m.* FROM m JOIN o USING (id) WHERE place > 2 AND NOT best AND NOT old`,
		},
		{
			name:   "a rank reads a rank",
			schema: schema,
			data:   data,
			rule: rule(`first: 3, per: [g], order: "keep.best DESC, id DESC"`,
				`keep: {best: {first: 1, per: [g], order: "at"}}, `),
			goes: `SELECT * FROM m WHERE id NOT IN (SELECT id
				FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY best DESC, id DESC) AS n
				FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY at, id) = 1 AS best FROM m) y) x
				WHERE n <= 3)
				AND id NOT IN (SELECT DISTINCT ON (g) id FROM m ORDER BY g, at, id)`,
		},
		{
			name:   "and an age",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {beyond: {first: 1, per: [g], order: "at DESC"},
				age: {column: at, older_than: 20 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE at < :as_of - interval '20 days' AND " +
				place(same, "true", "x.at > m.at") + " >= 1",
		},
		{
			name:   "and an age, NULL due",
			schema: "CREATE TABLE m (id int PRIMARY KEY, g int, at timestamptz)",
			data: `INSERT INTO m SELECT i, i % 3, CASE WHEN i % 4 > 0 THEN :as_of - i * interval '1 day' END
				FROM generate_series(1, 30) i`,
			rule: `{table: "@.m", due: {beyond: {first: 4, per: [g], order: "id DESC"},
				age: {column: at, older_than: 10 days, nulls: due}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE (at IS NULL OR at < :as_of - interval '10 days') AND " +
				place("x.g = m.g", "true", "x.id > m.id") + " >= 4",
		},
		{
			name:   "or an age",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 20 days}},
				{beyond: {first: 2, per: [g], order: "at DESC"}}]}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE at < :as_of - interval '20 days' OR " +
				place(same, "true", "x.at > m.at") + " >= 2",
		},
		{
			name:   "an age and a rank, or an age",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 17 days}},
				{age: {column: at, older_than: 8 days}, beyond: {first: 2, per: [g], order: "at"}}]},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE at < :as_of - interval '17 days' OR at < :as_of - interval '8 days' AND " +
				place(same, "true", "x.at < m.at") + " >= 2",
		},
		{
			name:   "an expiry by NULL and a rank, or an age",
			schema: schema + "; ALTER TABLE m ADD gone date",
			data:   data + "; UPDATE m SET gone = :as_of - id * interval '1 day' WHERE id % 4 > 0",
			rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 17 days}},
				{expires: {column: gone, nulls: due}, beyond: {first: 1, per: [g], order: "at"}}]},
				then: [delete]}`,
			goes: `SELECT * FROM m WHERE at < :as_of - interval '17 days' OR (gone < :as_of::date OR gone IS NULL)
				AND ` + place(same, "true", "x.at < m.at") + " >= 1",
		},
		{
			name:   "or an age, oldest first",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 20 days}},
				{beyond: {first: 2, per: [g], order: "at"}}]}, keep: {starred: flag}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE flag = false AND (at < :as_of - interval '20 days' OR " +
				place(same, "true", "x.at < m.at") + " >= 2)",
		},
		{name: "empty", schema: schema, data: "", rule: rule(`first: 1, order: "at"`, ""), goes: "SELECT * FROM m"},
		{
			name:   "composite key",
			schema: "CREATE TABLE m (a text, b int, at date NOT NULL, PRIMARY KEY (a, b))",
			data:   "INSERT INTO m SELECT chr(97 + i % 4), i, '2024-01-01' FROM generate_series(1, 25) i",
			rule:   rule(`first: 3, order: "at DESC"`, ""),
			goes:   "SELECT * FROM m WHERE (a, b) NOT IN (SELECT a, b FROM m ORDER BY a DESC, b DESC LIMIT 3)",
		},
		{
			name:   "composite key, a part in the order",
			schema: "CREATE TABLE m (a text, b int, at date NOT NULL, PRIMARY KEY (a, b))",
			data:   "INSERT INTO m SELECT chr(97 + i % 4), i, '2024-01-01' FROM generate_series(1, 25) i",
			rule:   rule(`first: 3, per: [at], order: "b DESC, at"`, ""),
			goes:   "SELECT * FROM m WHERE b <= 22",
		},
		{
			name: "groups of many types",
			schema: `CREATE TABLE m (id int PRIMARY KEY, a numeric, b float8, c timestamptz, d char(5), e uuid,
				f int[], g bytea)`,
			data: `INSERT INTO m SELECT i, CASE WHEN i % 2 = 0 THEN 1.0 ELSE 1.00 END, CASE WHEN i % 3 = 0 THEN '-0'
					ELSE 0 END::float8, '2024-11-03 05:30+00', 'a"', NULL, ARRAY[1, NULL], '\x00ff'
					FROM generate_series(1, 12) i;
				INSERT INTO m SELECT 100 + i, 0.1, 0.1, '2024-11-03 06:30:00.000001+00', E'\\{''', md5('')::uuid,
					'{}', '' FROM generate_series(1, 4) i`,
			rule: rule(`first: 3, per: [a, b, c, d, e, f, g], order: "id"`, ""),
			goes: "SELECT * FROM m WHERE id BETWEEN 4 AND 12 OR id = 104",
		},
	}}.run(t)
}
