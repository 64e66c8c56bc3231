package examples

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// The types are an in-memory model of the clean-up that the example's document describes. Times are
// microseconds since 1970. Scores and multipliers are thousandths. A nil clock is a record without
// _exp.

const (
	second = int64(1_000_000)
	day    = 86_400 * second
)

type (
	signal struct {
		Chain                  int64
		Key, Sym               string
		Token, Outcome, Merged *string
		Scr, MultNow, MultHigh *int64
		HighAt, T0             *int64
		Record                 string // the row as JSON
	}
	token struct {
		Chain                   int64
		Addr                    string
		Merged                  *string
		FirstSeen, LastSignalAt *int64
		Record                  string
	}
	wallet struct {
		Chain                        int64
		Addr                         string
		Merged                       *string
		AvgScr, WinRate, Consistency *int64
		Scnt, LastSeen               *int64
		Record                       string
	}
	best struct {
		Sym      string
		MultHigh int64
		Scr      *int64
		T0       int64
	}
	top struct {
		Addr12               string
		AvgScr, Scnt         int64
		WinRate, Consistency *int64
		Run, Since           int64 // run and time of its first entry
	}
)

// index is the index record of one chain.
type index struct {
	LastUpdate                              int64
	Sigs, Toks, Wals, Wins, Losses, Neutral int64
	HighWins, HighTotal, LowWins, LowTotal  int64
	LastSigs                                []string
	Best                                    []best
	Top                                     []top
}

// channels has the records of all chains.
type channels struct {
	names   map[int64]string
	signals []signal
	tokens  []token
	wallets []wallet
	index   map[int64]*index
	archive []string // messages; each starts with its tags
	runs    int64
	// bySlice cuts the best lists after each record, as the document does. Otherwise trim cuts them
	// after the run.
	bySlice bool
}

// cleanUp runs the document's clean-up for one chain, and returns the number of archived records by
// type.
func (m *channels) cleanUp(chain, now int64, reason *string) map[string]int {
	m.runs++
	taken := map[string]int{
		"signals": m.cleanSignals(chain, now, reason),
		"tokens":  m.cleanTokens(chain, now, reason),
		"wallets": m.cleanWallets(chain, now, reason),
	}
	m.trim(chain)
	return taken
}

// trim shortens the lists of the index to 20 signals, 50 wallets and 100 keys.
func (m *channels) trim(chain int64) {
	i := m.index[chain]
	i.Best, i.Top = i.Best[:min(20, len(i.Best))], i.Top[:min(50, len(i.Top))]
	i.LastSigs = i.LastSigs[max(0, len(i.LastSigs)-100):]
}

func expired(exp *int64, retention, now int64) bool { return exp != nil && *exp+retention < now }

func (m *channels) cleanSignals(chain, now int64, reason *string) int {
	before := len(m.signals)
	oldestFirst(m.signals, func(s signal) (*int64, string) { return s.T0, s.Key })
	m.signals = slices.DeleteFunc(m.signals, func(s signal) bool {
		if s.Chain != chain || s.Merged == nil && !expired(s.T0, 7*day, now) {
			return false
		}
		if s.Merged == nil {
			m.aggregateSignal(s, now)
			i := m.index[chain]
			i.LastSigs = slices.DeleteFunc(i.LastSigs, func(key string) bool { return key == s.Key })
		}
		return m.addToArchive("signals", s.Key, chain, now, s.Record, archiveReason(s.Merged, reason), finalStats(s))
	})
	return before - len(m.signals)
}

// aggregateSignal does what aggregateSignalToIndex of the document does.
func (m *channels) aggregateSignal(s signal, now int64) {
	i := m.index[s.Chain]
	i.Sigs, i.LastUpdate = i.Sigs+1, now
	win := s.Outcome != nil && *s.Outcome == "win"
	switch {
	case win:
		i.Wins++
	case s.Outcome != nil && *s.Outcome == "loss":
		i.Losses++
	default: // so that the totals add up, as in the document
		i.Neutral++
	}
	if s.MultHigh != nil && *s.MultHigh >= 2000 {
		i.Best = append(i.Best, best{s.Sym, *s.MultHigh, s.Scr, *s.T0})
		slices.SortStableFunc(i.Best, func(a, b best) int { return cmp.Compare(b.MultHigh, a.MultHigh) })
		if m.bySlice {
			i.Best = i.Best[:min(20, len(i.Best))]
		}
	}
	if s.Scr != nil && *s.Scr >= 1000 {
		i.HighTotal++
		if win {
			i.HighWins++
		}
	} else {
		i.LowTotal++
		if win {
			i.LowWins++
		}
	}
}

func finalStats(s signal) map[string]any {
	final := map[string]any{"_finalMult": thousandths(s.MultNow), "_finalOutcome": text(s.Outcome), "_timeToHigh": nil}
	if s.HighAt != nil && s.T0 != nil {
		final["_timeToHigh"] = float64((*s.HighAt - *s.T0) / 1000)
	}
	return final
}

func (m *channels) cleanTokens(chain, now int64, reason *string) int {
	before := len(m.tokens)
	m.tokens = slices.DeleteFunc(m.tokens, func(k token) bool {
		if k.Chain != chain || k.Merged == nil && (!expired(k.FirstSeen, 30*day, now) || m.recentSignal(k, now)) {
			return false
		}
		if k.Merged == nil {
			m.index[chain].Toks, m.index[chain].LastUpdate = m.index[chain].Toks+1, now
		}
		return m.addToArchive("tokens", k.Addr, chain, now, k.Record, archiveReason(k.Merged, reason), nil)
	})
	return before - len(m.tokens)
}

// recentSignal reports whether the token had a signal in the last 30 days.
func (m *channels) recentSignal(k token, now int64) bool {
	if k.LastSignalAt != nil && *k.LastSignalAt >= now-30*day {
		return true
	}
	return slices.ContainsFunc(m.signals, func(s signal) bool {
		return s.Chain == k.Chain && s.Token != nil && *s.Token == k.Addr && s.T0 != nil && *s.T0 >= now-30*day
	})
}

func (m *channels) cleanWallets(chain, now int64, reason *string) int {
	before := len(m.wallets)
	oldestFirst(m.wallets, func(w wallet) (*int64, string) { return w.LastSeen, w.Addr })
	m.wallets = slices.DeleteFunc(m.wallets, func(w wallet) bool {
		retention := 7 * day
		if w.AvgScr != nil && *w.AvgScr >= 500 {
			retention = 30 * day
		}
		if w.Chain != chain || w.Merged == nil && !expired(w.LastSeen, retention, now) {
			return false
		}
		if w.Merged == nil {
			m.aggregateWallet(w, now)
		}
		return m.addToArchive("wallets", w.Addr, chain, now, w.Record, archiveReason(w.Merged, reason), nil)
	})
	return before - len(m.wallets)
}

// aggregateWallet does what aggregateWalletToIndex of the document does.
func (m *channels) aggregateWallet(w wallet, now int64) {
	i := m.index[w.Chain]
	i.Wals, i.LastUpdate = i.Wals+1, now
	if w.AvgScr == nil || *w.AvgScr < 1000 || w.Scnt == nil || *w.Scnt < 3 {
		return
	}
	entry := top{w.Addr[:min(12, len(w.Addr))], *w.AvgScr, *w.Scnt, w.WinRate, w.Consistency, m.runs, *w.LastSeen}
	existing := slices.IndexFunc(i.Top, func(t top) bool { return t.Addr12 == entry.Addr12 })
	if existing >= 0 {
		entry.Run, entry.Since = i.Top[existing].Run, min(i.Top[existing].Since, entry.Since)
		i.Top[existing] = entry
	} else {
		i.Top = append(i.Top, entry)
	}
	slices.SortFunc(i.Top, func(a, b top) int {
		return cmp.Or(cmp.Compare(b.AvgScr, a.AvgScr), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Since, b.Since),
			cmp.Compare(a.Addr12, b.Addr12))
	})
	if m.bySlice {
		i.Top = i.Top[:min(50, len(i.Top))]
	}
}

// archiveOrphans does the document's manual clean-up of records without a clock, for all chains.
func (m *channels) archiveOrphans(now int64) {
	byHand := "monthly"
	m.signals = slices.DeleteFunc(m.signals, func(s signal) bool {
		return s.T0 == nil &&
			m.addToArchive("signals", s.Key, s.Chain, now, s.Record, archiveReason(s.Merged, &byHand), finalStats(s))
	})
	m.tokens = slices.DeleteFunc(m.tokens, func(k token) bool {
		return k.FirstSeen == nil &&
			m.addToArchive("tokens", k.Addr, k.Chain, now, k.Record, archiveReason(k.Merged, &byHand), nil)
	})
	m.wallets = slices.DeleteFunc(m.wallets, func(w wallet) bool {
		return w.LastSeen == nil &&
			m.addToArchive("wallets", w.Addr, w.Chain, now, w.Record, archiveReason(w.Merged, &byHand), nil)
	})
}

// archiveReason returns the reason that an archived record gets.
func archiveReason(merged, reason *string) string {
	switch {
	case merged != nil:
		return "merged"
	case reason != nil:
		return "manual"
	}
	return "expired"
}

// addToArchive archives a record in the document's format. It always returns true.
func (m *channels) addToArchive(kind, key string, chain, now int64, record, reason string, final map[string]any) bool {
	var message map[string]any
	if err := json.Unmarshal([]byte(record), &message); err != nil {
		panic(err)
	}
	maps.Copy(message, final)
	maps.Copy(message, map[string]any{
		"_archived":     now / 1000,
		"_reason":       reason,
		"_originalType": kind,
		"_originalKey":  key,
		"_chain":        m.names[chain],
	})
	body, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	m.archive = append(m.archive, fmt.Sprintf("#archived_%s\n#reason_%s\n%s", kind, reason, body))
	return true
}

// oldestFirst sorts rows by clock and key. Rows without a clock come first.
func oldestFirst[R any](rows []R, by func(R) (*int64, string)) {
	slices.SortStableFunc(rows, func(a, b R) int {
		at, ak := by(a)
		bt, bk := by(b)
		return cmp.Or(cmp.Compare(value(at), value(bt)), cmp.Compare(ak, bk))
	})
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func text(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func thousandths(n *int64) any {
	if n == nil {
		return nil
	}
	return float64(*n) / 1000
}
