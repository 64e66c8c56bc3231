package behaviour

import (
	"context"
	"strings"
	"testing"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// originServer is a server of the test's own with twenty rows, of which thirteen are due at noon.
func originServer(t *testing.T) *kit.Installed {
	t.Helper()
	db := pgtest.Server(t, sandbox.Options{})
	return kit.Install(t, plain, old(""), kit.On(db))
}

// runsThere calls a run as the superuser on a server and returns the log's last line.
func runsThere(t *testing.T, db *pgtest.DB) (state, message string, left int) {
	t.Helper()
	conn := db.Conn(t)
	pgtest.Exec(t, conn, "SET ROLE retention_runner")
	pgtest.Exec(t, conn, "CALL retention.run('p', '2024-03-31 12:00+00')")
	pgtest.Exec(t, conn, "RESET ROLE")
	row := conn.QueryRow(t.Context(), "SELECT state, coalesce(message, ''), (SELECT count(*) FROM m)::int FROM retention.run ORDER BY id DESC LIMIT 1")
	if err := row.Scan(&state, &message, &left); err != nil {
		t.Fatal(err)
	}
	return state, message, left
}

// refusesThenAdopts wants a copy to touch nothing until an operator adopts it, and to go on after a restart of its own.
func refusesThenAdopts(t *testing.T, what string, db *pgtest.DB) {
	t.Helper()
	state, message, left := runsThere(t, db)
	if state != "paused" || left != 20 || !strings.Contains(message, "retention.adopt") {
		t.Fatalf("%s: %s, %d rows left: %s", what, state, left, message)
	}
	db.Exec(t, "SELECT retention.adopt('meant')")
	if err := db.Server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state, message, left := runsThere(t, db.Again(t)); state != "done" || left != 7 {
		t.Errorf("%s, adopted: %s, %d rows left: %s", what, state, left, message)
	}
}

// A restart is no copy, nor is a restart after a crash.
func TestRestartIsNoCopy(t *testing.T) {
	t.Parallel()
	in := originServer(t)
	for _, how := range []func() error{func() error { return nil }, in.Server.Kill} {
		if err := how(); err != nil {
			t.Fatal(err)
		}
		if err := in.Server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if why := pgtest.Value[string](t, in.Again(t), "SELECT coalesce(retention._copy(), '')"); why != "" {
			t.Error(why)
		}
	}
	if state, message, left := runsThere(t, in.Again(t)); state != "done" || left != 7 {
		t.Errorf("%s, %d rows left: %s", state, left, message)
	}
}

// A physical copy has the system identifier of the original, and is a copy all the same; each of what tells it is
// enough alone, since the path, say, is the same on another machine.
func TestPhysicalCopies(t *testing.T) {
	t.Parallel()
	in := originServer(t)
	for _, known := range []string{"server", "server - 'files'", "server - 'data directory'"} {
		in.Exec(t, "UPDATE retention.install SET server = "+known)
		refusesThenAdopts(t, "a base backup, by "+known, in.Clone(t))
		in.Exec(t, "SELECT retention.adopt('as before')")
	}
	in.Exec(t, "UPDATE retention.install SET server = server - 'data directory'")
	if err := in.Server.Kill(); err != nil {
		t.Fatal(err)
	}
	refusesThenAdopts(t, "a copy of the files", in.CloneFiles(t))
	if err := in.Server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state, message, left := runsThere(t, in.Again(t)); state != "done" || left != 7 {
		t.Errorf("the original: %s, %d rows left: %s", state, left, message)
	}
}

// A standby is what it is while it follows; promoted, it is told by its timeline alone, and says how it is adopted.
func TestPromotedStandby(t *testing.T) {
	t.Parallel()
	in := originServer(t)
	in.Exec(t, "UPDATE retention.install SET server = server - '{files,data directory}'::text[]")
	standby := in.Standby(t, nil)
	standby.CatchUp(t, in.DB)
	if why := pgtest.Value[string](t, standby, "SELECT coalesce(stopped_by, '') FROM retention.preview('p')"); why != "" {
		t.Errorf("while it follows: %s", why)
	}
	if err := in.Server.Kill(); err != nil {
		t.Fatal(err)
	}
	standby.Exec(t, "SELECT pg_promote()")
	refusesThenAdopts(t, "a promoted standby", standby)
}

// A standby that is promoted in the middle of a run has whole batches of it, touches nothing more until it is adopted, and
// goes on then; the run that its primary did not end is abandoned.
func TestPromotedDuringARun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old("throttle: {busy: 1%}, batch: {rows: 1}, "), kit.On(pgtest.Server(t, sandbox.Options{})))
	standby := in.Standby(t, nil)
	standby.CatchUp(t, in.DB)
	runner := in.Conn(t)
	pgtest.Exec(t, runner, "SET SESSION AUTHORIZATION retention_runner")
	ended := make(chan error, 1)
	go func() {
		_, err := runner.Exec(context.Background(), "CALL retention.run('p', $1)", noon)
		ended <- err
	}()
	pgtest.Until(t, standby, "SELECT count(*) > 2 FROM retention.batch WHERE taken > 0")
	if err := in.Server.Kill(); err != nil {
		t.Fatal(err)
	}
	if <-ended == nil {
		t.Fatal("the run ended before its server")
	}
	standby.Exec(t, "SELECT pg_promote()")
	taken := pgtest.Value[int](t, standby, "SELECT sum(taken)::int FROM retention.batch")
	if state, message, left := runsThere(t, standby); state != "paused" || left != 20-taken {
		t.Fatalf("promoted: %s, %d rows left after %d were taken: %s", state, left, taken, message)
	}
	standby.Exec(t, "SELECT retention.adopt('failover')")
	if state, message, left := runsThere(t, standby); state != "done" || left != 7 {
		t.Errorf("adopted: %s, %d rows left: %s", state, left, message)
	}
	if n := pgtest.Value[int](t, standby, "SELECT count(*) FROM m WHERE at < '2024-03-24 12:00+00'"); n != 0 {
		t.Errorf("%d due rows are left", n)
	}
	if state := pgtest.Value[string](t, standby, "SELECT state FROM retention.run ORDER BY id LIMIT 1"); state != "abandoned" {
		t.Errorf("the run of the old primary is %s", state)
	}
}
