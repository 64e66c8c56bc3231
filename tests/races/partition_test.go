package races

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// months is a table of three months. The first two are due on asOf.
const months = tableM + `
	DROP TABLE m;
	CREATE TABLE m (id int, at date NOT NULL, state text) PARTITION BY RANGE (at);
	CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
	CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-06-01') TO ('2024-07-01');
	INSERT INTO m VALUES (1, '2024-01-15', 'done'), (2, '2024-02-15', 'done'), (3, '2024-06-15', 'pending');`

const pending = `keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`

func partitionStage(t *testing.T, rule string) *stage {
	t.Helper()
	return newStageOf(t, months, "policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, "+rule+"}}")
}

// attached compares the partitions of m with what is wanted.
func (s *stage) attached(want ...string) {
	s.t.Helper()
	got := pgtest.Column[string](s.t, s.watch, "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = "+
		"'m'::regclass ORDER BY 1")
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("partitions of m (-want +got):\n%s", diff)
	}
}

// A row that becomes pending while the batch waits for its partition keeps it. The obvious form,
// which looks first and detaches then, loses it.
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
				s.application("BEGIN; " + write)
				k := start()
				k.mustWait()
				s.application("COMMIT")
				k.ok()
			}
			race(func() *task { return s.run("p") })
			s.attached("m_1", "m_3")
			s.logged("p", counts{State: "done", Taken: 1, Kept: map[string]int64{"pending": 1}})

			s.application("DELETE FROM m WHERE id <> 3; UPDATE m SET at = '2024-06-15'; INSERT INTO m VALUES (1, " +
				"'2024-01-15', 'done')")
			race(func() *task { return s.start(s.Conn(t), naive) })
			s.attached("m_3")
			if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM m_1 WHERE state = 'pending'"); n != 1 {
				t.Errorf("the naive form left %d pending rows behind, want 1", n)
			}
		})
	}
}

// A row committed as pending after the walk looked at its partition keeps it.
func TestPendingAfterTheWalk(t *testing.T) {
	t.Parallel()
	s := partitionStage(t, `keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending') OR NOT gate(t.name = 'm_1')"}, then: [detach], batch: {lock_timeout: 100s}`)
	s.shut()
	k := s.run("p")
	k.mustWait()
	s.application("INSERT INTO m VALUES (4, '2024-01-20', 'pending')")
	s.open()
	k.ok()
	s.attached("m_1", "m_3")
	s.logged("p", counts{State: "done", Taken: 1, Kept: map[string]int64{"pending": 1}})
}

// A partition of a list that appears while a batch works makes the newest of before one of the
// others: its rows are judged then, and so are those that came to one that was looked at already.
func TestListSlidesWhileABatchWorks(t *testing.T) {
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
				`policies: {p: {partitions_of: m, where: "true", keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending') OR NOT gate(t.name = 'm_1')"}, then: [detach], batch: {lock_timeout: 100s}}}`)
			s.shut()
			k := s.run("p")
			k.mustWait()
			s.application("ALTER TABLE m ATTACH PARTITION m_3 FOR VALUES IN (3); " + c.write)
			s.open()
			k.ok()
			s.attached(c.stay...)
		})
	}
}

// Somebody reads the table for long: nothing is taken, nobody waits for long, and the run says so.
func TestPartitionsOfABusyTable(t *testing.T) {
	t.Parallel()
	s := partitionStage(t, "then: [detach], batch: {lock_timeout: 50ms}")
	s.application("BEGIN; SELECT FROM m WHERE id = 3")
	s.run("p").ok()
	s.attached("m_1", "m_2", "m_3")
	if o := s.logged("p", counts{State: "more"}); o.SQLState != "55P03" {
		t.Errorf("got %+v", o)
	}
	s.application("COMMIT")
	s.run("p").ok()
	s.attached("m_3")
	s.logged("p", counts{State: "done", Taken: 2})
	s.unlocked()
}

// One partition is in use. The run skips it and takes the next one.
func TestBusyPartition(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"read":    "SELECT FROM m_1",
		"written": "DELETE FROM m_1 WHERE id = 99", // an insert would lock the table as well
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := partitionStage(t, "then: [drop], batch: {lock_timeout: 50ms}")
			s.application("BEGIN; " + sql)
			s.run("p").ok()
			s.attached("m_1", "m_3")
			s.logged("p", counts{State: "done", Taken: 1, Contended: 1})
			s.application("COMMIT")
			s.run("p").ok()
			s.attached("m_3")
		})
	}
}

// Killed between DETACH and COMMIT, a run has done nothing.
func TestKilledWhileDetaching(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"detach", "drop"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, months, "policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, then: ["+
				step+"]}}", kit.Before(`
				CREATE FUNCTION stop_after() RETURNS event_trigger LANGUAGE plpgsql AS $$
				BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared(77); END $$`))
			tag := map[string]string{"detach": "ALTER TABLE", "drop": "DROP TABLE"}[step]
			s.Exec(t, "CREATE EVENT TRIGGER stop ON ddl_command_end WHEN TAG IN ('"+
				tag+"') EXECUTE FUNCTION stop_after()")
			s.shut()
			k := s.run("p")
			k.mustWait()
			s.Exec(t, "SELECT pg_terminate_backend($1)", k.pid)
			<-k.done
			s.open()
			s.sees("SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", k.pid)
			s.attached("m_1", "m_2", "m_3")
			s.run("p").ok()
			s.attached("m_3")
			s.states("p abandoned", "p done")
		})
	}
}

// While a batch works on a partition, the others can be read and written; only writers of this one
// wait. They are in the table already, so the batch gives way to them, and comes again.
func TestOthersGoOnWhileAPartitionGoes(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, months+`CREATE TABLE was (name text); CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS
		$$ BEGIN PERFORM gate(true); RETURN NEW; END $$; CREATE TRIGGER gate BEFORE INSERT ON was FOR EACH ROW EXECUTE FUNCTION stop();`,
		"policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, then: [insert: {into: was, set: {name: "+
			"t.name}}, drop], batch: {lock_timeout: 100s}}}")
	s.shut()
	k := s.run("p")
	k.mustWait()
	s.application("SELECT FROM m; INSERT INTO m VALUES (9, '2024-06-20', 'new'); UPDATE m SET state = 'seen' WHERE " +
		"id = 3 AND at = '2024-06-15'")
	late := s.start(s.app, "INSERT INTO m VALUES (4, '2024-01-20', 'late')")
	late.mustWait()
	s.open()
	late.ok()
	k.ok()
	s.attached("m_3")
	o := s.logged("p", counts{State: "done", Taken: 2, Related: map[string]int64{"public.was": 2}})
	if n := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM retention.batch WHERE run_id = $1 AND sqlstate = "+
		"'55P03'", o.ID); n == 0 {
		t.Error("the batch did not give way")
	}
	if got := s.ids("m"); !cmp.Equal(got, []int{3, 9}) {
		t.Errorf("m has %v", got)
	}
}

// The run skips a table in use and its row, and drops the others.
func TestDropTableInUse(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, `CREATE TABLE det (id int PRIMARY KEY, name text, drop_after timestamptz NOT NULL DEFAULT '2024-01-01');
		CREATE TABLE one (id int); CREATE TABLE two (id int); INSERT INTO det VALUES (1, 'public.one'), (2, 'public.two')`,
		"policies: {p: {table: det, due: {expires: {column: drop_after}}, then: [drop_table: name, delete], batch: "+
			"{lock_timeout: 50ms}}}")
	s.application("BEGIN; SELECT FROM one")
	s.run("p").ok()
	s.logged("p", counts{State: "done", Taken: 1, Contended: 1, Related: map[string]int64{"tables dropped": 1}})
	if got := pgtest.Value[string](t, s.watch, "SELECT concat(to_regclass('one'), ' ', to_regclass('two'))"); got != "one " {
		t.Errorf("there are %q", got)
	}
	s.application("COMMIT")
	s.run("p").ok()
	if got := s.ids("det"); len(got) != 0 {
		t.Errorf("det has %v", got)
	}
}
