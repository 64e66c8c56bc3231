package lint

import (
	"strings"

	"pgretain/policy"
)

// eachClock calls f for every clock that is a column of the snapshot, with the type of the column without
// its length or precision.
func (l *linter) eachClock(f func(p *policy.Policy, k *policy.Clock, typ string)) {
	for _, p := range l.file.Policies {
		table := l.rowOf(p).table
		if table == nil || p.Due == nil {
			continue
		}
		for _, entry := range p.Due.Entries {
			if entry.Clock == nil {
				continue
			}
			if column := table.Column(entry.Clock.Column); column != nil {
				f(p, entry.Clock, withoutLength(column.Type))
			}
		}
	}
}

// withoutLength is "timestamp without time zone" for "timestamp(3) without time zone".
func withoutLength(typ string) string {
	before, rest, ok := strings.Cut(typ, "(")
	if !ok {
		return typ
	}
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}

// intervals are the constants of a window, its bounds left out.
func intervals(w policy.Window) []policy.Interval {
	var list []policy.Interval
	for _, t := range w.Tiers {
		switch {
		case t.Never:
		case t.Data == nil:
			list = append(list, t.Interval)
		case t.Data.Else != nil:
			list = append(list, *t.Data.Else)
		}
	}
	return list
}
