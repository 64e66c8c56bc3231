package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

const placeHold = "SELECT * FROM retention.place_hold('public.m', '15', 'case 7')"

// TestHoldPlacedBetweenScanAndDelete checks that a batch waits for a transaction that places a
// hold, and keeps the held row.
func TestHoldPlacedBetweenScanAndDelete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, rule string }{
		"one statement": {"", simple}, "row by row": {signals, guarded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema, c.rule)
			if name == "row by row" {
				s.useRowByRow()
			}

			// A plain statement checks holds as a guard. The transaction that places the hold
			// commits after the statement's snapshot.
			s.refill(30)
			s.appExec("BEGIN; UPDATE m SET v = 1 WHERE id = 15; " + placeHold)
			naive := s.start(s.Conn(t), "DELETE FROM m t WHERE at < "+cutoff+` AND NOT EXISTS (
				SELECT FROM retention.hold h WHERE h.table_name = 'public.m'
					AND h.match = jsonb_build_object('id', t.id::text) AND h.released_at IS NULL)`)
			naive.mustWait()
			s.appExec("COMMIT")
			naive.mustSucceed()
			s.wantLeft()

			s.Exec(t, "DELETE FROM retention.hold")
			s.refill(30)
			operator := s.session("retention_operator")
			pgtest.Exec(t, operator, "BEGIN; "+placeHold)
			run := s.run("p")
			run.mustWait()
			pgtest.Exec(t, operator, "COMMIT")
			run.mustSucceed()
			s.wantLeft(15)
			s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1}})
		})
	}
}

// TestHoldPlacedDuringABatch checks that place_hold waits for the batch in progress and then
// returns that no row is held. If the transaction of place_hold has an old snapshot that still
// contains the row, place_hold returns NULL for the number of held rows.
func TestHoldPlacedDuringABatch(t *testing.T) {
	t.Parallel()
	for isolation, says := range map[string]string{"read committed": "0", "repeatable read": "unknown",
		"serializable": "unknown"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "", simple)
			s.Exec(t, gateAt15)
			s.refill(30)
			s.shutGate()
			run := s.run("p")
			run.mustWait()
			operator := s.session("retention_operator")
			pgtest.Exec(t, operator, "SET default_transaction_isolation = '"+isolation+"'")
			hold := s.start(operator, "CREATE TEMP TABLE held AS "+placeHold)
			hold.mustWait()
			s.openGate()
			run.mustSucceed()
			hold.mustSucceed()
			if n := pgtest.Value[string](t, hold.conn,
				"SELECT coalesce(rows_held::text, 'unknown') FROM held"); n != says {
				t.Errorf("place_hold returned %s as the number of held rows, want %s", n, says)
			}
			if pgtest.Value[bool](t, s.watch, "SELECT bool_or(row_seen) FROM retention.hold") {
				t.Error("retention.hold has row_seen true, want false")
			}
			s.wantLeft()
		})
	}
}

// TestHoldPlacedBetweenBatches checks that a hold that is placed during a run keeps its row from
// the next batch on.
func TestHoldPlacedBetweenBatches(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", simple)
	s.Exec(t, gateAt15)
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait() // in the second batch, rows 11 to 20
	hold := s.start(s.session("retention_operator"), "SELECT retention.place_hold('public.m', '25', 'case 7')")
	hold.mustWait()
	s.openGate()
	run.mustSucceed()
	hold.mustSucceed()
	s.wantLeft(25) // place_hold queued for the lock before the third batch
	s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1}})
}

// TestHoldsInOneStatement checks that holds on the policy's own table leave batches one statement.
// The first hold matches no due row. The second one matches row 15 only after another session has
// updated the row, while the batch waits for the row.
func TestHoldsInOneStatement(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{simple, withKeep(simple, "v > 100")} {
		s := newStage(t, "", rule)
		s.refill(30)
		for _, match := range []string{`99`, `{"v": 7}`} {
			if err := s.Operator("SELECT retention.place_hold('public.m', $1, 'case 7')", match); err != nil {
				t.Fatal(err)
			}
		}
		s.appExec("BEGIN; UPDATE m SET v = 7 WHERE id = 15")
		run := s.run("p")
		run.mustWait()
		s.appExec("COMMIT")
		run.mustSucceed()
		s.wantLeft(15)
		o := s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1}})
		if n := pgtest.Value[int](t, s.watch,
			"SELECT count(*) FROM retention.batch WHERE run_id = $1 AND mode = 'locked'", o.ID); n > 0 {
			t.Errorf("%d batches were row by row:\n%s", n, s.batches(o.ID))
		}
		s.Exec(t, "UPDATE m SET v = 8")
		s.run("p").mustSucceed()
		s.wantLeft()
	}
}

// TestHoldOnAChildKeepsItsParent checks that a hold on a child row keeps the parent row, whose
// deletion would cascade to the child.
func TestHoldOnAChildKeepsItsParent(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`,
		`{table: m, due: {age: {column: at, older_than: 7 days}}, then: [{delete: {cascades: [public.child]}}],
			batch: {lock_timeout: 100s}}`)
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT 1000 + id, id FROM m")
	if err := s.Operator("SELECT retention.place_hold('public.child', '1015', 'case 7')"); err != nil {
		t.Fatal(err)
	}
	s.run("p").mustSucceed()
	s.wantLeft(15)
	s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1},
		Cascaded: map[string]int64{"public.child": 29}})

	// A plain DELETE does not check holds.
	s.Exec(t, "DELETE FROM m WHERE at < "+cutoff)
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM child WHERE id = 1015"); n != 0 {
		t.Errorf("the plain DELETE left the held child; so this test proves nothing")
	}
}

// TestHoldThatIsNeverCommitted checks that a run ends "more", not "failed", after bounded waits for
// a place_hold that does not commit.
func TestHoldThatIsNeverCommitted(t *testing.T) {
	t.Parallel()
	s := newStage(t, "", withShortLockTimeout(simple))
	s.refill(30)
	operator := s.session("retention_operator")
	pgtest.Exec(t, operator, "BEGIN; "+placeHold)
	s.run("p").mustSucceed()
	s.wantLeft(numbers(1, 30)...)
	if o := s.wantRun("p", counts{State: "more"}); o.SQLState != "55P03" {
		t.Errorf("the log has %s %q, want 55P03", o.SQLState, o.Message)
	}
	pgtest.Exec(t, operator, "ROLLBACK")
	s.run("p").mustSucceed()
	s.wantLeft()
}

// TestColumnOfAHoldIsRenamedDuringARun renames a column that a hold uses, between two batches. The
// next batch takes no row, and the run ends "tripped".
func TestColumnOfAHoldIsRenamedDuringARun(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{simple, guarded} {
		s := newStage(t, signals+gateAt15, rule)
		s.refill(30)
		s.Exec(t, "UPDATE m SET v = id")
		if err := s.Operator("SELECT retention.place_hold('m', '{\"v\": 27}', 'case 1')"); err != nil {
			t.Fatal(err)
		}
		s.shutGate()
		run := s.run("p")
		run.mustWait()
		rename := s.start(s.app, "ALTER TABLE m RENAME COLUMN v TO w")
		rename.mustWait()
		s.openGate()
		rename.mustSucceed()
		if err := run.wait(); err == nil || err.Code != "P0001" ||
			!strings.Contains(err.Message, `the table lacks such a column`) {
			t.Errorf("raised %v, want P0001", err)
		}
		s.wantRun("p", counts{State: "tripped", Taken: 20})
		s.wantLeft(numbers(21, 30)...)
		s.wantUnlocked()
		s.Exec(t, "DELETE FROM retention.hold")
	}
}

// TestTableInheritsAHoldDuringABatch makes the table inherit from a table with a hold, while a
// batch waits for the table. The batch keeps the held row.
func TestTableInheritsAHoldDuringABatch(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE above (id int NOT NULL, at timestamptz NOT NULL, v int NOT NULL);`+gateAt15, simple)
	s.refill(30)
	s.Exec(t, "INSERT INTO above VALUES (25, now(), 0)")
	if err := s.Operator("SELECT retention.place_hold('above', '{\"id\": 25}', 'case 7')"); err != nil {
		t.Fatal(err)
	}
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	s.appExec("BEGIN")
	inherit := s.start(s.app, "ALTER TABLE m INHERIT above")
	inherit.mustWait()
	s.openGate()
	inherit.mustSucceed()
	run.mustWait()
	s.appExec("COMMIT")
	if err := run.wait(); err == nil || err.Code != "PR005" {
		t.Errorf("the run ended with %v, want PR005", err)
	}
	s.wantLeft(numbers(21, 30)...)
	s.run("p").mustSucceed()
	s.wantLeft(25)
	s.wantRun("p", counts{State: "done", Taken: 9, Kept: map[string]int64{"hold": 1}})
}
