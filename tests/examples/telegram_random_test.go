package examples

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"pgretain/tests/pgtest"
)

// chains has the chains and their jobs in the order of the day. Each job starts 15 minutes after
// the previous one.
var chains = []struct {
	id        int64
	name, job string
}{{501, "sol", "sol"}, {1, "eth", "eth"}, {56, "bsc", "bsc"}, {8453, "base", "base"}}

// traffic creates random records. Their clocks are around the bounds of the jobs or NULL, some have
// equal values, and some reuse old keys.
type traffic struct {
	*rand.Rand
	now time.Time // time of the first job
}

func pick[T any](r traffic, values ...T) T { return values[r.IntN(len(values))] }

// clock returns a clock value on a bound of the c-th job, next to it, at any other time, or nil.
func (r traffic) clock(c int, days ...int) *time.Time {
	at := r.now.Add(time.Duration(c) * 15 * time.Minute)
	switch r.IntN(12) {
	case 0:
		return nil
	case 1, 2, 3:
		at = at.AddDate(0, 0, -pick(r, days...)).Add(time.Duration(r.IntN(3)-1) * time.Microsecond)
	default:
		at = at.Add(-time.Duration(r.IntN(60*24)) * time.Hour)
	}
	return &at
}

// number returns one of a few values, in thousandths, or NULL. Many numbers are equal.
func (r traffic) number(thousandths ...int64) pgtype.Numeric {
	if r.IntN(8) == 0 {
		return pgtype.Numeric{}
	}
	return pgtype.Numeric{Int: big.NewInt(pick(r, thousandths...)), Exp: -3, Valid: true}
}

func (r traffic) merged() any {
	if r.IntN(25) == 0 {
		return "another"
	}
	return nil
}

// insert adds n records of each type to every chain, and ten times as many to the first chain. It
// skips records whose keys exist.
func (r traffic) insert(t *testing.T, conn *pgx.Conn, n int) {
	t.Helper()
	pgtest.Exec(t, conn, `
		CREATE TEMP TABLE new_signal (LIKE channel.signal);
		CREATE TEMP TABLE new_token (LIKE channel.token);
		CREATE TEMP TABLE new_wallet (LIKE channel.wallet);
		CREATE TEMP TABLE new_recent (chain_id int, key text)`)
	var signals, tokens, wallets, recent [][]any
	for c, chain := range chains {
		count := n
		if c == 0 {
			count *= 10
		}
		for range count {
			key := fmt.Sprintf("SIG%05d_0", r.IntN(5*count))
			t0 := r.clock(c, 7)
			signals = append(signals, r.signal(chain.id, key, t0))
			recent = append(recent, []any{chain.id, key})
			tokens = append(tokens, []any{chain.id, fmt.Sprintf("token%05d", r.IntN(3*count)), "SYM", r.clock(c, 30),
				r.clock(c, 30), r.merged()})
			wallets = append(wallets, r.wallet(c, count), r.wallet(c, count))
		}
	}
	copyTo(t, conn, "new_signal", signals)
	copyTo(t, conn, "new_recent", recent)
	copyTo(t, conn, "new_token", tokens)
	copyTo(t, conn, "new_wallet", wallets)
	pgtest.Exec(t, conn, `INSERT INTO channel.signal SELECT * FROM new_signal ON CONFLICT DO NOTHING;
		INSERT INTO channel.recent_signal (chain_id, key) SELECT * FROM new_recent;
		INSERT INTO channel.token SELECT * FROM new_token ON CONFLICT DO NOTHING;
		INSERT INTO channel.wallet SELECT * FROM new_wallet ON CONFLICT DO NOTHING;
		DROP TABLE new_signal, new_token, new_wallet, new_recent`)
}

func (r traffic) signal(chain int64, key string, t0 *time.Time) []any {
	var high *time.Time
	if t0 != nil && r.IntN(5) > 0 {
		at := t0.Add(time.Duration(r.IntN(86_400_000_000)) * time.Microsecond)
		high = &at
	}
	return []any{chain, key, pick[any](r, nil, fmt.Sprintf("token%05d", r.IntN(20))), fmt.Sprintf("S%d", r.IntN(10)),
		r.number(0, 500, 999, 1000, 1001, 1800),
		r.number(100, 1500, 2500), r.number(0, 1999, 2000, 2001, 3000, 10500), high, pick[any](r, "win", "loss",
			"neutral", nil), t0, r.merged()}
}

func (r traffic) wallet(c, count int) []any {
	// The last character is not significant, because lists use the first twelve.
	addr := fmt.Sprintf("Wallet%06d%d", r.IntN(4*count), r.IntN(2))
	return []any{chains[c].id, addr, r.number(0, 499, 500, 501, 999, 1000, 1200, 1500, 2000, 3000),
		pick[any](r, nil, 0, 2, 3, 4, 15),
		r.number(70000, 75000), r.number(90000), r.clock(c, 7, 30), r.merged()}
}

func copyTo(t *testing.T, conn *pgx.Conn, table string, rows [][]any) {
	t.Helper()
	columns := pgtest.Column[string](t, conn, `SELECT attname::text FROM pg_attribute
		WHERE attrelid = $1::text::regclass AND attnum > 0 ORDER BY attnum`, table)
	if _, err := conn.CopyFrom(t.Context(), pgx.Identifier{table}, columns, pgx.CopyFromRows(rows)); err != nil {
		t.Fatal(err)
	}
}
