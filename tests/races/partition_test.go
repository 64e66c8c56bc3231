package races

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// monthlyPartitions creates a table with three monthly partitions. The first two are due at asOf.
const monthlyPartitions = tableM + `
	DROP TABLE m;
	CREATE TABLE m (id int, at date NOT NULL, state text) PARTITION BY RANGE (at);
	CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
	CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-06-01') TO ('2024-07-01');
	INSERT INTO m VALUES (1, '2024-01-15', 'done'), (2, '2024-02-15', 'done'), (3, '2024-06-15', 'pending');`

const pending = `keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`

// pendingWithGate is the guard "pending" with a call of gate(). A run that evaluates the guard for
// partition m_1 waits in that call.
const pendingWithGate = `keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')
	OR NOT gate(t.name = 'm_1')"}`

func partitionStage(t *testing.T, rule string) *stage {
	t.Helper()
	yaml := "policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, " + rule + "}}"
	return newStageOf(t, monthlyPartitions, yaml)
}

// wantPartitions compares the names of the partitions of m with want.
func (s *stage) wantPartitions(want ...string) {
	s.t.Helper()
	got := pgtest.Column[string](s.t, s.watch,
		"SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'm'::regclass ORDER BY 1")
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("partitions of m (-want +got):\n%s", diff)
	}
}

// TestPendingWhileTheBatchWaits checks that a partition stays if one of its rows becomes pending
// while the batch waits for the lock on the partition. The test also runs a plain DO block that
// first checks for pending rows and then detaches the partition. That block detaches the pending
// row, too.
func TestPendingWhileTheBatchWaits(t *testing.T) {
	t.Parallel()
	naive := `DO $$ BEGIN IF NOT EXISTS (SELECT FROM m WHERE at < '2024-02-01' AND state = 'pending') THEN
		ALTER TABLE m DETACH PARTITION m_1; END IF; END $$`
	for name, write := range map[string]string{
		"through the table":      "INSERT INTO m VALUES (4, '2024-01-20', 'pending')",
		"straight into it":       "INSERT INTO m_1 VALUES (4, '2024-01-20', 'pending')",
		"a row that was done":    "UPDATE m SET state = 'pending' WHERE id = 1",
		"a row that moves there": "UPDATE m SET at = '2024-01-20' WHERE id = 3",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := partitionStage(t, pending+", then: [drop], batch: {lock_timeout: 100s}")
			race := func(start func() *task) {
				s.appExec("BEGIN; " + write)
				k := start()
				k.mustWait()
				s.appExec("COMMIT")
				k.mustSucceed()
			}
			race(func() *task { return s.run("p") })
			s.wantPartitions("m_1", "m_3")
			s.wantRun("p", counts{State: "done", Taken: 1, Kept: map[string]int64{"pending": 1}})

			s.appExec(`
				DELETE FROM m WHERE id <> 3;
				UPDATE m SET at = '2024-06-15';
				INSERT INTO m VALUES (1, '2024-01-15', 'done')`)
			race(func() *task { return s.start(s.Conn(t), naive) })
			s.wantPartitions("m_3")
			if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM m_1 WHERE state = 'pending'"); n != 1 {
				t.Errorf("the plain block detached %d pending rows, want 1", n)
			}
		})
	}
}

// TestRowBecomesPendingAfterTheScan checks that a partition stays if a row is committed as pending
// after the run evaluated the guard, before the run locked the partition.
func TestRowBecomesPendingAfterTheScan(t *testing.T) {
	t.Parallel()
	s := partitionStage(t, pendingWithGate+", then: [detach], batch: {lock_timeout: 100s}")
	s.shutGate()
	k := s.run("p")
	k.mustWait()
	s.appExec("INSERT INTO m VALUES (4, '2024-01-20', 'pending')")
	s.openGate()
	k.mustSucceed()
	s.wantPartitions("m_1", "m_3")
	s.wantRun("p", counts{State: "done", Taken: 1, Kept: map[string]int64{"pending": 1}})
}

// TestPartitionAppearsDuringABatch checks a list-partitioned table that gets a partition during a
// batch. The partition that was the newest until then may be taken, so the batch rechecks it. The
// batch also rechecks partitions that it has already scanned.
func TestPartitionAppearsDuringABatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write string
		stay  []string
	}{
		"nothing to do":             {"", []string{"m_3"}},
		"in the newest of before":   {"INSERT INTO m VALUES (8, 2, 'pending')", []string{"m_2", "m_3"}},
		"in the one of this batch":  {"INSERT INTO m VALUES (8, 1, 'pending')", []string{"m_1", "m_3"}},
		"only in what has appeared": {"INSERT INTO m VALUES (8, 3, 'pending')", []string{"m_3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, tableM+`
				DROP TABLE m;
				CREATE TABLE m (id int, n int NOT NULL, state text) PARTITION BY LIST (n);
				CREATE TABLE m_1 PARTITION OF m FOR VALUES IN (1);
				CREATE TABLE m_2 PARTITION OF m FOR VALUES IN (2);
				CREATE TABLE m_3 (LIKE m);
				INSERT INTO m VALUES (1, 1, 'done'), (2, 2, 'done');`,
				`policies: {p: {partitions_of: m, where: "true", `+pendingWithGate+`,
					then: [detach], batch: {lock_timeout: 100s}}}`)
			s.shutGate()
			k := s.run("p")
			k.mustWait()
			s.appExec("ALTER TABLE m ATTACH PARTITION m_3 FOR VALUES IN (3); " + c.write)
			s.openGate()
			k.mustSucceed()
			s.wantPartitions(c.stay...)
		})
	}
}

// TestPartitionsOfABusyTable checks that a run takes no partition of a table that another session
// reads for long. The run ends "more" after a short wait.
func TestPartitionsOfABusyTable(t *testing.T) {
	t.Parallel()
	s := partitionStage(t, "then: [detach], batch: {lock_timeout: 50ms}")
	s.appExec("BEGIN; SELECT FROM m WHERE id = 3")
	s.run("p").mustSucceed()
	s.wantPartitions("m_1", "m_2", "m_3")
	if o := s.wantRun("p", counts{State: "more"}); o.SQLState != "55P03" {
		t.Errorf("the run ended with %+v, want 55P03", o)
	}
	s.appExec("COMMIT")
	s.run("p").mustSucceed()
	s.wantPartitions("m_3")
	s.wantRun("p", counts{State: "done", Taken: 2})
	s.wantUnlocked()
}

// TestBusyPartition checks that a run skips a partition in use and takes the next one.
func TestBusyPartition(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"read":    "SELECT FROM m_1",
		"written": "DELETE FROM m_1 WHERE id = 99", // an INSERT would lock the parent table too
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := partitionStage(t, "then: [drop], batch: {lock_timeout: 50ms}")
			s.appExec("BEGIN; " + sql)
			s.run("p").mustSucceed()
			s.wantPartitions("m_1", "m_3")
			s.wantRun("p", counts{State: "done", Taken: 1, Contended: 1})
			s.appExec("COMMIT")
			s.run("p").mustSucceed()
			s.wantPartitions("m_3")
		})
	}
}

// TestKilledWhileDetaching checks that a run has changed nothing if its backend is terminated
// between DETACH or DROP and COMMIT.
func TestKilledWhileDetaching(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"detach", "drop"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, monthlyPartitions, "policies: {p: {partitions_of: m, "+
				"due: {age: {older_than: 7 days}}, then: ["+
				step+"]}}", kit.Before(`
				CREATE FUNCTION stop_after() RETURNS event_trigger LANGUAGE plpgsql AS $$
				BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(77); END $$`))
			tag := map[string]string{"detach": "ALTER TABLE", "drop": "DROP TABLE"}[step]
			s.Exec(t, "CREATE EVENT TRIGGER stop ON ddl_command_end WHEN TAG IN ('"+
				tag+"') EXECUTE FUNCTION stop_after()")
			s.shutGate()
			k := s.run("p")
			k.mustWait()
			s.Exec(t, "SELECT pg_terminate_backend($1)", k.pid)
			<-k.done
			s.openGate()
			s.waitForTrue("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", k.pid)
			s.wantPartitions("m_1", "m_2", "m_3")
			s.run("p").mustSucceed()
			s.wantPartitions("m_3")
			s.wantRunLog("p abandoned", "p done")
		})
	}
}

// TestOtherPartitionsAreUsableDuringABatch checks that other sessions can read and write the other
// partitions while a batch works on one. Only a session that writes to this one partition waits.
// The session has already locked the parent table, so the batch gives way and tries again later.
func TestOtherPartitionsAreUsableDuringABatch(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, monthlyPartitions+`CREATE TABLE was (name text);
		CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS
		$$ BEGIN PERFORM gate(true); RETURN NEW; END $$;
		CREATE TRIGGER gate BEFORE INSERT ON was FOR EACH ROW EXECUTE FUNCTION stop();`,
		`policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}},
			then: [insert: {into: was, set: {name: t.name}}, drop], batch: {lock_timeout: 100s}}}`)
	s.shutGate()
	k := s.run("p")
	k.mustWait()
	s.appExec(`
		SELECT FROM m;
		INSERT INTO m VALUES (9, '2024-06-20', 'new');
		UPDATE m SET state = 'seen' WHERE id = 3 AND at = '2024-06-15'`)
	late := s.start(s.app, "INSERT INTO m VALUES (4, '2024-01-20', 'late')")
	late.mustWait()
	s.openGate()
	late.mustSucceed()
	k.mustSucceed()
	s.wantPartitions("m_3")
	o := s.wantRun("p", counts{State: "done", Taken: 2, Related: map[string]int64{"public.was": 2}})
	if n := pgtest.Value[int](t, s.watch,
		"SELECT count(*) FROM retention.batch WHERE run_id = $1 AND sqlstate = '55P03'", o.ID); n == 0 {
		t.Error("no batch gave way, want one with 55P03")
	}
	if got := s.ids("m"); !cmp.Equal(got, []int{3, 9}) {
		t.Errorf("m has rows %v, want [3 9]", got)
	}
}

// TestDropTableInUse checks that a run skips a table in use and the row that names it, and drops
// the other tables.
func TestDropTableInUse(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, `CREATE TABLE det (id int PRIMARY KEY, name text,
		drop_after timestamptz NOT NULL DEFAULT '2024-01-01');
		CREATE TABLE one (id int);
		CREATE TABLE two (id int);
		INSERT INTO det VALUES (1, 'public.one'), (2, 'public.two')`,
		`policies: {p: {table: det, due: {expires: {column: drop_after}}, then: [drop_table: name, delete],
			batch: {lock_timeout: 50ms}}}`)
	s.appExec("BEGIN; SELECT FROM one")
	s.run("p").mustSucceed()
	s.wantRun("p", counts{State: "done", Taken: 1, Contended: 1, Related: map[string]int64{"tables dropped": 1}})
	got := pgtest.Value[string](t, s.watch, "SELECT concat(to_regclass('one'), ' ', to_regclass('two'))")
	if got != "one " {
		t.Errorf("of tables one and two these exist: %q, want only one", got)
	}
	s.appExec("COMMIT")
	s.run("p").mustSucceed()
	if got := s.ids("det"); len(got) != 0 {
		t.Errorf("det has rows %v, want none", got)
	}
}
