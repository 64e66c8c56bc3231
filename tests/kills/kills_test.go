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

// perRound is how often a round's runs are disturbed before they may end.
const perRound = 8

// killer disturbs the runs of one server.
type killer struct {
	*testing.T
	in   *kit.Installed
	dice *rand.Rand
	met  map[string]int // deaths of a run under way, by kind

	mutex    sync.Mutex
	sessions map[*pgx.Conn]bool // that run policies
}

func TestKilledAtRandomInstants(t *testing.T) {
	t.Parallel()
	n, number := deaths(), seed(t)
	t.Logf("%s=%d chooses these instants", seedVariable, number)
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
			t.Fatalf("%d rounds, and %d deaths that met a run under way", rounds, met)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(k.met)) {
		t.Logf("%s: %d", kind, k.met[kind])
	}
	t.Logf("%d deaths of runs under way, in %d rounds and %s", met, rounds, time.Since(began).Round(time.Second))
	// The comparison of the rounds sees a row that is lost, one that is doubled, and one that
	// stayed.
	for _, c := range []struct{ spoil, mend string }{
		{"DELETE FROM aged WHERE id = 17", "INSERT INTO aged SELECT * FROM was.aged WHERE id = 17"},
		{"UPDATE daily SET n = n + 1 WHERE day = '2024-01-02'", "UPDATE daily SET n = n - 1 WHERE day = '2024-01-02'"},
		{"INSERT INTO item_old SELECT * FROM item_old LIMIT 1",
			"DELETE FROM item_old WHERE ctid = (SELECT max(ctid) FROM item_old)"},
	} {
		pgtest.Exec(t, k.in.Conn(t), c.spoil)
		if len(differences(t, k.in)) == 0 {
			t.Errorf("nothing differs after %s", c.spoil)
		}
		pgtest.Exec(t, k.in.Conn(t), c.mend)
	}
}

// round has all policies run at once, disturbs them n times, or fewer where they have nothing left
// to do, lets them end, and compares. It returns how often it disturbed them.
func (k *killer) round(n int) (met int) {
	k.Helper()
	statements(k, k.in, fill)
	ctx, stop := context.WithCancel(k.Context())
	var group sync.WaitGroup
	for _, call := range calls {
		group.Go(func() { k.keepRunning(ctx, call) })
	}
	for met < n { // chance decides on the instant: nothing is waited for
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
		k.Errorf("after these deaths %q", found)
	}
	return met
}

// keepRunning calls a procedure again and again, in a new session after each death.
func (k *killer) keepRunning(ctx context.Context, call string) {
	for ctx.Err() == nil {
		conn, err := k.in.Connect(ctx)
		if err != nil {
			continue // the server recovers
		}
		k.enter(conn, true)
		_, err = conn.Exec(ctx, "SET application_name = 'runs'; SET SESSION AUTHORIZATION retention_runner")
		for err == nil && ctx.Err() == nil {
			_, err = conn.Exec(ctx, "CALL retention."+call+", as_of => '"+asOf+"')")
		}
		k.enter(conn, false)
		_ = conn.Close(context.WithoutCancel(ctx))
	}
}

func (k *killer) enter(conn *pgx.Conn, runs bool) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if runs {
		k.sessions[conn] = true
	} else {
		delete(k.sessions, conn)
	}
}

// kill ends something of a kind that chance chooses; false where no run is under way.
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
		_ = syscall.Kill(pid, syscall.SIGKILL) // gone already: nothing to kill
	case "postmaster":
		if err = k.in.DB.Server.Kill(); err == nil {
			// Backends that have not noticed yet hold the shared memory, which a server does not
			// start beside.
			pgtest.Poll(k, "a server after its death", func() bool { return k.in.DB.Server.Restart(ctx) == nil })
		}
	}
	if err != nil {
		k.Fatalf("%s: %v", kind, err)
	}
	return true
}

// victim waits for a backend that runs a policy, and returns it with the session that saw it; 0
// where all policies have come to an end in this round.
func (k *killer) victim(ctx context.Context) (conn *pgx.Conn, pid int) {
	k.Helper()
	pgtest.Poll(k, "a run under way, or the end of all", func() bool {
		var err error
		if conn == nil {
			if conn, err = k.in.Connect(ctx); err != nil {
				conn = nil
				return false // the server recovers
			}
		}
		var pids []int
		var ended bool
		err = conn.QueryRow(ctx, `SELECT ARRAY(SELECT DISTINCT a.pid FROM pg_stat_activity a JOIN retention.run r ON r.pid = a.pid AND r.state = 'running'
			WHERE a.application_name = 'runs'), (SELECT count(DISTINCT policy) = $1 FROM retention.run WHERE state = 'done' AND id > (SELECT last FROM was.run))`,
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

// finish runs a policy to its end: sessions of before may still be dying.
func (k *killer) finish(name string) {
	k.Helper()
	pgtest.Poll(k, "a run of "+name+" that ends done", func() bool {
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
		return pgtest.Value[string](k, conn, "SELECT state FROM retention.run WHERE policy = $1 ORDER BY id DESC "+
			"LIMIT 1", name) == "done"
	})
}
