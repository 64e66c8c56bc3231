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

// TestUpgradeDuringARun: a run under way ends before its next batch, "paused" in the middle of an
// upgrade, "more" after all of it, or the way back; in the middle no run starts. Nothing is lost of
// what was due.
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
		t.Errorf("a run in the middle of the upgrade ended %s: %s", o.State, o.Message)
	}
	if got := in.Rows("SELECT severity, problem FROM retention.health() WHERE policy IS NULL AND severity = 'error' " +
		"AND problem LIKE 'the runtime%'"); len(got) != 1 {
		t.Errorf("health() says %q", got)
	}
	in.Migrations = all
	in.Up(t)
	in.Done(ttl, "now")

	wantMore(t, in, func() { down(t, in) }, between, "the policy was changed during the run")
	in.Done(ttl, "now")
	wantMore(t, in, func() { in.Up(t) }, between, "the policy was changed during the run")
	in.Done(ttl, "now")
	if left := pgtest.Value[int64](t, in, "SELECT count(*) FROM public.enqueued_messages"); left != 0 {
		t.Errorf("%d rows that were due are left", left)
	}
}

const ttl = "enqueued_messages_ttl"

// wantMore does something during a run that pauses between its batches of one row.
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
			t.Fatalf("the run ended by itself: %v", err)
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

// TestUpgradeGivesUpOnALock: somebody who holds the runtime's table, as pg_dump does, is waited for
// ten seconds; then nothing has changed, and the upgrade may be run again.
func TestUpgradeGivesUpOnALock(t *testing.T) {
	t.Parallel()
	in := installed(t, beforeVersion)
	before := kit.Catalog(t, in.DB, "retention")
	grow(t, in, nextVersion(t, in.WantedObjects(t, botQueue)))
	dump := in.Conn(t)
	pgtest.Exec(t, dump, "BEGIN; LOCK TABLE retention.run IN ACCESS SHARE MODE")
	_, err := in.TryUp(t)
	var refused *install.Error
	if !errors.As(err, &refused) || refused.Code != "55P03" {
		t.Fatalf("got %v, want a lock that was not available", err)
	}
	wantCatalog(t, in, before, "after a refused upgrade")
	pgtest.Exec(t, dump, "COMMIT")
	in.Up(t)
	in.Done(ttl, "now")
}
