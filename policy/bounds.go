package policy

import (
	"fmt"
	"math"
	"time"

	"pgretain/internal/diag"
)

// bounds is what defaults and policies both may set.
type bounds struct {
	batch    Batch
	budget   Budget
	breaker  Breaker
	throttle Throttle
}

// mostRows is how many rows a batch that is sized by time has at most.
const mostRows = 50000

var builtInBounds = bounds{
	batch:    Batch{Rows: mostRows, Time: 50 * time.Millisecond, LockTimeout: 100 * time.Millisecond},
	budget:   Budget{Time: 10 * time.Minute},
	breaker:  Breaker{Rows: 5000000, Fraction: 0.5},
	throttle: Throttle{Busy: 1},
}

// Default is a policy with nothing but what holds where a file says nothing.
func Default() *Policy {
	b := builtInBounds
	return &Policy{Batch: b.batch, Budget: b.budget, Breaker: b.breaker, Throttle: b.throttle}
}

var boundKeys = []string{"batch", "budget", "breaker", "throttle"}

var (
	defaultsShape = shape{keys: boundKeys}
	batchShape    = shape{keys: []string{"rows", "time", "lock_timeout"}}
	budgetShape   = shape{keys: []string{"rows", "time"}}
	breakerShape  = shape{keys: []string{"rows", "fraction"}}
	throttleShape = shape{keys: []string{"busy"}, later: []string{"replica_lag", "wal_rate", "pending_archival", "autovacuum"}}
)

// bounds reads the map of defaults; what it does not set stays as in base.
func (r *reader) bounds(f field, what string, base bounds) bounds {
	if f.value == nil {
		return base
	}
	m, ok := r.mapping(f, quoted(what), defaultsShape)
	if !ok {
		return base
	}
	return r.boundsOf(m, base)
}

func (r *reader) boundsOf(m mapping, b bounds) bounds {
	if m, ok := r.part(m, "batch", batchShape); ok {
		b.batch = r.batch(m, b.batch)
	}
	if m, ok := r.part(m, "budget", budgetShape); ok {
		b.budget.Rows = r.unlessNull(m.fields["rows"], b.budget.Rows)
		b.budget.Time = r.duration(m.fields["time"], time.Second, 0, b.budget.Time)
		b.budget.RowsPosition = r.placed(m, "rows", b.budget.RowsPosition)
		b.budget.TimePosition = r.placed(m, "time", b.budget.TimePosition)
	}
	if m, ok := r.part(m, "breaker", breakerShape); ok {
		b.breaker.Rows = r.between(m.fields["rows"], 1, math.MaxInt64, b.breaker.Rows)
		b.breaker.Fraction = r.fraction(m.fields["fraction"], b.breaker.Fraction)
		b.breaker.RowsPosition = r.placed(m, "rows", b.breaker.RowsPosition)
	}
	if m, ok := r.part(m, "throttle", throttleShape); ok {
		b.throttle.Busy = r.fraction(m.fields["busy"], b.throttle.Busy)
	}
	return b
}

// batch reads rows and time: rows alone are exact.
func (r *reader) batch(m mapping, b Batch) Batch {
	rows, timed := m.fields["rows"], m.fields["time"].value != nil
	switch {
	case timed && rows.value == nil && b.Time == 0:
		b.Rows = mostRows
	case !timed && rows.value != nil:
		b.Time = 0
	}
	b.Rows = int(r.between(rows, 1, 1000000, int64(b.Rows)))
	b.Time = r.duration(m.fields["time"], time.Millisecond, -1, b.Time)
	b.LockTimeout = r.duration(m.fields["lock_timeout"], time.Millisecond, -1, b.LockTimeout)
	return b
}

// placed is where a key's value stands, or else where the defaults have it.
func (r *reader) placed(m mapping, key string, fallback diag.Position) diag.Position {
	if f, ok := m.fields[key]; ok {
		return r.at(f.value)
	}
	return fallback
}

// unlessNull is a number of rows; null takes away the bound of the defaults.
func (r *reader) unlessNull(f field, fallback int64) int64 {
	if f.value != nil && isNull(f) {
		return 0
	}
	return r.between(f, 1, math.MaxInt64, fallback)
}

// part is the map under a key that may be absent.
func (r *reader) part(m mapping, key string, s shape) (mapping, bool) {
	f, ok := m.fields[key]
	if !ok {
		return mapping{}, false
	}
	return r.mapping(f, fmt.Sprintf("%q of %s", key, m.what), s)
}
