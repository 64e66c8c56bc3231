package examples

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// TestTradeDedupEntry checks that an entry has the four fields of the document, with times of the
// database's clock, whatever the trade's timestamp is. A claim replaces an expired entry that is
// not deleted yet.
func TestTradeDedupEntry(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	w := newTradeWorker(t, e, map[string]int{})
	api := []trade{{1 << 40, "0xfuture"}, {1, "0xpast"}}
	for range 2 {
		start := pgtest.Value[string](t, e.conn, "SELECT clock_timestamp()::text")
		w.poll(t, api)
		got := pgtest.Column[string](t, e.conn, `SELECT concat_ws(' ', tx_hash, expires_at - processed_at,
			processed_at BETWEEN $1 AND clock_timestamp(), created_at BETWEEN $1 AND clock_timestamp())
				FROM whale.processed_trade ORDER BY 1`, start)
		if diff := cmp.Diff([]string{"0xfuture 00:15:00 t t", "0xpast 00:15:00 t t"}, got); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
		pgtest.Exec(t, e.conn, `UPDATE whale.processed_trade
			SET processed_at = processed_at - interval '1 hour',
			expires_at = expires_at - interval '1 hour',
			created_at = created_at - interval '1 hour'; TRUNCATE whale.trade_marker`)
	}
	if diff := cmp.Diff(map[string]int{"0xfuture": 2, "0xpast": 2}, w.done); diff != "" {
		t.Errorf("trades processed (-want +got):\n%s", diff)
	}
}

// TestTradeDedupLookUps checks that look-ups use the index on the hash and that a duplicate writes
// nothing. The server's statistics of the transaction prove both.
func TestTradeDedupLookUps(t *testing.T) {
	t.Parallel()
	e := shipped(t, "trade-dedup")
	e.fill(t, `
		INSERT INTO whale.processed_trade SELECT '0x' || n, :as_of, 'infinity', :as_of
			FROM generate_series(1, 20000) n;
		INSERT INTO whale.trade_marker VALUES ('whale_worker_global', 1, '0x1');
		ANALYZE whale.processed_trade, whale.trade_marker`, "2026-01-01")
	counted := func() []int64 {
		return pgtest.Value[[]int64](t, e.conn, `SELECT ARRAY[
				sum(seq_tup_read) FILTER (WHERE relname = 'processed_trade'),
				sum(n_tup_ins + n_tup_upd + n_tup_del)]::bigint[]
			FROM pg_stat_xact_user_tables WHERE schemaname = 'whale'`)
	}
	pgtest.Exec(t, e.conn, "BEGIN")
	for call, writes := range map[string]int64{
		"processed_trades_claim('0x17'::text)":                            0,
		"processed_trades_claim(ARRAY['0x17', '0x18', '0x19'])":           0,
		"processed_trades_seen('0x17'::text)":                             0,
		"processed_trades_claim('0xnew'::text)":                           1,
		"processed_trades_cursor('whale_worker_global')":                  0,
		"processed_trades_advance('whale_worker_global', 1, '0x1'::text)": 0,
		"processed_trades_advance('whale_worker_global', 2, '0x2'::text)": 1,
	} {
		before := counted()
		pgtest.Exec(t, e.conn, "SELECT * FROM retention."+call)
		after := counted()
		read, written := after[0]-before[0], after[1]-before[1]
		if read != 0 || written != writes {
			t.Errorf("%s read %d rows in sequence and wrote %d, want 0 and %d", call, read, written, writes)
		}
	}
	pgtest.Exec(t, e.conn, "ROLLBACK")
}
