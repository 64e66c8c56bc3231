package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// guardedWithGate is the policy guarded with a condition that makes a batch wait at the gate. At
// that moment the batch has taken its snapshot, but has not locked row 15.
const guardedWithGate = `{table: m, where: "gate(t.id = 15)", due: {age: {column: at, older_than: 7 days}},
	keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}, then: [delete],
	batch: {lock_timeout: 100s}}`

const guardInOneStatement = "DELETE FROM m t WHERE at < " + cutoff + ` AND gate(t.id = 15)
	AND NOT EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)`

// TestGuardCommittedBetweenScanAndDelete checks a row of the guard's table that was committed after
// the scan's snapshot. The row that it refers to must stay, with and without a foreign key.
func TestGuardCommittedBetweenScanAndDelete(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"without a foreign key":             signals,
		"with a foreign key":                `CREATE TABLE sig (m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`,
		"without a foreign key, row by row": signals,
		"with a foreign key, row by row":    `CREATE TABLE sig (m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule := guardedWithGate
			if strings.HasPrefix(name, "with a") {
				rule = withCascades(rule, "public.sig")
			}
			s := newStage(t, schema, rule)
			if strings.HasSuffix(name, "row by row") {
				s.useRowByRow()
			}
			race := func(start func() *task) {
				s.refill(30)
				s.Exec(t, "TRUNCATE sig")
				s.shutGate()
				k := start()
				k.mustWait()
				s.appExec("INSERT INTO sig VALUES (15)")
				s.openGate()
				k.mustSucceed()
			}
			if strings.HasPrefix(name, "without") {
				race(func() *task { return s.start(s.Conn(t), guardInOneStatement) })
				s.wantLeft() // wrong: the statement evaluated the guard in its old snapshot
			}
			race(func() *task { return s.run("p") })
			s.wantLeft(15)
			s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"signal": 1}})
		})
	}
}

// TestRowsChangeBetweenSearchAndLock checks rows that another session changes after the snapshot of
// the statement that finds and locks the rows of a batch, but before their locks. A row that is
// still due and in the batch's range is taken in its new version. Another row counts as contended,
// and so does a row that the session has locked. A row that has moved to a later batch is taken
// there.
func TestRowsChangeBetweenSearchAndLock(t *testing.T) {
	t.Parallel()
	// With a function in its place, each batch would work row by row.
	const gateByOperator = signals + `
		CREATE FUNCTION open(id int, stop int) RETURNS boolean LANGUAGE plpgsql AS $$
		BEGIN
			RETURN public.gate(id = stop);
		END $$;
		CREATE OPERATOR <~> (FUNCTION = open, LEFTARG = int, RIGHTARG = int);`
	s := newStage(t, gateByOperator, strings.Replace(guarded, "due:", `where: "t.id <~> 15", due:`, 1))
	s.refill(30)
	s.shutGate()
	run := s.run("p")
	run.mustWait() // in the batch of rows 11 to 20
	s.appExec(`UPDATE m SET v = 1 WHERE id = 12;
		UPDATE m SET at = ` + fresh + ` WHERE id = 13;
		UPDATE m SET at = '2024-01-01 00:25:30+00' WHERE id = 14;
		UPDATE m SET at = '2024-01-01 00:18:30+00' WHERE id = 15;
		INSERT INTO sig VALUES (16)`)
	s.appExec("BEGIN; UPDATE m SET v = 1 WHERE id = 17")
	s.openGate()
	run.mustSucceed()
	s.appExec("COMMIT")
	s.wantLeft(13, 16, 17)
	s.wantRun("p", counts{State: "done", Taken: 27, Contended: 3, Kept: map[string]int64{"signal": 1}})
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.batch WHERE mode = 'locked'"); n > 0 {
		t.Errorf("%d batches worked row by row, want none", n)
	}
}

// TestGuardReleasedDuringTheDelete checks a guard's row that another session deletes while the
// batch deletes. The batch has kept the row that it refers to, but when the run counts kept rows,
// nothing keeps the row. So the run must take it, and must not count it as kept.
func TestGuardReleasedDuringTheDelete(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{
		"delete":  "delete",
		"archive": "archive: {into: attic, create: true}, delete",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals+gateAt15, strings.Replace(guarded, "then: [delete]", "then: ["+then+"]", 1))
			s.refill(30)
			s.Exec(t, "INSERT INTO sig VALUES (12), (18)")
			s.shutGate()
			run := s.run("p")
			run.mustWait()
			s.appExec("DELETE FROM sig WHERE m_id = 12")
			s.openGate()
			run.mustSucceed()
			s.wantLeft(18)
			want := counts{State: "done", Taken: 29, Kept: map[string]int64{"signal": 1}}
			if name == "archive" {
				want.Related = map[string]int64{"public.attic": 29}
			}
			s.wantRun("p", want)
		})
	}
}

// TestGuardInsertedAfterTheRecheck checks a session that writes to the guard's table after the
// batch has rechecked the policy's row. The session waits only if the new row refers to the
// policy's row by a foreign key. Then the server refuses the new row. Without a foreign key, the
// new row refers to a deleted row.
func TestGuardInsertedAfterTheRecheck(t *testing.T) {
	t.Parallel()
	const referring = `CREATE TABLE sig (m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`
	for name, c := range map[string]struct{ schema, rule, code, write string }{
		"without a foreign key": {signals, guarded, "", "INSERT INTO sig VALUES (15)"},
		"with a foreign key": {referring, withCascades(guarded, "public.sig"), "23503",
			"INSERT INTO sig VALUES (15)"},
		"moved there":       {signals + "INSERT INTO sig VALUES (99);", guarded, "", "UPDATE sig SET m_id = 15"},
		"removed elsewhere": {signals + "INSERT INTO sig VALUES (99);", guarded, "", "DELETE FROM sig"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema+gateAt15, c.rule)
			s.refill(30)
			s.shutGate()
			run := s.run("p")
			run.mustWait()
			signal := s.start(s.app, c.write)
			if c.code != "" {
				signal.mustWait()
				s.openGate()
			}
			got := ""
			if err := signal.wait(); err != nil {
				got = err.Code
			}
			if c.code == "" { // the session has committed although the batch is not over
				s.openGate()
			}
			run.mustSucceed()
			if got != c.code {
				t.Errorf("writing the guard row ended with %q, want %q", got, c.code)
			}
			s.wantLeft()
			s.wantRun("p", counts{State: "done", Taken: 30})
		})
	}
}

// TestGuardTableIsWrittenDuringARun checks that a run neither waits for a session that has written
// to the guard's table, nor counts what this session has not committed.
func TestGuardTableIsWrittenDuringARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, signals, guarded)
	s.refill(30)
	s.Exec(t, "INSERT INTO sig VALUES (15)")
	s.appExec("BEGIN; INSERT INTO sig VALUES (16)")
	s.run("p").mustSucceed()
	s.appExec("COMMIT")
	s.wantLeft(15)
	s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"signal": 1}})
}

// TestKeptRowsAreNotLockedAgain checks that a run locks no row that a guard keeps, if guards kept
// most rows of the last batch or of the last run. A lock of a row writes its xmax.
func TestKeptRowsAreNotLockedAgain(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{
		"delete":  "delete",
		"archive": "archive: {into: attic, create: true}, delete",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals, strings.Replace(guarded, "then: [delete]", "then: ["+then+"]", 1))
			s.Exec(t, "UPDATE retention.policy SET batch_time_ms = NULL, batch_rows = 4")
			s.refill(30)
			s.Exec(t, "INSERT INTO sig SELECT id FROM m WHERE id <> 30")
			locked := func() int {
				return pgtest.Value[int](t, s.watch, "SELECT count(*) FROM m WHERE xmax <> '0'")
			}
			want := counts{State: "done", Taken: 1, Kept: map[string]int64{"signal": 29}}
			if name == "archive" {
				want.Related = map[string]int64{"public.attic": 1}
			}
			s.run("p").mustSucceed()
			s.wantRun("p", want)
			if n := locked(); n > 4 {
				t.Errorf("the first run locked %d kept rows, want those of its first batch at most", n)
			}
			s.Exec(t, "UPDATE m SET at = at") // the new versions of the rows are not locked
			s.Exec(t, "INSERT INTO m (id, at) VALUES (31, '2024-01-01')")
			s.run("p").mustSucceed()
			s.wantRun("p", want)
			if n := locked(); n > 0 {
				t.Errorf("the second run locked %d kept rows, want none", n)
			}
		})
	}
}

// TestChildCommittedBetweenScanAndDelete checks a child row that was committed between scan and
// delete. The step that deletes children must delete and count this child. One statement that
// deletes parents and children does not see the child, and the foreign key deletes it.
func TestChildCommittedBetweenScanAndDelete(t *testing.T) {
	t.Parallel()
	const child = `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE);
		CREATE TABLE seen (id int);`
	s := newStage(t, child, `{table: m, where: "gate(t.id = 15)", due: {age: {column: at, older_than: 7 days}},
		then: [{delete: {table: child, as: c, where: "c.m_id = t.id"}}, {delete: {cascades: [public.child]}}],
			batch: {lock_timeout: 100s}}`)
	race := func(start func() *task) {
		s.refill(30)
		s.Exec(t, "INSERT INTO child VALUES (1, 15)")
		s.shutGate()
		k := start()
		k.mustWait()
		s.appExec("INSERT INTO child VALUES (2, 15)")
		s.openGate()
		k.mustSucceed()
		if left := s.ids("child"); len(left) > 0 {
			t.Errorf("children %v are left, want none", left)
		}
		s.wantLeft()
	}
	race(func() *task {
		return s.start(s.Conn(t), `WITH due AS MATERIALIZED (SELECT id FROM m WHERE at < `+cutoff+` AND gate(id = 15)),
			kept AS (INSERT INTO seen SELECT c.id FROM child c JOIN due ON due.id = c.m_id)
			DELETE FROM m USING due WHERE m.id = due.id`)
	})
	if seen := s.ids("seen"); len(seen) != 1 {
		t.Errorf("one statement saw children %v; so this test proves nothing", seen)
	}
	race(func() *task { return s.run("p") })
	s.wantRun("p", counts{State: "done", Taken: 30, Related: map[string]int64{"public.child": 2}})
}

// TestCascadeIsCounted checks that a run counts children that only the foreign key deletes,
// whenever they were committed.
func TestCascadeIsCounted(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`+
		gateAt15,
		withCascades(simple, "public.child"))
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT id, id FROM m")
	s.shutGate()
	run := s.run("p")
	run.mustWait()
	early := s.start(s.app, "INSERT INTO child VALUES (1021, 21)") // its parent is in a later batch
	early.mustSucceed()
	late := s.start(s.Conn(t), "INSERT INTO child VALUES (1011, 11)") // the batch is deleting its parent
	late.mustWait()
	s.openGate()
	run.mustSucceed()
	if err := late.wait(); err == nil || err.Code != "23503" {
		t.Errorf("an INSERT of a child of a deleted row ended with %v, want 23503", err)
	}
	s.wantLeft()
	s.wantRun("p", counts{State: "done", Taken: 30, Cascaded: map[string]int64{"public.child": 31}})
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM child"); n != 0 {
		t.Errorf("%d children are left, want none", n)
	}
}

// TestHeldRelatedRowKeepsItsRow checks that a held related row also keeps the row of the policy to
// which it belongs.
func TestHeldRelatedRowKeepsItsRow(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL);`,
		`{table: m, due: {age: {column: at, older_than: 7 days}},
		then: [{delete: {table: child, as: c, where: "c.m_id = t.id"}}, delete], batch: {lock_timeout: 100s}}`)
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT 1000 + id, id FROM m")
	if err := s.Operator("SELECT retention.place_hold('public.child', '1015', 'case 7')"); err != nil {
		t.Fatal(err)
	}
	s.run("p").mustSucceed()
	s.wantLeft(15)
	s.wantRun("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1},
		Related: map[string]int64{"public.child": 29}})
	if left := s.ids("child"); len(left) != 1 || left[0] != 1015 {
		t.Errorf("children %v are left, want [1015]", left)
	}
}

// TestGuardOfPartitionedTable checks a guard that reads another table, for a table with several
// partitions. Rows of different partitions are at the same place of their partition. A row that a
// guard keeps, a row that another session has locked and a row outside of the scope must stay,
// although the rows at their places in the other partitions go.
func TestGuardOfPartitionedTable(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, `CREATE TABLE sig (m_id int NOT NULL);
		CREATE TABLE m (id int, at timestamptz NOT NULL, v int NOT NULL, PRIMARY KEY (id, v))
			PARTITION BY LIST (v);
		CREATE TABLE m0 PARTITION OF m FOR VALUES IN (0);
		CREATE TABLE m1 PARTITION OF m FOR VALUES IN (1);
		CREATE TABLE m2 PARTITION OF m FOR VALUES IN (2)`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, scope: [v],
			keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}, then: [delete],
			batch: {lock_timeout: 100s}}}`)
	s.Exec(t, `INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 minute', i % 3
		FROM generate_series(1, 30) i; INSERT INTO sig VALUES (4), (14)`)
	s.appExec("BEGIN; SELECT FROM m WHERE id = 22 FOR KEY SHARE")
	// Row 4 of partition m1 is at the place of row 5 of partition m2.
	s.start(s.session("retention_runner"), `CALL retention.run('p', $1, scope => '{"v": 1}')`, asOf).mustSucceed()
	s.wantRun("p", counts{State: "done", Taken: 8, Contended: 1, Kept: map[string]int64{"signal": 1}})
	left := []int{2, 3, 4, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 22, 23, 24, 26, 27, 29, 30}
	s.wantLeft(left...)
	s.run("p").mustSucceed()
	s.wantRun("p", counts{State: "done", Taken: 19, Contended: 1, Kept: map[string]int64{"signal": 2}})
	s.wantLeft(4, 14, 22)
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.batch WHERE mode = 'locked'"); n > 0 {
		t.Errorf("%d batches worked row by row, want none", n)
	}
	s.appExec("COMMIT")
}
