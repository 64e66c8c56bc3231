package history

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestUpgradeDuringARun applies and undoes an upgrade of the runtime while a run is in progress.
// The run stops before its next batch, as "paused" if the upgrade is half applied, else as "more".
// While the upgrade is half applied, no run starts. Later runs take all rows that were due.
func TestUpgradeDuringARun(t *testing.T) {
	t.Parallel()
	in := installed(t, beforeVersion)
	in.DB.Exec(t, "INSERT INTO public.bots VALUES (repeat('a', 64), 'one')")
	first := maps.Clone(in.Migrations)
	step := grow(t, in, nextVersion(t, in.WantedObjects(t, botQueue)))
	all := in.Migrations

	const between = "the runtime is between version 0 and version 1: a migration is not finished"
	in.Migrations = first
	in.Migrations[step[0].Name] = all[step[0].Name]
	wantMore(t, in, func() { in.Up(t) }, between)
	if o := in.Run(ttl, "now"); o.State != "paused" || o.Message != between || o.Taken != 0 {
		t.Errorf("a run during the upgrade took %d rows and ended %s: %s; want 0 and paused",
			o.Taken, o.State, o.Message)
	}
	if got := in.Rows(`SELECT severity, problem FROM retention.health()
		WHERE policy IS NULL AND severity = 'error' AND problem LIKE 'the runtime%'`); len(got) != 1 {
		t.Errorf("health() reports %q, want one error about the runtime", got)
	}
	in.Migrations = all
	in.Up(t)
	in.Done(ttl, "now")

	wantMore(t, in, func() { down(t, in) }, between, "the policy was changed during the run")
	in.Done(ttl, "now")
	wantMore(t, in, func() { in.Up(t) }, between, "the policy was changed during the run")
	in.Done(ttl, "now")
	if left := pgtest.Value[int64](t, in, "SELECT count(*) FROM public.enqueued_messages"); left != 0 {
		t.Errorf("%d due rows are left, want none", left)
	}
}

const ttl = "enqueued_messages_ttl"

// wantMore calls meanwhile during a run that pauses between its batches of one row. The run must
// stop early with one of the messages.
func wantMore(t *testing.T, in *kit.Installed, meanwhile func(), messages ...string) {
	t.Helper()
	in.DB.Exec(t, due, 500, 8)
	in.DB.Exec(t, "UPDATE retention.policy SET batch_rows = 1, busy = 0.02 WHERE name = $1", ttl)
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION retention_runner")
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "CALL retention.run($1)", ttl)
		ended <- err
	}()
	for pgtest.Value[int64](t, in, `SELECT count(*) FROM retention.batch b JOIN retention.run r ON r.id = b.run_id
		WHERE r.state = 'running' AND b.taken > 0`) < 2 {
		select {
		case err := <-ended:
			t.Fatalf("the run ended before its third batch: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	meanwhile()
	if err := <-ended; err != nil {
		t.Errorf("the run raised %v", err)
	}
	o := in.Last(ttl)
	state := "more"
	if strings.HasPrefix(o.Message, "the runtime is between") {
		state = "paused"
	}
	if o.State != state || !slices.Contains(messages, o.Message) || o.Taken < 2 || o.Taken >= 500 {
		t.Errorf("the run took %d and ended %s: %s; want %s: %s", o.Taken, o.State, o.Message, state,
			strings.Join(messages, " or "))
	}
}

// TestUpgradeGivesUpOnALock holds a lock on a table of the runtime, as pg_dump does. The upgrade
// fails after ten seconds and changes nothing. It succeeds once the lock is released.
func TestUpgradeGivesUpOnALock(t *testing.T) {
	t.Parallel()
	in := installed(t, beforeVersion)
	before := kit.Catalog(t, in.DB, "retention")
	grow(t, in, nextVersion(t, in.WantedObjects(t, botQueue)))
	dump := in.Conn(t)
	pgtest.Exec(t, dump, "BEGIN; LOCK TABLE retention.run IN ACCESS SHARE MODE")
	_, err := in.TryUp(t)
	var refused *install.Error
	if !errors.As(err, &refused) || refused.Code.String() != "55P03" {
		t.Fatalf("the upgrade: %v, want SQLSTATE 55P03", err)
	}
	wantCatalog(t, in, before, "after the failed upgrade")
	pgtest.Exec(t, dump, "COMMIT")
	in.Up(t)
	in.Done(ttl, "now")
}
