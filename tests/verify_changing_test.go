package tests

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/tests/pgtest"
	"pgretain/verifier"
)

// gate makes the viewer wait, whenever it reads a row of what was built, for whoever has the lock.
const gate = `
	CREATE FUNCTION public.gate() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		PERFORM pg_advisory_lock_shared(4711), pg_advisory_unlock_shared(4711);
		RETURN true;
	END $$;
	ALTER TABLE retention.index_definition RENAME TO behind_the_gate;
	CREATE VIEW retention.index_definition WITH (security_barrier) AS SELECT * FROM retention.behind_the_gate WHERE public.gate();
	GRANT SELECT ON retention.index_definition TO retention_viewer`

// testChanging has every index dropped and built again between two rows of one statement of the
// verifier's: PostgreSQL has no definition then for an index that the statement's snapshot still has.
// That is neither missing nor different.
func testChanging(t *testing.T, server *driftServer) {
	c := installDrift(t, server, "changing")
	c.exec(t, gate)
	admin := c.connect(t, "")
	hands := []*pgx.Conn{c.connect(t, ""), c.connect(t, "")}
	pgtest.Exec(t, hands[0], "SELECT pg_advisory_lock(4711)")
	looker := c.connect(t, c.looker())
	checks, err := verifier.Select([]string{"indexes"}, nil) // the others find the gate
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan *verifier.Report, 1)
	go func() {
		report, err := verifier.Verify(t.Context(), looker, c.file, c.wanted, verifier.Options{Timeout: pgtest.MaxWait, Checks: checks})
		if err != nil {
			t.Error(err)
		}
		done <- report
	}()
	for waits := 0; ; waits++ {
		report, ended := waitFor(t, admin, 1, done)
		if ended {
			if waits < 2 {
				t.Fatalf("the verifier waited %d times", waits)
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
		pgtest.Exec(t, hands[0], "SELECT pg_advisory_unlock(4711)") // the looker is first, and passes
		if err := <-locked; err != nil {
			t.Fatal(err)
		}
		hands[0], hands[1] = hands[1], hands[0]
	}
}

// waitFor waits for so many sessions at the gate, or for the end.
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
		return pgtest.Value[int](t, conn, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) == n
	})
	return report, ended
}

func rebuildIndexes(t *testing.T, conn *pgx.Conn, wanted []generator.Object) {
	t.Helper()
	for _, o := range wanted {
		if o.Kind == generator.KindIndex {
			definition := pgtest.Value[string](t, conn, "SELECT pg_get_indexdef($1::regclass)", o.Name)
			comment := pgtest.Value[string](t, conn, "SELECT quote_literal(obj_description($1::regclass, 'pg_class'))", o.Name)
			pgtest.Exec(t, conn, "DROP INDEX "+o.Name+"; "+definition+"; COMMENT ON INDEX "+o.Name+" IS "+comment)
		}
	}
}

// wantChanging: how many of the indexes were read before the first change of a statement is the planner's
// affair; at least one was not.
func wantChanging(t *testing.T, c driftCase, report *verifier.Report) {
	t.Helper()
	if got := strings.Join(slices.Compact(codesOf(report)), " "); got != "V092" || report.Verdict() != verifier.Unknown {
		t.Errorf("found %s:\n%s", got, c.text(t, report))
	}
}
