package pgtest

import (
	"testing"
	"time"
)

// MaxWait is the longest time that a test waits for a state. Even on a slow and busy machine every
// state is reached much sooner. So a test that waits longer has failed.
const MaxWait = 3 * time.Minute

// Poll calls the function "come" until it returns true, and fails the test after MaxWait.
// PostgreSQL sends no notification when a session begins to wait or ends.
func Poll(t testing.TB, what string, come func() bool) {
	t.Helper()
	for begin := time.Now(); !come(); {
		waited := time.Since(begin)
		if waited > MaxWait {
			t.Fatalf("not true after %s: %s", MaxWait, what)
		}
		// Longer pauses after a longer wait leave the processor to other tests.
		time.Sleep(min(3*time.Millisecond+waited/50, 50*time.Millisecond))
	}
}

// Until runs a query until it returns true.
func Until(t testing.TB, q Querier, sql string, args ...any) {
	t.Helper()
	Poll(t, sql, func() bool { return Value[bool](t, q, sql, args...) })
}

// WaitForExit waits until a backend has ended and released its locks. The client sees the end of
// the connection earlier.
func WaitForExit(t testing.TB, q Querier, pid uint32) {
	t.Helper()
	Until(t, q, `SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)
	                AND NOT EXISTS (SELECT FROM pg_locks WHERE pid = $1)`, pid)
}
