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

// due says when a row must go, an entry a line.
func due(s subject) []string {
	if s.Due == nil {
		return []string{"every such " + s.unit() + ", at once"}
	}
	var texts []string
	for i, entry := range s.Due.Entries {
		typ := ""
		if i < len(s.Clocks) {
			typ = s.Clocks[i]
		}
		var parts []string
		if entry.Clock != nil {
			parts = append(parts, s.clock(entry.Clock, typ))
		}
		if entry.Beyond != nil {
			parts = append(parts, s.beyond(entry.Beyond))
		}
		texts = append(texts, strings.Join(parts, "; and it "))
	}
	return texts
}

// clock is when a clock says that a row is due.
func (s subject) clock(k *policy.Clock, typ string) string {
	what := "its upper bound"
	switch {
	case k.Expression != nil:
		what = operand(k.Expression.SQL)
	case !s.Partitions:
		what = quote.Ident(k.Column)
	case s.ByList:
		what = "its value"
	}
	text := what + " "
	switch {
	case k.Kind != "position":
		text += window(k)
	case k.Watermark != nil:
		text += "is above " + watermark(k.Watermark)
	}
	if k.UpTo != nil {
		if text != what+" " {
			text += ", and "
		}
		text += "is at most (" + oneLine(k.UpTo.SQL) + "), read when a run starts"
	}
	if k.NullsDue && (k.Encoding.Kind == "uuidv7" || k.Encoding.Kind == "ulid") {
		text += ", or has no instant"
	} else if k.NullsDue {
		text += ", or is NULL"
	}
	if meaning := s.meaning(k, typ); meaning != "" {
		text += " (" + meaning + ")"
	}
	return text
}

// encodings say what a number or key means.
var encodings = map[string]string{
	"epoch_s": "seconds since 1970-01-01 UTC", "epoch_ms": "milliseconds since 1970-01-01 UTC",
	"uuidv7": "the instant in a UUID of version 7", "ulid": "the instant in a ULID",
}

// meaning is how a clock becomes an instant, "" for one of type timestamptz whose days are those of UTC.
func (s subject) meaning(k *policy.Clock, typ string) string {
	calendar := slices.ContainsFunc(k.Window.Tiers, func(t policy.Tier) bool {
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
	case typ == "timestamp":
		return "timestamps without zone, read as " + s.Zone
	case typ == "date":
		return "dates, read as days of " + s.Zone
	case calendar && s.Zone != "UTC":
		return "days of " + s.Zone
	}
	return ""
}

// window says how far back a clock must lie.
func window(k *policy.Clock) string {
	more, verb, back := "more than ", "lies ", " back"
	if k.Kind == "expires" {
		verb, back = "passed ", " ago"
	}
	if k.Inclusive {
		more = "at least "
	}
	tiers := k.Window.Tiers
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
			text += when(t.When)
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
		return operand(t.Data.Value.SQL)
	}
	return operand(t.Data.Value.SQL) + " " + t.Data.Unit
}

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
	texts = some(strings.Join(texts, ", "))
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
		last = list(nevers[:len(nevers)-1]) + " or " + last
	}
	return " (" + strings.Join(append(texts, "never if "+last), "; ") + ")"
}

// watermark is the column that says how far a position has been worked off.
func watermark(m *policy.Watermark) string {
	text := table(m.Table) + "." + quote.Ident(m.Column)
	if m.Where != nil {
		text += " (of the row" + when(m.Where) + ")"
	}
	return text
}

func watermarks(s subject) []string {
	var texts []string
	for _, k := range s.DueClocks() {
		if k.Watermark != nil {
			column := table(k.Watermark.Table) + "." + quote.Ident(k.Watermark.Column)
			texts = append(texts, column+" past the rows of each batch, kept ones too")
		}
	}
	return texts
}

// settable is the window that may be set at run time.
func settable(s subject) []string {
	d := s.SettableWindow()
	if d == nil {
		return nil
	}
	text := "to " + d.AtLeast.Text + " or more"
	if d.AtMost != nil {
		text = "from " + d.AtLeast.Text + " to " + d.AtMost.Text
	}
	call := quote.Qualified(s.Schema, "set_window") + "()"
	return []string{text + " instead of the " + d.Else.Text + ", by " + call + " or for one run"}
}

// beyond is when a rank says that a row is due.
func (s subject) beyond(r *policy.Rank) string {
	return "comes after the " + s.first(r, "and those equal to the last of them", "not due")
}

// among is when a rank keeps a row.
func (s subject) among(r *policy.Rank) string {
	if r.Count == nil && r.First == 1 {
		return "is the " + s.first(r, "or equal to it", "kept")
	}
	return "is among the " + s.first(r, "and those equal to the last of them", "kept")
}

// first are the rows of each group that have a place which counts.
func (s subject) first(r *policy.Rank, ties, never string) string {
	text := "first " + s.unit()
	switch {
	case r.Count != nil:
		text = "first " + operand(r.Count.Value.SQL) + " " + s.unit() + "s"
	case r.First != 1:
		text = "first " + counted(s.Policy, r.First)
	}
	if len(r.Per) > 0 {
		text += " of each " + list(each(r.Per, func(e policy.Expr) string { return operand(e.SQL) }))
	}
	text += ", by " + oneLine(r.OrderText.SQL)
	if r.WithTies {
		text += ", " + ties
	}
	if r.Among != nil {
		text += ", counted among those" + when(r.Among)
	}
	if c := r.Count; c != nil {
		zeroDue := c.AtLeast != nil && *c.AtLeast == 0
		limits := caveats(inWords(c.AtLeast, Number), inWords(c.AtMost, Number), inWords(c.Else, Number),
			zeroDue, c.NeverValues)
		text += strings.Replace(limits, "never if", never+" if", 1)
	}
	return text
}

var plain = regexp.MustCompile(`^(?:[A-Za-z_0-9."]+|[A-Za-z_0-9."]+\([^()]*\))$`)

// operand is an expression as part of a sentence: in parentheses unless it is a name, a number or a plain call.
func operand(sql string) string {
	if sql = oneLine(sql); plain.MatchString(sql) {
		return sql
	}
	return "(" + sql + ")"
}
