package races

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// weekly is a table with a newest partition and five partitions that are due at asOf.
const weekly = tableM + `
	DROP TABLE m;
	CREATE TABLE m (id int, at date NOT NULL, state text) PARTITION BY RANGE (at);
	CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-01-08');
	CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-01-08') TO ('2024-01-15');
	CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-01-15') TO ('2024-01-22');
	CREATE TABLE m_4 PARTITION OF m FOR VALUES FROM ('2024-01-22') TO ('2024-01-29');
	CREATE TABLE m_5 PARTITION OF m FOR VALUES FROM ('2024-01-29') TO ('2024-02-05');
	CREATE TABLE m_6 PARTITION OF m FOR VALUES FROM ('2024-06-01') TO ('2024-07-01');`

// weeklyStage installs a policy on table m of weekly. Its batches have as much time as they need,
// so the number of batches does not depend on the machine.
func weeklyStage(t *testing.T, schema, rule string) *stage {
	t.Helper()
	s := newStageOf(t, weekly+schema, "policies: {p: {partitions_of: m, "+rule+", batch: {lock_timeout: 50ms}}}")
	s.Exec(t, "UPDATE retention.policy SET batch_time_ms = 600000")
	return s
}

// taken returns how many partitions each batch of the last run took.
func (s *stage) taken() []int64 {
	s.t.Helper()
	return pgtest.Column[int64](s.t, s.watch, `SELECT taken FROM retention.batch
		WHERE run_id = (SELECT max(id) FROM retention.run) AND mode <> 'start' ORDER BY n`)
}

// TestSeveralPartitionsInABatch checks that a batch takes several partitions. It ends before a
// partition that cannot be taken. The next batch skips that partition, counts it, and takes the
// others.
func TestSeveralPartitionsInABatch(t *testing.T) {
	t.Parallel()
	const drop, log = "then: [drop]", "then: [drop, insert: {into: was, set: {name: t.name}}]"
	const was = "CREATE TABLE was (name text);"
	for name, c := range map[string]struct {
		schema, rule string
		begin        string // what another session does meanwhile
		want         counts
		taken        []int64
	}{
		"all": {"", drop, "", counts{State: "done", Taken: 5}, []int64{5}},
		"all detached, with an own guard": {"", "keep: {pending: \"EXISTS (SELECT FROM partition)\"}, then: [detach]",
			"", counts{State: "done", Taken: 5}, []int64{5}},
		"the third one is read": {
			"", drop, "SELECT FROM m_3", counts{State: "done", Taken: 4, Contended: 1}, []int64{2, 2},
		},
		"the third one is written": {
			"", drop, "DELETE FROM m_3", counts{State: "done", Taken: 4, Contended: 1}, []int64{2, 2},
		},
		"a view depends on the third one": {
			"CREATE VIEW v AS SELECT * FROM m_3;", drop, "", counts{State: "done", Taken: 4, Refused: 1}, []int64{2, 2},
		},
		"the third one has a pending row": {
			"INSERT INTO m VALUES (1, '2024-01-15', 'pending');", pending + ", " + drop, "",
			counts{State: "done", Taken: 4, Kept: map[string]int64{"pending": 1}}, []int64{2, 2},
		},
		"the guard of the third one raises an error": {
			"", `keep: {bad: "t.name = 'm_3' AND 1 / (ascii(t.name) - ascii('m')) = 0"}, ` + drop, "",
			counts{State: "done", Taken: 4, Refused: 1}, []int64{2, 2},
		},
		"a step fails for the third one": {
			was + "ALTER TABLE was ADD CHECK (name <> 'm_3');", log, "",
			counts{State: "done", Taken: 4, Refused: 1, Related: map[string]int64{"public.was": 4}}, []int64{2, 2},
		},
		"a step before the drop": {
			was, "then: [insert: {into: was, set: {name: t.name}}, drop]", "",
			counts{State: "done", Taken: 5, Related: map[string]int64{"public.was": 5}}, []int64{1, 1, 1, 1, 1},
		},
		"a guard that reads earlier partitions": {
			"INSERT INTO m VALUES (1, '2024-01-01'), (2, '2024-01-15');",
			`keep: {earlier: "EXISTS (SELECT FROM m x WHERE x.at < t.lower)"}, ` + drop, "",
			counts{State: "done", Taken: 5}, []int64{1, 2, 2},
		},
		"a guard that keeps three partitions": {
			"", `keep: {three: "(SELECT count(*) FROM pg_inherits i WHERE i.inhparent = 'm'::regclass) <= 3"}, ` + drop,
			"", counts{State: "done", Taken: 3, Kept: map[string]int64{"three": 2}}, []int64{3},
		},
		"a budget of three": {
			"", drop + ", budget: {rows: 3}", "", counts{State: "more", Taken: 3}, []int64{3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := weeklyStage(t, c.schema, "due: {age: {older_than: 7 days}}, "+c.rule)
			if c.begin != "" {
				s.appExec("BEGIN; " + c.begin)
			}
			s.run("p").mustSucceed()
			s.wantRun("p", c.want)
			if got := s.taken(); !cmp.Equal(got, c.taken) {
				t.Errorf("the batches took %v partitions, want %v", got, c.taken)
			}
			if c.begin != "" {
				s.appExec("COMMIT")
				s.run("p").mustSucceed()
				s.wantPartitions("m_6")
			}
			s.wantUnlocked()
		})
	}
}

// TestRanksOfPartitions checks that a run scans no partition in the first places of "beyond", and
// takes no partition that a rank keeps.
func TestRanksOfPartitions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule    string
		kept    map[string]int64
		scanned int64
	}{
		"a rank is due": {"due: {beyond: {first: 3, order: upper DESC}}", nil, 3},
		"a rank is a guard": {
			`where: "true", keep: {newest: {first: 3, order: upper DESC}}`, map[string]int64{"newest": 2}, 5,
		},
		"of each parent": {"due: {beyond: {first: 3, per: [parent], order: upper DESC}}", nil, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := weeklyStage(t, "", c.rule+", then: [drop]")
			s.run("p").mustSucceed()
			s.wantPartitions("m_4", "m_5", "m_6")
			o := s.wantRun("p", counts{State: "done", Taken: 3, Kept: c.kept})
			n := pgtest.Value[int64](t, s.watch, "SELECT scanned FROM retention.run WHERE id = $1", o.ID)
			if n != c.scanned {
				t.Errorf("the run scanned %d partitions, want %d", n, c.scanned)
			}
		})
	}
}

// TestHeldPartitionsOfABatch checks that a batch takes the partitions around one with a held row. A
// session writes the held row while the batch waits for its partition.
func TestHeldPartitionsOfABatch(t *testing.T) {
	t.Parallel()
	for held, day := range map[string]string{"m_1": "2024-01-01", "m_3": "2024-01-15"} {
		t.Run(held, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, weekly, `policies: {p: {partitions_of: m, due: {age: {older_than: 7 days}}, then: [drop],
				batch: {lock_timeout: 100s}}}`)
			s.Exec(t, "SELECT retention.place_hold('m', '{\"state\": \"held\"}', 'a case')")
			s.appExec("BEGIN; INSERT INTO m VALUES (1, '" + day + "', 'held')")
			k := s.run("p")
			k.mustWait()
			s.appExec("COMMIT")
			k.mustSucceed()
			s.wantPartitions(held, "m_6")
			s.wantRun("p", counts{State: "done", Taken: 4, Kept: map[string]int64{"hold": 1}})
		})
	}
}
