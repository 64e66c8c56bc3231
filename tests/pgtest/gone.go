package pgtest

import (
	"testing"
	"time"
)

// Gone waits until a backend has let go of everything: its client hears of its end before its locks are
// free.
func Gone(t testing.TB, q Querier, pid uint32) {
	t.Helper()
	const gone = `SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)
	                 AND NOT EXISTS (SELECT FROM pg_locks WHERE pid = $1)`
	for end := time.Now().Add(timeout); !Value[bool](t, q, gone, pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("backend %d is still there", pid)
		}
	}
}
