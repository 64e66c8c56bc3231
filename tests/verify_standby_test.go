package tests

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// TestStandby verifies a hot standby. Checks that need the primary are unknown. Everything else is
// reported as of the last WAL that the standby has replayed.
func TestStandby(t *testing.T) {
	t.Parallel()
	primary := pgtest.CronServer(t)
	past := strconv.Itoa(time.Now().Add(-time.Minute).Minute()) // no job starts during the test
	yaml := strings.NewReplacer("*/5 *", past+" *", "0 3", past+" 3").Replace(driftFile(t, "", "policy.yaml")) +
		"\ninstall: {scheduler: pg_cron}\n"
	in := kit.Install(t, driftFile(t, "", "schema.sql"), yaml, kit.On(primary))
	primary.Exec(t, driftFile(t, "", "ran.sql"))
	primary.Exec(t, "CREATE ROLE looker LOGIN IN ROLE retention_viewer; GRANT USAGE ON SCHEMA app TO looker")
	wanted, list := in.Compile(t, yaml)
	if list.HasErrors() {
		t.Fatal(list)
	}
	standby := primary.Standby(t, nil)
	there := driftCase{name: primary.Name, file: in.File, snapshot: in.Catalog,
		history: readMigrations(t, in.Migrations), wanted: wanted, url: primary.Server.URL}
	here := there
	here.url = standby.Server.URL

	for _, user := range []string{"", "looker"} {
		var report *verifier.Report
		// The primary sometimes writes WAL by itself, so the standby may lag for a moment.
		pgtest.Poll(t, "the standby has replayed everything that it received", func() bool {
			standby.CatchUp(t, primary)
			report = here.verify(t, user, verifier.Options{Counts: true})
			return strings.Contains(here.text(t, report), "It has replayed everything that it received.")
		})
		expectCodes(t, here, report, "V094")
		if report.Verdict() != verifier.Unknown {
			t.Errorf("as %q: %s", user, here.text(t, report))
		}
	}
	known, err := install.Status(t.Context(), standby.URL(kit.Migrator), in.Migrations, in.Options())
	if err != nil || len(known) == 0 || !known[len(known)-1].Applied {
		t.Errorf("migrations on the standby: %v, %v; want all applied", known, err)
	}

	// The standby cannot know whether a run on the primary is in progress,
	// because it does not see the sessions of the primary.
	primary.Exec(t, `INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, state, pid)
		SELECT p.name, 'purge', p.table_name, p.hash, now(), 'running', 1
		FROM retention.policy p
		WHERE p.name = 'message_ttl'`)
	standby.CatchUp(t, primary)
	const abandoned = "(4) was abandoned [V046]"
	if text := there.text(t, there.verify(t, "", verifier.Options{})); !strings.Contains(text, abandoned) {
		t.Errorf("the report on the primary does not contain %q:\n%s", abandoned, text)
	}
	report := here.verify(t, "looker", verifier.Options{})
	expectCodes(t, here, report, "V094")
	if text := here.text(t, report); strings.Contains(text, "V046") {
		t.Error(text)
	}
	const shown = "SELECT last_state FROM retention.status WHERE policy = 'message_ttl'"
	onPrimary, onStandby := pgtest.Value[string](t, primary, shown), pgtest.Value[string](t, standby, shown)
	if onPrimary != "abandoned" || onStandby != "running" {
		t.Errorf("the run is %s on the primary, want abandoned, and %s on the standby, want running",
			onPrimary, onStandby)
	}
	primary.Exec(t, "DELETE FROM retention.run WHERE state = 'running'")

	// The standby reports the drift of the primary, including overdue rows.
	primary.Exec(t, `UPDATE retention.install SET adopted_at = now() - interval '9 days';
		UPDATE retention.policy SET installed_at = now() - interval '9 days';
		UPDATE retention.job SET installed_at = now() - interval '9 days';
		INSERT INTO app.message (body, created_at) VALUES ('a', now() - interval '8 days');
		DROP FUNCTION retention.pause(text, text)`)
	standby.CatchUp(t, primary)
	expectCodes(t, there, there.verify(t, "looker", verifier.Options{Counts: true}), "V002", "V060")
	expectCodes(t, here, here.verify(t, "looker", verifier.Options{Counts: true}), "V002", "V060", "V094")
	testStandbyBehind(t, there, here, primary, standby)
}

var asOfStandby = regexp.MustCompile(`Everything is as of (\S+ \S+) UTC, \S+ ago;`)

// testStandbyBehind pauses the replay. verify uses the time of the last replayed transaction
// instead of the present time, so no job becomes late meanwhile.
func testStandbyBehind(t *testing.T, there, here driftCase, primary, standby *pgtest.DB) {
	pgtest.Exec(t, standby.Conn(t), "SELECT pg_wal_replay_pause()")
	primary.Exec(t, "CREATE TABLE app.after_the_pause (id bigint); CHECKPOINT")
	pgtest.Until(t, standby, "SELECT pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn()")
	last := pgtest.Value[string](t, standby, "SELECT to_char(pg_last_xact_replay_timestamp(), 'YYYY-MM-DD HH24:MI:SS')")
	report := here.verify(t, "looker", verifier.Options{})
	for _, f := range report.Findings {
		if f.Code.String() == "V093" {
			if found := asOfStandby.FindStringSubmatch(f.Detail); found == nil || found[1] != last {
				t.Errorf("last replayed %s: %s", last, f.Detail)
			}
			return
		}
	}
	t.Errorf("no finding V093:\n%s", here.text(t, report))
}

func codesOf(report *verifier.Report) []string {
	var list []string
	for _, f := range report.Findings {
		if f.Severity != verifier.Info {
			list = append(list, f.Code.String())
		}
	}
	return list
}

func readMigrations(t *testing.T, dir fstest.MapFS) *generator.History {
	t.Helper()
	history, err := generator.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return history
}

// gate replaces a table of the runtime by a view. A role that reads it waits for each row while
// another session holds an advisory lock.
const gate = `
	CREATE FUNCTION public.gate() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		PERFORM pg_advisory_lock_shared(4711), pg_advisory_unlock_shared(4711);
		RETURN true;
	END $$;
	ALTER TABLE retention.index_definition RENAME TO behind_the_gate;
	CREATE VIEW retention.index_definition WITH (security_barrier) AS
	SELECT * FROM retention.behind_the_gate WHERE public.gate();
	GRANT SELECT ON retention.index_definition TO retention_viewer`

// testChanging drops and re-creates all indexes while verify is between two rows of one query. The
// query's snapshot still contains the old index, but PostgreSQL has no definition of it. verify
// must report it as changing, neither as missing nor as different.
func testChanging(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "changing")
	c.exec(t, gate)
	admin := c.connect(t, "")
	hands := []*pgx.Conn{c.connect(t, ""), c.connect(t, "")}
	pgtest.Exec(t, hands[0], "SELECT pg_advisory_lock(4711)")
	looker := c.connect(t, c.looker())
	checks, err := verifier.Select([]string{"indexes"}, nil) // other checks would report the changed table
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan *verifier.Report, 1)
	go func() {
		report, err := verifier.Verify(t.Context(), looker, c.file, c.wanted,
			verifier.Options{Timeout: pgtest.MaxWait, Checks: checks})
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	for waits := 0; ; waits++ {
		report, ended := waitFor(t, admin, 1, done)
		if ended {
			if waits < 2 {
				t.Fatalf("verify waited %d times, want at least 2", waits)
			}
			wantChanging(t, c, report)
			return
		}
		rebuildIndexes(t, admin, c.wanted)
		locked := make(chan error, 1)
		go func() {
			_, err := hands[1].Exec(t.Context(), "SELECT pg_advisory_lock(4711)")
			locked <- err
		}()
		waitFor(t, admin, 2, nil)
		// verify continues, because it is first in the queue.
		pgtest.Exec(t, hands[0], "SELECT pg_advisory_unlock(4711)")
		if err := <-locked; err != nil {
			t.Fatal(err)
		}
		hands[0], hands[1] = hands[1], hands[0]
	}
}

// waitFor waits until n sessions wait for the advisory lock, or until verify has ended.
func waitFor(t *testing.T, conn *pgx.Conn, n int, done <-chan *verifier.Report) (*verifier.Report, bool) {
	t.Helper()
	var report *verifier.Report
	ended := false
	pgtest.Poll(t, "somebody waits at the gate", func() bool {
		select {
		case report = <-done:
			ended = true
			return true
		default:
		}
		return pgtest.Value[int](t, conn, `SELECT count(*) FROM pg_locks
			WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted
			  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) == n
	})
	return report, ended
}

func rebuildIndexes(t *testing.T, conn *pgx.Conn, wanted []generator.Object) {
	t.Helper()
	for _, o := range wanted {
		if o.Kind == generator.KindIndex {
			definition := pgtest.Value[string](t, conn, "SELECT pg_get_indexdef($1::regclass)", o.Name)
			comment := pgtest.Value[string](t, conn, "SELECT quote_literal(obj_description($1::regclass, 'pg_class'))",
				o.Name)
			pgtest.Exec(t, conn, "DROP INDEX "+o.Name+"; "+definition+"; COMMENT ON INDEX "+o.Name+" IS "+comment)
		}
	}
}

// wantChanging checks that V092 is the only code of the report. The number of findings depends on
// how many indexes the query has read before the first change.
func wantChanging(t *testing.T, c driftCase, report *verifier.Report) {
	t.Helper()
	if got := strings.Join(slices.Compact(codesOf(report)), " "); got != "V092" ||
		report.Verdict() != verifier.Unknown {
		t.Errorf("verify reports %s, want V092 only:\n%s", got, c.text(t, report))
	}
}
