package behaviour

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// minutely returns SQL that inserts n rows, one for each minute before noon. At noon, n - 60 of
// them are older than an hour.
func minutely(n int) string {
	return fmt.Sprintf(`INSERT INTO m SELECT i, '2024-03-31 12:00+00'::timestamptz - i * interval '1 min'
		FROM generate_series(1, %d) i`, n)
}

const (
	tableM = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); "
	// partedM creates m with two partitions. The partitioned table itself has statistics only after
	// ANALYZE.
	partedM = `CREATE TABLE m (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM (MINVALUE) TO ('2024-03-25');
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-03-25') TO (MAXVALUE); `
)

// TestBreakerCounts checks that the breaker counts rows. Missing or wrong statistics do not change
// its result.
func TestBreakerCounts(t *testing.T) {
	t.Parallel()
	var policies []string
	for _, breaker := range []string{"{rows: 20000, fraction: 1}", "{fraction: 0.5}", "{fraction: 99%}"} {
		for _, keep := range []string{"", "keep: {none: 'id = 1'}, "} {
			policies = append(policies, fmt.Sprintf("p%d: {table: m, due: {age: {column: at, older_than: 1 hour}}, "+
				"%sbreaker: %s, then: [delete]}",
				len(policies), keep, breaker))
		}
	}
	for name, schema := range map[string]string{
		"analysed while empty":      tableM + "ANALYZE m; " + minutely(20061),
		"analysed while small":      tableM + minutely(100) + "; ANALYZE m; DELETE FROM m; " + minutely(20061),
		"never analysed":            tableM + minutely(20061),
		"analysed":                  tableM + minutely(20061) + "; ANALYZE m",
		"bloated":                   tableM + minutely(90000) + "; ANALYZE m; DELETE FROM m WHERE id > 20061",
		"bloated and analysed":      tableM + minutely(90000) + "; DELETE FROM m WHERE id > 20061; ANALYZE m",
		"partitions analysed empty": partedM + "ANALYZE m; " + minutely(20061),
		"partitions never analysed": partedM + minutely(20061),
		"one partition analysed":    partedM + minutely(20061) + "; ANALYZE m_2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, schema, "policies: {"+strings.Join(policies, ", ")+"}")
			for i := range policies {
				name := fmt.Sprintf("p%d", i)
				o := in.Run(name, noon)
				if left := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); o.State != "tripped" || left != 20061 {
					t.Errorf("%s: %d rows left, want a tripped run and 20061 rows: %+v", policies[i], left, o)
				}
				if !pgtest.Value[bool](t, in, "SELECT would_trip FROM retention.preview($1, $2)", name, noon) {
					t.Errorf("%s: preview has would_trip = false", policies[i])
				}
			}
		})
	}
}

// TestBreakerToTheRow checks both sides of each limit: one row more trips the run. If the budget is
// smaller than the number of due rows, the breaker compares its limit with the budget.
func TestBreakerToTheRow(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tableM+"SELECT", `policies: {p: {table: m, due: {age: {column: at, older_than: 1 hour}},
		then: [delete]}}`)
	const rows = math.MaxInt64
	for _, c := range []struct {
		n        int // rows of the table; 60 of them are not due
		limit    int
		fraction float64
		budget   any
		want     string
	}{
		{12060, rows, 1, nil, "done"},
		{12060, 12000, 1, nil, "done"},
		{12061, 12000, 1, nil, "tripped"},
		{12061, 12000, 1, 12000, "more"},
		{12061, 12000, 1, 12001, "tripped"},
		{9999, rows, 0.1, nil, "done"},
		{10000, rows, 0.1, nil, "tripped"},
		{10000, rows, 0.1, 1000, "more"},
		{10000, rows, 0.1, 1001, "tripped"},
		{10000, rows, 0.994, nil, "done"},
		{10000, rows, 0.9939, nil, "tripped"},
		{12000, rows, 0.995, nil, "done"},
		{11999, rows, 0.995, nil, "done"},
		{12001, rows, 0.995, nil, "tripped"},
		{12000, 11939, 0.995, nil, "tripped"},
	} {
		in.Exec(t, "TRUNCATE m; "+minutely(c.n))
		in.Exec(t, `UPDATE retention.policy SET breaker_rows = $1, breaker_fraction = $2, budget_rows = $3
			WHERE name = 'p'`, c.limit, c.fraction, c.budget)
		trips := pgtest.Value[bool](t, in, "SELECT would_trip FROM retention.preview('p', $1)", noon)
		o := in.Run("p", noon)
		left := pgtest.Value[int](t, in, "SELECT count(*) FROM m")
		if o.State != c.want || trips != (c.want == "tripped") || trips != (left == c.n) {
			t.Errorf("%+v: %d rows left, would_trip is %v, the run ended %+v", c, left, trips, o)
		}
	}
}

// startRun starts a run as role retention_runner. The returned function waits for the end of the
// run and returns its row of the run log.
func startRun(t *testing.T, in *kit.Installed) (ended func() kit.Outcome) {
	t.Helper()
	conn, done := in.Conn(t), make(chan error, 1)
	pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION retention_runner")
	var summary string
	go func() {
		done <- conn.QueryRow(context.Background(), "CALL retention.run('p', $1)", noon).Scan(&summary)
	}()
	return func() kit.Outcome {
		t.Helper()
		if err := <-done; err != nil {
			t.Error(err)
		}
		o := in.Last("p")
		o.Summary = summary
		return o
	}
}

// wantWaiting waits until a run waits for something that matches the LIKE pattern what. The run
// must have taken no row yet.
func wantWaiting(t *testing.T, in *kit.Installed, what string) {
	t.Helper()
	pgtest.Until(t, in, "SELECT EXISTS (SELECT FROM retention.progress WHERE waited_s >= 2 AND waited_for LIKE $1)",
		what)
	if left := pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE at < '2024-03-24 12:00+00'"); left != 13 {
		t.Errorf("%d of 13 rows are left while the run waits", left)
	}
}

// A run waits for a replica that lags, but not longer than budget.time. It does not wait if its
// owner has no privilege to see the lag.
func TestWaitsForAReplica(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{})
	in := kit.Install(t, plain+"; CREATE TABLE noise (t text); CREATE TABLE rows AS SELECT * FROM m",
		old("throttle: {replica_lag: 1s}, batch: {rows: 3}, "), kit.On(db))
	standby := db.Standby(t, map[string]string{"wal_receiver_status_interval": "1s"})
	standby.CatchUp(t, db)
	lag := func() {
		t.Helper()
		standby.Exec(t, "SELECT pg_wal_replay_pause()")
		pgtest.Poll(t, "the replica lags", func() bool {
			in.Exec(t, "INSERT INTO noise VALUES ('x')")
			return len(pgtest.Column[int](t, in, `SELECT 1 FROM pg_stat_replication
				WHERE replay_lag > interval '2 s'`)) > 0
		})
	}
	lag()
	ended := startRun(t, in)
	wantWaiting(t, in, `replica "%", which lags by 00:0%`)
	standby.Exec(t, "SELECT pg_wal_replay_resume()")
	if o := ended(); o.State != "done" || o.Taken != 13 ||
		!strings.Contains(o.Summary, "13 of 13 rows taken, waited ") {
		t.Errorf("after the replica caught up, the run ended %+v", o)
	}

	lag()
	in.Exec(t, "TRUNCATE m; INSERT INTO m SELECT * FROM rows; UPDATE retention.policy SET budget_time = '2 s'")
	ended = startRun(t, in)
	if o := ended(); o.State != "more" || o.Taken != 0 ||
		!strings.Contains(o.Message, "the budget of 00:00:02 is spent") {
		t.Errorf("with a budget of 2 s, the run ended %+v", o)
	}
	in.Exec(t, "REVOKE pg_monitor FROM retention_owner; UPDATE retention.policy SET budget_time = NULL")
	ended = startRun(t, in)
	if o := ended(); o.State != "done" || o.Taken != 13 || strings.Contains(o.Summary, "waited") {
		t.Errorf("without pg_monitor, the run ended %+v", o)
	}
}

// A run waits until the archiver has caught up.
func TestWaitsForTheArchiver(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"archive_mode": "on",
		"archive_command": "false", "wal_level": "replica"}})
	in := kit.Install(t, plain+"; CREATE TABLE noise (t text)", old("throttle: {pending_archival: 1}, "), kit.On(db))
	for range 3 {
		in.Exec(t, "INSERT INTO noise VALUES ('x')")
		in.Exec(t, "SELECT pg_switch_wal()")
	}
	ended := startRun(t, in)
	wantWaiting(t, in, "the archiver, which has % files of WAL to archive")
	in.Exec(t, "ALTER SYSTEM SET archive_command = 'true'")
	in.Exec(t, "SELECT pg_reload_conf()")
	if o := ended(); o.State != "done" || o.Taken != 13 || !strings.Contains(o.Summary, "waited ") {
		t.Errorf("after the archiver caught up, the run ended %+v", o)
	}
}

// The COMMIT of a batch waits neither for the disk nor for a standby. The COMMIT that ends the run
// waits for both, so a run that the log calls done is durable.
func TestCommitOfABatchWaitsForNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"archive_mode": "on",
		"archive_command": "false", "wal_level": "replica"}})
	in := kit.Install(t, plain, old("throttle: {pending_archival: 1}, batch: {rows: 5}, "), kit.On(db))
	in.Exec(t, "SELECT pg_switch_wal()")
	in.Exec(t, "SELECT txid_current()")
	in.Exec(t, "SELECT pg_switch_wal()")
	ended := startRun(t, in)
	wantWaiting(t, in, "the archiver, which has % files of WAL to archive")
	set := func(setting string) {
		t.Helper()
		in.Exec(t, "ALTER SYSTEM SET "+setting)
		in.Exec(t, "SELECT pg_reload_conf()")
	}
	set("synchronous_standby_names = 'nobody'")
	set("archive_command = 'true'")
	pgtest.Until(t, in, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')")
	if left := pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE at < '2024-03-24 12:00+00'"); left != 3 {
		t.Errorf("%d rows are left while the last batch waits for a standby, want 3", left)
	}
	set("synchronous_standby_names = ''")
	if o := ended(); o.State != "done" || o.Taken != 13 {
		t.Errorf("after the standby was removed from the settings, the run ended %+v", o)
	}
}

// A run with wal_rate lasts at least as long as its WAL takes at that rate. Its last batch may
// write WAL faster.
func TestRateOfWAL(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{})
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, fill text);
		INSERT INTO m SELECT i, '2024-01-01', repeat('x', 500) FROM generate_series(1, 4000) i`,
		old("throttle: {wal_rate: 200kB/s}, batch: {rows: 400}, "), kit.On(db))
	in.Exec(t, "CHECKPOINT")
	before := pgtest.Value[string](t, in, "SELECT pg_current_wal_insert_lsn()::text")
	o := in.Done("p", noon)
	var seconds, atRate float64
	row := in.Conn(t).QueryRow(t.Context(), `SELECT extract(epoch FROM r.ended_at - r.started_at)::float8,
			pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::text::pg_lsn)::float8 / (200 * 1024)
		FROM retention.run r ORDER BY id DESC LIMIT 1`, before)
	if err := row.Scan(&seconds, &atRate); err != nil {
		t.Fatal(err)
	}
	if o.Taken != 4000 || atRate < 1 || seconds < 0.7*atRate {
		t.Errorf("took %d rows in %.1f s; their WAL takes %.1f s at wal_rate", o.Taken, seconds, atRate)
	}
}

// TestLogicalMessagesNameThePolicy decodes the WAL. With logical_messages, the transaction of each
// batch begins with a message that names the run and the policy. A subscriber receives these
// messages only if it requests messages.
func TestLogicalMessagesNameThePolicy(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"wal_level": "logical"}})
	in := kit.Install(t, plain+"; CREATE PUBLICATION deletes FOR TABLE m", old("batch: {rows: 5}, "), kit.On(db))
	for _, plugin := range []string{"test_decoding", "pgoutput"} {
		in.Exec(t, "SELECT pg_create_logical_replication_slot($1, $1)", plugin)
	}
	in.Exec(t, "DELETE FROM m WHERE id = 1")
	in.Done("p", "2024-03-20 12:00:00+00")
	in.Exec(t, "UPDATE retention.install SET logical_messages = true")
	run := in.Done("p", noon)
	in.Exec(t, "DELETE FROM m WHERE id = 2")

	var got []string // one entry for each transaction that deletes from m: its message and the ids
	message := regexp.MustCompile(`^message: transactional: 1 prefix: pgretain, sz: \d+ content:(.*)$`)
	deleted := regexp.MustCompile(`^table public.m: DELETE: id\[integer\]:(\d+)`)
	first, rows := "", []string{}
	for _, line := range pgtest.Column[string](t, in,
		"SELECT data FROM pg_logical_slot_get_changes('test_decoding', NULL, NULL, 'include-xids', 'off')") {
		if m := message.FindStringSubmatch(line); m != nil && len(rows) == 0 {
			first = m[1] + ": "
		} else if m := deleted.FindStringSubmatch(line); m != nil {
			rows = append(rows, m[1])
		} else if line == "COMMIT" {
			if slices.Sort(rows); len(rows) > 0 {
				got = append(got, first+strings.Join(rows, " "))
			}
			first, rows = "", nil
		}
	}
	batch := fmt.Sprintf(`{"run": %d, "policy": "p"}: `, run.ID)
	want := []string{"1", "19 20", batch + "14 15 16 17 18", batch + "10 11 12 13 9", batch + "8", "2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transactions (-want +got):\n%s", diff)
	}
	for options, want := range map[string]string{"": "", ", 'messages', 'true'": "pgretain pgretain pgretain"} {
		got := pgtest.Value[string](t, in, `
			SELECT coalesce(string_agg(convert_from(substr(data, 11, 8), 'UTF8'), ' '), '')
			FROM pg_logical_slot_peek_binary_changes(
				'pgoutput', NULL, NULL, 'proto_version', '1', 'publication_names', 'deletes'`+options+`)
			WHERE get_byte(data, 0) = ascii('M')`)
		if got != want {
			t.Errorf("a subscriber with the options %q receives %q, want %q", options, got, want)
		}
	}
}

const dry = "CALL retention.run('p', '" + noon + "', 'to look', dry_run => true)"

// A dry run counts the rows that a run would take. It writes only its row of the run log: no row,
// no counter and no time of a success changes.
func TestDryRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("keep: {even: 'id % 2 = 0'}, "))
	outcome, err := in.Call(dry)
	if err != nil || outcome != "p: dry run, done (run 1): would take 6 of 13 rows" {
		t.Fatalf("the dry run returned %q, %v", outcome, err)
	}
	got := in.Rows("SELECT state, dry_run, kept, taken, scanned, batches, reason FROM retention.run")
	if diff := cmp.Diff([]string{`(done,t,"{""even"": 7}",6,13,1,"to look")`}, got); diff != "" {
		t.Errorf("run log:\n%s", diff)
	}
	if n := len(ids(t, in)); n != 20 {
		t.Errorf("%d rows are left, want 20", n)
	}
	if n := pgtest.Value[int](t, in, `SELECT (SELECT count(*) FROM retention.total) +
		(SELECT count(*) FROM retention.batch)`); n != 0 {
		t.Errorf("the dry run left %d rows in retention.total and retention.batch", n)
	}
	status := in.Rows(`SELECT last_state, last_run, last_success_at, last_dry_run FROM retention.status
		WHERE policy = 'p'`)
	if diff := cmp.Diff([]string{"(,,,1)"}, status); diff != "" {
		t.Errorf("status:\n%s", diff)
	}
	// A run takes as many rows as the dry run announced. It stays the last run in status when
	// another dry run follows.
	if o := in.Done("p", noon); o.Taken != 6 {
		t.Errorf("took %d rows, the dry run announced 6: %+v", o.Taken, o)
	}
	if outcome, _ := in.Call(dry); outcome != "p: dry run, done (run 3): would take 0 of 7 rows" {
		t.Errorf("the dry run after the run returned %q", outcome)
	}
	status = in.Rows("SELECT last_state, last_run, last_taken, last_dry_run FROM retention.status WHERE policy = 'p'")
	if diff := cmp.Diff([]string{"(done,2,6,3)"}, status); diff != "" {
		t.Errorf("status:\n%s", diff)
	}
}

// A dry run ends in the state in which the run would end, and gives the reason. Neither counters
// nor health() count it as a failure of the policy.
func TestDryRunOfStoppedRuns(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("breaker: {rows: 12}, budget: {rows: 20}, "))
	in.SetBatch(5)
	for _, c := range []struct{ before, want string }{
		{
			before: "SELECT 1",
			want: "p: dry run, tripped (run 1): would take 0 of 0 rows; 13 or more rows are due, the breaker " +
				"allows 12",
		},
		{"UPDATE retention.policy SET budget_rows = 5",
			"p: dry run, more (run 2): would take 5 of 5 rows; the budget of 5 rows is spent"},
		{
			before: "SELECT retention.pause('p', 'holiday')",
			want:   "p: dry run, paused (run 3): would take 0 of 0 rows; paused by postgres at ",
		},
	} {
		in.Exec(t, c.before)
		outcome, err := in.Call(dry)
		if err != nil { // like a run, a dry run that trips raises an error
			outcome = err.Message
		}
		if !strings.HasPrefix(outcome, c.want) || strings.Contains(outcome, "accept") {
			t.Errorf("after %s the dry run returned %q, %v; want %q", c.before, outcome, err, c.want)
		}
	}
	in.Exec(t, "SELECT retention.resume('p'); ALTER TABLE m RENAME COLUMN at TO moved")
	if _, err := in.Call(dry); err == nil || !strings.Contains(err.Message,
		`p: dry run, tripped (run 4): would take 0 of 0 rows; column "at"`) {
		t.Errorf("with a renamed column, the dry run returned %v", err)
	}
	if got := in.Rows(`SELECT state, dry_run, sqlstate FROM retention.run
		ORDER BY id DESC LIMIT 1`); got[0] != "(tripped,t,)" {
		t.Errorf("run log: %v, want (tripped,t,)", got)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.total"); n != 0 {
		t.Error("a dry run wrote to retention.total")
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.health() WHERE policy = 'p'"); n != 0 {
		t.Error("health() reports a problem because of a dry run")
	}
}

// A dry run of a job logs the same counts as the job itself. Each policy finds the rows that the
// earlier policies of the job would leave.
func TestDryRunOfAJob(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, `
policies:
  aged: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  cap: {table: m, due: {beyond: {first: 4, order: id}}, then: [delete]}
reports: {few: {query: "SELECT count(*) AS n FROM m", alert: "n < 5"}}
jobs: {nightly: {schedule: "@daily", run: [aged, cap, few]}}`)
	in.SetBatch(3)
	outcome, err := in.Call("CALL retention.run_job('nightly', $1, dry_run => true)", noon)
	const want = "aged: dry run, done (run 1): would take 13 of 13 rows\ncap: dry run, done (run 2): would take 3 " +
		"of 3 rows\n" +
		"few: dry run, done (run 3): 1 rows, 1 alerts"
	if err != nil || outcome != want {
		t.Errorf("the dry run of the job returned %q, %v; want %q", outcome, err, want)
	}
	if n := pgtest.Value[int](t, in, `
		SELECT (SELECT count(*) FROM retention.total) + (SELECT count(*) FROM retention.batch) +
			(SELECT count(*) FROM retention.event) + (SELECT count(*) FROM retention.report)`); n != 0 ||
		len(ids(t, in)) != 20 {
		t.Errorf("the dry run wrote %d rows besides the run log, and left %d of 20 rows of m", n, len(ids(t, in)))
	}
	if _, err := in.Call("CALL retention.run_job('nightly', $1)", noon); err != nil {
		t.Error(err)
	}
	const logged = "SELECT job, policy, state, taken, scanned, kept, message FROM retention.run WHERE dry_run = "
	if diff := cmp.Diff(in.Rows(logged+"false"), in.Rows(logged+"true")); diff != "" {
		t.Errorf("what the dry run logged differs from what the run logged (-run +dry run):\n%s", diff)
	}
	if got := ids(t, in); len(got) != 4 {
		t.Errorf("rows %v are left, want 4", got)
	}
}
