package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

const placeHold = "SELECT * FROM retention.place_hold('public.m', '15', 'case 7')"

// A hold whose transaction is open when a batch begins is waited for, and honoured.
func TestHoldPlacedBetweenScanAndDelete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, rule string }{
		"RANGE": {"", simple}, "LOCKED": {signals, guarded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, c.rule)
			if name == "LOCKED" {
				s.locked()
			}

			// Naive: the hold is a guard in one statement, and its transaction commits in between.
			s.refill(30)
			s.application("BEGIN; UPDATE m SET v = 1 WHERE id = 15; " + placeHold)
			naive := s.start(s.Conn(t), "DELETE FROM m t WHERE at < "+cutoff+` AND NOT EXISTS (
				SELECT FROM retention.hold h WHERE h.table_name = 'public.m' AND h.match = jsonb_build_object('id', t.id::text) AND h.released_at IS NULL)`)
			naive.mustWait()
			s.application("COMMIT")
			naive.ok()
			s.leaves()

			s.Exec(t, "DELETE FROM retention.hold")
			s.refill(30)
			operator := s.session("retention_operator")
			pgtest.Exec(t, operator, "BEGIN; "+placeHold)
			run := s.run("p")
			run.mustWait()
			pgtest.Exec(t, operator, "COMMIT")
			run.ok()
			s.leaves(15)
			s.logged("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1}})
		})
	}
}

// place_hold waits for a batch under way and then tells the truth: the row is gone; or that it
// cannot tell, in a transaction that still sees the row.
func TestHoldPlacedDuringABatch(t *testing.T) {
	t.Parallel()
	for isolation, says := range map[string]string{"read committed": "0", "repeatable read": "unknown",
		"serializable": "unknown"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", simple)
			s.Exec(t, gateAt15)
			s.refill(30)
			s.shut()
			run := s.run("p")
			run.mustWait()
			operator := s.session("retention_operator")
			pgtest.Exec(t, operator, "SET default_transaction_isolation = '"+isolation+"'")
			hold := s.start(operator, "CREATE TEMP TABLE held AS "+placeHold)
			hold.mustWait()
			s.open()
			run.ok()
			hold.ok()
			if n := pgtest.Value[string](t, hold.conn,
				"SELECT coalesce(rows_held::text, 'unknown') FROM held"); n != says {
				t.Errorf("place_hold says of the rows it holds: %s, want %s", n, says)
			}
			if pgtest.Value[bool](t, s.watch, "SELECT bool_or(row_seen) FROM retention.hold") {
				t.Error("the hold says that it saw the row")
			}
			s.leaves()
		})
	}
}

// A hold placed between two batches is honoured by the second, in the middle of a run.
func TestHoldPlacedBetweenBatches(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.Exec(t, gateAt15)
	s.refill(30)
	s.shut()
	run := s.run("p")
	run.mustWait() // in the second batch, 11 to 20
	hold := s.start(s.session("retention_operator"), "SELECT retention.place_hold('public.m', '25', 'case 7')")
	hold.mustWait()
	s.open()
	run.ok()
	hold.ok()
	s.leaves(25) // the hold was in the lock's queue before the third batch
	s.logged("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1}})
}

// A hold on a row that a foreign key would take along keeps the row above it.
func TestHoldOnAChildKeepsItsParent(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`,
		`{table: m, due: {age: {column: at, older_than: 7 days}}, then: [{delete: {cascades: [public.child]}}], batch: {lock_timeout: 100s}}`)
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT 1000 + id, id FROM m")
	if err := s.Operator("SELECT retention.place_hold('public.child', '1015', 'case 7')"); err != nil {
		t.Fatal(err)
	}
	s.run("p").ok()
	s.leaves(15)
	s.logged("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1},
		Cascaded: map[string]int64{"public.child": 29}})

	// Naive: the foreign key knows nothing of holds.
	s.Exec(t, "DELETE FROM m WHERE at < "+cutoff)
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM child WHERE id = 1015"); n != 0 {
		t.Errorf("the plain DELETE left the held child; then this test shows nothing")
	}
}

// A place_hold that nobody commits ends the run "more", not "failed", after bounded waits.
func TestHoldThatIsNeverCommitted(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", impatient(simple))
	s.refill(30)
	operator := s.session("retention_operator")
	pgtest.Exec(t, operator, "BEGIN; "+placeHold)
	s.run("p").ok()
	s.leaves(from(1, 30)...)
	if o := s.logged("p", counts{State: "more"}); o.SQLState != "55P03" {
		t.Errorf("the log says %s %q", o.SQLState, o.Message)
	}
	pgtest.Exec(t, operator, "ROLLBACK")
	s.run("p").ok()
	s.leaves()
}

// The column of a hold is renamed between two batches. The next batch takes nothing.
func TestHoldsColumnIsRenamedDuringARun(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{simple, guarded} {
		s := newStage(t, signals+gateAt15, rule)
		s.refill(30)
		s.Exec(t, "UPDATE m SET v = id")
		if err := s.Operator("SELECT retention.place_hold('m', '{\"v\": 27}', 'case 1')"); err != nil {
			t.Fatal(err)
		}
		s.shut()
		run := s.run("p")
		run.mustWait()
		rename := s.start(s.app, "ALTER TABLE m RENAME COLUMN v TO w")
		rename.mustWait()
		s.open()
		rename.ok()
		if err := run.end(); err == nil || err.Code != "P0001" ||
			!strings.Contains(err.Message, `the table lacks such a column`) {
			t.Errorf("raised %v, want P0001", err)
		}
		s.logged("p", counts{State: "tripped", Taken: 20})
		s.leaves(from(21, 30)...)
		s.unlocked()
		s.Exec(t, "DELETE FROM retention.hold")
	}
}
