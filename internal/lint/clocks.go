package lint

import (
	"fmt"
	"math"
	"strings"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
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

var _ = register("L005", "a clock that is NULL in every row", checkClockNull)

// checkClockNull refuses a policy whose "where" lets through only rows without an instant, while rows
// without one are never due.
func checkClockNull(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if p.Due == nil || !r.possible(l.taken(p)...) {
			continue
		}
		for _, entry := range p.Due.Entries {
			k := entry.Clock
			if k == nil || k.NullsDue || k.Column == "" ||
				r.possible(append(l.taken(p), wish{c: isNull(k.Column), is: no})...) {
				continue
			}
			f := finding{at: k.ColumnPos, policy: p.Name,
				message: fmt.Sprintf("the clock %q is NULL in every row that policy %q may take", k.Column, p.Name),
				detail:  "A row without an instant is never due.",
				hint:    "Write \"nulls: due\" if it is to go, or repair \"where\" or the guards."}
			if len(p.Due.Entries) > 1 {
				l.warn(f) // the other entries of "any" may find rows
			} else {
				l.refuse(f)
			}
		}
	}
}

var _ = register("L034", "a clock that no index can hold", checkClockZone)

// checkClockZone warns of a clock that is a column under a cast which depends on the time zone of the
// session, where the column itself would do.
func checkClockZone(l *linter) {
	for _, p := range l.file.Policies {
		table := l.rowOf(p).table
		if table == nil || p.Due == nil {
			continue
		}
		for _, entry := range p.Due.Entries {
			if entry.Clock == nil || entry.Clock.Expression == nil {
				continue
			}
			cast := pgparse.CastColumn(entry.Clock.Expression.SQL)
			column := table.Column(cast.Column)
			if column == nil || !catalog.ZoneDecides(*column, catalog.Column{Type: spelledOut[cast.Cast]}) {
				continue
			}
			l.warn(finding{at: entry.Clock.ColumnPos, policy: p.Name,
				message: fmt.Sprintf("no index can hold the clock %q", entry.Clock.Expression.SQL),
				detail: fmt.Sprintf("The column is of type %q, and what the cast makes of it depends on the time zone, so that PostgreSQL "+
					"lets no index hold it and a run looks at all rows.", column.Type),
				hint: fmt.Sprintf("Write \"column: %s\".", column.Name)})
		}
	}
}

// spelledOut are the types for times as the snapshot has them.
var spelledOut = map[string]string{"date": "date", "timestamp": "timestamp without time zone", "timestamptz": "timestamp with time zone"}

var _ = register("L030", "a window of hours on a clock of days", checkDays)

// checkDays warns of a window that is finer than its clock: a date has no hours.
func checkDays(l *linter) {
	l.eachClock(func(p *policy.Policy, k *policy.Clock, typ string) {
		if typ != "date" {
			return
		}
		for _, i := range intervals(k.Window) {
			if i.Time%day != 0 {
				l.warn(finding{at: i.Position, policy: p.Name,
					message: fmt.Sprintf("the clock %q holds days, and the window %q counts hours", k.Column, i.Text),
					detail:  "A row of a day is due when the whole day is older than the window, so that it may stay for a day longer.",
					hint:    "Write the window in days."})
			}
		}
	})
}

var _ = register("L031", "an encoding that the numbers cannot have", checkEncoding)

// checkEncoding speaks of numbers that would be read as instants of long ago: every row would be due.
func checkEncoding(l *linter) {
	widest := map[string]int64{"smallint": math.MaxInt16, "integer": math.MaxInt32}
	l.eachClock(func(p *policy.Policy, k *policy.Clock, typ string) {
		unit := map[string]time.Duration{"epoch_s": time.Second, "epoch_ms": time.Millisecond}[k.Encoding.Kind]
		if most := widest[typ]; most > 0 && unit > 0 && most < int64(someDay.Sub(time.Unix(0, 0))/unit) {
			l.refuse(finding{at: k.Encoding.Position, policy: p.Name,
				message: fmt.Sprintf("a clock of type %q cannot hold %s", typ, k.Encoding.Kind),
				detail: fmt.Sprintf("Its greatest number, %d, is %s: every row would be older than any window.", most,
					time.Unix(0, 0).UTC().Add(time.Duration(most)*unit).Format("2 January 2006")),
				hint: "Write the unit that the numbers count, or repair the type of the column."})
		}
	})
	l.checkSnowflakes()
}

// inSeconds is below every epoch in milliseconds that a generator of keys has, and above those in seconds.
const inSeconds = 100_000_000_000

// checkSnowflakes warns of an epoch that was counted in seconds.
func (l *linter) checkSnowflakes() {
	for _, p := range l.file.Policies {
		if p.Due == nil {
			continue
		}
		for _, entry := range p.Due.Entries {
			if k := entry.Clock; k != nil && k.Encoding.Kind == "snowflake" && k.Encoding.Epoch > 0 && k.Encoding.Epoch < inSeconds {
				l.warn(finding{at: k.Encoding.Position, policy: p.Name,
					message: fmt.Sprintf("the epoch %d is in %s when it is read in milliseconds", k.Encoding.Epoch,
						time.UnixMilli(k.Encoding.Epoch).UTC().Format("January 2006")),
					detail: "Keys would be read as instants decades before their own, and every row would be due.",
					hint:   fmt.Sprintf("Write %d if the epoch was counted in seconds.", k.Encoding.Epoch*1000)})
			}
		}
	}
}

var _ = register("L032", "a short window on local time", checkLocalTime)

// checkLocalTime warns of a clock without a zone where the zone of the install repeats an hour in autumn:
// of two rows with the same local time one is an hour younger.
func checkLocalTime(l *linter) {
	zone, err := time.LoadLocation(l.file.Install.TimeZone)
	if err != nil || !changesClocks(zone) {
		return
	}
	l.eachClock(func(p *policy.Policy, k *policy.Clock, typ string) {
		if typ != "timestamp without time zone" {
			return
		}
		for _, i := range intervals(k.Window) {
			if i.Months == 0 && i.Days == 0 && i.Time < day && k.Kind == "age" {
				l.warn(finding{at: i.Position, policy: p.Name,
					message: fmt.Sprintf("the clock %q has no time zone, and %q repeats an hour when summer ends", k.Column, l.file.Install.TimeZone),
					detail:  fmt.Sprintf("Rows of the hour that comes twice may go an hour before they are older than %s.", i.Text),
					hint:    "Make the column timestamptz, or write the times in UTC and set install.time_zone to UTC."})
			}
		}
	})
}

// changesClocks says whether a zone has summer time nowadays.
func changesClocks(zone *time.Location) bool {
	_, winter := someDay.In(zone).Zone()
	_, summer := someDay.AddDate(0, 6, 0).In(zone).Zone()
	return winter != summer
}

var _ = register("L033", "a where that no index can hold", checkZone)

// checkZone warns of a comparison of two columns that depends on the time zone of the session. It would
// have its place in the predicate of the index that is built for the policy, and cannot stand there.
func checkZone(l *linter) {
	for _, p := range l.file.Policies {
		table := l.rowOf(p).table
		if table == nil {
			continue
		}
		walk(l.condition(p.Where), func(c *pgparse.Condition) {
			left, right := table.Column(c.Left.Column), table.Column(c.Right.Column)
			if left == nil || right == nil || !catalog.ZoneDecides(*left, *right) {
				return
			}
			l.warn(finding{at: p.Where.At(c.Offset), policy: p.Name,
				message: fmt.Sprintf("no index can hold the comparison of %q and %q", left.Name, right.Name),
				detail: fmt.Sprintf("One is of type %q, the other of type %q, and which is earlier depends on the time zone. "+
					"The index of the policy is built without \"where\", and runs look at more rows.", left.Type, right.Type),
				hint: "Give both columns one type."})
		})
	}
}

var _ = register("L016", "rows that are destroyed as soon as they are marked", checkGrace)

// checkGrace warns of a policy that marks rows and another that deletes the marked ones at the same age
// or earlier, by the same clock: nobody ever has time to look at a marked row.
func checkGrace(l *linter) {
	for _, policies := range l.tables() {
		l.grace(clockedPolicies(policies))
	}
}

func (l *linter) grace(policies []clocked) {
	for _, mark := range policies {
		if len(ownUpdates(mark.Policy)) == 0 || deletes(mark.Policy) || sets(mark.Policy, mark.clock.Column) {
			continue
		}
		for _, destroy := range policies {
			if destroy.Policy == mark.Policy || !destroy.sameClock(mark) || !deletes(destroy.Policy) || destroy.unlimited || destroy.clock.UpTo != nil ||
				guarded(destroy.Policy) || !notLonger(destroy.longest, mark.shortest) || !l.needsMark(mark, destroy) {
				continue
			}
			l.warn(finding{at: destroy.clock.Window.Position, policy: destroy.Name,
				message: fmt.Sprintf("policy %q deletes rows as soon as policy %q has marked them", destroy.Name, mark.Name),
				detail: fmt.Sprintf("Both go by %q, which the mark leaves as it is, and a row is marked when it is older than %s. ", mark.clock.Column,
					mark.shortest.Text) + place(mark.Policy),
				hint: "Let the second window run from the mark, from a column that the first policy sets to as_of, or make it longer than the first."})
		}
	}
}

// needsMark says whether the second policy is about rows that the first has marked, and no others.
func (l *linter) needsMark(mark, destroy clocked) bool {
	r := l.rowOf(destroy.Policy)
	if len(mark.Joins)+len(destroy.Joins) > 0 {
		return false // one name may mean two things
	}
	return r.possible(l.wanted(destroy.Policy)...) && !r.possible(append(l.wanted(destroy.Policy), l.wanted(mark.Policy)...)...)
}

var _ = register("L004", "a tier that never applies", checkTiers)

// checkTiers warns of a tier that the ones before it, "where" or the guards leave nothing for.
func checkTiers(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if p.Due == nil || !r.possible(l.taken(p)...) {
			continue
		}
		for _, entry := range p.Due.Entries {
			if entry.Clock != nil {
				l.checkTiersOf(p, r, entry.Clock.Window)
			}
		}
	}
}

func (l *linter) checkTiersOf(p *policy.Policy, r *row, w policy.Window) {
	before := l.taken(p)
	for i, t := range w.Tiers {
		if t.When == nil {
			continue // a last "else" that nothing reaches is no mistake
		}
		when := l.condition(t.When)
		if len(l.slips(t.When)) == 0 && !r.possible(append(before[:len(before):len(before)], wish{c: when, is: yes})...) {
			l.warn(finding{at: t.When.Position, policy: p.Name,
				message: fmt.Sprintf("tier %d of policy %q never applies", i+1, p.Name),
				detail:  "No row that \"where\" and the guards let through, and that the tiers before it leave, meets its condition.",
				hint:    "Move it up, repair its condition, or remove it."})
		}
		before = append(before, wish{c: when, is: no | null})
	}
}

var _ = register("L021", "a schedule that never comes", checkNever)

// checkNever refuses a day that no calendar has, 31 February for example.
func checkNever(l *linter) {
	for _, j := range l.file.Jobs {
		for _, s := range j.Schedules {
			if s.Text != "@reboot" && ticks(s).Next(someDay).IsZero() {
				l.refuse(finding{at: s.Position, job: j.Name,
					message: fmt.Sprintf("schedule %q of job %q never comes", s.Text, j.Name),
					detail:  "No month that it names has such a day.",
					hint:    "Write \"$\" for the last day of a month (pg_cron 1.6), or another day."})
			}
		}
	}
}
