package behaviour

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

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
	pgtest.Until(t, in, "SELECT EXISTS (SELECT FROM retention.progress WHERE waited_s >= 2 AND waited_for LIKE $1)", what)
	if left := pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE at < '2024-03-24 12:00+00'"); left != 13 {
		t.Errorf("%d of 13 rows are left while the run waits", left)
	}
}

// A run waits for a replica, with its budget of time for a bound, and for none that the owner may not see.
func TestWaitsForAReplica(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{})
	in := kit.Install(t, plain+"; CREATE TABLE noise (t text); CREATE TABLE rows AS SELECT * FROM m", old("throttle: {replica_lag: 1s}, batch: {rows: 3}, "), kit.On(db))
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
	if o := ended(); o.State != "done" || o.Taken != 13 || !strings.Contains(o.Summary, "13 of 13 rows taken, waited ") {
		t.Errorf("after the replica has caught up: %+v", o)
	}

	lag()
	in.Exec(t, "TRUNCATE m; INSERT INTO m SELECT * FROM rows; UPDATE retention.policy SET budget_time = '2 s'")
	ended = begun(t, in)
	if o := ended(); o.State != "more" || o.Taken != 0 || !strings.Contains(o.Message, "the budget of 00:00:02 is spent") {
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
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"archive_mode": "on", "archive_command": "false", "wal_level": "replica"}})
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

// A batch's COMMIT waits for neither disk nor standby, that of the run's end for both, so that what the log calls done is kept.
func TestCommitOfABatchWaitsForNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"archive_mode": "on", "archive_command": "false", "wal_level": "replica"}})
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
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, fill text); INSERT INTO m SELECT i, '2024-01-01', repeat('x', 500) FROM generate_series(1, 4000) i",
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

// Whoever decodes the WAL tells the batches of runs from what the application does, where the install says so: each of
// them begins with a message, which is theirs alone who ask for messages.
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
	for _, line := range pgtest.Column[string](t, in, "SELECT data FROM pg_logical_slot_get_changes('test_decoding', NULL, NULL, 'include-xids', 'off')") {
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
