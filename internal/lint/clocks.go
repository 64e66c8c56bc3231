package lint

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

const day = 24 * time.Hour

// clockType is the type of a clock that is a column of the snapshot, without its length or precision; "" for other clocks.
func (l *linter) clockType(p *policy.Policy, k *policy.Clock) string {
	table := l.rowOf(p).table
	if table == nil || table.Column(k.Column) == nil {
		return ""
	}
	return catalog.Unsized(table.Column(k.Column).Plain())
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

// checkClockNull refuses a policy whose "where" lets through only rows without an instant, while rows
// without one are never due.
func (l *linter) checkClockNull(p *policy.Policy, k *policy.Clock) {
	if k.NullsDue || k.Column == "" || !l.never(p, constraint{c: isNull(k.Column), is: no}) {
		return
	}
	l.refuseEntry(p, finding{Position: k.ColumnPos, Policy: p.Name,
		Message: fmt.Sprintf("the clock %q is NULL in every row that policy %q may take", k.Column, p.Name),
		Detail:  "A row without an instant is never due.",
		Hint:    "Write \"nulls: due\" if it is to go, or repair \"where\" or the guards."})
}

// checkClockZone warns of a clock that is a column under a cast which depends on the time zone of the
// session, where the column itself would do.
func (l *linter) checkClockZone(p *policy.Policy, k *policy.Clock) {
	table := l.rowOf(p).table
	if table == nil || k.Expression == nil {
		return
	}
	cast := pgparse.CastColumn(k.Expression.SQL)
	column := table.Column(cast.Column)
	if column == nil || !catalog.ZoneDecides(*column, catalog.Column{Type: timeTypes[cast.Cast]}) {
		return
	}
	l.warn(finding{Position: k.ColumnPos, Policy: p.Name,
		Message: fmt.Sprintf("no index can hold the clock %q", k.Expression.SQL),
		Detail: fmt.Sprintf("The column is of type %q, and what the cast makes of it depends on the time zone, so that PostgreSQL "+
			"lets no index hold it and a run looks at all rows.", column.Type),
		Hint: fmt.Sprintf("Write \"column: %s\".", column.Name)})
}

// timeTypes are the types for times as the snapshot has them.
var timeTypes = map[string]string{"date": "date", "timestamp": "timestamp without time zone", "timestamptz": "timestamp with time zone"}

// checkDays warns of a window that is finer than its clock: a date has no hours.
func (l *linter) checkDays(p *policy.Policy, k *policy.Clock) {
	if l.clockType(p, k) != "date" {
		return
	}
	for _, i := range intervals(k.Window) {
		if i.Time%day != 0 {
			l.warn(finding{Position: i.Position, Policy: p.Name,
				Message: fmt.Sprintf("the clock %q holds days, and the window %q counts hours", k.Column, i.Text),
				Detail:  "A row of a day is due when the whole day is older than the window, so that it may stay for a day longer.",
				Hint:    "Write the window in days."})
		}
	}
}

// inSeconds is below every epoch in milliseconds that a generator of keys has, and above those in seconds.
const inSeconds = 100_000_000_000

// checkEncoding speaks of numbers that would be read as instants of long ago, so that every row would be due: of types
// that cannot hold others, and of an epoch that was counted in seconds.
func (l *linter) checkEncoding(p *policy.Policy, k *policy.Clock) {
	typ := l.clockType(p, k)
	most := map[string]int64{"smallint": math.MaxInt16, "integer": math.MaxInt32}[typ]
	unit := map[string]time.Duration{"epoch_s": time.Second, "epoch_ms": time.Millisecond}[k.Encoding.Kind]
	if most > 0 && unit > 0 && most < int64(someDay.Sub(time.Unix(0, 0))/unit) {
		l.refuse(finding{Position: k.Encoding.Position, Policy: p.Name,
			Message: fmt.Sprintf("a clock of type %q cannot hold %s", typ, k.Encoding.Kind),
			Detail: fmt.Sprintf("Its greatest number, %d, is %s: every row would be older than any window.", most,
				time.Unix(0, 0).UTC().Add(time.Duration(most)*unit).Format("2 January 2006")),
			Hint: "Write the unit that the numbers count, or repair the type of the column."})
	}
	if epoch := k.Encoding.Epoch; k.Encoding.Kind == "snowflake" && epoch > 0 && epoch < inSeconds {
		l.warn(finding{Position: k.Encoding.Position, Policy: p.Name,
			Message: fmt.Sprintf("the epoch %d is in %s when it is read in milliseconds", epoch, time.UnixMilli(epoch).UTC().Format("January 2006")),
			Detail:  "Keys would be read as instants decades before their own, and every row would be due.",
			Hint:    fmt.Sprintf("Write %d if the epoch was counted in seconds.", epoch*1000)})
	}
}

// checkLocalTime warns of a clock without a zone where the zone of the install repeats an hour in autumn:
// of two rows with the same local time one is an hour younger.
func (l *linter) checkLocalTime(p *policy.Policy, k *policy.Clock) {
	if k.Kind != "age" || l.clockType(p, k) != timeTypes["timestamp"] {
		return
	}
	zone, _ := time.LoadLocation(l.file.Install.TimeZone) // the file's reader has found it
	_, winter := someDay.In(zone).Zone()
	_, summer := someDay.AddDate(0, 6, 0).In(zone).Zone()
	for _, i := range intervals(k.Window) {
		if winter != summer && i.Months == 0 && i.Days == 0 && i.Time < day {
			l.warn(finding{Position: i.Position, Policy: p.Name,
				Message: fmt.Sprintf("the clock %q has no time zone, and %q repeats an hour when summer ends", k.Column, l.file.Install.TimeZone),
				Detail:  fmt.Sprintf("Rows of the hour that comes twice may go an hour before they are older than %s.", i.Text),
				Hint:    "Make the column timestamptz, or write the times in UTC and set install.time_zone to UTC."})
		}
	}
}

// checkZone warns of a comparison of two columns that depends on the time zone of the session. It would
// have its place in the predicate of the index that is built for the policy, and cannot stand there.
func (l *linter) checkZone(p *policy.Policy) {
	table := l.rowOf(p).table
	if table == nil {
		return
	}
	condition(p.Where).Walk(func(c *pgparse.Condition) {
		left, right := table.Column(c.Left.Column), table.Column(c.Right.Column)
		if left == nil || right == nil || !catalog.ZoneDecides(*left, *right) {
			return
		}
		l.warn(finding{Position: p.Where.At(c.Offset), Policy: p.Name,
			Message: fmt.Sprintf("no index can hold the comparison of %q and %q", left.Name, right.Name),
			Detail: fmt.Sprintf("One is of type %q, the other of type %q, and which is earlier depends on the time zone. "+
				"The index of the policy is built without \"where\", and runs look at more rows.", left.Type, right.Type),
			Hint: "Give both columns one type."})
	})
}

// checkTiers warns of a tier that the ones before it, "where" or the guards leave nothing for.
func (l *linter) checkTiers(p *policy.Policy, k *policy.Clock) {
	if !l.takes(p) {
		return
	}
	var before []constraint
	for i, t := range k.Window.Tiers {
		if t.When == nil {
			continue // a last "else" that nothing reaches is no mistake
		}
		if len(vacuous(t.When)) == 0 && !l.takes(p, append(slices.Clone(before), says(t.When, yes))...) {
			l.warn(finding{Position: t.When.Position, Policy: p.Name,
				Message: fmt.Sprintf("tier %d of policy %q never applies", i+1, p.Name),
				Detail:  "No row that \"where\" and the guards let through, and that the tiers before it leave, meets its condition.",
				Hint:    "Move it up, repair its condition, or remove it."})
		}
		before = append(before, says(t.When, no|null))
	}
}

// checkMarkBehind speaks of a watermark that moves to the greatest value there is. Numbers are given out before rows
// are committed, so that a row with a lower one may come later, and is never worked off.
func (l *linter) checkMarkBehind(p *policy.Policy, k *policy.Clock) {
	if k.Watermark != nil && (k.UpTo == nil || greatest(p, k)) {
		l.warn(finding{Position: k.Watermark.Position, Policy: p.Name,
			Message: fmt.Sprintf("the watermark of policy %q passes rows that commit later with lower values", p.Name),
			Detail:  "It moves to the greatest value that is committed; a transaction still open may hold lower ones.",
			Hint:    fmt.Sprintf("Stay behind open transactions: up_to: \"SELECT max(%s) FROM %s WHERE made_at < as_of - interval '1 hour'\", twice as long as they ever take.", k.Column, p.Table)})
	}
}

// greatest says whether "up_to" is the greatest value of the clock itself, with nothing taken off.
func greatest(p *policy.Policy, k *policy.Clock) bool {
	parsed := policy.Part{Expr: *k.UpTo, Kind: policy.IsQuery}.Parsed()
	if len(parsed.Columns) != 1 || len(parsed.Tables) != 1 || !plainMax.MatchString(k.UpTo.SQL) {
		return false
	}
	table, column := parsed.Tables[0], parsed.Columns[0].Fields
	return table.Name == p.Table.Name && (table.Schema == p.Table.Schema || table.Schema == "") && column[len(column)-1] == k.Column
}

var plainMax = regexp.MustCompile(`(?i)^\s*select\s+(coalesce\s*\(\s*)?max\s*\([^()]*\)(\s*,\s*[^()]*\))?(\s*::\s*\w+)?(\s+(as\s+)?\w+)?\s+from\s`)
