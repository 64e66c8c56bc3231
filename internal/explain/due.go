package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgretain/internal/quote"
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

// What is what the clock reads.
func (k *clock) What() string {
	switch {
	case k.Expression != nil:
		return operand(*k.Expression)
	case !k.Partitions:
		return quote.Ident(k.Column)
	case k.ByList:
		return "its value"
	}
	return "its upper bound"
}

// IsBounded says whether there is more than "up_to".
func (k *clock) IsBounded() bool { return k.Kind != "position" || k.Watermark != nil }

// IsKey says whether not all values have an instant.
func (k *clock) IsKey() bool { return k.Encoding.Kind == "uuidv7" || k.Encoding.Kind == "ulid" }

// encodings say what a number or key means.
var encodings = map[string]string{
	"epoch_s": "seconds since 1970-01-01 UTC", "epoch_ms": "milliseconds since 1970-01-01 UTC",
	"uuidv7": "the instant in a UUID of version 7", "ulid": "the instant in a ULID",
}

// Meaning is how a clock becomes an instant, "" for one of type timestamptz whose days are those of UTC.
func (k *clock) Meaning() string {
	calendar := slices.ContainsFunc(k.Clock.Window.Tiers, func(t policy.Tier) bool {
		return t.Interval.Days != 0 || t.Interval.Months != 0 || t.Data != nil
	})
	switch {
	case k.Kind == "position":
		return ""
	case k.Encoding.Kind == "snowflake":
		since := time.UnixMilli(k.Encoding.Epoch).UTC().Format("2006-01-02 15:04:05.999")
		return fmt.Sprintf("milliseconds since %s UTC in the bits above the lowest %d", since, k.Encoding.Shift)
	case k.Encoding.Kind != "":
		return encodings[k.Encoding.Kind]
	case k.Type == "timestamp":
		return "timestamps without zone, read as " + k.Zone
	case k.Type == "date":
		return "dates, read as days of " + k.Zone
	case calendar && k.Zone != "UTC":
		return "days of " + k.Zone
	}
	return ""
}

// Window says how far back the clock must lie.
func (k *clock) Window() string {
	more, verb, back := "more than ", "lies ", " back"
	if k.Kind == "expires" {
		verb, back = "passed ", " ago"
	}
	if k.Inclusive {
		more = "at least "
	}
	tiers := k.Clock.Window.Tiers
	if t := tiers[0]; k.Kind == "expires" && t.When == nil && t.Data == nil && !t.Never && t.Interval.Zero() {
		if k.Inclusive {
			return "is reached or has passed"
		}
		return "has passed"
	}
	var texts []string
	for i, t := range tiers {
		text := more + length(t) + back + caveat(t)
		switch {
		case t.Never:
			text = "never"
		case i == 0:
			text = verb + text
		}
		switch {
		case t.When != nil:
			text += when(*t.When)
		case len(tiers) > 1:
			text = "else " + text
		}
		texts = append(texts, text)
	}
	if tiers[len(tiers)-1].When != nil {
		texts = append(texts, "else never")
	}
	return strings.Join(texts, "; ")
}

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

// timeToLive is how long a claim holds.
func timeToLive(w policy.Window) string { return length(w.Tiers[0]) + caveat(w.Tiers[0]) }

// caveat is what holds of a window from data besides.
func caveat(t policy.Tier) string {
	if t.Data == nil || t.Data.Value == nil {
		return ""
	}
	d, text := t.Data, func(i policy.Interval) string { return i.Text }
	zeroDue := d.AtLeast != nil && d.AtLeast.Zero()
	return caveats(inWords(d.AtLeast, text), inWords(d.AtMost, text), inWords(d.Else, text), zeroDue, d.NeverValues)
}

// inWords is a value in words, "" for none.
func inWords[T any](value *T, words func(T) string) string {
	if value == nil {
		return ""
	}
	return words(*value)
}

// notPositive are constants that are known not to be: they mean never anyway, or are due.
var notPositive = regexp.MustCompile(`^\s*(?:-\s*[0-9.]+|0+)\s*$`)

// caveats are what becomes of a value from data: its bounds, NULL, and what means never.
func caveats(atLeast, atMost, otherwise string, zeroDue bool, never []policy.Expr) string {
	var texts []string
	if atLeast != "" && !zeroDue {
		texts = append(texts, "at least "+atLeast)
	}
	if atMost != "" {
		texts = append(texts, "at most "+atMost)
	}
	if len(texts) > 0 {
		texts = []string{strings.Join(texts, ", ")}
	}
	var nevers []string
	if otherwise != "" {
		texts = append(texts, otherwise+" if NULL")
	} else {
		nevers = append(nevers, "NULL")
	}
	if !zeroDue {
		nevers = append(nevers, "zero")
	}
	nevers = append(nevers, "negative")
	for _, e := range never {
		if !notPositive.MatchString(e.SQL) {
			nevers = append(nevers, e.SQL)
		}
	}
	last := nevers[len(nevers)-1]
	if len(nevers) > 1 {
		last = strings.Join(nevers[:len(nevers)-1], ", ") + " or " + last
	}
	return " (" + strings.Join(append(texts, "never if "+last), "; ") + ")"
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
	c := r.Count
	if c == nil {
		return ""
	}
	zeroDue := c.AtLeast != nil && *c.AtLeast == 0
	limits := caveats(inWords(c.AtLeast, Number), inWords(c.AtMost, Number), inWords(c.Else, Number), zeroDue,
		c.NeverValues)
	return strings.Replace(limits, "never if", r.Never+" if", 1)
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
