package races

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// asOf is the timestamp that most runs get. With it, every row of table m is due, unless a test set
// its clock to the constant fresh.
const (
	asOf   = "2024-06-01 00:00:00+00"
	cutoff = "'2024-05-25 00:00:00+00'::timestamptz"
	fresh  = "'2024-05-31 00:00:00+00'::timestamptz"
)

// tableM creates the table of most tests. A session that calls gate(true) waits while the gate is
// shut.
const tableM = `
	CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, v int NOT NULL DEFAULT 0);
	CREATE FUNCTION gate(stop boolean) RETURNS boolean LANGUAGE plpgsql AS $$
	BEGIN
		IF stop THEN PERFORM pg_catalog.pg_advisory_xact_lock_shared(77); END IF;
		RETURN true;
	END $$;
	CREATE FUNCTION gate_keeper() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
	BEGIN
		PERFORM gate(true);
		RETURN OLD;
	END $$;`

// gateAt15 makes a session that deletes row 15 wait at the gate.
const gateAt15 = `CREATE TRIGGER gate BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 15)
	EXECUTE FUNCTION gate_keeper();`

// fill inserts n rows. All are due, and the oldest rows come first.
const fill = `INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 minute'
	FROM generate_series(1, $1::int) i`

// stage is an installation with three more sessions: the application, an observer, and the session
// that holds the gate's lock.
type stage struct {
	*kit.Installed
	t          *testing.T
	app, watch *pgx.Conn
	gate       *pgx.Conn
	closed     bool // the gate is shut, and no task has waited at it yet
}

// newStage installs policy p of table m with batches of 10 rows. It executes "schema" after tableM.
// The parameter "rule" is the policy in YAML.
func newStage(t *testing.T, schema, rule string) *stage {
	t.Helper()
	return newStageOf(t, tableM+schema, "policies: {p: "+rule+"}")
}

func newStageOf(t *testing.T, schema, yaml string, options ...kit.Option) *stage {
	t.Helper()
	s := &stage{Installed: kit.Install(t, schema, yaml, options...), t: t}
	s.app, s.watch, s.gate = s.Conn(t), s.Conn(t), s.Conn(t)
	s.SetBatch(10)
	return s
}

// These are the usual policies. The policy simple has no guard. The policy guarded has a guard that
// reads table sig. A batch of either policy is one statement, unless the test calls useRowByRow.
// Both policies wait long for locks, so that the test decides when a wait ends.
const (
	simple  = `{table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete], batch: {lock_timeout: 100s}}`
	guarded = `{table: m, due: {age: {column: at, older_than: 7 days}},
		keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}, then: [delete],
		batch: {lock_timeout: 100s}}`
	signals = `CREATE TABLE sig (m_id int NOT NULL);`
)

// withCascades returns a policy whose delete may reach the given table through a foreign key.
func withCascades(rule, table string) string {
	return strings.Replace(rule, "then: [delete]", "then: [{delete: {cascades: ["+table+"]}}]", 1)
}

// refill empties m and the log, and inserts n due rows.
func (s *stage) refill(n int) {
	s.t.Helper()
	s.Exec(s.t, "TRUNCATE m CASCADE")
	s.Exec(s.t, "DELETE FROM retention.run; DELETE FROM retention.batch")
	s.Exec(s.t, fill, n)
}

// withKeep returns a policy with a guard on the row's own columns.
func withKeep(rule, guard string) string {
	return strings.Replace(rule, "then: [delete]", `keep: {guard: "`+guard+`"}, then: [delete]`, 1)
}

// useRowByRow makes policy p work row by row from its first batch on.
func (s *stage) useRowByRow() {
	s.t.Helper()
	s.Exec(s.t, "UPDATE retention.policy SET passes = passes #- '{0,range}' WHERE name = 'p'")
}

func (s *stage) appExec(sql string) {
	s.t.Helper()
	pgtest.Exec(s.t, s.app, sql)
}

func (s *stage) shutGate() {
	pgtest.Exec(s.t, s.gate, "SELECT pg_advisory_lock(77)")
	s.closed = true
}

func (s *stage) openGate() {
	s.closed = false
	pgtest.Exec(s.t, s.gate, "SELECT pg_advisory_unlock_all()")
}

// ids returns the ids of all rows of a table.
func (s *stage) ids(table string) []int {
	s.t.Helper()
	return pgtest.Column[int](s.t, s.watch, "SELECT id FROM "+table+" ORDER BY id")
}

func (s *stage) wantLeft(want ...int) {
	s.t.Helper()
	if diff := cmp.Diff(append([]int{}, want...), s.ids("m")); diff != "" {
		s.t.Errorf("rows of m left (-want +got):\n%s", diff)
	}
}

// numbers returns the numbers from a to b.
func numbers(a, b int) []int {
	var all []int
	for i := a; i <= b; i++ {
		all = append(all, i)
	}
	return all
}

// task is a statement that runs in the background in its own session.
type task struct {
	s    *stage
	conn *pgx.Conn
	pid  uint32
	done chan error
}

// start executes a statement in the background on conn.
func (s *stage) start(conn *pgx.Conn, sql string, args ...any) *task {
	s.t.Helper()
	k := &task{s: s, conn: conn, pid: conn.PgConn().PID(), done: make(chan error, 1)}
	ctx, cancel := context.WithTimeout(context.Background(), 2*pgtest.MaxWait)
	s.t.Cleanup(cancel)
	go func() {
		_, err := conn.Exec(ctx, sql, args...)
		k.done <- err
	}()
	return k
}

// session opens a session and makes role its session user.
func (s *stage) session(role string) *pgx.Conn {
	s.t.Helper()
	conn := s.Conn(s.t)
	pgtest.Exec(s.t, conn, "SET SESSION AUTHORIZATION "+role)
	return conn
}

// run calls retention.run in the background as retention_runner, in a new session.
func (s *stage) run(policy string) *task {
	s.t.Helper()
	return s.start(s.session("retention_runner"), "CALL retention.run($1, $2)", policy, asOf)
}

// wait waits until the task ends, and returns the server's error, or nil.
func (k *task) wait() *pgconn.PgError {
	k.s.t.Helper()
	select {
	case err := <-k.done:
		k.done <- err
		var server *pgconn.PgError
		if err != nil && !errors.As(err, &server) {
			k.s.t.Fatalf("the session ended without a server error: %v", err)
		}
		return server
	case <-time.After(pgtest.MaxWait):
		k.s.t.Fatalf("the statement has not ended in time; the sessions:\n%s", k.s.activity())
		return nil
	}
}

// mustSucceed waits until the task ends, and fails the test if the server raised an error.
func (k *task) mustSucceed() {
	k.s.t.Helper()
	if err := k.wait(); err != nil {
		k.s.t.Fatalf("the statement failed with %s %s, want success", err.Code, err.Message)
	}
}

// ended reports whether the task has ended. It does not wait.
func (k *task) ended() bool { return len(k.done) > 0 }

// waitsOrEnds returns once the task waits for a lock or has ended. A task may end if its statement
// does not need the lock.
func (k *task) waitsOrEnds() {
	k.s.t.Helper()
	k.s.waitUntil("a session waits for a lock", func() bool {
		return k.ended() || pgtest.Value[bool](k.s.t, k.s.watch, "SELECT cardinality(pg_blocking_pids($1)) > 0", k.pid)
	})
}

// mustWait returns once the task waits, and fails the test if the task ends. The first call after
// shutGate returns only when the task waits at the gate. A shorter wait for another lock does not
// count.
func (k *task) mustWait() {
	k.s.t.Helper()
	if k.s.closed {
		k.s.closed = false
		k.s.waitUntil("a session waits at the gate", func() bool {
			return k.ended() || pgtest.Value[bool](k.s.t, k.s.watch,
				"SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND locktype = 'advisory' AND NOT granted)", k.pid)
		})
	} else {
		k.waitsOrEnds()
	}
	if k.ended() {
		k.s.t.Fatalf("the statement ended with %v, want it to wait for a lock", k.wait())
	}
}

// waitForTrue returns once the query returns true in the observer's session.
func (s *stage) waitForTrue(sql string, args ...any) {
	s.t.Helper()
	s.waitUntil(sql, func() bool { return pgtest.Value[bool](s.t, s.watch, sql, args...) })
}

// waitUntil polls a condition. PostgreSQL sends no notice when a session begins to wait.
func (s *stage) waitUntil(what string, true func() bool) {
	s.t.Helper()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(pgtest.MaxWait); !true(); {
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("this has not become true in time: %s; the sessions:\n%s", what, s.activity())
		}
	}
}

// activity returns what each session of the database executes, for failure messages.
func (s *stage) activity() string {
	return pgtest.Value[string](s.t, s.watch, `SELECT coalesce(string_agg(format('%s %s %s/%s: %s', pid, state,
		wait_event_type, wait_event, left(query, 80)), E'\n'), '') FROM pg_stat_activity
			WHERE datname = current_database()`)
}

// counts are the parts of a run's result that tests compare.
type counts struct {
	State                     string
	Taken, Contended, Refused int64
	Kept, Related, Cascaded   map[string]int64
}

// wantRun compares the result of the policy's last run with the wanted counts, and returns the
// result.
func (s *stage) wantRun(policy string, want counts) kit.Outcome {
	s.t.Helper()
	o := s.Last(policy)
	for _, m := range []*map[string]int64{&want.Kept, &want.Related, &want.Cascaded} {
		if *m == nil {
			*m = map[string]int64{}
		}
	}
	got := counts{o.State, o.Taken, o.Contended, o.Refused, o.Kept, o.Related, o.Cascaded}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("run %d of %s (%s %s) differs (-want +got):\n%s\n%s", o.ID, policy, o.SQLState, o.Message, diff,
			s.batches(o.ID))
	}
	return o
}

// batches returns the batches that a run has logged, for failure messages.
func (s *stage) batches(run int64) string {
	return pgtest.Value[string](s.t, s.watch, `SELECT coalesce(string_agg(format(
		'%s %s scanned %s taken %s contended %s refused %s kept %s %s %s',
		n, mode, scanned, taken, contended, refused, kept, sqlstate, message), E'\n' ORDER BY n), '')
			FROM retention.batch WHERE run_id = $1`, run)
}

// wantUnlocked fails the test if a run is in progress or an advisory lock of a run is left.
func (s *stage) wantUnlocked() {
	s.t.Helper()
	if n := pgtest.Value[int](s.t, s.watch, "SELECT count(*) FROM retention.progress"); n != 0 {
		s.t.Errorf("%d runs are in progress, want none", n)
	}
	if n := pgtest.Value[int](s.t, s.watch, `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
		WHERE d.datname = current_database() AND l.locktype = 'advisory'
			AND l.classid::bigint BETWEEN 1347571758 AND 1347571762`); n != 0 {
		s.t.Errorf("%d advisory locks of runs are left, want none", n)
	}
}
