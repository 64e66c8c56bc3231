package examples

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// trade is a trade as the API returns it.
type trade struct {
	at   int64 // Unix time in seconds
	hash string
}

// tradeWorker is the worker that the example's README describes. It calls the functions of the
// policy. If crash is not negative, the worker ends after that many trades.
type tradeWorker struct {
	conn  *pgx.Conn
	done  map[string]int // number of times that each trade was processed, by all workers
	crash int
}

func newTradeWorker(t *testing.T, e *example, done map[string]int) *tradeWorker {
	t.Helper()
	return &tradeWorker{e.Conn(t, "whale_worker"), done, -1}
}

const marker = "whale_worker_global"

// poll fetches trades, newest first, up to the cursor. It claims and processes each trade, oldest
// first, and moves the cursor to the newest one. It reports whether the worker did not crash.
func (w *tradeWorker) poll(t *testing.T, api []trade) bool {
	t.Helper()
	cursor := w.cursor(t)
	var fetched []trade
	for _, x := range api {
		if cursor != nil && x.hash == cursor.hash {
			break
		}
		if cursor == nil || x.at >= cursor.at {
			fetched = append(fetched, x)
		}
	}
	for _, x := range slices.Backward(fetched) {
		if w.crash == 0 {
			return false
		}
		if w.claim(t, x.hash) {
			w.crash--
			w.done[x.hash]++
		}
	}
	if w.crash == 0 {
		return false
	}
	if len(fetched) > 0 {
		w.advance(t, fetched[0])
	}
	return true
}

func (w *tradeWorker) claim(t *testing.T, hash string) bool {
	t.Helper()
	return pgtest.Value[bool](t, w.conn, "SELECT retention.processed_trades_claim($1::text)", hash)
}

func (w *tradeWorker) seen(t *testing.T, hash string) bool {
	t.Helper()
	return pgtest.Value[bool](t, w.conn, "SELECT retention.processed_trades_seen($1::text)", hash)
}

func (w *tradeWorker) advance(t *testing.T, x trade) bool {
	t.Helper()
	return pgtest.Value[bool](t, w.conn, "SELECT retention.processed_trades_advance($1, $2, $3)", marker, x.at, x.hash)
}

// cursor returns the position of the cursor, or nil if there is none.
func (w *tradeWorker) cursor(t *testing.T) *trade {
	t.Helper()
	hashes := pgtest.Column[string](t, w.conn,
		"SELECT last_processed_tx_hash FROM retention.processed_trades_cursor($1)", marker)
	if len(hashes) == 0 {
		return nil
	}
	at := pgtest.Value[int64](t, w.conn, "SELECT last_processed_timestamp FROM retention.processed_trades_cursor($1)",
		marker)
	return &trade{at, hashes[0]}
}
