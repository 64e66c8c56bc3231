package examples

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/pgtest"
)

// TestTradeDedupExpiry checks entries around the bound of expiry. Like the TTL index of the
// document, the job deletes an entry once expiresAt has passed. The column is NOT NULL, so an entry
// that never expires has the value infinity.
func TestTradeDedupExpiry(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	instants := []string{"2024-02-29 00:00:00+00", "2025-03-30 01:00:00.000001+00", "2026-01-01 00:15:00+00"}
	e.atInstantsAndSizes(t, instants, func(t *testing.T, e *example, asOf string) {
		e.fill(t, `
			INSERT INTO whale.processed_trade (tx_hash, processed_at, expires_at)
			SELECT '0x' || n, x.at - interval '15 minutes', x.at
			FROM generate_series(1, 400) AS n,
			     LATERAL (SELECT :as_of + CASE WHEN n <= 3 THEN (n - 2) * interval '1 microsecond'
			                                   ELSE (n * 7 % 40 - 20) * interval '1 minute' END AS at) AS x;
			INSERT INTO whale.processed_trade VALUES ('0xnever', :as_of, 'infinity', :as_of);
			INSERT INTO whale.trade_marker VALUES ('whale_worker_global', 1, '0x1')`, asOf)
		e.job(t, "processed_trades", asOf, []step{{"processed_trades",
			[]string{"DELETE FROM whale.processed_trade WHERE expires_at < :as_of"}}})
	})
}

// TestTradeDedupTimestampCollision checks trades with equal timestamps, the document's first test.
// The worker skips a trade that it has processed, and processes other trades, wherever their hashes
// sort.
func TestTradeDedupTimestampCollision(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	w := newTradeWorker(t, e, map[string]int{})
	for _, api := range [][]trade{
		{{100, "0xm"}},
		{{100, "0xm"}, {100, "0xm"}},
		{{100, "0xa"}, {100, "0xm"}},
		{{100, "0xz"}, {100, "0xa"}, {100, "0xm"}},
		{{100, "0xm"}, {100, "0xz"}, {100, "0xa"}},
		{{101, "0xb"}, {100, "0xz"}, {100, "0xa"}, {100, "0xm"}},
	} {
		w.poll(t, api)
		w.poll(t, api)
	}
	if diff := cmp.Diff(map[string]int{"0xm": 1, "0xa": 1, "0xz": 1, "0xb": 1}, w.done); diff != "" {
		t.Errorf("trades processed (-want +got):\n%s", diff)
	}
	if c := w.cursor(t); *c != (trade{101, "0xb"}) {
		t.Errorf("the cursor is at %v", c)
	}
}

// TestTradeDedupTieAfterTheTimeToLive checks trades of equal timestamp whose entries have expired.
// Only the API knows their order. The cursor's hash alone tells which trades were processed.
func TestTradeDedupTieAfterTheTimeToLive(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	w := newTradeWorker(t, e, map[string]int{})
	for _, api := range [][]trade{{{100, "0xbb"}}, {{100, "0xaa"}, {100, "0xbb"}}, {{100, "0xaa"}, {100, "0xbb"}}} {
		w.poll(t, api)
		e.forgetTrades(t)
	}
	if diff := cmp.Diff(map[string]int{"0xbb": 1, "0xaa": 1}, w.done); diff != "" {
		t.Errorf("trades processed (-want +got):\n%s", diff)
	}
}

// forgetTrades makes every claim expire and runs the job that deletes it.
func (e *example) forgetTrades(t *testing.T) {
	t.Helper()
	pgtest.Exec(t, e.conn, "UPDATE whale.processed_trade SET expires_at = clock_timestamp() - interval '1 hour'")
	e.runJob(t, "processed_trades", pgtest.Value[string](t, e.conn, "SELECT clock_timestamp()::text"))
	if left := pgtest.Value[int](t, e.conn, "SELECT count(*) FROM whale.processed_trade"); left != 0 {
		t.Errorf("%d entries are left", left)
	}
}

// TestTradeDedupExampleFlow checks the document's example. The fourth of five trades is the
// cursor's, and the third one is already claimed. The cursor moves to the newest trade, as the
// document's rule says. The document's example moves it to the second trade, so the first one would
// be processed again once its entry has expired.
func TestTradeDedupExampleFlow(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	w := newTradeWorker(t, e, map[string]int{})
	w.advance(t, trade{1234567890, "0xabc"})
	w.claim(t, "0x3")
	api := []trade{{1234567893, "0x1"}, {1234567892, "0x2"}, {1234567892, "0x3"}, {1234567890, "0xabc"},
		{1234567890, "0x5"}}
	for range 2 {
		w.poll(t, api)
		if diff := cmp.Diff(map[string]int{"0x1": 1, "0x2": 1}, w.done); diff != "" {
			t.Errorf("trades processed (-want +got):\n%s", diff)
		}
		if c := w.cursor(t); *c != api[0] {
			t.Errorf("the cursor is at %v", c)
		}
		e.forgetTrades(t)
	}
}

// TestTradeDedupRestart checks a worker that crashes after any number of trades and starts again,
// the document's second test.
func TestTradeDedupRestart(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	var api []trade
	want := map[string]int{}
	for i := range 12 {
		api = append(api, trade{int64(100 - i/3), fmt.Sprintf("0x%02d", i)})
		want[api[i].hash] = 1
	}
	for crash := range 14 { // 12 is between the last trade and the cursor
		pgtest.Exec(t, e.conn, "TRUNCATE whale.processed_trade, whale.trade_marker")
		done := map[string]int{}
		first := newTradeWorker(t, e, done)
		first.crash = crash
		if lived := first.poll(t, api); lived != (crash == 13) {
			t.Fatalf("crash after %d: lived %v", crash, lived)
		}
		_ = first.conn.Close(t.Context())
		again := newTradeWorker(t, e, done)
		again.poll(t, api)
		e.forgetTrades(t)
		again.poll(t, api)
		if diff := cmp.Diff(want, done); diff != "" {
			t.Errorf("crash after %d: trades processed (-want +got):\n%s", crash, diff)
		}
	}
}

// TestTradeDedupTimeToLive checks the time to live, the document's third test. It makes entries
// older instead of waiting.
func TestTradeDedupTimeToLive(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	w := newTradeWorker(t, e, map[string]int{})
	if !w.claim(t, "0xdefault") || !pgtest.Value[bool](t, w.conn,
		"SELECT retention.processed_trades_claim('0xlonger'::text, '30 minutes')") {
		t.Fatal("a new trade is not to be had")
	}
	ttl := pgtest.Column[string](t, e.conn,
		"SELECT (expires_at - processed_at)::text FROM whale.processed_trade ORDER BY tx_hash")
	if diff := cmp.Diff([]string{"00:15:00", "00:30:00"}, ttl); diff != "" {
		t.Error(diff)
	}
	for _, refused := range []string{"0", "-1 minute", "59 seconds", "25 hours"} {
		_, err := w.conn.Exec(t.Context(), "SELECT retention.processed_trades_claim('0xother'::text, $1)", refused)
		if server := (*pgconn.PgError)(nil); !errors.As(err, &server) || server.Code != "22023" {
			t.Errorf("a time to live of %s: %v", refused, err)
		}
	}

	pass := func(time string) {
		pgtest.Exec(t, e.conn, `UPDATE whale.processed_trade SET processed_at = processed_at - $1::interval,
			expires_at = expires_at - $1::interval, created_at = created_at - $1::interval`, time)
	}
	pass("14 minutes")
	if w.claim(t, "0xdefault") || !w.seen(t, "0xdefault") {
		t.Error("free again after 14 minutes")
	}
	pass("61 seconds")
	if w.seen(t, "0xdefault") || !w.seen(t, "0xlonger") {
		t.Error("what expired counts as seen, or what did not expire does not")
	}
	now := pgtest.Value[string](t, e.conn, "SELECT now()::text")
	if o := e.Done("processed_trades", now); o.Taken != 1 {
		t.Errorf("%d entries went, want 1", o.Taken)
	}
	left := pgtest.Column[string](t, e.conn, "SELECT tx_hash FROM whale.processed_trade")
	if diff := cmp.Diff([]string{"0xlonger"}, left); diff != "" {
		t.Error(diff)
	}
	if !w.claim(t, "0xdefault") {
		t.Error("what expired cannot be claimed")
	}
}

// TestTradeDedupRace checks workers that claim the same trades at the same time, one by one and in
// batches.
func TestTradeDedupRace(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	var hashes []string
	for i := range 200 {
		hashes = append(hashes, fmt.Sprintf("0x%03d", i))
	}
	won := make([][]string, 6)
	var group sync.WaitGroup
	for i := range won {
		w, order := newTradeWorker(t, e, nil), slices.Clone(hashes)
		rand.New(rand.NewPCG(uint64(i), 0)).Shuffle(len(order),
			func(a, b int) { order[a], order[b] = order[b], order[a] })
		group.Go(func() {
			if i%2 == 0 {
				won[i] = pgtest.Column[string](t, w.conn, "SELECT retention.processed_trades_claim($1::text[])",
					append(order, order...))
				return
			}
			for _, hash := range order {
				if w.claim(t, hash) {
					won[i] = append(won[i], hash)
				}
			}
		})
	}
	group.Wait()
	all := slices.Concat(won...)
	slices.Sort(all)
	if diff := cmp.Diff(hashes, all); diff != "" {
		t.Errorf("each trade is one worker's (-want +got):\n%s", diff)
	}
}

// TestTradeDedupCursor checks that the cursor moves only forward, whichever worker moves it. Among
// trades of one timestamp it is at the last position that a call set.
func TestTradeDedupCursor(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	w := newTradeWorker(t, e, nil)
	if w.cursor(t) != nil {
		t.Error("a cursor before the first trade")
	}
	r := rand.New(rand.NewPCG(1, 2))
	at := trade{}
	for range 200 {
		next := trade{1000 + int64(r.IntN(40)), fmt.Sprintf("0x%02d", r.IntN(20))}
		forward := next.at > at.at || next.at == at.at && next.hash != at.hash
		if moved := w.advance(t, next); moved != forward {
			t.Fatalf("from %v to %v: moved %v", at, next, moved)
		}
		if forward {
			at = next
		}
		if got := w.cursor(t); *got != at {
			t.Fatalf("the cursor is at %v, want %v", got, at)
		}
	}
}

// TestTradeDedupRandomHistories checks many polls of an API that returns old trades again. Workers
// crash at random, and entries expire and are deleted. Each trade is processed once.
func TestTradeDedupRandomHistories(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	r := rand.New(rand.NewPCG(3, 4))
	done, want := map[string]int{}, map[string]int{}
	w := newTradeWorker(t, e, done)
	var api []trade
	var forgotten int64
	for round := range 120 {
		for range r.IntN(4) {
			x := trade{int64(1000 + round/3), fmt.Sprintf("0x%04x", r.IntN(1<<16))}
			if want[x.hash] == 0 {
				api, want[x.hash] = slices.Insert(api, 0, x), 1
			}
		}
		answer := slices.Clone(api)
		if r.IntN(3) == 0 {
			answer = append(answer, answer...) // the API returns the trades twice
		}
		w.crash = r.IntN(4) - 1
		if !w.poll(t, answer) {
			_ = w.conn.Close(t.Context())
			w = newTradeWorker(t, e, done)
		}
		if r.IntN(4) == 0 {
			pgtest.Exec(t, e.conn, "UPDATE whale.processed_trade SET expires_at = expires_at - interval '1 minute'")
			forgotten += e.Done("processed_trades", pgtest.Value[string](t, e.conn, "SELECT now()::text")).Taken
		}
	}
	w.crash = -1
	w.poll(t, api)
	if forgotten == 0 {
		t.Error("no entry expired, so that nothing is shown of it")
	}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("trades processed (-want +got):\n%s", diff)
	}
}

// TestTradeDedupRights checks that the worker may call only its functions, and that no other role
// may call them.
func TestTradeDedupRights(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	e.DB.Exec(t, "CREATE ROLE stranger LOGIN")
	for role, statements := range map[string][]string{
		"whale_worker": {"SELECT * FROM whale.processed_trade", "DELETE FROM whale.processed_trade",
			"UPDATE whale.trade_marker SET id = id",
			"CALL retention.run('processed_trades')", "SELECT retention.processed_trades_take(NULL)"},
		"stranger": {"SELECT retention.processed_trades_claim('0x'::text)",
			"SELECT retention.processed_trades_seen('0x'::text)",
			"SELECT retention.processed_trades_advance('a', 1, 'b')",
			"SELECT * FROM retention.processed_trades_cursor('a')"},
	} {
		conn := e.Conn(t, role)
		for _, sql := range statements {
			_, err := conn.Exec(t.Context(), sql)
			if server := (*pgconn.PgError)(nil); !errors.As(err, &server) || server.Code != "42501" {
				t.Errorf("%s: %s: %v", role, sql, err)
			}
		}
	}
}

// TestTradeDedupConfigurableTimeToLive checks that an operator can change the time to live of
// claims within the policy's bounds, and reset it.
func TestTradeDedupConfigurableTimeToLive(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	w := newTradeWorker(t, e, nil)
	for i, set := range []struct{ window, want string }{{"NULL", "00:15:00"}, {"'30 minutes'", "00:30:00"},
		{"'2 days'", "refused"}, {"'1 second'", "refused"}, {"NULL", "00:15:00"}} {
		err := e.Operator("SELECT retention.set_window('processed_trades', " + set.window + ", 'the API is slow')")
		if set.want == "refused" {
			if server := (*pgconn.PgError)(nil); !errors.As(err, &server) || server.Code != "22023" {
				t.Errorf("a time to live of %s: %v", set.window, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		w.claim(t, fmt.Sprint("0x", i))
		got := pgtest.Value[string](t, e.conn, `SELECT (expires_at - processed_at)::text
			FROM whale.processed_trade WHERE tx_hash = $1`, fmt.Sprint("0x", i))
		if got != set.want {
			t.Errorf("with %s a claim lasts %s", set.window, got)
		}
	}
}

// TestTradeDedupHitRate checks the report on duplicates. It has the share of keys of the last hour
// that were already claimed, and raises an alert above one half.
func TestTradeDedupHitRate(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	const asOf = "2026-03-01 12:00:00+00"
	for _, c := range []struct {
		asked, won int
		rate       string
		alerts     int
	}{{0, 0, "null", 0}, {100, 100, "0.0000", 0}, {200, 100, "0.5000", 0}, {201, 100, "0.5025", 1},
		{50, 0, "1.0000", 1}} {
		pgtest.Exec(t, e.conn, "DELETE FROM retention.claim")
		// Half of the claims are at the hour's first moment, half at its last. Earlier claims and
		// claims of other policies must not count.
		pgtest.Exec(t, e.conn, `INSERT INTO retention.claim (policy, at, asked, won)
			SELECT x.policy, timestamptz '`+asOf+`' - x.ago, x.asked, x.won
			FROM (VALUES ('processed_trades', interval '59 minutes 59.999999 seconds',
				$1::int - $1::int / 2, $2::int - $2::int / 2),
			             ('processed_trades', interval '0', $1 / 2, $2 / 2),
			             ('processed_trades', interval '1 hour', 1000, 0),
			             ('another', interval '1 minute', 1000, 0)) AS x (policy, ago, asked, won)
			WHERE $1 > 0 OR x.ago = interval '1 hour'`, c.asked, c.won)
		e.runJob(t, "duplicate_rate", asOf)
		got := pgtest.Value[string](t, e.conn, `SELECT (rows -> 0 -> 'rate')::text || ' ' || alerts
			FROM retention.report WHERE name = 'duplicate_rate' ORDER BY id DESC LIMIT 1`)
		if want := fmt.Sprint(c.rate, " ", c.alerts); got != want {
			t.Errorf("%d of %d won: rate and alerts are %s, want %s", c.won, c.asked, got, want)
		}
		if said := pgtest.Value[int](t, e.conn, `SELECT count(*) FROM retention.health()
			WHERE policy = 'duplicate_rate' AND problem ~ 'alert'`); said != c.alerts {
			t.Errorf("health() speaks of %d alerts, want %d", said, c.alerts)
		}
	}
}

// TestTradeDedupCountsClaims checks that the log counts claims, and duplicates that seen finds. At
// most one eighth is missing, which a session has not written yet.
func TestTradeDedupCountsClaims(t *testing.T) {
	t.Parallel()
	for name, worker := range map[string]func(w *tradeWorker, t *testing.T, hash string){
		"who claims": func(w *tradeWorker, t *testing.T, hash string) { w.claim(t, hash) },
		"who asks first": func(w *tradeWorker, t *testing.T, hash string) {
			if !w.seen(t, hash) {
				w.claim(t, hash)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			countedClaims(t, worker)
		})
	}
}

func countedClaims(t *testing.T, worker func(w *tradeWorker, t *testing.T, hash string)) {
	e := shipped(t, "trade-dedup")
	w := newTradeWorker(t, e, nil)
	for i := range 800 {
		worker(w, t, fmt.Sprint("0x", i/4))
	}
	asked := pgtest.Value[int](t, e.conn, "SELECT sum(asked) FROM retention.claim WHERE policy = 'processed_trades'")
	won := pgtest.Value[int](t, e.conn, "SELECT sum(won) FROM retention.claim WHERE policy = 'processed_trades'")
	if asked > 800 || asked < 700 || won < (asked+3)/4-1 || won > (asked+3)/4 {
		t.Errorf("800 keys were asked for and 200 won; the log has %d and %d", asked, won)
	}
	e.runJob(t, "duplicate_rate", pgtest.Value[string](t, e.conn, "SELECT clock_timestamp()::text"))
	alerts := pgtest.Value[int](t, e.conn, "SELECT alerts FROM retention.report WHERE name = 'duplicate_rate'")
	if alerts != 1 {
		t.Errorf("three duplicates of four are %d alerts", alerts)
	}
}
