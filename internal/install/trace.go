package install

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// trace remembers the statements of one migration, because goose's errors do not say which one
// failed.
type trace struct {
	last  string
	times int            // how often last was sent before it failed
	seen  map[string]int // how often each text was sent; nil: not listening
}

func (t *trace) reset() { t.last, t.times, t.seen = "", 0, map[string]int{} }

// TraceQueryStart keeps the text; several statements of a file may have the same one.
func (t *trace) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if t.seen != nil {
		t.last = data.SQL
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
