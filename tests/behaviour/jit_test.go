package behaviour

import (
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestNoQueryOfAnInstallIsCompiled checks that the server does not start JIT compilation when a
// migration registers a policy. Compilation would take half a second for each policy.
func TestNoQueryOfAnInstallIsCompiled(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL)",
		`install: {scheduler: none}
policies:
  m: {table: m, where: "id > 0", due: {age: {column: at, older_than: 7 days}}, then: [delete]}
`)
	asks := in.Conn(t) // the question loads the library into its session
	pgtest.Exec(t, asks, "SET jit = on")
	if !pgtest.Value[bool](t, asks, "SELECT pg_jit_available()") { // nothing can load it there
		off := pgtest.Value[int](t, in, `SELECT count(*) FROM pg_proc
			WHERE proname IN ('_register', '_record_names') AND 'jit=off' = ANY (proconfig)`)
		if off != 2 {
			t.Errorf("%d of 2 functions switch JIT compilation off", off)
		}
		return
	}
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "SET jit = on; SET jit_above_cost = 1000")
	loaded := func() bool {
		return pgtest.Value[bool](t, conn, "SELECT pg_read_file('/proc/self/maps') LIKE '%llvmjit%'")
	}
	pgtest.Exec(t, conn, "SELECT retention._register(to_jsonb(p)) FROM retention.policy p")
	pgtest.Exec(t, conn, "SELECT retention._record_names(NULL)")
	if loaded() {
		t.Error("the install of a policy started JIT compilation")
	}
	pgtest.Exec(t, conn, "SET jit_above_cost = 0; SELECT count(*) FROM pg_class")
	if !loaded() {
		t.Error("JIT compilation cannot be observed on this server")
	}
}
