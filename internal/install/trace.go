package install

import (
	"bytes"
	"context"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// trace remembers the statements of one migration, because goose's errors do not say which one
// failed.
type trace struct {
	last  string
	times int            // how often last was sent before it failed
	seen  map[string]int // how often each text was sent; nil: not listening
	done  int            // how many of the statements in last are done
}

func (t *trace) reset() { t.last, t.times, t.seen, t.done = "", 0, map[string]int{}, 0 }

// TraceQueryStart keeps the text; several statements of a file may have the same one.
func (t *trace) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if t.seen != nil {
		t.last, t.done = data.SQL, 0
		t.seen[data.SQL]++
	}
	return ctx
}

// TraceQueryEnd stops at the first failure: what goose sends afterwards is clearing up.
func (t *trace) TraceQueryEnd(_ context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if data.Err != nil && t.seen != nil {
		t.times, t.seen = t.seen[t.last], nil
	}
}

// Write is told each message of the protocol, as text: the server says when a statement is done, also where several
// were sent at once, and of an error not always where it is.
func (t *trace) Write(message []byte) (int, error) {
	if t.seen != nil && bytes.HasPrefix(message, []byte("B\tCommandComplete")) {
		t.done++
	}
	return len(message), nil
}

// frontend lets the trace read along.
func (t *trace) frontend(r io.Reader, w io.Writer) *pgproto3.Frontend {
	f := pgproto3.NewFrontend(r, w)
	f.Trace(t, pgproto3.TracerOptions{SuppressTimestamps: true})
	return f
}
