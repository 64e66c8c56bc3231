package lint

import (
	"math"
	"regexp"
	"time"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// someDay is where instants are counted from: the answer must not depend on the day of the
// question. The four years from there have a leap day.
var someDay = time.Date(2023, 12, 31, 23, 59, 0, 0, time.UTC)

// clockType is the type of a clock that is a column of the snapshot, without its length or
// precision, else "".
func (l *linter) clockType(p *policy.Policy, k *policy.Clock) string {
	if column := ownColumn(l.tableOf(p), k.Column); column != nil {
		return catalog.Unsized(column.Plain())
	}
	return ""
}

// intervals are the constants of a window, its bounds left out.
func intervals(w policy.Window) (list []policy.Interval) {
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

// inSeconds is below every epoch in milliseconds that a generator of keys has, and above those in
// seconds.
const inSeconds = 100_000_000_000

// checkEncoding speaks of numbers that would be read as instants of long ago, so that every row
// would be due: of types that cannot hold others, and of an epoch that was counted in seconds.
func (l *linter) checkEncoding(p *policy.Policy, k *policy.Clock) {
	typ := l.clockType(p, k)
	most := map[string]int64{"smallint": math.MaxInt16, "integer": math.MaxInt32}[typ]
	unit := map[string]time.Duration{"epoch_s": time.Second, "epoch_ms": time.Millisecond}[k.Encoding.Kind]
	if most > 0 && unit > 0 && most < int64(someDay.Sub(time.Unix(0, 0))/unit) {
		last := time.Unix(0, 0).UTC().Add(time.Duration(most) * unit).Format("2 January 2006")
		l.refuse("L031", k.Encoding.Position, p,
			words{"Type": typ, "Kind": k.Encoding.Kind, "Most": most, "Last": last})
	}
	if epoch := k.Encoding.Epoch; k.Encoding.Kind == "snowflake" && epoch > 0 && epoch < inSeconds {
		l.warn("L031", k.Encoding.Position, p, words{
			"Epoch": epoch, "Read": time.UnixMilli(epoch).UTC().Format("January 2006")})
	}
}

// checkLocalTime warns of a clock without a zone where the zone of the install repeats an hour in
// autumn: of two rows with the same local time one is an hour younger.
func (l *linter) checkLocalTime(p *policy.Policy, k *policy.Clock) {
	zone, _ := time.LoadLocation(l.Install.TimeZone) // the file's reader has found it
	_, winter := someDay.In(zone).Zone()
	_, summer := someDay.AddDate(0, 6, 0).In(zone).Zone()
	if k.Kind != "age" || winter == summer || l.clockType(p, k) != "timestamp without time zone" {
		return
	}
	for _, i := range intervals(k.Window) {
		if i.Months == 0 && i.Days == 0 && i.Time < 24*time.Hour {
			l.warn("L032", i.Position, p, words{"Column": k.Column, "Zone": l.Install.TimeZone, "Window": i.Text})
		}
	}
}

// checkMarkBehind speaks of a watermark that moves to the greatest value there is. Numbers are
// given out before rows are committed, so that a row with a lower one may come later, and is never
// worked off.
func (l *linter) checkMarkBehind(p *policy.Policy, k *policy.Clock) {
	if k.Watermark != nil && (k.UpTo == nil || greatest(p, k)) {
		l.warn("L027", k.Watermark.Position, p, words{"Column": k.Column, "Table": p.Table})
	}
}

// greatest says whether "up_to" is the greatest value of the clock itself, with nothing taken off.
func greatest(p *policy.Policy, k *policy.Clock) bool {
	parsed := policy.SQLFragment{Expr: *k.UpTo, Kind: policy.IsQuery}.Parsed()
	if len(parsed.Columns) != 1 || len(parsed.Tables) != 1 || !plainMax.MatchString(k.UpTo.SQL) {
		return false
	}
	table, column := parsed.Tables[0], parsed.Columns[0].Fields
	return table.Name == p.Table.Name && (table.Schema == p.Table.Schema || table.Schema == "") &&
		column[len(column)-1] == k.Column
}

var plainMax = regexp.MustCompile(`(?i)^\s*select\s+(coalesce\s*\(\s*)?max\s*\([^()]*\)` +
	`(\s*,\s*[^()]*\))?(\s*::\s*\w+)?(\s+(as\s+)?\w+)?\s+from\s`)
