package lint

import (
	"math"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// someDay replaces the current time, so that findings do not depend on the day of the check. The
// four years after it include a leap day.
var someDay = time.Date(2023, 12, 31, 23, 59, 0, 0, time.UTC)

// clockType returns the type of a clock without its length or precision. It returns "" unless the
// clock is a column of the snapshot.
func (l *linter) clockType(p *policy.Policy, k *policy.Clock) string {
	if column := ownColumn(l.tableOf(p), k.Column); column != nil {
		return catalog.Unsized(column.Plain())
	}
	return ""
}

// intervals returns the constant intervals of a window, without its bounds.
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

// inSeconds separates epochs in seconds from epochs in milliseconds. Smaller numbers are seconds.
const inSeconds = 100_000_000_000

// checkEncoding finds encodings that would read numbers as times long ago, so that every row would
// be due. It adds an error if the type of the column is too small for present times, and a warning
// if the epoch seems to be in seconds.
func (l *linter) checkEncoding(p *policy.Policy, k *policy.Clock) {
	typ := l.clockType(p, k)
	most := map[string]int64{"smallint": math.MaxInt16, "integer": math.MaxInt32}[typ]
	unit := map[string]time.Duration{"epoch_s": time.Second, "epoch_ms": time.Millisecond}[k.Encoding.Kind]
	if most > 0 && unit > 0 && most < int64(someDay.Sub(time.Unix(0, 0))/unit) {
		last := time.Unix(0, 0).UTC().Add(time.Duration(most) * unit).Format("2 January 2006")
		l.refuse(messages.ShortType(typ, k.Encoding.Kind, most, last), k.Encoding.Position, p)
	}
	if epoch := k.Encoding.Epoch; k.Encoding.Kind == "snowflake" && epoch > 0 && epoch < inSeconds {
		l.warn(messages.EpochInSeconds(epoch, time.UnixMilli(epoch).UTC().Format("January 2006")), k.Encoding.Position,
			p)
	}
}

// checkLocalTime adds a warning for a clock without a time zone and a window under a day, if the
// time zone of the install has daylight saving time. When daylight saving time ends, an hour
// repeats. Of two rows with the same local time in that hour, one is an hour younger.
func (l *linter) checkLocalTime(p *policy.Policy, k *policy.Clock) {
	zone, _ := time.LoadLocation(l.Install.TimeZone) // policy.Parse checks the name
	_, winter := someDay.In(zone).Zone()
	_, summer := someDay.AddDate(0, 6, 0).In(zone).Zone()
	if k.Kind != "age" || winter == summer || l.clockType(p, k) != "timestamp without time zone" {
		return
	}
	for _, i := range intervals(k.Window) {
		if i.Months == 0 && i.Days == 0 && i.Time < 24*time.Hour {
			l.warn(messages.LocalTime(k.Column, l.Install.TimeZone, i.Text), i.Position, p)
		}
	}
}

// checkMarkBehind adds a warning for a watermark that moves to the greatest existing value.
// Sequences assign numbers before rows are committed. So a row with a lower number may be committed
// later, and no run takes it.
func (l *linter) checkMarkBehind(p *policy.Policy, k *policy.Clock) {
	if k.Watermark != nil && (k.UpTo == nil || greatest(p, k)) {
		l.warn(messages.WatermarkPasses(p.Name, k.Column, p.Table.String()), k.Watermark.Position, p)
	}
}

// greatest reports whether "up_to" is the greatest value of the clock's column, without a
// subtraction or a condition.
func greatest(p *policy.Policy, k *policy.Clock) bool {
	query := k.UpTo.Parsed()
	if query.Greatest() != k.Column {
		return false
	}
	table := query.Tables[0]
	return table.Name == p.Table.Name && (table.Schema == p.Table.Schema || table.Schema == "")
}
