package examples

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// lateMarch is the as_of of the tests in this file.
var lateMarch = time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)

// filled inserts random records and returns their model.
func filled(t *testing.T, e *example, seed uint64, n int) *channels {
	t.Helper()
	m := newChannels(t, e)
	r := traffic{rand.New(rand.NewPCG(seed, 0)), lateMarch}
	r.insert(t, e.conn, n)
	m.load(t, e.conn)
	return m
}

// TestTelegramChannelsDryRun checks that a dry run counts the rows that the document's clean-up
// archives, and changes nothing.
func TestTelegramChannelsDryRun(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	m := filled(t, e, 1, 10)
	now := asText(lateMarch)
	if _, err := e.Call("CALL retention.run_job('sol', $1, dry_run => true)", now); err != nil {
		t.Fatal(err)
	}
	m.compare(t, e.conn, "after a dry run")
	got := map[string]int64{}
	for _, kind := range []string{"signals", "tokens", "wallets"} {
		for _, policy := range []string{kind, "merged_" + kind} {
			got[kind] += pgtest.Value[int64](t, e.conn,
				"SELECT taken FROM retention.run WHERE dry_run AND policy = $1", policy)
		}
	}
	want := map[string]int64{} // in the order of the job's policies
	want["signals"] = int64(m.cleanSignals(501, lateMarch.UnixMicro(), nil))
	want["tokens"] = int64(m.cleanTokens(501, lateMarch.UnixMicro(), nil))
	want["wallets"] = int64(m.cleanWallets(501, lateMarch.UnixMicro(), nil))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the dry run's counts (-want +got):\n%s", diff)
	}
}

// TestTelegramChannelsByHand checks a clean-up of one chain by hand with a reason, then a clean-up
// of the orphans of all chains, which a report has shown before.
func TestTelegramChannelsByHand(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	m := filled(t, e, 2, 10)
	reason := "room for a new chain"
	m.cleanUp(56, lateMarch.UnixMicro(), &reason)
	policies := pgtest.Value[[]string](t, e.conn, "SELECT policies FROM retention.job WHERE name = 'bsc'")
	for _, policy := range policies {
		if _, err := e.Call(`CALL retention.run($1, $2, $3, scope => '{"chain_id": 56}')`, policy, asText(lateMarch),
			reason); err != nil {
			t.Fatal(err)
		}
	}
	m.compare(t, e.conn, "by hand")
	notes := pgtest.Column[string](t, e.conn, "SELECT DISTINCT note FROM channel.archive")
	if diff := cmp.Diff([]string{reason}, notes); diff != "" {
		t.Error(diff)
	}
	orphans(t, e, m)
}

func orphans(t *testing.T, e *example, m *channels) {
	t.Helper()
	e.runJob(t, "watch", asText(lateMarch))
	got := pgtest.Value[string](t, e.conn, "SELECT rows::text FROM retention.report WHERE name = 'orphans'")
	want := pgtest.Value[string](t, e.conn, `SELECT jsonb_agg(x ORDER BY kind, chain_id)::text FROM (
		SELECT chain_id, kind, count(*) AS records FROM (
			SELECT chain_id, 'signals' AS kind, t0 AS clock FROM channel.signal
			UNION ALL SELECT chain_id, 'tokens', first_seen FROM channel.token
			UNION ALL SELECT chain_id, 'wallets', last_seen FROM channel.wallet) y
		WHERE clock IS NULL GROUP BY chain_id, kind) x`)
	if diff := cmp.Diff(unordered(t, want), unordered(t, got)); diff != "" {
		t.Errorf("the report of orphans (-want +got):\n%s", diff)
	}
	alerts := pgtest.Value[int](t, e.conn, "SELECT alerts FROM retention.report WHERE name = 'orphans'")
	if alerts == 0 {
		t.Error("orphans are no alert")
	}
	reason := "monthly"
	for _, policy := range []string{"orphan_signals", "orphan_tokens", "orphan_wallets"} {
		if _, err := e.Call("CALL retention.run($1, $2, $3)", policy, asText(lateMarch), reason); err != nil {
			t.Fatal(err)
		}
	}
	m.archiveOrphans(lateMarch.UnixMicro())
	m.compare(t, e.conn, "orphans")
	e.runJob(t, "watch", asText(lateMarch))
	if left := pgtest.Value[string](t, e.conn,
		"SELECT rows::text FROM retention.report WHERE name = 'orphans' ORDER BY id DESC LIMIT 1"); left != "[]" {
		t.Errorf("orphans are left: %s", left)
	}
	growth := pgtest.Value[int64](t, e.conn, `SELECT sum((x ->> 'records')::int) FROM retention.report,
		jsonb_array_elements(rows) x WHERE name = 'archive_growth'
		AND id = (SELECT max(id) FROM retention.report)`)
	if growth != int64(len(m.archive)) {
		t.Errorf("the archive grew by %d records, the report says %d", len(m.archive), growth)
	}
}

// TestTelegramChannelsSplit checks that the index and the archive do not depend on batch size and
// budget. The document's own code cuts the best lists after every record.
func TestTelegramChannelsSplit(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	for i, split := range []struct{ batch, budget int }{{2, 3}, {3, 7}, {1000, 20}, {1000, 1000}} {
		t.Run(fmt.Sprintf("%d of %d", split.batch, split.budget), func(t *testing.T) {
			own := e.forSubtest(t)
			m := filled(t, own, uint64(10+i), 6)
			own.removeAmbiguousWallets(t, m)
			m.bySlice = true
			own.SetBatch(split.batch)
			pgtest.Exec(t, own.conn, "UPDATE retention.policy SET budget_rows = $1::int", split.budget)
			for _, chain := range chains {
				m.cleanUp(chain.id, lateMarch.UnixMicro(), nil)
				for runs := 0; ; runs++ {
					own.runJob(t, chain.job, asText(lateMarch))
					if own.jobIsDone(t) {
						break
					}
					if runs > 1000 {
						t.Fatal("no end")
					}
				}
			}
			m.compare(t, own.conn, "split")
		})
	}
}

// removeAmbiguousWallets deletes wallets whose first twelve characters equal those of another
// wallet. Otherwise the lists would depend on when they are cut.
func (e *example) removeAmbiguousWallets(t *testing.T, m *channels) {
	t.Helper()
	pgtest.Exec(t, e.conn, "DELETE FROM channel.wallet WHERE addr LIKE '%1'")
	m.load(t, e.conn)
}

// jobIsDone reports whether the last runs of all policies of jobs ended done.
func (e *example) jobIsDone(t *testing.T) bool {
	t.Helper()
	return pgtest.Value[bool](t, e.conn, `SELECT bool_and(state = 'done') FROM (
		SELECT DISTINCT ON (policy) state FROM retention.run WHERE job IS NOT NULL ORDER BY policy, id DESC) x`)
}

// TestTelegramChannelsKilled checks that terminated backends leave only whole batches, and that the
// next job takes the remaining rows.
func TestTelegramChannelsKilled(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	m := filled(t, e, 20, 20)
	e.removeAmbiguousWallets(t, m)
	m.bySlice = true
	m.cleanUp(501, lateMarch.UnixMicro(), nil)
	e.SetBatch(1)
	killed := 0
	for batches := 10; killed < 5 && batches < 400; batches += 60 {
		if e.kill(t, batches) {
			killed++
		}
	}
	if killed == 0 {
		t.Fatal("no run was killed")
	}
	e.runJob(t, "sol", asText(lateMarch))
	m.compare(t, e.conn, "after runs were killed")
}

// kill starts the job and terminates its backend once the log has that many batches. It reports
// whether the run was still in progress.
func (e *example) kill(t *testing.T, batches int) bool {
	t.Helper()
	runner := e.Conn(t)
	pgtest.Exec(t, runner, "SET SESSION AUTHORIZATION retention_runner")
	ended := make(chan error, 1)
	go func() {
		_, err := runner.Exec(context.Background(), "CALL retention.run_job('sol', '"+asText(lateMarch)+"')")
		ended <- err
	}()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return false
		default:
		}
		if pgtest.Value[int](t, e.conn, "SELECT count(*) FROM retention.batch WHERE taken > 0") >= batches {
			pgtest.Exec(t, e.conn, "SELECT pg_terminate_backend($1::int)", int(runner.PgConn().PID()))
			died := <-ended != nil
			pgtest.WaitForExit(t, e.conn, runner.PgConn().PID())
			return died
		}
		time.Sleep(time.Millisecond)
	}
}

// TestTelegramChannelsLowerScore checks a wallet that returns with a lower score. If the list is
// cut after every record, it first loses a better wallet. If it is cut after the run, the better
// wallet stays.
func TestTelegramChannelsLowerScore(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	m, document := newChannels(t, e), &channels{names: map[int64]string{}, index: map[int64]*index{501: {}},
		bySlice: true}
	for day, wallets := range []string{
		`SELECT 501, 'Wallet' || to_char(n, 'FM000000') || 'x', CASE WHEN n = 1 THEN 3 ELSE 2 END, 5, 50, 50,
			timestamptz '2026-01-01 UTC' FROM generate_series(1, 50) n`,
		"VALUES (501, 'Wallet000099x', 1.5, 5, 50, 50, timestamptz '2026-02-01 UTC'), (501, 'Wallet000001x', 1, 5, " +
			"50, 50, '2026-02-02 UTC')",
	} {
		pgtest.Exec(t, e.conn, "INSERT INTO channel.wallet (chain_id, addr, avg_scr, scnt, win_rate, consistency, "+
			"last_seen) "+wallets)
		now := lateMarch.AddDate(0, 0, day)
		for _, model := range []*channels{m, document} {
			model.load(t, e.conn)
			model.cleanUp(501, now.UnixMicro(), nil)
		}
		e.runJob(t, "sol", asText(now))
	}
	m.compare(t, e.conn, "lowered")
	if last := m.index[501].Top[49].Addr12; last != "Wallet000099" {
		t.Errorf("the last of the list is %s", last)
	}
	if last := document.index[501].Top[49].Addr12; last != "Wallet000001" {
		t.Errorf("the last of the document's list is %s, so that nothing is shown", last)
	}
}

// TestTelegramChannelsTies checks wallets of equal score. Wallets with an earlier first entry come
// first and stay in the list, whatever their clocks are. A wallet that returns keeps its first
// entry.
func TestTelegramChannelsTies(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	m := newChannels(t, e)
	for day, wallets := range []string{
		`SELECT 501, 'Wallet' || to_char(n, 'FM000000') || 'x', 2, 5, 50, 50,
			timestamptz '2026-01-05 UTC' - n * interval '1 minute' FROM generate_series(1, 49) n`,
		`VALUES (501, 'Wallet000051x', 2, 5, 50, 50, timestamptz '2026-01-02 UTC'),
			(501, 'Wallet000050x', 2, 5, 50, 50, '2026-01-03 UTC'),
			(501, 'Wallet000049x', 2, 6, 60, 60, '2026-02-01 UTC')`,
		"VALUES (501, 'Wallet000052x', 2, 5, 50, 50, timestamptz '2026-01-01 UTC')",
	} {
		pgtest.Exec(t, e.conn, "INSERT INTO channel.wallet (chain_id, addr, avg_scr, scnt, win_rate, consistency, "+
			"last_seen) "+wallets)
		now := lateMarch.AddDate(0, 0, day)
		m.load(t, e.conn)
		m.cleanUp(501, now.UnixMicro(), nil)
		e.runJob(t, "sol", asText(now))
		m.compare(t, e.conn, fmt.Sprint("day ", day))
	}
	if last := m.index[501].Top[49].Addr12; last != "Wallet000051" {
		t.Errorf("the last of the list is %s", last)
	}
}

// TestTelegramChannelsOfABacklog checks a run that archives nearly all records of a chain.
func TestTelegramChannelsOfABacklog(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	m := newChannels(t, e)
	pgtest.Exec(t, e.conn, withAsOf(`
		INSERT INTO channel.signal (chain_id, key, sym, t0)
		SELECT 501, 'SIG' || n, 'S', :as_of - CASE WHEN n <= 10100 THEN interval '8 days'
			ELSE interval '6 days' END FROM generate_series(1, 10400) n;
		INSERT INTO channel.recent_signal (chain_id, key) SELECT chain_id, key FROM channel.signal ORDER BY t0;
		INSERT INTO channel.token (chain_id, addr, sym, first_seen) SELECT 501, 'Token' || n, 'T',
			:as_of - interval '31 days' FROM generate_series(1, 10100) n`,
		asText(lateMarch)))
	m.load(t, e.conn)
	taken := m.cleanUp(501, lateMarch.UnixMicro(), nil)
	e.skipPreview = true // the preview cannot know how many batches write to the index
	e.runJob(t, "sol", asText(lateMarch))
	e.wantTaken(t, "sol", taken)
	m.compare(t, e.conn, "a backlog")
	e.runJob(t, "watch", asText(lateMarch))
	alerts := pgtest.Column[string](t, e.conn, "SELECT name || ' ' || alerts FROM retention.report ORDER BY 1")
	if diff := cmp.Diff([]string{"archive_growth 1", "orphans 0"}, alerts); diff != "" {
		t.Errorf("alerts (-want +got):\n%s", diff)
	}
}
