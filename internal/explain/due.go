package explain

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"pgretain/policy"
)

// clock is one of the policy's, with the type of its column.
type clock struct {
	subject
	*policy.Clock
	Type string
}

// Clock is that of an entry of "due"; nil where it has none.
func (s subject) Clock(entry int) *clock {
	k := &clock{subject: s, Clock: s.Due.Entries[entry].Clock}
	if k.Clock == nil {
		return nil
	}
	if entry < len(s.Clocks) {
		k.Type = s.Clocks[entry]
	}
	return k
}

// CountsDays says whether a window has days or months, which begin and end by a time zone.
func (k *clock) CountsDays() bool {
	return slices.ContainsFunc(k.Clock.Window.Tiers, func(t policy.Tier) bool {
		return t.Interval.Days != 0 || t.Interval.Months != 0 || t.Data != nil
	})
}

// AtOnce says whether a row is due as soon as the clock is reached.
func (k *clock) AtOnce() bool {
	t := k.Clock.Window.Tiers[0]
	return k.Kind == "expires" && t.When == nil && t.Data == nil && !t.Never && t.Interval.Zero()
}

// epoch is an instant in milliseconds since 1970.
func epoch(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.999") }

// length is how long a tier is.
func length(t policy.Tier) string {
	switch {
	case t.Data == nil:
		return t.Interval.Text
	case t.Data.Value == nil:
		return t.Data.Else.Text
	case t.Data.Unit == "interval":
		return operand(*t.Data.Value)
	}
	return operand(*t.Data.Value) + " " + t.Data.Unit
}

// caveat is what holds of a window from data besides.
func caveat(t policy.Tier) string {
	d := t.Data
	if d == nil || d.Value == nil {
		return ""
	}
	return caveats(d, "never", d.AtLeast != nil && d.AtLeast.Zero(), func(i policy.Interval) string { return i.Text })
}

// notPositive are constants that are known not to be: they mean never anyway, or are due.
var notPositive = regexp.MustCompile(`^\s*(?:-\s*[0-9.]+|0+)\s*$`)

// caveats are what becomes of a value from data: its bounds, NULL, and what means never.
func caveats[T any](d *policy.Data[T], never string, zeroDue bool, word func(T) string) string {
	var bounds, texts, nevers []string
	if d.AtLeast != nil && !zeroDue {
		bounds = append(bounds, "at least "+word(*d.AtLeast))
	}
	if d.AtMost != nil {
		bounds = append(bounds, "at most "+word(*d.AtMost))
	}
	if len(bounds) > 0 {
		texts = append(texts, strings.Join(bounds, ", "))
	}
	if d.Else != nil {
		texts = append(texts, word(*d.Else)+" if NULL")
	} else {
		nevers = append(nevers, "NULL")
	}
	if !zeroDue {
		nevers = append(nevers, "zero")
	}
	nevers = append(nevers, "negative")
	for _, e := range d.NeverValues {
		if !notPositive.MatchString(e.SQL) {
			nevers = append(nevers, e.SQL)
		}
	}
	last := len(nevers) - 1
	if last > 0 {
		nevers[last] = strings.Join(nevers[:last], ", ") + " or " + nevers[last]
	}
	return " (" + strings.Join(append(texts, never+" if "+nevers[last]), "; ") + ")"
}

// rank is one of the policy's. Never is what becomes of rows whose number is none.
type rank struct {
	subject
	*policy.Rank
	Never string
}

// Rank is one that says which rows are due, or kept.
func (s subject) Rank(r *policy.Rank, never string) rank { return rank{s, r, never} }

// sole says whether a rank is about one row of each group.
func sole(r *policy.Rank) bool { return r.Count == nil && r.First == 1 }

// Limits are the bounds of a number from data.
func (r rank) Limits() string {
	if c := r.Count; c != nil {
		return caveats(c, r.Never, c.AtLeast != nil && *c.AtLeast == 0, Number)
	}
	return ""
}

var plain = regexp.MustCompile(`^(?:[A-Za-z_0-9."]+|[A-Za-z_0-9."]+\([^()]*\))$`)

// operand is an expression as part of a sentence: in parentheses unless it is a name, a number or a plain call.
func operand(e policy.Expr) string {
	text := sql(e)
	if plain.MatchString(text) {
		return text
	}
	return "(" + text + ")"
}
