package kills

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// perRound is the number of kills in a round.
const perRound = 8

// killer kills sessions, backends and the server while policies run.
type killer struct {
	*testing.T
	in   *kit.Installed
	dice *rand.Rand
	met  map[string]int // number of kills during a run, by kind

	mutex    sync.Mutex
	sessions map[*pgx.Conn]bool // sessions that run policies
}

// TestKilledAtRandomInstants checks that kills at random instants lose, duplicate or leave no row.
// It counts only kills during a run.
func TestKilledAtRandomInstants(t *testing.T) {
	t.Parallel()
	n, number := killCount(), seed(t)
	t.Logf("to choose the same instants, set %s=%d", seedVariable, number)
	k := &killer{T: t, dice: rand.New(rand.NewPCG(number, 0)), met: map[string]int{}, sessions: map[*pgx.Conn]bool{}}
	db := pgtest.Server(t, sandbox.Options{Settings: map[string]string{"fsync": "on", "full_page_writes": "on"}})
	k.in = kit.Install(t, schema, policies, kit.On(db))
	k.in.SetBatch(20)
	k.in.DB.Exec(t, due)
	for _, hold := range []string{"'aged', '17'", "'part', '64'"} {
		if err := k.in.Operator("SELECT retention.place_hold(" + hold + ", 'case')"); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	met, rounds := 0, 0
	for ; met < n; rounds++ {
		met += k.round(min(perRound, n-met))
		if t.Failed() {
			return
		}
		if rounds > n {
			t.Fatalf("%d rounds had only %d kills during a run", rounds, met)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(k.met)) {
		t.Logf("%s: %d", kind, k.met[kind])
	}
	t.Logf("%d kills during runs, in %d rounds and %s", met, rounds, time.Since(began).Round(time.Second))
	// The comparison must notice a lost row, a wrong total and a duplicate row.
	for _, c := range []struct{ damage, repair string }{
		{"DELETE FROM aged WHERE id = 17", "INSERT INTO aged SELECT * FROM initial.aged WHERE id = 17"},
		{"UPDATE daily SET n = n + 1 WHERE day = '2024-01-02'", "UPDATE daily SET n = n - 1 WHERE day = '2024-01-02'"},
		{"INSERT INTO item_old SELECT * FROM item_old LIMIT 1",
			"DELETE FROM item_old WHERE ctid = (SELECT max(ctid) FROM item_old)"},
	} {
		pgtest.Exec(t, k.in.Conn(t), c.damage)
		if len(differences(t, k.in)) == 0 {
			t.Errorf("the comparison did not notice %s", c.damage)
		}
		pgtest.Exec(t, k.in.Conn(t), c.repair)
	}
}

// round runs all policies at once and kills n times, or fewer times if the policies have finished.
// Then it finishes all policies and compares the tables. It returns the number of kills.
func (k *killer) round(n int) (met int) {
	k.Helper()
	statements(k, k.in, fill)
	ctx, stop := context.WithCancel(k.Context())
	var group sync.WaitGroup
	for _, call := range calls {
		group.Go(func() { k.keepRunning(ctx, call) })
	}
	for met < n { // the instant is random; the loop waits for no state
		time.Sleep(time.Duration(k.dice.IntN(200)) * time.Millisecond)
		if !k.kill() {
			break
		}
		met++
	}
	stop()
	group.Wait()
	for _, name := range names {
		k.finish(name)
	}
	if found := differences(k, k.in); len(found) > 0 {
		slices.Sort(found)
		k.Errorf("after the kills these tables differ: %q", found)
	}
	return met
}

// keepRunning calls a procedure repeatedly, in a new session after each error.
func (k *killer) keepRunning(ctx context.Context, call string) {
	for ctx.Err() == nil {
		conn, err := k.in.Connect(ctx)
		if err != nil {
			continue // the server is recovering
		}
		k.register(conn, true)
		_, err = conn.Exec(ctx, "SET application_name = 'runs'; SET SESSION AUTHORIZATION retention_runner")
		for err == nil && ctx.Err() == nil {
			_, err = conn.Exec(ctx, "CALL retention."+call+", as_of => '"+asOf+"')")
		}
		k.register(conn, false)
		_ = conn.Close(context.WithoutCancel(ctx))
	}
}

func (k *killer) register(conn *pgx.Conn, runs bool) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if runs {
		k.sessions[conn] = true
	} else {
		delete(k.sessions, conn)
	}
}

// kill performs a random kind of kill. It reports false if no run is in progress.
func (k *killer) kill() bool {
	kinds := []string{"cancel", "terminate", "connection", "backend", "postmaster"}
	kind := kinds[k.dice.IntN(len(kinds))]
	ctx, done := context.WithTimeout(k.Context(), pgtest.MaxWait)
	defer done()
	conn, pid := k.victim(ctx)
	if pid == 0 {
		return false
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	k.met[kind]++
	var err error
	switch kind {
	case "cancel":
		_, err = conn.Exec(ctx, "SELECT pg_cancel_backend($1)", pid)
	case "terminate":
		_, err = conn.Exec(ctx, "SELECT pg_terminate_backend($1)", pid)
	case "connection":
		k.mutex.Lock()
		for session := range k.sessions {
			if session.PgConn().PID() == uint32(pid) {
				err = session.PgConn().Conn().Close()
			}
		}
		k.mutex.Unlock()
	case "backend":
		_ = syscall.Kill(pid, syscall.SIGKILL) // an error means that the backend has ended already
	case "postmaster":
		if err = k.in.DB.Server.Kill(); err == nil {
			// Backends that still run use the shared memory, and a server does not start beside
			// them.
			pgtest.Poll(k, "the server has restarted", func() bool { return k.in.DB.Server.Restart(ctx) == nil })
		}
	}
	if err != nil && conn.IsClosed() { // the server still ends all sessions because of the last kill
		k.met[kind]--
		return k.kill()
	}
	if err != nil {
		k.Fatalf("%s: %v", kind, err)
	}
	return true
}

// victim waits for a backend that runs a policy, and returns its PID and the session that found it.
// It returns 0 if all policies have finished in this round.
func (k *killer) victim(ctx context.Context) (conn *pgx.Conn, pid int) {
	k.Helper()
	pgtest.Poll(k, "a run is in progress, or all policies have finished", func() bool {
		var err error
		if conn == nil {
			if conn, err = k.in.Connect(ctx); err != nil {
				conn = nil
				return false // the server is recovering
			}
		}
		var pids []int
		var ended bool
		err = conn.QueryRow(ctx, `SELECT ARRAY(SELECT DISTINCT a.pid FROM pg_stat_activity a
			JOIN retention.run r ON r.pid = a.pid AND r.state = 'running'
			WHERE a.application_name = 'runs'), (SELECT count(DISTINCT policy) = $1 FROM retention.run
				WHERE state = 'done' AND id > (SELECT last FROM initial.run))`,
			len(names)).Scan(&pids, &ended)
		if len(pids) > 0 {
			pid = pids[k.dice.IntN(len(pids))]
			return true
		}
		if err != nil || ended {
			_ = conn.Close(ctx)
			conn = nil
		}
		return ended
	})
	return conn, pid
}

// finish runs a policy until it ends done. It tries again while killed sessions are ending.
func (k *killer) finish(name string) {
	k.Helper()
	pgtest.Poll(k, "a run of "+name+" ends done", func() bool {
		conn, err := k.in.Connect(k.Context())
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close(context.WithoutCancel(k.Context())) }()
		call := "CALL retention.run('" + name + "', as_of => '" + asOf + "')"
		for _, sql := range []string{"SET SESSION AUTHORIZATION retention_runner", call,
			"RESET SESSION AUTHORIZATION"} {
			if _, err = conn.Exec(k.Context(), sql); err != nil {
				return false
			}
		}
		return pgtest.Value[string](k, conn,
			"SELECT state FROM retention.run WHERE policy = $1 ORDER BY id DESC LIMIT 1", name) == "done"
	})
}
