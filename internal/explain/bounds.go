package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgretain/internal/calendar"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// limit is one bound.
type limit struct {
	key string
	say func(*policy.Policy) string
}

// limits are the bounds of batches and runs.
var limits = []limit{
	{"batch", batch},
	{"waits", func(p *policy.Policy) string {
		return "at most " + Duration(max(p.Batch.LockTimeout, time.Millisecond)) + " for a lock"
	}},
	{"run", budget}, {"breaker", breaker}, {"busy", busy},
}

// bounds are the lines of all bounds. Those that hold by default are extra.
func bounds(p *policy.Policy) []Line {
	usual := policy.Default()
	usual.Partitions, usual.Then = p.Partitions, p.Then
	p, usual = p.Bounded(), usual.Bounded()
	return each(limits, func(l limit) Line {
		text := l.say(p)
		return Line{l.key, text, text == l.say(usual)}
	})
}

func batch(p *policy.Policy) string {
	text := counted(p, int64(p.Batch.Rows))
	if p.Batch.Time > 0 {
		text = "sized for " + Duration(p.Batch.Time) + ", at most " + text
	}
	if p.Batch.Whole {
		text += "; all of it or, where a row causes an error, none, and the run ends"
	}
	return text
}

func budget(p *policy.Policy) string {
	var ends []string
	if p.Budget.Rows > 0 {
		ends = append(ends, counted(p, p.Budget.Rows))
	}
	if p.Budget.Time > 0 {
		ends = append(ends, Duration(p.Budget.Time))
	}
	if len(ends) == 0 {
		return "ends when nothing is due"
	}
	return "ends after " + strings.Join(ends, " or ") + "; the next one goes on"
}

func breaker(p *policy.Policy) string {
	text := "trips if more than " + counted(p, p.Breaker.Rows) + " are due"
	if p.Breaker.Fraction > 0 && p.Breaker.Fraction < 1 {
		text += ", or more than " + percent(p.Breaker.Fraction) + " of a table of 10,000 rows or more"
	}
	return text
}

func busy(p *policy.Policy) string {
	text := "at work for at most " + percent(p.Throttle.Busy) + " of the time"
	t, waits := p.Throttle, []string(nil)
	if t.WALRate > 0 {
		text += ", writes at most " + t.WALRate.String() + " of WAL"
	}
	if t.ReplicaLag > 0 {
		waits = append(waits, "a replica lags by more than "+Duration(t.ReplicaLag))
	}
	if t.PendingArchival > 0 {
		waits = append(waits, "more than "+Number(t.PendingArchival)+" files of WAL are to be archived")
	}
	if len(waits) > 0 {
		text += "; waits while " + strings.Join(waits, ", or ")
	}
	return text
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + "%" }

// counted is a number of what the policy is about.
func counted(p *policy.Policy, n int64) string { return Count(n, subject{Policy: p}.unit()) }

// Count counts things, as in "1 policy" and "2,000 policies".
func Count[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
	case thing == "policy":
		thing = "policies"
	default:
		thing += "s"
	}
	return Number(int64(n)) + " " + thing
}

// Number has a comma between thousands.
func Number(n int64) string {
	if n < 0 {
		return "-" + Number(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Seconds writes how long something took.
func Seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 60:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// Duration is in words, in the greatest units that divide it.
func Duration(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}, {time.Millisecond, "ms"}} {
		n := int64(d / unit.of)
		switch {
		case d%unit.of != 0 || n == 0:
		case n == 1 || unit.name == "ms":
			return fmt.Sprintf("%d %s", n, unit.name)
		default:
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}

// Job is when a job runs, and what.
func Job(j *policy.Job) []Line {
	schedules := each(j.Schedules, func(s policy.Schedule) string {
		if said := calendar.Words(s.Text); said != "" {
			return said + " (" + s.Text + ")"
		}
		return "by " + s.Text
	})
	text := strings.Join(schedules, " and ") + ", in job " + j.Name
	if len(j.Run) > 1 {
		text += ": " + strings.Join(each(j.Run, func(r policy.Reference) string { return r.Name }), ", then ")
	}
	if j.Strict && len(j.Run) > 1 {
		text += ", each if those before it ended done"
	}
	if len(j.Scope) > 0 {
		text += "; rows with " + assignments(j.Scope) + " only"
	}
	if j.Description != "" {
		text += ". " + j.Description
	}
	return []Line{{Key: "runs", Text: oneLine(text)}}
}

// Install is what holds for all policies of a file.
func Install(f *policy.File) []Line {
	in := f.Install
	lines := texts("names", "t is the row, as_of the instant of the run; a condition that is NULL lets no row go")
	lines = append(lines, texts("zone", "days and months are those of "+in.TimeZone)...)
	lines = append(lines, texts("path", "names in SQL are looked up in "+quote.Idents(in.SearchPath))...)
	lines = append(lines, texts("schema", quote.Ident(in.Schema))...)
	lines = append(lines, texts("roles", roles(in.Roles))...)
	if len(in.Trust) > 0 {
		lines = append(lines, texts("trusts", "code of "+list(each(in.Trust, name)))...)
	}
	lines = append(lines, texts("jobs", scheduler(in))...)
	if len(f.Protect) > 0 {
		lines = append(lines, texts("protects", "every row of "+list(each(f.Protect, table)))...)
	}
	if c := f.Coverage; c != nil {
		lines = append(lines, texts("covers", coverage(c))...)
	}
	return append(lines, texts("accepts", each(f.Suppress, suppression)...)...)
}

func roles(r policy.Roles) string {
	if r.None {
		return "none: one role does everything"
	}
	return fmt.Sprintf("%s owns the runtime, %s evaluates policies, %s runs jobs, %s operates, %s looks",
		r.Owner, r.Worker, r.Runner, r.Operator, r.Viewer)
}

func scheduler(in policy.Install) string {
	call := quote.Ident(in.Schema) + ".run_job()"
	switch {
	case in.Scheduler != "pg_cron":
		return "are run by what calls " + call
	case in.CronElsewhere():
		return "are run by pg_cron of database " + in.CronDatabase + ", in GMT unless cron.timezone says otherwise"
	}
	return "are run by pg_cron, in GMT unless cron.timezone says otherwise"
}

func coverage(c *policy.Coverage) string {
	text := "every table of schema " + list(each(c.Schemas, name)) + " has a policy or is protected"
	exempt := each(c.Exempt, func(e policy.Exemption) string {
		return strings.TrimSuffix(table(e.Table)+" ("+e.Reason+")", " ()")
	})
	if len(exempt) > 0 {
		text += ", but for " + list(exempt)
	}
	return text
}

func suppression(s policy.Suppression) string {
	about := slices.DeleteFunc([]string{s.Policy, s.Object}, func(text string) bool { return text == "" })
	if s.Table != nil {
		about = append(about, table(*s.Table))
	}
	text := s.Check
	if len(about) > 0 {
		text += " on " + about[0]
	}
	return text + " until " + s.Until + ": " + s.Reason
}
