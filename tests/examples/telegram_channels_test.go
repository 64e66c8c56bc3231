package examples

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// newChannels empties all tables and the run log, and returns an empty model.
func newChannels(t *testing.T, e *example) *channels {
	t.Helper()
	m := &channels{names: map[int64]string{}, index: map[int64]*index{}}
	e.fill(t, "", "")
	pgtest.Exec(t, e.conn, "SET TimeZone = 'UTC'; SET search_path = pg_temp, channel")
	for _, c := range chains {
		pgtest.Exec(t, e.conn, "INSERT INTO channel.chain VALUES ($1, $2)", c.id, c.name)
		m.names[c.id], m.index[c.id] = c.name, &index{}
	}
	return m
}

// asText returns a time as an SQL literal, to the microsecond.
func asText(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05.000000+00") }

// TestTelegramChannelsBounds checks all combinations of values on and next to the bounds.
// TestTelegramChannels covers batches of one row.
func TestTelegramChannelsBounds(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	for _, rows := range []int{3, 1000} {
		t.Run(fmt.Sprint("by ", rows), func(t *testing.T) {
			own := e.forSubtest(t)
			own.SetBatch(rows)
			m := newChannels(t, own)
			pgtest.Exec(t, own.conn, withAsOf(fixture.ReadFile(t, "telegram_bounds.sql"), asText(lateMarch)))
			m.load(t, own.conn)
			for range 2 {
				taken := m.cleanUp(501, lateMarch.UnixMicro(), nil)
				own.runJob(t, "sol", asText(lateMarch))
				own.wantTaken(t, "sol", taken)
				m.compare(t, own.conn, "bounds")
			}
			if i := m.index[501]; len(i.Best) != 20 || len(i.Top) != 50 || len(i.LastSigs) != 100 {
				t.Errorf("%d best, %d top, %d last: the lists are not full", len(i.Best), len(i.Top), len(i.LastSigs))
			}
		})
	}
}

// TestTelegramChannels checks consecutive days. The jobs of all chains run at their times, new
// records are inserted, and old keys are used again. After each job, every table equals the model.
// The same job again changes nothing.
func TestTelegramChannels(t *testing.T) {
	t.Parallel()
	e := shipped(t, "telegram-channels")
	for i, c := range []struct {
		midnight      string
		rows, records int
	}{
		{"2024-02-29T00:00:00Z", 1, 3},
		{"2024-02-29T00:00:00Z", 3, 5},
		{"2024-02-29T00:00:00Z", 1000, 9},
		{"2025-03-30T00:00:00.000001Z", 3, 5},
		{"2025-03-30T00:00:00.000001Z", 1000, 9},
	} {
		t.Run(fmt.Sprint(c.midnight, " by ", c.rows), func(t *testing.T) {
			e.SetBatch(c.rows)
			now, err := time.Parse(time.RFC3339Nano, c.midnight)
			if err != nil {
				t.Fatal(err)
			}
			days(t, e.forSubtest(t), c.records, traffic{rand.New(rand.NewPCG(uint64(i), 0)), now})
		})
	}
}

func days(t *testing.T, e *example, records int, r traffic) {
	m := newChannels(t, e)
	for range 2 {
		r.insert(t, e.conn, records)
		m.load(t, e.conn)
		for c, chain := range chains {
			at := r.now.Add(time.Duration(c) * 15 * time.Minute)
			taken := m.cleanUp(chain.id, at.UnixMicro(), nil)
			e.runJob(t, chain.job, asText(at))
			e.wantTaken(t, chain.job, taken)
			m.compare(t, e.conn, "after "+chain.job)
			if e.runJob(t, chain.job, asText(at)); t.Failed() {
				return
			}
			e.wantTaken(t, chain.job, map[string]int{"signals": 0, "tokens": 0, "wallets": 0})
			m.compare(t, e.conn, "after "+chain.job+" again")
		}
		r.now = r.now.AddDate(0, 0, 1)
	}
}

// wantTaken compares the last runs with the model's numbers of signals, tokens and wallets.
func (e *example) wantTaken(t *testing.T, job string, taken map[string]int) {
	t.Helper()
	for _, kind := range []string{"signal", "token", "wallet"} {
		got := 0
		for _, policy := range []string{"merged_" + kind + "s", kind + "s"} {
			o := e.Last(policy)
			if o.State != "done" || o.Refused+o.Contended != 0 {
				t.Errorf("job %s: %+v", job, o)
			}
			got += int(o.Taken)
		}
		if got != taken[kind+"s"] {
			t.Errorf("job %s took %d %ss, the document's code %d", job, got, kind, taken[kind+"s"])
		}
	}
}
