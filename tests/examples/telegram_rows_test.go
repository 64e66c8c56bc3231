package examples

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// load reads the live records and the recent keys into the model. The rest of the index and the
// archive stay as the model computed them.
func (m *channels) load(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	m.signals = rowsOf[signal](t, conn, `
		SELECT chain_id::int8 AS chain, key, sym, token, outcome, merged_into AS merged, (scr * 1000)::int8 AS scr,
		       (mult_now * 1000)::int8 AS mult_now, (mult_high * 1000)::int8 AS mult_high,
		       `+micros("high_at")+`, `+micros("t0")+`, to_jsonb(x)::text AS record
		FROM channel.signal x ORDER BY chain_id, key`)
	m.tokens = rowsOf[token](t, conn, `
		SELECT chain_id::int8 AS chain, addr, merged_into AS merged, `+micros("first_seen")+`,
		       `+micros("last_signal_at")+`, to_jsonb(x)::text AS record
		FROM channel.token x ORDER BY chain_id, addr`)
	m.wallets = rowsOf[wallet](t, conn, `
		SELECT chain_id::int8 AS chain, addr, merged_into AS merged, (avg_scr * 1000)::int8 AS avg_scr,
		       (win_rate * 1000)::int8 AS win_rate, (consistency * 1000)::int8 AS consistency, scnt::int8 AS scnt,
		       `+micros("last_seen")+`, to_jsonb(x)::text AS record
		FROM channel.wallet x ORDER BY chain_id, addr`)
	for chain, i := range m.index {
		i.LastSigs = pgtest.Column[string](t, conn,
			"SELECT key FROM channel.recent_signal WHERE chain_id = $1 ORDER BY seq", chain)
	}
}

func micros(column string) string {
	return fmt.Sprintf("(extract(epoch FROM %s) * 1000000)::int8 AS %[1]s", column)
}

func rowsOf[T any](t *testing.T, conn *pgx.Conn, sql string) []T {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql)
	var list []T
	if err == nil {
		list, err = pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return list
}

// record returns the index record in the document's format.
func (m *channels) record(chain int64) map[string]any {
	i := m.index[chain]
	r := map[string]any{
		"c": chain, "lastUpdate": nil, "lastSigs": i.LastSigs,
		"totalSigs": i.Sigs, "totalToks": i.Toks, "totalWals": i.Wals,
		"totalWins": i.Wins, "totalLosses": i.Losses, "totalNeutral": i.Neutral,
		"scoreCorrelation": map[string]any{
			"highScoreWins":  i.HighWins,
			"highScoreTotal": i.HighTotal,
			"lowScoreWins":   i.LowWins,
			"lowScoreTotal":  i.LowTotal,
		},
	}
	if i.LastUpdate != 0 {
		r["lastUpdate"] = i.LastUpdate / second
	}
	bestSigs, topWals := []any{}, []any{}
	for _, b := range i.Best {
		bestSigs = append(bestSigs, []any{b.Sym, float64(b.MultHigh) / 1000, thousandths(b.Scr), b.T0 / second})
	}
	for _, w := range i.Top {
		topWals = append(topWals, []any{w.Addr12, float64(w.AvgScr) / 1000, w.Scnt, thousandths(w.WinRate),
			thousandths(w.Consistency)})
	}
	r["bestSigs"], r["topWals"] = bestSigs, topWals
	r["signalKeys"] = keys(m.signals, chain, func(s signal) (int64, string) { return s.Chain, s.Key })
	r["tokenKeys"] = keys(m.tokens, chain, func(k token) (int64, string) { return k.Chain, k.Addr })
	r["walletKeys"] = keys(m.wallets, chain, func(w wallet) (int64, string) { return w.Chain, w.Addr })
	return r
}

func keys[R any](rows []R, chain int64, of func(R) (int64, string)) []string {
	list := []string{}
	for _, row := range rows {
		if c, key := of(row); c == chain {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}

// compare compares every index record, live record and archive message with the database.
func (m *channels) compare(t *testing.T, conn *pgx.Conn, when string) {
	t.Helper()
	for chain := range m.index {
		got := pgtest.Value[string](t, conn, "SELECT record::text FROM channel.index_record WHERE chain_id = $1", chain)
		want, err := json.Marshal(m.record(chain))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, string(want)), decoded(t, got)); diff != "" {
			t.Errorf("%s: the index of chain %d differs (-want +got):\n%s", when, chain, diff)
		}
	}
	live := []string{}
	for _, s := range m.signals {
		live = append(live, s.Record)
	}
	for _, k := range m.tokens {
		live = append(live, k.Record)
	}
	for _, w := range m.wallets {
		live = append(live, w.Record)
	}
	slices.Sort(live)
	got := pgtest.Column[string](t, conn, `
		SELECT to_jsonb(s)::text COLLATE "C" FROM channel.signal s UNION ALL SELECT to_jsonb(k)::text
			FROM channel.token k
		UNION ALL SELECT to_jsonb(w)::text FROM channel.wallet w ORDER BY 1`)
	if diff := cmp.Diff(live, got); diff != "" {
		t.Errorf("%s: the live records differ (-want +got):\n%s", when, diff)
	}
	archive := pgtest.Column[string](t, conn, `SELECT tags || E'\n' || record FROM channel.archive_message`)
	if diff := cmp.Diff(normal(t, m.archive), normal(t, archive)); diff != "" {
		t.Errorf("%s: the archive differs (-want +got):\n%s", when, diff)
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// normal returns messages with normalized JSON, sorted.
func normal(t *testing.T, messages []string) []string {
	t.Helper()
	list := []string{}
	for _, message := range messages {
		var tags [2]string
		rest := message
		for i := range tags {
			tags[i], rest, _ = strings.Cut(rest, "\n")
		}
		body, err := json.Marshal(decoded(t, rest))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, tags[0]+" "+tags[1]+" "+string(body))
	}
	slices.Sort(list)
	return list
}

// unordered returns the elements of a JSON array as sorted strings.
func unordered(t *testing.T, array string) []string {
	t.Helper()
	list := []string{}
	for _, v := range decoded(t, array).([]any) {
		list = append(list, fmt.Sprint(v))
	}
	slices.Sort(list)
	return list
}
