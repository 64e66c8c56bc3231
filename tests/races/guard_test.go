package races

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// stopping is guarded's policy with a condition in which it can be stopped, after its statement has
// taken its snapshot and before it locks row 15.
const stopping = `{table: m, where: "gate(t.id = 15)", due: {age: {column: at, older_than: 7 days}}, keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}, then: [delete], batch: {lock_timeout: 100s}}`

const guardInOneStatement = "DELETE FROM m t WHERE at < " + cutoff + ` AND gate(t.id = 15)
	AND NOT EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)`

// A guard row committed after the scan's snapshot spares its row, with a foreign key and without.
func TestGuardCommittedBetweenScanAndDelete(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"without a foreign key":         signals,
		"with a foreign key":            `CREATE TABLE sig (m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`,
		"without a foreign key, LOCKED": signals,
		"with a foreign key, LOCKED":    `CREATE TABLE sig (m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule := stopping
			if strings.HasPrefix(name, "with a") {
				rule = withCascades(rule, "public.sig")
			}
			s := newStage(t, schema, rule)
			if strings.HasSuffix(name, "LOCKED") {
				s.locked()
			}
			race := func(start func() *task) {
				s.refill(30)
				s.Exec(t, "TRUNCATE sig")
				s.shut()
				k := start()
				k.mustWait()
				s.application("INSERT INTO sig VALUES (15)")
				s.open()
				k.ok()
			}
			if strings.HasPrefix(name, "without") {
				race(func() *task { return s.start(s.Conn(t), guardInOneStatement) })
				s.leaves() // the guard was evaluated in the old snapshot: wrong
			}
			race(func() *task { return s.run("p") })
			s.leaves(15)
			s.logged("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"signal": 1}})
		})
	}
}

// Once a row is judged, a signal must not arrive too late. In way RANGE the guard's table is
// locked: the signal waits for the batch. In way LOCKED only a foreign key keeps it waiting. With
// one it is then refused, without one it points to nothing.
func TestGuardInsertedAfterTheJudgement(t *testing.T) {
	t.Parallel()
	const referring = `CREATE TABLE sig (m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`
	for name, c := range map[string]struct {
		schema, rule, code string
		locked             bool
		write              string
	}{
		"without a foreign key": {signals, guarded, "", false, "INSERT INTO sig VALUES (15)"},
		"with a foreign key": {referring, withCascades(guarded, "public.sig"), "23503", false,
			"INSERT INTO sig VALUES (15)"},
		"without a foreign key, LOCKED": {signals, guarded, "", true, "INSERT INTO sig VALUES (15)"},
		"with a foreign key, LOCKED": {referring, withCascades(guarded, "public.sig"), "23503", true,
			"INSERT INTO sig VALUES (15)"},
		"moved there":       {signals + "INSERT INTO sig VALUES (99);", guarded, "", false, "UPDATE sig SET m_id = 15"},
		"removed elsewhere": {signals + "INSERT INTO sig VALUES (99);", guarded, "", false, "DELETE FROM sig"},
		"all removed":       {signals + "INSERT INTO sig VALUES (99);", guarded, "", false, "TRUNCATE sig"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.schema+gateAt15, c.rule)
			if c.locked {
				s.locked()
			}
			s.refill(30)
			s.shut()
			run := s.run("p")
			run.mustWait()
			signal := s.start(s.app, c.write)
			if c.code != "" || !c.locked {
				signal.mustWait()
			}
			s.open()
			run.ok()
			got := ""
			if err := signal.end(); err != nil {
				got = err.Code
			}
			if got != c.code {
				t.Errorf("the signal ended with %q, want %q", got, c.code)
			}
			s.leaves()
			s.logged("p", counts{State: "done", Taken: 30})
		})
	}
}

// Where a batch cannot lock a guard's table, it locks rows one by one, and nothing waits: somebody
// writes there, or the role that migrates has no right to the lock.
func TestGuardsTableCannotBeLocked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"written":       {"BEGIN; INSERT INTO sig VALUES (99)", "COMMIT"},
		"not permitted": {"ALTER FUNCTION retention.p_share() OWNER TO retention_viewer", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, signals, guarded)
			s.refill(30)
			s.Exec(t, "INSERT INTO sig VALUES (15)")
			s.application(c.before)
			s.run("p").ok()
			s.application(c.after)
			s.leaves(15)
			s.logged("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"signal": 1}})
			if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.batch WHERE mode = 'range'"); n > 0 {
				t.Errorf("%d batches went RANGE:\n%s", n, s.batches(s.Last("p").ID))
			}
		})
	}
}

// A child committed between scan and delete goes along, is counted, and is seen by the step that
// deletes children first; with one statement for both it would cascade away unnoticed.
func TestChildCommittedBetweenScanAndDelete(t *testing.T) {
	t.Parallel()
	const child = `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE);
		CREATE TABLE seen (id int);`
	s := newStage(t, child, `{table: m, where: "gate(t.id = 15)", due: {age: {column: at, older_than: 7 days}},
		then: [{delete: {table: child, as: c, where: "c.m_id = t.id"}}, {delete: {cascades: [public.child]}}], batch: {lock_timeout: 100s}}`)
	race := func(start func() *task) {
		s.refill(30)
		s.Exec(t, "INSERT INTO child VALUES (1, 15)")
		s.shut()
		k := start()
		k.mustWait()
		s.application("INSERT INTO child VALUES (2, 15)")
		s.open()
		k.ok()
		if left := s.ids("child"); len(left) > 0 {
			t.Errorf("children %v are left without a parent", left)
		}
		s.leaves()
	}
	race(func() *task {
		return s.start(s.Conn(t), `WITH due AS MATERIALIZED (SELECT id FROM m WHERE at < `+cutoff+` AND gate(id = 15)),
			kept AS (INSERT INTO seen SELECT c.id FROM child c JOIN due ON due.id = c.m_id)
			DELETE FROM m USING due WHERE m.id = due.id`)
	})
	if seen := s.ids("seen"); len(seen) != 1 {
		t.Errorf("one statement saw children %v; then this test shows nothing", seen)
	}
	race(func() *task { return s.run("p") })
	s.logged("p", counts{State: "done", Taken: 30, Related: map[string]int64{"public.child": 2}})
}

// Children that only the foreign key takes are counted, whenever they were committed.
func TestCascadeIsCounted(t *testing.T) {
	t.Parallel()
	s := newStage(t, `CREATE TABLE child (id int PRIMARY KEY, m_id int NOT NULL REFERENCES m ON DELETE CASCADE);`+
		gateAt15,
		withCascades(simple, "public.child"))
	s.refill(30)
	s.Exec(t, "INSERT INTO child SELECT id, id FROM m")
	s.shut()
	run := s.run("p")
	run.mustWait()
	early := s.start(s.app, "INSERT INTO child VALUES (1021, 21)") // not in this batch
	early.ok()
	late := s.start(s.Conn(t), "INSERT INTO child VALUES (1011, 11)") // its parent is being deleted
	late.mustWait()
	s.open()
	run.ok()
	if err := late.end(); err == nil || err.Code != "23503" {
		t.Errorf("a child of a deleted row came in: %v", err)
	}
	s.leaves()
	s.logged("p", counts{State: "done", Taken: 30, Cascaded: map[string]int64{"public.child": 31}})
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM child"); n != 0 {
		t.Errorf("%d children are left", n)
	}
}

// A related row that is refused to the run, for it is held, keeps the rows above it.
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
	s.run("p").ok()
	s.leaves(15)
	s.logged("p", counts{State: "done", Taken: 29, Kept: map[string]int64{"hold": 1},
		Related: map[string]int64{"public.child": 29}})
	if left := s.ids("child"); len(left) != 1 || left[0] != 1015 {
		t.Errorf("children left are %v", left)
	}
}
