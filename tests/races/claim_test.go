package races

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/pgtest"
)

const claims = `CREATE TABLE c (k text PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	expires_at timestamptz NOT NULL);
	CREATE TABLE cursor_of (id text PRIMARY KEY, ts bigint, hash text)`

const claimRule = `policies: {p: {table: c, due: {expires: {column: expires_at}}, then: [delete],
	batch: {lock_timeout: 100s},
	claim: {key: k, ttl: 1 hour, cursor: {table: cursor_of, key: id, position: [ts, hash]}}}}`

// oneCrowd lets only one call of runTogether work at a time, because the server has connections for
// only one.
var oneCrowd sync.Mutex

// runTogether calls a function in n sessions of retention_operator at the same time.
func (s *stage) runTogether(n int, do func(i int, conn *pgx.Conn) error) {
	s.t.Helper()
	oneCrowd.Lock()
	defer oneCrowd.Unlock()
	conns := make([]*pgx.Conn, n)
	for i := range conns {
		conn, err := s.Connect(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		defer conn.Close(context.Background())
		pgtest.Exec(s.t, conn, "SET SESSION AUTHORIZATION retention_operator")
		conns[i] = conn
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 4*pgtest.MaxWait)
	defer cancel()
	var gate, all sync.WaitGroup
	gate.Add(1)
	errs := make([]error, n)
	for i := range conns {
		all.Go(func() {
			gate.Wait()
			if ctx.Err() == nil {
				errs[i] = do(i, conns[i])
			}
		})
	}
	gate.Done()
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
}

// keys returns n keys in random order.
func keys(n int, random *rand.Rand) []string {
	list := make([]string, n)
	for i, k := range random.Perm(n) {
		list[i] = fmt.Sprintf("k%03d", k)
	}
	return list
}

// winners counts the sessions that won each key.
type winners struct {
	sync.Mutex
	of map[string]int
}

func (w *winners) won(keys ...string) {
	w.Lock()
	defer w.Unlock()
	for _, k := range keys {
		w.of[k]++
	}
}

// onceEach fails the test unless each of n keys was won exactly once.
func (w *winners) onceEach(t *testing.T, n int) {
	t.Helper()
	want := map[string]int{}
	for i := range n {
		want[fmt.Sprintf("k%03d", i)] = 1
	}
	if diff := cmp.Diff(want, w.of); diff != "" {
		t.Errorf("winners by key (-want +got):\n%s", diff)
	}
}

// claimAll claims keys one by one or in batches, and records in w the keys that it won.
func claimAll(ctx context.Context, conn *pgx.Conn, list []string, batch int, w *winners) error {
	for part := range slices.Chunk(list, batch) {
		if batch == 1 {
			var won bool
			if err := conn.QueryRow(ctx, "SELECT retention.p_claim($1)", part[0]).Scan(&won); err != nil {
				return err
			} else if won {
				w.won(part[0])
			}
			continue
		}
		rows, err := conn.Query(ctx, "SELECT * FROM retention.p_claim($1::text[])", append(part, part[0]))
		if err != nil {
			return err
		}
		won, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		w.won(won...)
	}
	return nil
}

// entriesBefore has the SQL that fills the table before the sessions claim. With "new", the table
// has no entries. Otherwise the entries expired long ago, or expire during the test.
var entriesBefore = map[string]string{
	"new": "SELECT",
	"expired": `INSERT INTO c SELECT 'k' || lpad(i::text, 3, '0'), '2020-01-01',
		clock_timestamp() - interval '1 hour' FROM generate_series(0, 149) i`,
	"expiring": `INSERT INTO c SELECT 'k' || lpad(i::text, 3, '0'), '2020-01-01',
		clock_timestamp() + i * interval '1 ms' FROM generate_series(0, 149) i`,
}

// TestClaimOneWinner checks that each of 150 keys has exactly one winner. Forty sessions claim them
// in random orders, one by one and in batches, while runs delete expired entries. An entry that
// expires during the test can be claimed again afterwards.
func TestClaimOneWinner(t *testing.T) {
	t.Parallel()
	const n = 150
	s := newStageOf(t, claims, claimRule)
	for _, name := range []string{"new", "expired", "expiring"} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.Exec(t, "TRUNCATE c")
			s.Exec(t, entriesBefore[name])
			w := &winners{of: map[string]int{}}
			stop := make(chan struct{})
			var running sync.WaitGroup
			runner := s.session("retention_runner")
			running.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						if _, err := runner.Exec(t.Context(), "CALL retention.run('p')"); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
			s.runTogether(40, func(i int, conn *pgx.Conn) error {
				random := rand.New(rand.NewPCG(uint64(i), 7))
				return claimAll(t.Context(), conn, keys(n, random), []int{1, 1, 2, 10, n}[i%5], w)
			})
			if name == "expiring" {
				s.waitUntil("all that was there has expired", func() bool {
					return pgtest.Value[bool](t, s.watch,
						`SELECT NOT EXISTS (SELECT FROM c WHERE expires_at BETWEEN clock_timestamp()
							AND clock_timestamp() + interval '1 minute')`)
				})
				if err := claimAll(t.Context(), s.session("retention_operator"), keys(n, rand.New(rand.NewPCG(0, 0))),
					n, w); err != nil {
					t.Fatal(err)
				}
			}
			close(stop)
			running.Wait()
			w.onceEach(t, n)
			if live := pgtest.Value[int](t, s.watch,
				"SELECT count(*)::int FROM c WHERE expires_at > now()"); live != n {
				t.Errorf("%d entries have not expired, want %d: a run took entries that were claimed", live, n)
			}
		})
	}
}

// TestClaimWhileARunDeletes checks a claim of an expired entry that a run is about to delete.
// Either the run or the claim locks the row first.
func TestClaimWhileARunDeletes(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, tableM+claims+`;
		CREATE TRIGGER gate BEFORE DELETE ON c FOR EACH ROW EXECUTE FUNCTION gate_keeper()`, claimRule)
	const expired = "TRUNCATE c; INSERT INTO c VALUES ('a', '2020-01-01', '2020-01-02')"

	// The run has locked the row. The claim waits and then inserts the entry again.
	s.Exec(t, expired)
	s.shutGate()
	run := s.start(s.session("retention_runner"), "CALL retention.run('p')")
	run.mustWait()
	claim := s.startClaim("a")
	claim.mustWait()
	s.openGate()
	claim.wantResult(true)
	run.mustSucceed()
	s.wantLiveEntry("a")

	// The claim has locked the row. The run waits, and then finds an entry that has not expired.
	s.Exec(t, expired)
	s.appExec("BEGIN; SELECT retention.p_claim('a')")
	run = s.start(s.session("retention_runner"), "CALL retention.run('p')")
	run.waitsOrEnds()
	s.appExec("COMMIT")
	run.mustSucceed()
	s.wantLiveEntry("a")

	// The claim rolls back. Another session wins the key.
	s.Exec(t, expired)
	s.appExec("BEGIN; SELECT retention.p_claim('a')")
	claim = s.startClaim("a")
	claim.mustWait()
	s.appExec("ROLLBACK")
	claim.wantResult(true)
	s.wantLiveEntry("a")
}

// claimTask is a claim that runs in the background; won receives its result.
type claimTask struct {
	*task
	won chan bool
}

func (s *stage) startClaim(key string) *claimTask {
	s.t.Helper()
	conn := s.session("retention_operator")
	c := &claimTask{&task{s: s, conn: conn, pid: conn.PgConn().PID(), done: make(chan error, 1)}, make(chan bool, 1)}
	go func() {
		var won bool
		err := conn.QueryRow(context.WithoutCancel(s.t.Context()), "SELECT retention.p_claim($1)", key).Scan(&won)
		c.won <- won
		c.done <- err
	}()
	return c
}

func (c *claimTask) wantResult(want bool) {
	c.s.t.Helper()
	c.mustSucceed()
	if got := <-c.won; got != want {
		c.s.t.Errorf("p_claim returned %t, want %t", got, want)
	}
}

// wantLiveEntry fails the test unless the key has an entry that has not expired.
func (s *stage) wantLiveEntry(key string) {
	s.t.Helper()
	if !pgtest.Value[bool](s.t, s.watch, `SELECT count(*) = 1 FROM c WHERE k = $1 AND expires_at > now()
		AND made_at > now() - interval '3 minutes'`, key) {
		s.t.Errorf("key %s has no entry that has not expired", key)
	}
}

// TestClaimAfterACrash checks that a terminated session keeps its committed claims and loses its
// other claims.
func TestClaimAfterACrash(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, claims, claimRule)
	s.Exec(t, "INSERT INTO c VALUES ('taken over', '2020-01-01', '2020-01-02')")
	worker := s.session("retention_operator")
	pgtest.Exec(t, worker, "SELECT retention.p_claim('done')")
	pgtest.Exec(t, worker, `
		BEGIN;
		SELECT retention.p_claim('new'), retention.p_claim('taken over'), retention.p_claim(ARRAY['one', 'two'])`)
	waiting := s.startClaim("new")
	waiting.mustWait()
	s.Exec(t, "SELECT pg_terminate_backend($1)", worker.PgConn().PID())
	waiting.wantResult(true)
	for key, want := range map[string]bool{"done": false, "new": false, "taken over": true, "one": true, "two": true} {
		s.startClaim(key).wantResult(want)
	}
}

// TestClaimExpiresWhileItWaits checks that a claim fails if its time to live ends while it waits
// for another session. Otherwise the next claim of the key would win too.
func TestClaimExpiresWhileItWaits(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, claims, claimRule)
	worker := s.session("retention_operator")
	pgtest.Exec(t, worker, "BEGIN; SELECT retention.p_claim('a')")
	late := s.start(s.session("retention_operator"), "SELECT retention.p_claim('a', '1 ms')")
	late.mustWait()
	s.waitForTrue(`SELECT query_start < clock_timestamp() - interval '1 ms' FROM pg_stat_activity
		WHERE pid = $1`, late.pid)
	pgtest.Exec(t, worker, "ROLLBACK")
	if err := late.wait(); err == nil || err.Code != "55P03" {
		t.Errorf("a claim that expired while it waited ended with %v, want 55P03", err)
	}
	s.startClaim("a").wantResult(true)
}

// TestClaimRepeatableRead checks that two sessions never win one key in REPEATABLE READ and
// SERIALIZABLE. The later claim fails.
func TestClaimRepeatableRead(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, claims, claimRule)
	for _, before := range []string{"SELECT", "INSERT INTO c VALUES ('a', '2020-01-01', '2020-01-02')"} {
		for _, level := range []string{"REPEATABLE READ", "SERIALIZABLE"} {
			for _, call := range []string{"SELECT retention.p_claim('a')", "SELECT retention.p_claim(ARRAY['a'])"} {
				s.Exec(t, "TRUNCATE c; "+before)
				worker := s.session("retention_operator")
				pgtest.Exec(t, worker, "BEGIN ISOLATION LEVEL "+
					level+"; SELECT count(*) FROM retention.p_seen(ARRAY['x'])")
				s.startClaim("a").wantResult(true)
				_, err := worker.Exec(t.Context(), call)
				var server *pgconn.PgError
				if !errors.As(err, &server) || server.Code != "40001" {
					t.Errorf("after %s in %s: %s ended with %v, want 40001", before, level, call, err)
				}
			}
		}
	}
}

// TestClaimBatchesDoNotDeadlock checks that sessions that claim the same keys in different orders
// do not deadlock. Two plain INSERTs do.
func TestClaimBatchesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, claims+`;
		CREATE TABLE plain (k text PRIMARY KEY);
		CREATE TABLE log (n int GENERATED ALWAYS AS IDENTITY, k text);
		CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (k) VALUES (NEW.k);
			RETURN NEW; END $$;
		CREATE TRIGGER note BEFORE INSERT ON c FOR EACH ROW EXECUTE FUNCTION note();
		GRANT INSERT ON log TO PUBLIC; GRANT ALL ON plain TO PUBLIC`, claimRule)
	random := rand.New(rand.NewPCG(5, 6))

	s.Exec(t, "SELECT retention.p_claim($1::text[])", keys(100, random))
	if order := pgtest.Column[string](t, s.watch, "SELECT k FROM log ORDER BY n"); !slices.IsSorted(order) ||
		len(order) != 100 {
		t.Errorf("keys were inserted in the order %q, want them sorted", order)
	}

	naive := []*pgx.Conn{s.session("retention_operator"), s.session("retention_operator")}
	pgtest.Exec(t, naive[0], "BEGIN; INSERT INTO plain VALUES ('a')")
	pgtest.Exec(t, naive[1], "BEGIN; INSERT INTO plain VALUES ('b')")
	first, second := s.start(naive[0], "INSERT INTO plain VALUES ('b')"), s.start(naive[1],
		"INSERT INTO plain VALUES ('a')")
	if a, b := first.wait(), second.wait(); a == nil && b == nil {
		t.Error("plain INSERTs did not deadlock, so this test proves nothing")
	}

	for round := range 4 {
		s.Exec(t, "TRUNCATE c")
		if round%2 == 1 {
			s.Exec(t, entriesBefore["expired"])
		}
		w := &winners{of: map[string]int{}}
		s.runTogether(32, func(i int, conn *pgx.Conn) error {
			return claimAll(t.Context(), conn, keys(150, rand.New(rand.NewPCG(uint64(i), uint64(round)))), 150, w)
		})
		w.onceEach(t, 150)
	}
}
