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

// minutely is n rows, one a minute before noon; those older than an hour are n - 60.
func minutely(n int) string {
	return fmt.Sprintf("INSERT INTO m SELECT i, '2024-03-31 12:00+00'::timestamptz - i * interval '1 min' FROM "+
		"generate_series(1, %d) i", n)
}

const (
	tableM = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); "
	// partedM has its rows in two partitions; statistics of the table above them exist only after
	// ANALYZE.
	partedM = `CREATE TABLE m (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM (MINVALUE) TO ('2024-03-25');
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-03-25') TO (MAXVALUE); `
)

// What statistics say of a table, or do not say, is nothing to the breaker: it counts.
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
					t.Errorf("%d of 20061 rows left, %s: %+v", left, policies[i], o)
				}
				if !pgtest.Value[bool](t, in, "SELECT would_trip FROM retention.preview($1, $2)", name, noon) {
					t.Error("preview does not say so")
				}
			}
		})
	}
}

// One row decides, on either side of each bound, and a budget below the bound is all that counts.
func TestBreakerToTheRow(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tableM+"SELECT", "policies: {p: {table: m, due: {age: {column: at, older_than: 1 hour}}, "+
		"then: [delete]}}")
	const rows = math.MaxInt64
	for _, c := range []struct {
		n        int // 60 of them are young
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
		in.Exec(t, "UPDATE retention.policy SET breaker_rows = $1, breaker_fraction = $2, budget_rows = $3 WHERE "+
			"name = 'p'", c.limit, c.fraction, c.budget)
		trips := pgtest.Value[bool](t, in, "SELECT would_trip FROM retention.preview('p', $1)", noon)
		o := in.Run("p", noon)
		left := pgtest.Value[int](t, in, "SELECT count(*) FROM m")
		if o.State != c.want || trips != (c.want == "tripped") || trips != (left == c.n) {
			t.Errorf("%+v: %d left, preview says %v, %+v", c, left, trips, o)
		}
	}
}

// begun starts a run as the runner; ended waits for it and reads its row of the log.
func begun(t *testing.T, in *kit.Installed) (ended func() kit.Outcome) {
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

// waiting wants a run to wait for what has a text, and to have touched nothing.
func waiting(t *testing.T, in *kit.Installed, what string) {
	t.Helper()
	pgtest.Until(t, in, "SELECT EXISTS (SELECT FROM retention.progress WHERE waited_s >= 2 AND waited_for LIKE $1)",
		what)
	if left := pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE at < '2024-03-24 12:00+00'"); left != 13 {
		t.Errorf("%d of 13 rows are left while the run waits", left)
	}
}

// A run waits for a replica, with its budget of time for a bound, and for none that the owner may
// not see.
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
			return len(pgtest.Column[int](t, in, "SELECT 1 FROM pg_stat_replication WHERE replay_lag > interval '2 s'")) > 0
		})
	}
	lag()
	ended := begun(t, in)
	waiting(t, in, `replica "%", which lags by 00:0%`)
	standby.Exec(t, "SELECT pg_wal_replay_resume()")
	if o := ended(); o.State != "done" || o.Taken != 13 ||
		!strings.Contains(o.Summary, "13 of 13 rows taken, waited ") {
		t.Errorf("after the replica has caught up: %+v", o)
	}

	lag()
	in.Exec(t, "TRUNCATE m; INSERT INTO m SELECT * FROM rows; UPDATE retention.policy SET budget_time = '2 s'")
	ended = begun(t, in)
	if o := ended(); o.State != "more" || o.Taken != 0 ||
		!strings.Contains(o.Message, "the budget of 00:00:02 is spent") {
		t.Errorf("with a budget of two seconds: %+v", o)
	}
	in.Exec(t, "REVOKE pg_monitor FROM retention_owner; UPDATE retention.policy SET budget_time = NULL")
	ended = begun(t, in)
	if o := ended(); o.State != "done" || o.Taken != 13 || strings.Contains(o.Summary, "waited") {
		t.Errorf("for a replica that the owner may not see: %+v", o)
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
	ended := begun(t, in)
	waiting(t, in, "the archiver, which has % files of WAL to archive")
	in.Exec(t, "ALTER SYSTEM SET archive_command = 'true'")
	in.Exec(t, "SELECT pg_reload_conf()")
	if o := ended(); o.State != "done" || o.Taken != 13 || !strings.Contains(o.Summary, "waited ") {
		t.Errorf("after the archiver has caught up: %+v", o)
	}
}

// A batch's COMMIT waits for neither disk nor standby, that of the run's end for both, so that what
// the log calls done is kept.
func TestCommitOfABatchWaitsForNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"archive_mode": "on",
		"archive_command": "false", "wal_level": "replica"}})
	in := kit.Install(t, plain, old("throttle: {pending_archival: 1}, batch: {rows: 5}, "), kit.On(db))
	in.Exec(t, "SELECT pg_switch_wal()")
	in.Exec(t, "SELECT txid_current()")
	in.Exec(t, "SELECT pg_switch_wal()")
	ended := begun(t, in)
	waiting(t, in, "the archiver, which has % files of WAL to archive")
	set := func(setting string) {
		t.Helper()
		in.Exec(t, "ALTER SYSTEM SET "+setting)
		in.Exec(t, "SELECT pg_reload_conf()")
	}
	set("synchronous_standby_names = 'nobody'")
	set("archive_command = 'true'")
	pgtest.Until(t, in, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')")
	if left := pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE at < '2024-03-24 12:00+00'"); left != 3 {
		t.Errorf("%d rows are left where the last three wait for a standby", left)
	}
	set("synchronous_standby_names = ''")
	if o := ended(); o.State != "done" || o.Taken != 13 {
		t.Errorf("without a standby to wait for: %+v", o)
	}
}

// A run takes no less time than its WAL at the rate that is allowed, but for its last batch.
func TestRateOfWAL(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{})
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, fill text); INSERT INTO m "+
		"SELECT i, '2024-01-01', repeat('x', 500) FROM generate_series(1, 4000) i",
		old("throttle: {wal_rate: 200kB/s}, batch: {rows: 400}, "), kit.On(db))
	in.Exec(t, "CHECKPOINT")
	before := pgtest.Value[string](t, in, "SELECT pg_current_wal_insert_lsn()::text")
	o := in.Done("p", noon)
	var seconds, atRate float64
	row := in.Conn(t).QueryRow(t.Context(), `SELECT extract(epoch FROM r.ended_at - r.started_at)::float8, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::text::pg_lsn)::float8 / (200 * 1024)
		FROM retention.run r ORDER BY id DESC LIMIT 1`, before)
	if err := row.Scan(&seconds, &atRate); err != nil {
		t.Fatal(err)
	}
	if o.Taken != 4000 || atRate < 1 || seconds < 0.7*atRate {
		t.Errorf("%d rows in %.1f s, which at the rate take %.1f s", o.Taken, seconds, atRate)
	}
}

// Whoever decodes the WAL tells the batches of runs from what the application does, where the
// install says so: each of them begins with a message, which is theirs alone who ask for messages.
func TestBatchesSayTheirPolicy(t *testing.T) {
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

	var got []string // a transaction each that deletes from m: what it begins with, and the rows
	said := regexp.MustCompile(`^message: transactional: 1 prefix: pgretain, sz: \d+ content:(.*)$`)
	gone := regexp.MustCompile(`^table public.m: DELETE: id\[integer\]:(\d+)`)
	first, rows := "", []string{}
	for _, line := range pgtest.Column[string](t, in,
		"SELECT data FROM pg_logical_slot_get_changes('test_decoding', NULL, NULL, 'include-xids', 'off')") {
		if m := said.FindStringSubmatch(line); m != nil && len(rows) == 0 {
			first = m[1] + ": "
		} else if m := gone.FindStringSubmatch(line); m != nil {
			rows = append(rows, m[1])
		} else if line == "COMMIT" {
			if slices.Sort(rows); len(rows) > 0 {
				got = append(got, first+strings.Join(rows, " "))
			}
			first, rows = "", nil
		}
	}
	ours := fmt.Sprintf(`{"run": %d, "policy": "p"}: `, run.ID)
	want := []string{"1", "19 20", ours + "14 15 16 17 18", ours + "10 11 12 13 9", ours + "8", "2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transactions (-want +got):\n%s", diff)
	}
	for options, want := range map[string]string{"": "", ", 'messages', 'true'": "pgretain pgretain pgretain"} {
		got := pgtest.Value[string](t, in, `SELECT coalesce(string_agg(convert_from(substr(data, 11, 8), 'UTF8'), ' '), '') FROM pg_logical_slot_peek_binary_changes(
			'pgoutput', NULL, NULL, 'proto_version', '1', 'publication_names', 'deletes'`+options+`) WHERE get_byte(data, 0) = ascii('M')`)
		if got != want {
			t.Errorf("a subscriber with the options %q gets %q", options, got)
		}
	}
}

const dry = "CALL retention.run('p', '" + noon + "', 'to look', dry_run => true)"

// A dry run counts what a run would do, and nothing else changes: no row, no counter, no success.
func TestDryRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("keep: {even: 'id % 2 = 0'}, "))
	outcome, err := in.Call(dry)
	if err != nil || outcome != "p: dry run, done (run 1): would take 6 of 13 rows" {
		t.Fatalf("%q, %v", outcome, err)
	}
	got := in.Rows("SELECT state, dry_run, kept, taken, scanned, batches, reason FROM retention.run")
	if diff := cmp.Diff([]string{`(done,t,"{""even"": 7}",6,13,1,"to look")`}, got); diff != "" {
		t.Errorf("run log:\n%s", diff)
	}
	if n := len(ids(t, in)); n != 20 {
		t.Errorf("%d rows are left", n)
	}
	if n := pgtest.Value[int](t, in, "SELECT (SELECT count(*) FROM retention.total) + (SELECT count(*) FROM "+
		"retention.batch)"); n != 0 {
		t.Errorf("%d rows in total and batch", n)
	}
	status := in.Rows("SELECT last_state, last_run, last_success_at, last_dry_run FROM retention.status WHERE " +
		"policy = 'p'")
	if diff := cmp.Diff([]string{"(,,,1)"}, status); diff != "" {
		t.Errorf("status:\n%s", diff)
	}
	// The run itself does what the dry one said, and stays the last one when another dry one
	// follows.
	if o := in.Done("p", noon); o.Taken != 6 {
		t.Errorf("%+v", o)
	}
	if outcome, _ := in.Call(dry); outcome != "p: dry run, done (run 3): would take 0 of 7 rows" {
		t.Errorf("%q", outcome)
	}
	status = in.Rows("SELECT last_state, last_run, last_taken, last_dry_run FROM retention.status WHERE policy = 'p'")
	if diff := cmp.Diff([]string{"(done,2,6,3)"}, status); diff != "" {
		t.Errorf("status:\n%s", diff)
	}
}

// A dry run ends in the state in which the run would end, and says why. Nothing counts it as a
// failure of the policy.
func TestDryRunOfWhatWouldNotRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("breaker: {rows: 12}, budget: {rows: 20}, "))
	in.SetBatch(5)
	for _, c := range []struct{ before, want string }{
		{"SELECT 1", "p: dry run, tripped (run 1): would take 0 of 0 rows; 13 or more rows are due, the breaker " +
			"allows 12"},
		{"UPDATE retention.policy SET budget_rows = 5",
			"p: dry run, more (run 2): would take 5 of 5 rows; the budget of 5 rows is spent"},
		{"SELECT retention.pause('p', 'holiday')", "p: dry run, paused (run 3): would take 0 of 0 rows; paused by " +
			"postgres at "},
	} {
		in.Exec(t, c.before)
		outcome, err := in.Call(dry)
		if err != nil { // as a run that trips
			outcome = err.Message
		}
		if !strings.HasPrefix(outcome, c.want) || strings.Contains(outcome, "accept") {
			t.Errorf("%s: %q, %v", c.before, outcome, err)
		}
	}
	in.Exec(t, "SELECT retention.resume('p'); ALTER TABLE m RENAME COLUMN at TO moved")
	if _, err := in.Call(dry); err == nil || !strings.Contains(err.Message,
		`p: dry run, tripped (run 4): would take 0 of 0 rows; column "at"`) {
		t.Errorf("a broken policy: %v", err)
	}
	if got := in.Rows("SELECT state, dry_run, sqlstate FROM retention.run ORDER BY id DESC LIMIT 1"); got[0] != "(tripped,t,)" {
		t.Errorf("run log: %v", got)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.total"); n != 0 {
		t.Error("a dry run was counted")
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.health() WHERE policy = 'p'"); n != 0 {
		t.Error("health complains of a dry run")
	}
}

// A dry run of a job takes from each policy what the run takes: the later ones find what the
// earlier ones leave.
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
		t.Errorf("%q, %v", outcome, err)
	}
	if n := pgtest.Value[int](t, in, `SELECT (SELECT count(*) FROM retention.total) + (SELECT count(*) FROM retention.batch)
		+ (SELECT count(*) FROM retention.event) + (SELECT count(*) FROM retention.report)`); n != 0 ||
		len(ids(t, in)) != 20 {
		t.Errorf("the dry run left %d rows beside the run log, and %d of the table", n, len(ids(t, in)))
	}
	if _, err := in.Call("CALL retention.run_job('nightly', $1)", noon); err != nil {
		t.Error(err)
	}
	const logged = "SELECT job, policy, state, taken, scanned, kept, message FROM retention.run WHERE dry_run = "
	if diff := cmp.Diff(in.Rows(logged+"false"), in.Rows(logged+"true")); diff != "" {
		t.Errorf("what the dry run logged differs from what the run logged (-run +dry run):\n%s", diff)
	}
	if got := ids(t, in); len(got) != 4 {
		t.Errorf("%v are left", got)
	}
}
