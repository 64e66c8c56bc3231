package behaviour

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// plain creates table m with twenty rows, one a day. At noon rows 8 to 20 are older than seven
// days.
const plain = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
	INSERT INTO m SELECT i, '2024-03-31 12:00+00'::timestamptz - i * interval '1 day' FROM generate_series(1, 20) i`

// old returns a policy p for the table of plain. The parameter "more" is inserted before the key
// "then".
func old(more string) string {
	return "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, " + more + "then: [delete]}}"
}

func TestBudgetOfRowsGoesOldestFirst(t *testing.T) {
	t.Parallel()
	for _, guard := range []string{"", "keep: {none: false}, "} {
		in := kit.Install(t, plain, old(guard+"batch: {rows: 3}, budget: {rows: 5}, "))
		for _, want := range []struct {
			state string
			taken int64
			left  int
		}{{"more", 5, 15}, {"more", 5, 10}, {"done", 3, 7}, {"done", 0, 7}} {
			o := in.Run("p", noon)
			if o.State != want.state || o.Taken != want.taken || o.Err != nil {
				t.Errorf("want %v, got %+v", want, o)
			}
			if diff := cmp.Diff(pgtest.Column[int](t, in, "SELECT generate_series(1, $1)", want.left),
				ids(t, in)); diff != "" {
				t.Errorf("not the oldest (-want +got):\n%s", diff)
			}
		}
	}
}

func TestBudgetOfTime(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+`;
		CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN OLD; END';
		CREATE TRIGGER slow BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION slow()`,
		old("batch: {rows: 2}, budget: {time: 1s}, "))
	in.Exec(t, "UPDATE retention.policy SET budget_time = '90 ms' WHERE name = 'p' AND budget_time = '1 s'")
	total := int64(0)
	for i := 0; total < 13; i++ {
		o := in.Run("p", noon)
		// On a slow machine, the start alone may use up the budget.
		if total += o.Taken; o.Err != nil || o.Taken > 4 || i > 60 {
			t.Fatalf("run %d of at most 60: want at most 4 rows taken and no error; got %+v", i, o)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7}, ids(t, in)); diff != "" {
		t.Errorf("rows that are left differ (-want +got):\n%s", diff)
	}
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("keep: {three: 'id = 10'}, breaker: {rows: 11}, batch: {rows: 4}, "))
	o := in.Run("p", noon)
	if o.State != "tripped" || o.Taken != 0 || o.Err == nil || *o.Due != 12 || len(ids(t, in)) != 20 {
		t.Errorf("want a run with state tripped, taken 0; got %+v", o)
	}
	if trip := pgtest.Value[bool](t, in, "SELECT would_trip FROM retention.preview('p', $1)", noon); !trip {
		t.Error("preview() does not have would_trip")
	}
	if err := in.Operator("SELECT retention.accept('p', 'looked at')"); err != nil {
		t.Fatal(err)
	}
	if o := in.Done("p", noon); o.Taken != 12 {
		t.Errorf("accepted: want a run with taken 12; got %+v", o)
	}
	// An acceptance is valid for one run. The last run was not tripped, so accept() without a
	// number of rows fails, and the next run trips.
	if err := in.Operator("SELECT retention.accept('p', 'again')"); err == nil {
		t.Error("accept() succeeded after a run that was not tripped")
	}
	in.Exec(t, "INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(101, 115) i")
	if o := in.Run("p", noon); o.State != "tripped" || o.Taken != 0 {
		t.Errorf("the second time: want a run with state tripped, taken 0; got %+v", o)
	}
	// The breaker compares its limit with the budget if that is smaller than the number of due
	// rows.
	in.Migrate(t, old("keep: {three: 'id = 10'}, breaker: {rows: 11}, budget: {rows: 10}, "))
	if o := in.Run("p", noon); o.State != "more" || o.Taken != 10 {
		t.Errorf("with a budget: want a run with state more, taken 10; got %+v", o)
	}
}

// TestAcceptedRows checks that a run takes at most the accepted number of rows. The acceptance is
// valid for the next run only, and for the policy as it was. Without a number of rows, accept()
// needs a tripped run.
func TestAcceptedRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("keep: {three: 'id = 10'}, breaker: {rows: 3}, batch: {rows: 4}, "))
	accept := func(arguments string) error { return in.Operator("SELECT retention.accept(" + arguments + ")") }
	for _, refused := range []string{"'p'", "'p', 'why', 0", "'p', 'why', -5", "'nobody', 'why', 12"} {
		if err := accept(refused); err == nil {
			t.Errorf("accept(%s) succeeded, want an error", refused)
		}
	}
	try := func(rows int, want string) {
		t.Helper()
		if err := accept(fmt.Sprintf("'p', 'looked at', %d", rows)); err != nil {
			t.Fatal(err)
		}
		before := len(ids(t, in))
		o := in.Run("p", noon)
		if o.State != want || (want == "tripped") != (o.Taken == 0) || int64(before-len(ids(t, in))) != o.Taken {
			t.Errorf("with %d accepted rows, want state %s; got %+v", rows, want, o)
		}
		if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.setting"); n != 0 {
			t.Error("the acceptance is still in force after a run")
		}
	}
	// 12 rows are due, more than 11. The breaker allows 3, but the run counts beyond that.
	try(11, "tripped")
	for _, words := range []string{"12 or more rows are due, the breaker allows 3, and 11 were accepted",
		"pgretain accept p --reason '...'", "SELECT retention.accept('p', '...')"} {
		if message := pgtest.Value[string](t, in, `SELECT message FROM retention.run ORDER BY id DESC
			LIMIT 1`); !strings.Contains(message, words) {
			t.Errorf("the message %q does not contain %q", message, words)
		}
	}
	try(12, "done")
	in.Exec(t, "INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(101, 102) i")
	try(12, "done") // the acceptance is not needed here, and is used up
	in.Exec(t, "INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(101, 115) i")
	if o := in.Run("p", noon); o.State != "tripped" {
		t.Errorf("without an acceptance: want a run with state tripped; got %+v", o)
	}
	if err := accept("'p', 'the old policy', 15"); err != nil {
		t.Fatal(err)
	}
	in.Migrate(t, old("keep: {three: 'id = 10'}, breaker: {rows: 3}, batch: {rows: 5}, "))
	if o := in.Run("p", noon); o.State != "tripped" {
		t.Errorf("accepted for another policy: want a run with state tripped; got %+v", o)
	}
	if err := accept("'p'"); err != nil {
		t.Error(err)
	}
	in.Done("p", noon)
}

// TestAcceptWithFractionOnly checks an acceptance of fewer rows than the breaker's fraction allows.
// The breaker has no limit of rows. The run counts all due rows, and trips.
func TestAcceptWithFractionOnly(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tableM+minutely(20060), `policies: {p: {table: m,
		due: {age: {column: at, older_than: 1 hour}}, breaker: {fraction: 50%}, then: [delete]}}`)
	in.Exec(t, "UPDATE retention.policy SET breaker_rows = NULL WHERE name = 'p'")
	if err := in.Operator("SELECT retention.accept('p', 'less', 100)"); err != nil {
		t.Fatal(err)
	}
	if o := in.Run("p", noon); o.State != "tripped" || *o.Due != 20000 {
		t.Errorf("want a run with state tripped; got %+v", o)
	}
}

func TestBreakerByFraction(t *testing.T) {
	t.Parallel()
	schema := `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO m SELECT i, '2024-03-31 12:00+00'::timestamptz - i * interval '1 min'
			FROM generate_series(1, %d) i`
	for _, c := range []struct {
		rows  int
		state string
	}{{9999, "done"}, {10000, "tripped"}, {30000, "tripped"}, {10080 * 4 / 3 * 2, "tripped"}} {
		for _, analyse := range []string{"", "; ANALYZE m"} {
			in := kit.Install(t, fmt.Sprintf(schema, c.rows)+analyse, `policies: {p: {table: m,
				due: {age: {column: at, older_than: 1 hour}}, breaker: {fraction: 50%}, then: [delete]}}`)
			o := in.Run("p", noon)
			left := pgtest.Value[int](t, in, "SELECT count(*) FROM m")
			if o.State != c.state || (c.state == "tripped") != (left == c.rows) {
				t.Errorf("of %d rows, %d are left; want state %s, got %+v", c.rows, left, c.state, o)
			}
		}
	}
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	for _, c := range [][2]string{{"'p', 'holiday'", "'p'"}, {"reason => 'holiday'", ""}} {
		if err := in.Operator("SELECT retention.pause(" + c[0] + ")"); err != nil {
			t.Fatal(err)
		}
		if o := in.Run("p", noon); o.State != "paused" || !strings.Contains(o.Message, "holiday") || o.Taken != 0 ||
			o.Err != nil {
			t.Errorf("want a run with state paused, taken 0, no error; got %+v", o)
		}
		if why := pgtest.Value[string](t, in, `SELECT coalesce(stopped_by, '')
			FROM retention.preview('p')`); !strings.Contains(why, "holiday") {
			t.Errorf("preview() has stopped_by %q, want the reason holiday", why)
		}
		if err := in.Operator("SELECT retention.resume(" + c[1] + ")"); err != nil {
			t.Fatal(err)
		}
	}
	if o := in.Done("p", noon); o.Taken != 13 {
		t.Errorf("want a run with taken 13; got %+v", o)
	}
	if err := in.Operator("SELECT retention.pause('q')"); err == nil {
		t.Error("pause() of an unknown policy succeeded")
	}
}

// TestPauseDuringARun pauses the policy from a trigger of the third row. The batch ends normally,
// and the run ends before the next batch.
func TestPauseDuringARun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("batch: {rows: 2}, "))
	in.Exec(t, `CREATE FUNCTION stop() RETURNS trigger
			LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN PERFORM retention.pause('p'); RETURN OLD; END $$;
		CREATE TRIGGER stop BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 18) EXECUTE FUNCTION stop()`)
	if o := in.Run("p", noon); o.State != "paused" || o.Taken != 4 || o.Err != nil {
		t.Errorf("want a run with state paused, taken 4, no error; got %+v", o)
	}
}

func TestCopyOfTheDatabase(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	for _, change := range []string{"system_identifier = system_identifier + 1", "database_name = 'production'"} {
		in.Exec(t, "UPDATE retention.install SET "+change)
		if o := in.Run("p", noon); o.State != "paused" || !strings.Contains(o.Message, "copy") || o.Taken != 0 {
			t.Errorf("%s: want a run with state paused, taken 0; got %+v", change, o)
		}
		if n := pgtest.Value[int](t, in, `SELECT count(*) FROM retention.health()
			WHERE severity = 'error' AND problem LIKE '%copy%'`); n != 1 {
			t.Errorf("%s: health() does not report a copy", change)
		}
		if err := in.Operator("SELECT retention.adopt('meant')"); err != nil {
			t.Fatal(err)
		}
	}
	if o := in.Done("p", noon); o.Taken != 13 {
		t.Errorf("adopted: want a run with taken 13; got %+v", o)
	}
}

func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	for _, c := range []struct{ sql, code string }{
		{"CALL retention.run('p', clock_timestamp() + interval '1 min')", "22023"},
		{"CALL retention.run('q')", "P0002"},
		{"CALL retention.run_job('q')", "P0002"},
	} {
		if _, err := in.Call(c.sql); err == nil || err.Code != c.code {
			t.Errorf("%s: got error %v, want %s", c.sql, err, c.code)
		}
	}
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "BEGIN")
	if _, err := conn.Exec(t.Context(), "CALL retention.run('p')"); err == nil ||
		!strings.Contains(err.Error(), "2D000") {
		t.Errorf("a call inside a transaction: got %v, want 2D000", err)
	}
	if n := len(ids(t, in)); n != 20 {
		t.Errorf("%d rows are left, want 20", n)
	}
	if due := pgtest.Value[int](t, in, "SELECT due FROM retention.preview('p', '2300-01-01')"); due != 20 {
		t.Errorf("preview sees %d rows in the future, want 20", due)
	}
}

func TestJoinOfTwoRows(t *testing.T) {
	t.Parallel()
	for _, join := range []string{
		`{table: o, where: "o.g = t.id % 4"}`, `"SELECT x.g FROM o x WHERE x.g = t.id % 4"`,
		`{query: "SELECT g FROM o", where: "o.g = t.id % 4"}`,
	} {
		in := kit.Install(t, plain+"; CREATE TABLE o (g int); INSERT INTO o VALUES (1), (2), (2)",
			old("join: {o: "+join+"}, keep: {none: 'o.g = 77 AND o.g IS NOT NULL'}, "))
		if o := in.Run("p", noon); o.State != "failed" || o.SQLState != "PR005" || o.Taken != 0 {
			t.Errorf("%s: want a run with state failed, SQLState PR005, taken 0; got %+v", join, o)
		}
		if n := len(ids(t, in)); n != 20 {
			t.Errorf("%s: %d rows are left, want 20", join, n)
		}
	}
}

// TestRefusedRows checks rows that a foreign key or a trigger refuses. The run counts and skips
// them.
func TestRefusedRows(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{1, 3, 1000} {
		in := kit.Install(t, plain+`;
			CREATE TABLE child (m_id int REFERENCES m DEFERRABLE INITIALLY DEFERRED);
			INSERT INTO child VALUES (9), (15);
			CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
			CREATE TRIGGER no BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 12) EXECUTE FUNCTION no()`, old(""))
		in.SetBatch(rows)
		o := in.Done("p", noon)
		if o.Refused != 3 || o.Taken != 10 || o.Scanned != 13 {
			t.Errorf("batches of %d: want a run with refused 3, taken 10, scanned 13; got %+v", rows, o)
		}
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 9, 12, 15}, ids(t, in)); diff != "" {
			t.Errorf("batches of %d: rows that are left differ (-want +got):\n%s", rows, diff)
		}
	}
}

func TestEnsure(t *testing.T) {
	t.Parallel()
	const yaml = `policies: {p: {table: m, ensure: {at: {type: timestamptz, default: "now()"},
		"kind": {type: text, default: "'it''s'"}}, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}`
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, kind text DEFAULT 'mine');
		INSERT INTO m SELECT generate_series(1, 5);
		INSERT INTO m VALUES (6, NULL)`, yaml)
	if n := pgtest.Value[int](t, in, `SELECT count(*) FROM m WHERE at BETWEEN now() - interval '1 hour'
		AND now()`); n != 6 {
		t.Errorf("%d rows have the default, want 6", n)
	}
	in.Exec(t, "INSERT INTO m (id) VALUES (7); UPDATE m SET at = at - interval '8 days' WHERE id <= 2")
	if diff := cmp.Diff([]string{"(,1)", "(mine,6)"},
		in.Rows("SELECT kind, count(*) FROM m GROUP BY kind")); diff != "" {
		t.Errorf("a column that was there has changed (-want +got):\n%s", diff)
	}
	if o := in.Run("p", pgtest.Value[string](t, in, "SELECT clock_timestamp()::text")); o.State != "done" ||
		o.Taken != 2 {
		t.Errorf("want a run with state done, taken 2; got %+v", o)
	}
}

func TestJobGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+
		"; CREATE TABLE n (id int PRIMARY KEY, g int); INSERT INTO n SELECT i, 0 FROM generate_series(1, 9) i", `
policies:
  broken: {table: m, where: "current_setting('retention.' || id) <> ''", then: [delete]}
  cap: {table: n, due: {beyond: {first: 4, order: id}}, then: [delete]}
  aged: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs: {nightly: {schedule: "@daily", run: [broken, cap, aged]}}`)
	_, err := in.Call("CALL retention.run_job('nightly', $1)", noon)
	if err == nil || err.Code != "42704" || !strings.Contains(err.Message, "broken: failed") {
		t.Errorf("the job raised %v, want 42704 from policy broken", err)
	}
	got := in.Rows("SELECT policy, job, state, taken, as_of = '" + noon + "' FROM retention.run")
	if diff := cmp.Diff([]string{"(aged,nightly,done,13,t)", "(broken,nightly,failed,0,t)", "(cap,nightly,done,5,t)"},
		got); diff != "" {
		t.Errorf("runs differ (-want +got):\n%s", diff)
	}
	if n := pgtest.Value[int](t, in, `SELECT count(*) FROM retention.health()
		WHERE policy = 'broken' AND severity = 'error'`); n != 1 {
		t.Error("health() does not report the failed policy")
	}
}

func TestLogMetricsStatusBacklogAndPreview(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+`;
		CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
		INSERT INTO child SELECT i, i % 20 + 1 FROM generate_series(1, 60) i`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {even: 'id % 2 = 0'},
			batch: {rows: 4}, then: [delete: {cascades: [child]}]}}`)
	preview := in.Rows(`SELECT due, kept, oldest::timestamptz AT TIME ZONE 'UTC',
		newest::timestamptz AT TIME ZONE 'UTC', would_trip, stopped_by FROM retention.preview('p', '` + noon + "')")
	if diff := cmp.Diff([]string{`(6,"{""even"": 7}","2024-03-12 12:00:00","2024-03-22 12:00:00",f,)`},
		preview); diff != "" {
		t.Errorf("preview (-want +got):\n%s", diff)
	}
	if backlog := in.Rows(`SELECT due, kept FROM retention.backlog
		WHERE policy = 'p'`); backlog[0] != `(10,"{""even"": 10}")` {
		t.Errorf("the backlog has %v, want 10 due and 10 kept rows", backlog)
	}
	o := in.Done("p", noon)
	if o.Scanned != 13 || o.Taken != 6 || o.Kept["even"] != 7 || o.Cascaded["public.child"] != 18 || o.Batches != 4 {
		t.Errorf("want 13 rows scanned, 6 taken, 7 kept by even, 18 cascaded, in 4 batches; got %+v", o)
	}
	in.Done("p", noon)
	in.Exec(t, "ANALYZE m")
	metrics := in.Rows(`SELECT name, value FROM retention.metrics
		WHERE labels ->> 'policy' = 'p' AND name !~ 'timestamp' OR labels ->> 'table' = 'public.m'
		AND name = 'retention_table_rows'`)
	want := []string{
		"(retention_empty_in_a_row,0)", "(retention_failed_in_a_row,0)", "(retention_missed,0)",
		"(retention_rows_kept,7)", "(retention_rows_left,0)", "(retention_rows_refused_total,0)",
		"(retention_rows_scanned_total,20)", "(retention_rows_taken_total,6)", "(retention_rows_total,18)",
		"(retention_rows_total,6)", "(retention_runs_failed_total,0)", "(retention_runs_total,2)",
		"(retention_table_rows,14)", "(retention_tripped,0)",
	}
	if diff := cmp.Diff(want, metrics); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	status := in.Rows(`SELECT last_state, last_taken, last_scanned, failed_in_a_row, holds, paused
		FROM retention.status WHERE policy = 'p'`)
	if diff := cmp.Diff([]string{"(done,0,7,0,0,)"}, status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	sum := in.Rows("SELECT sum(scanned), sum(taken) FROM retention.batch WHERE run_id = " + fmt.Sprint(o.ID))
	if sum[0] != "(13,6)" {
		t.Errorf("the batches have %v rows scanned and taken, want 13 and 6", sum)
	}
}

// TestOneRoleAndAnotherSchema checks "roles: none", and an install in another schema with other
// roles.
func TestOneRoleAndAnotherSchema(t *testing.T) {
	t.Parallel()
	for _, yaml := range []string{
		"install: {scheduler: none, roles: none}\n",
		`install:
  scheduler: none
  schema: housekeeping
  roles: {owner: hk_owner, runner: hk_runner, operator: hk_operator, viewer: hk_viewer}
`,
	} {
		in := kit.Install(t, plain, yaml+old("keep: {even: 'id % 2 = 0'}, "))
		if o := in.Done("p", noon); o.Taken != 6 || len(ids(t, in)) != 14 {
			t.Errorf("want a run with taken 6; got %+v", o)
		}
	}
}

// TestCompileRefuses checks policies that the generator refuses.
func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	in := kit.Prepare(t, plain+"; CREATE TABLE r (id int PRIMARY KEY, c real)", old(""))
	for _, c := range []struct{ yaml, message string }{
		{`policies: {p: {table: r, due: {age: {column: c, encoding: epoch_s, older_than: 7 days}}, then: [delete]}}`,
			`cannot be used with type "real"`},
		{`policies: {p: {table: m, due: {beyond: {first: 0, order: id}}, then: [delete]}}`, "first"},
		{`policies: {p: {table: m, due: {beyond: {first: -1, order: id}}, then: [delete]}}`, "first"},
	} {
		_, list := in.Compile(t, c.yaml)
		if !list.HasErrors() || !strings.Contains(fmt.Sprint(list), c.message) {
			t.Errorf("%s: got the diagnostics %v, want %q", c.yaml, list, c.message)
		}
	}
}

// TestUnknownVerb checks that the registry refuses a step whose verb no part of the runtime knows.
func TestUnknownVerb(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	_, err := in.Conn(t).Exec(t.Context(), `SELECT retention._put_policy(to_jsonb(p) || '{"steps":
		[{"step": 1, "verb": "delete", "table": "public.m"}, {"step": 2, "verb": "empty", "table": "public.m"}]}')
		FROM retention.policy p`)
	if broken := new(pgconn.PgError); !errors.As(err, &broken) || broken.Code != "23514" ||
		broken.ConstraintName != "policy_steps_check" {
		t.Errorf("want a violation of policy_steps_check, got %v", err)
	}
}
