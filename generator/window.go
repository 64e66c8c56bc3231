package generator

import (
	"fmt"
	"regexp"
	"time"

	"pgretain/policy"
)

// tierText is one branch of the CASE over a window's tiers.
type tierText struct{ When, Cutoff sqlText }

// windowColumn is a window that an expression gives, in the FROM clause of a judgement.
type windowColumn struct {
	Name, Value sqlText
}

// windowOf makes one cutoff per tier, and the latest of them, which ends the range.
func (w *work) windowOf(k *clock, source *policy.Clock, form string, number int) {
	var tiers []tierText
	var latest []sqlText
	for i, t := range source.Window.Tiers {
		cutoff, bound := w.tier(k, t, form, fmt.Sprintf("%d_%d", number, i+1))
		if bound != "" {
			latest = append(latest, bound)
		}
		when := sqlText("")
		if t.When != nil {
			when = enclosed(w.bind(*t.When))
			k.tiersOwn = k.tiersOwn && w.readsOwnColumns(*t.When)
		}
		tiers = append(tiers, tierText{when, cutoff})
	}
	if len(latest) == 0 {
		latest = []sqlText{sqlText("NULL::" + k.typ)}
	}
	k.latest = latest[0]
	if len(latest) > 1 {
		k.latest = fragment("greatest", latest)
	}
	switch {
	case len(tiers) > 1 || tiers[0].When != "":
		k.tiered = fragment("case", struct{ Tiers []tierText }{tiers})
	case tiers[0].Cutoff != k.latest:
		k.tiered = tiers[0].Cutoff
	}
}

// tier is the cutoff of one tier, and the latest that it can be; "NULL" and "" for never.
func (w *work) tier(k *clock, t policy.Tier, form, number string) (cutoff, bound sqlText) {
	switch {
	case t.Never:
		return "NULL", ""
	case t.Data != nil && t.Data.Value != nil:
		return w.dataCutoff(k, t.Data, form, number)
	case t.Data != nil:
		cutoff = w.converted(w.settable(*t.Data), k.source, form)
		return cutoff, cutoff
	}
	cutoff = w.converted(w.cutoffBefore(t.Interval), k.source, form)
	return cutoff, cutoff
}

// settable is the cutoff of a constant, or of what NULL means, which may be set at run time where
// the window has a lower bound.
func (w *work) settable(d policy.WindowData) sqlText {
	if d.AtLeast == nil || d.Else == nil {
		return w.cutoffBefore(*d.Else)
	}
	return fragment("cutoff of", struct {
		Schema          string
		AsOf, OlderThan sqlText
		Own, Zone       literal
	}{w.schema(), w.asOf, w.olderThan, literal(intervalText(*d.Else)), literal(w.file.Install.TimeZone)})
}

// dataCutoff is the cutoff of a window that an expression gives, row by row.
func (w *work) dataCutoff(k *clock, d *policy.WindowData, form, number string) (cutoff, bound sqlText) {
	data := struct {
		Schema                        string
		Unit, Value, AsOf             sqlText
		Zone, Longest                 literal
		Calendar, ZeroDue             bool
		Never                         []sqlText
		Else, AtLeast, AtMost, Value0 sqlText
	}{Schema: w.schema(), Unit: sqlText(d.Unit), AsOf: w.asOf, Zone: literal(w.file.Install.TimeZone),
		Calendar: d.Unit == "years" || d.Unit == "months" || d.Unit == "weeks" || d.Unit == "days",
		Longest:  literal(longestWindow), ZeroDue: d.AtLeast != nil && isZero(*d.AtLeast), Else: "NULL"}
	data.Value = w.windowValue(k, *d.Value, number)
	for _, e := range d.NeverValues {
		data.Never = append(data.Never, w.bind(e))
	}
	if d.Else != nil {
		data.Else = w.settable(*d)
	}
	bound = w.asOf
	if d.AtLeast != nil {
		data.AtLeast = w.cutoffBefore(*d.AtLeast)
		bound = data.AtLeast
	}
	if d.AtMost != nil {
		data.AtMost = w.cutoffBefore(*d.AtMost)
	}
	bound = w.converted(bound, k.source, form)
	return enclosed(w.converted(fragment("cutoff from data", data), k.source, form)), bound
}

var plainColumn = regexp.MustCompile(`^(\(?)[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*\)?$`)

// windowValue is the value of a window's expression: as it is where it reads the row only, otherwise
// a column that the FROM clause gives, so that it is computed once a row.
func (w *work) windowValue(k *clock, e policy.Expr, number string) sqlText {
	bound := enclosed(w.bind(e))
	if w.readsOwnColumns(e) {
		return bound
	}
	k.tiersOwn = false
	if plainColumn.MatchString(string(bound)) {
		return bound
	}
	name := sqlText("v_window_" + number)
	w.columns = append(w.columns, windowColumn{name, bound})
	return name + ".value"
}

func (w *work) readsOwnColumns(e policy.Expr) bool {
	parsed, ok := w.parse(e)
	return ok && ownColumnsOnly(parsed.parsed)
}

// cutoffBefore is the instant that lies an interval before as_of.
func (w *work) cutoffBefore(i policy.Interval) sqlText {
	return fragment("cutoff", struct {
		Schema       string
		AsOf         sqlText
		Months, Days int
		Time, Zone   literal
	}{w.schema(), w.asOf, i.Months, i.Days, literal(clockTime(i.Time)), literal(w.file.Install.TimeZone)})
}

// converted is an instant as a value of the clock's type.
func (w *work) converted(instant sqlText, source *policy.Clock, form string) sqlText {
	if form == "" {
		return instant
	}
	return fragment(form, struct {
		Schema    string
		Cutoff    sqlText
		Zone      literal
		Inclusive bool
		Epoch     int64
		Shift     int
	}{w.schema(), instant, literal(w.file.Install.TimeZone), source.Inclusive, source.Encoding.Epoch, source.Encoding.Shift})
}

// longestWindow is the longest that a window may be; what is longer is never due.
const longestWindow = "1000 years"

func isZero(i policy.Interval) bool { return i.Months == 0 && i.Days == 0 && i.Time == 0 }

// intervalText writes an interval as PostgreSQL reads it whatever the settings.
func intervalText(i policy.Interval) string {
	return fmt.Sprintf("%d months %d days %s", i.Months, i.Days, clockTime(i.Time))
}

// clockTime writes a duration as PostgreSQL's hours, minutes and seconds.
func clockTime(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	text := fmt.Sprintf("%s%02d:%02d:%02d", sign, int64(d/time.Hour), int64(d/time.Minute)%60, int64(d/time.Second)%60)
	if d%time.Second != 0 {
		text += fmt.Sprintf(".%06d", int64(d/time.Microsecond)%1_000_000)
	}
	return text
}
