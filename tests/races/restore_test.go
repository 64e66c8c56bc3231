package races

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

const archived = `{table: m, due: {age: {column: at, older_than: 7 days}}, then: [{archive: {into: old, set: {run: run.id}}}, delete], batch: {lock_timeout: 100s}}`

const archive = `CREATE TABLE old (id int, at timestamptz, v int, run bigint);`

// A restore and a run of one table, or two restores, exclude each other; so do a restore and
// place_hold().
func TestRestoreAndARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, archive+gateAt15, archived)
	s.refill(30)
	s.run("p").ok()
	s.leaves()
	id := pgtest.Value[int64](t, s.watch, "SELECT max(id) FROM retention.run")
	call := fmt.Sprintf("SELECT retention.restore('p', %d)", id)

	// A run is under way: restore is refused at once.
	s.Exec(t, fill, 15)
	s.shut()
	run := s.run("p")
	run.mustWait()
	if err := s.start(s.session("retention_operator"), call).end(); err == nil || err.Code != "55P03" {
		t.Errorf("restore during a run: %v, want 55P03", err)
	}
	s.open()
	run.ok()
	s.leaves()

	// A restore is under way: a run does not start, another restore does not either, a hold waits.
	operator := s.session("retention_operator")
	pgtest.Exec(t, operator, "BEGIN; "+call)
	s.run("p").ok()
	if state := pgtest.Value[string](t, s.watch, "SELECT state FROM retention.run ORDER BY id DESC LIMIT 1"); state != "busy" {
		t.Errorf("a run during restore ended %s, want busy", state)
	}
	if err := s.start(s.session("retention_operator"), call).end(); err == nil || err.Code != "55P03" {
		t.Errorf("a second restore: %v, want 55P03", err)
	}
	hold := s.start(s.session("retention_operator"), "SELECT retention.place_hold('m', '1', 'case')")
	hold.mustWait()

	// It is given back: nothing happened, nothing is held.
	pgtest.Exec(t, operator, "ROLLBACK")
	hold.ok()
	s.leaves()
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*)::int FROM retention.hold WHERE reason LIKE 'restored%'"); n != 0 {
		t.Errorf("%d holds are left", n)
	}

	// The session is gone before it commits.
	pgtest.Exec(t, operator, "BEGIN; "+call)
	s.Exec(t, "SELECT pg_terminate_backend($1)", operator.PgConn().PID())
	s.until("the lock is free", func() bool {
		return pgtest.Value[bool](t, s.watch, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)",
			operator.PgConn().PID())
	})
	s.leaves()
	s.start(s.session("retention_operator"), call).ok()
	s.leaves(from(1, 30)...)
	s.run("p").ok()
	s.leaves(from(1, 30)...)
}

// A row of the archive that is held while restore waits for the hold stays there, or restore is
// refused: in a transaction that is not READ COMMITTED it would not see the hold.
func TestRestoreWaitsForAHold(t *testing.T) {
	t.Parallel()
	for isolation, code := range map[string]string{"read committed": "", "repeatable read": "55000",
		"serializable": "55000"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, archive+"ALTER TABLE old ADD UNIQUE (id);", archived)
			s.refill(30)
			s.run("p").ok()
			s.start(s.session("retention_operator"), "SELECT retention.place_hold('old', '{\"id\": 14}', 'case')").ok()
			holder, operator := s.session("retention_operator"), s.session("retention_operator")
			pgtest.Exec(t, holder, "BEGIN; SELECT retention.place_hold('old', '{\"id\": 15}', 'case')")
			pgtest.Exec(t, operator, "SET default_transaction_isolation = '"+isolation+"'")
			restore := s.start(operator, "SELECT retention.restore('p', (SELECT max(id) FROM retention.run))")
			restore.waits()
			pgtest.Exec(t, holder, "COMMIT")
			if err := restore.end(); code == "" && err != nil || code != "" && (err == nil || err.Code != code) {
				t.Errorf("restore: %v, want %q", err, code)
			}
			want := []int{14, 15}
			if code != "" {
				want = from(1, 30)
			}
			if diff := cmp.Diff(want, s.ids("old")); diff != "" {
				t.Errorf("the archive (-want +got):\n%s", diff)
			}
		})
	}
}

// Somebody makes a row anew while restore is about to: it waits, and leaves that one.
func TestRestoreMeetsANewerRow(t *testing.T) {
	t.Parallel()
	s := newStage(t, archive, archived)
	s.refill(30)
	s.run("p").ok()
	id := pgtest.Value[int64](t, s.watch, "SELECT max(id) FROM retention.run")
	s.application("BEGIN; INSERT INTO m VALUES (15, " + fresh + ", 77), (16, " + fresh + ", 77)")
	restore := s.start(s.session("retention_operator"), "SELECT retention.restore('p', $1)", id)
	restore.mustWait()
	s.application("COMMIT")
	restore.ok()
	s.leaves(from(1, 30)...)
	if got := pgtest.Column[int](t, s.watch, "SELECT id FROM m WHERE v = 77 ORDER BY id"); len(got) != 2 {
		t.Errorf("newer rows: %v", got)
	}
	if got := pgtest.Column[int](t, s.watch, "SELECT id FROM old ORDER BY id"); len(got) != 2 || got[0] != 15 {
		t.Errorf("left in the archive: %v", got)
	}
	if n := pgtest.Value[string](t, s.watch, "SELECT restored || ' ' || refused FROM retention.restored"); n != "28 2" {
		t.Errorf("written down: %s", n)
	}
}

// Somebody changes or deletes a row of the archive while restore brings it back: it is in one
// place, as he left it.
func TestRestoreMeetsAChangeOfTheArchive(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{"UPDATE old SET v = 99": "99|0|30 0", "DELETE FROM old": "|0|29 1"} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, archive, archived)
			s.refill(30)
			s.run("p").ok()
			s.application("BEGIN; " + change + " WHERE id = 15")
			restore := s.start(s.session("retention_operator"),
				"SELECT retention.restore('p', (SELECT max(id) FROM retention.run))")
			restore.mustWait()
			s.application("COMMIT")
			restore.ok()
			got := pgtest.Value[string](t, s.watch,
				`SELECT format('%s|%s|%s', (SELECT string_agg(v::text, ' ') FROM m WHERE id = 15),
				(SELECT count(*) FROM old), (SELECT restored || ' ' || refused FROM retention.restored))`)
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
