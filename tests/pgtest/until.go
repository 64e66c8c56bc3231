package pgtest

import (
	"testing"
	"time"
)

// MaxWait bounds every wait of a test for a state. It is far longer than any state takes on a slow
// and busy machine, so that only one that never comes fails the test.
const MaxWait = 3 * time.Minute

// Poll asks until the state has come: PostgreSQL has no notification of a session that begins to
// wait, or is gone.
func Poll(t testing.TB, what string, come func() bool) {
	t.Helper()
	for begin := time.Now(); !come(); {
		waited := time.Since(begin)
		if waited > MaxWait {
			t.Fatalf("never came true: %s", what)
		}
		// who waits long leaves the processor to others
		time.Sleep(min(3*time.Millisecond+waited/50, 50*time.Millisecond))
	}
}

// Until polls a query for true.
func Until(t testing.TB, q Querier, sql string, args ...any) {
	t.Helper()
	Poll(t, sql, func() bool { return Value[bool](t, q, sql, args...) })
}

// Gone waits until a backend has let go of everything: its client hears of its end before its locks
// are free.
func WaitForExit(t testing.TB, q Querier, pid uint32) {
	t.Helper()
	Until(t, q, `SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)
	                AND NOT EXISTS (SELECT FROM pg_locks WHERE pid = $1)`, pid)
}
