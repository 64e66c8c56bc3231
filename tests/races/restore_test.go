package races

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

const archived = `{table: m, due: {age: {column: at, older_than: 7 days}},
	then: [{archive: {into: old, set: {run: run.id}}}, delete], batch: {lock_timeout: 100s}}`

const archive = `CREATE TABLE old (id int, at timestamptz, v int, run bigint);`

// TestRestoreAndARun checks that a restore of a policy excludes runs of its table, other restores,
// and place_hold().
func TestRestoreAndARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, archive+gateAt15, archived)
	s.refill(30)
	s.run("p").mustSucceed()
	s.wantLeft()
	id := pgtest.Value[int64](t, s.watch, "SELECT max(id) FROM retention.run")
	call := fmt.Sprintf("SELECT retention.restore('p', %d)", id)

	// A run is in progress. The server refuses restore at once.
	s.Exec(t, fill, 15)
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	if err := s.start(s.session("retention_operator"), call).wait(); err == nil || err.Code != "55P03" {
		t.Errorf("restore during a run ended with %v, want 55P03", err)
	}
	s.openGate()
	run.mustSucceed()
	s.wantLeft()

	// A restore is in progress. A run ends busy, the server refuses another restore, and
	// place_hold() waits.
	operator := s.session("retention_operator")
	pgtest.Exec(t, operator, "BEGIN; "+call)
	s.run("p").mustSucceed()
	state := pgtest.Value[string](t, s.watch, "SELECT state FROM retention.run ORDER BY id DESC LIMIT 1")
	if state != "busy" {
		t.Errorf("a run during restore ended %s, want busy", state)
	}
	if err := s.start(s.session("retention_operator"), call).wait(); err == nil || err.Code != "55P03" {
		t.Errorf("a second restore ended with %v, want 55P03", err)
	}
	hold := s.start(s.session("retention_operator"), "SELECT retention.place_hold('m', '1', 'case')")
	hold.mustWait()

	// The restore rolls back. The table and the holds are unchanged.
	pgtest.Exec(t, operator, "ROLLBACK")
	hold.mustSucceed()
	s.wantLeft()
	if n := pgtest.Value[int](t, s.watch, `SELECT count(*)::int FROM retention.hold
		WHERE reason LIKE 'restored%'`); n != 0 {
		t.Errorf("%d holds of the rolled-back restore are left, want none", n)
	}

	// The restore's session is terminated before it commits.
	pgtest.Exec(t, operator, "BEGIN; "+call)
	s.Exec(t, "SELECT pg_terminate_backend($1)", operator.PgConn().PID())
	s.waitUntil("the lock is free", func() bool {
		return pgtest.Value[bool](t, s.watch, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)",
			operator.PgConn().PID())
	})
	s.wantLeft()
	s.start(s.session("retention_operator"), call).mustSucceed()
	s.wantLeft(numbers(1, 30)...)
	s.run("p").mustSucceed()
	s.wantLeft(numbers(1, 30)...)
}

// TestRestoreWaitsForAHold checks that restore waits for a session that places a hold on a row of
// the archive. The held row stays in the archive. In other isolation levels than READ COMMITTED,
// the server refuses restore, because the snapshot of the transaction would not contain the hold.
func TestRestoreWaitsForAHold(t *testing.T) {
	t.Parallel()
	for isolation, code := range map[string]string{"read committed": "", "repeatable read": "55000",
		"serializable": "55000"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, archive+"ALTER TABLE old ADD UNIQUE (id);", archived)
			s.refill(30)
			s.run("p").mustSucceed()
			s.start(s.session("retention_operator"),
				`SELECT retention.place_hold('old', '{"id": 14}', 'case')`).mustSucceed()
			holder, operator := s.session("retention_operator"), s.session("retention_operator")
			pgtest.Exec(t, holder, "BEGIN; SELECT retention.place_hold('old', '{\"id\": 15}', 'case')")
			pgtest.Exec(t, operator, "SET default_transaction_isolation = '"+isolation+"'")
			restore := s.start(operator, "SELECT retention.restore('p', (SELECT max(id) FROM retention.run))")
			restore.waitsOrEnds()
			pgtest.Exec(t, holder, "COMMIT")
			if err := restore.wait(); code == "" && err != nil || code != "" && (err == nil || err.Code != code) {
				t.Errorf("restore ended with %v, want %q", err, code)
			}
			want := []int{14, 15}
			if code != "" {
				want = numbers(1, 30)
			}
			if diff := cmp.Diff(want, s.ids("old")); diff != "" {
				t.Errorf("the archive (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRestoreFindsANewerRow checks that restore waits for a session that inserts a row with an
// archived key. The newer row stays, and the archived row stays in the archive.
func TestRestoreFindsANewerRow(t *testing.T) {
	t.Parallel()
	s := newStage(t, archive, archived)
	s.refill(30)
	s.run("p").mustSucceed()
	id := pgtest.Value[int64](t, s.watch, "SELECT max(id) FROM retention.run")
	s.appExec("BEGIN; INSERT INTO m VALUES (15, " + fresh + ", 77), (16, " + fresh + ", 77)")
	restore := s.start(s.session("retention_operator"), "SELECT retention.restore('p', $1)", id)
	restore.mustWait()
	s.appExec("COMMIT")
	restore.mustSucceed()
	s.wantLeft(numbers(1, 30)...)
	if got := pgtest.Column[int](t, s.watch, "SELECT id FROM m WHERE v = 77 ORDER BY id"); len(got) != 2 {
		t.Errorf("the newer rows in m are %v, want 15 and 16", got)
	}
	if got := pgtest.Column[int](t, s.watch, "SELECT id FROM old ORDER BY id"); len(got) != 2 || got[0] != 15 {
		t.Errorf("the rows in the archive are %v, want 15 and 16", got)
	}
	if n := pgtest.Value[string](t, s.watch, "SELECT restored || ' ' || refused FROM retention.restored"); n != "28 2" {
		t.Errorf("retention.restored has %s restored and refused rows, want 28 2", n)
	}
}

// TestArchiveChangesDuringARestore checks that restore waits for a session that updates or deletes
// a row of the archive. The restored row has the updated values, and a deleted row is not restored.
func TestArchiveChangesDuringARestore(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{"UPDATE old SET v = 99": "99|0|30 0", "DELETE FROM old": "|0|29 1"} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, archive, archived)
			s.refill(30)
			s.run("p").mustSucceed()
			s.appExec("BEGIN; " + change + " WHERE id = 15")
			restore := s.start(s.session("retention_operator"),
				"SELECT retention.restore('p', (SELECT max(id) FROM retention.run))")
			restore.mustWait()
			s.appExec("COMMIT")
			restore.mustSucceed()
			got := pgtest.Value[string](t, s.watch,
				`SELECT format('%s|%s|%s', (SELECT string_agg(v::text, ' ') FROM m WHERE id = 15),
				(SELECT count(*) FROM old), (SELECT restored || ' ' || refused FROM retention.restored))`)
			if got != want {
				t.Errorf("v of row 15, rows in the archive, restored and refused rows are %s, want %s", got, want)
			}
		})
	}
}
