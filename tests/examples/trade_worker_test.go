package examples

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// trade is what the API says of one.
type trade struct {
	at   int64 // seconds
	hash string
}

// whale is the worker of the document, with the functions of the policy in the place of its own. It
// ends after a number of trades when crash is not negative.
type whale struct {
	conn  *pgx.Conn
	done  map[string]int // how often each trade was processed, by all workers
	crash int
}

func newWhale(t *testing.T, e *example, done map[string]int) *whale {
	t.Helper()
	return &whale{e.Conn(t, "whale_worker"), done, -1}
}

const marker = "whale_worker_global"

// poll fetches from the cursor on, newest first, stops at the cursor, takes each trade up before it
// processes it, oldest first, and moves the cursor to the newest, whoever took that up. It says
// whether it lived to the end.
func (w *whale) poll(t *testing.T, api []trade) bool {
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

func (w *whale) claim(t *testing.T, hash string) bool {
	t.Helper()
	return pgtest.Value[bool](t, w.conn, "SELECT retention.processed_trades_claim($1::text)", hash)
}

func (w *whale) seen(t *testing.T, hash string) bool {
	t.Helper()
	return pgtest.Value[bool](t, w.conn, "SELECT retention.processed_trades_seen($1::text)", hash)
}

func (w *whale) advance(t *testing.T, x trade) bool {
	t.Helper()
	return pgtest.Value[bool](t, w.conn, "SELECT retention.processed_trades_advance($1, $2, $3)", marker, x.at, x.hash)
}

// cursor is nil where there is none yet.
func (w *whale) cursor(t *testing.T) *trade {
	t.Helper()
	hashes := pgtest.Column[string](t, w.conn, "SELECT last_processed_tx_hash FROM "+
		"retention.processed_trades_cursor($1)", marker)
	if len(hashes) == 0 {
		return nil
	}
	at := pgtest.Value[int64](t, w.conn, "SELECT last_processed_timestamp FROM retention.processed_trades_cursor($1)",
		marker)
	return &trade{at, hashes[0]}
}
