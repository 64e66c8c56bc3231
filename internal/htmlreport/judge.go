package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/report"
	"pgretain/verifier"
)

// state is how a policy stands.
type state struct {
	Word, Class, Sign string // Class: bad, warn or ok; Sign says the same without a colour
	is                func(subject) bool
}

// states are in the order of the report, the worst first; of those that are so the first counts.
var states = []state{
	{"failing", "bad", "✕", func(s subject) bool { return s.State == "failed" || s.State == "abandoned" }},
	{"tripped", "bad", "✕", func(s subject) bool { return s.State == "tripped" }},
	{"behind", "bad", "▲", func(s subject) bool { return s.Paused == "" && s.isBehind() }},
	{"late", "bad", "▲", func(s subject) bool { return s.Paused == "" && s.State != "running" && s.isLate() }},
	{"paused", "warn", "‖", func(s subject) bool { return s.Paused != "" }},
	{"unknown", "warn", "?", func(s subject) bool { return s.Unknown != "" }},
	{"drift", "warn", "≠", func(s subject) bool { return len(s.Findings) > 0 }},
	{"look", "warn", "!", func(s subject) bool { return s.Refused > 0 }},
	{"no schedule", "warn", "–", func(s subject) bool { return len(s.jobs) == 0 }},
	{"not yet run", "ok", "…", func(s subject) bool { return s.State == "" }},
	{"running", "ok", "▶", func(s subject) bool { return s.State == "running" }},
	{"fine", "ok", "✓", func(subject) bool { return true }},
}

// subject is all that is known about one policy.
type subject struct {
	policyRow
	backlog
	ID           string // on the page
	rank         int    // how it stands: a place in states
	jobs         []job
	Findings     []report.Finding // drift that verify found
	overdue      bool             // it found rows that should be gone
	now          time.Time
	adopted      time.Time // the database
	Lines        []explain.Line
	Strip, Table row // of days and of tables
	Runs         []row
}

// job is a job with its instants.
type job struct {
	jobRow
	now   time.Time
	ticks calendar.Ticks
	Lane  row // of lanes
}

// When are its schedules.
func (j job) When() string {
	return strings.Join(j.Schedules, "; ")
}

// Next is when it starts the next time; zero for never.
func (j job) Next() time.Time { return j.ticks.Next(j.now).In(j.now.Location()) }

// Next is when a job of the policy starts the next time.
func (s subject) Next() time.Time { return calendar.Earliest(s.jobs, job.Next) }

// Deadline is when what was due at an instant must be gone: at the second start from there, so that one may be missed,
// and after the time that a run may take; where the policy or its job is younger, from when it could run. That is what
// verify uses.
func (s subject) Deadline(from time.Time) time.Time {
	return calendar.Earliest(s.jobs, func(j job) time.Time {
		begun := slices.MaxFunc([]time.Time{from, s.InstalledAt, j.InstalledAt, s.adopted}, time.Time.Compare)
		return j.ticks.Deadline(begun, time.Duration(s.Budget*float64(time.Second)))
	})
}

// missed says whether that is over.
func (s subject) missed(from time.Time) bool {
	end := s.Deadline(from)
	return !end.IsZero() && end.Before(s.now)
}

// InOrder is when the policy last was in order: its last success, or when it was installed.
func (s subject) InOrder() time.Time {
	if s.Success != nil {
		return *s.Success
	}
	return s.InstalledAt
}

func (s subject) isLate() bool { return s.missed(s.InOrder()) }

// isBehind says whether rows are due that should be gone. After a run that left nothing, and in time, what is due came
// to be so by a condition or a place among others, unless verify says otherwise.
func (s subject) isBehind() bool {
	if s.Overdue == nil || !s.missed(s.DueSince()) {
		return false
	}
	return s.overdue || s.State != "done" || s.Refused > 0 || s.isLate()
}

// Is says how a policy stands.
func (s subject) Is() state { return states[s.rank] }

// judge is its place in states.
func (s subject) judge() int {
	return slices.IndexFunc(states, func(is state) bool { return is.is(s) })
}

// since is how long a row has been due, 0 where that is not by time.
func (b backlog) since() time.Duration {
	if b.Overdue == nil {
		return 0
	}
	return *b.Overdue
}

// DueSince is when a row came to be due, or before.
func (s subject) DueSince() time.Time { return s.now.Add(-*s.Overdue) }

// Dated is an instant, and how long ago it was.
func (s subject) Dated(t time.Time) string { return at(t) + " (" + ago(s.now.Sub(t)) + " ago)" }

// told lists the keys of the lines that say what a policy does, with which rows, and when.
var told = strings.Fields("deletes updates changes reads drops detaches asks where due or")

// Summary is a policy in one sentence.
func (s subject) Summary() string {
	var texts []string
	for _, l := range s.Lines {
		if slices.Contains(told, l.Key) {
			texts = append(texts, l.Key+" "+shortened(120, l.Text))
		}
	}
	return strings.Join(texts, "; ")
}

var classes = map[diag.Severity]string{diag.Error: "bad", diag.Drift: "bad",
	diag.Warning: "warn", diag.Unknown: "warn", diag.Info: "ok"}

// remarks are what verify found, without what the policy file suppresses; or, without verify, what the runtime says.
func remarks(f *found, v *verifier.Report) (list []report.Finding) {
	if v == nil {
		for _, h := range f.Read["health"] {
			list = append(list, report.Finding{Diagnostic: diag.Diagnostic{Severity: diag.Severity(h["severity"].(string)),
				Policy: h["policy"].(string), Message: h["problem"].(string), Hint: h["hint"].(string)}})
		}
		return list
	}
	for _, severity := range []diag.Severity{diag.Drift, diag.Unknown, diag.Info} {
		for _, x := range v.Findings {
			if x.Suppressed == nil && x.Severity == severity {
				list = append(list, x)
			}
		}
	}
	return list
}

// view is what the template shows: what was read, and what is made of it.
type view struct {
	*found
	Options
	Verified *verifier.Report
	Verdict  state
	Number   map[string]int // of policies, by the class of their state
	Reports  bool           // some are reports
	Worst    []subject      // those that do not do their work, the first of them
	Policies []subject
	Jobs     []job
	Remarks  []report.Finding
	Vacuum   string // the statements that tables want
}

// mostNamed is how many policies the verdict names.
const mostNamed = 5

// conformance is the group of the checks of verify that look at rows.
const conformance = "conformance"

// verdicts are those of verify, "" where it was not asked.
var verdicts = map[verifier.Verdict]state{
	"conforms": {Word: "Conforms", Class: "ok", Sign: "✓"}, "drift": {Word: "Drift", Class: "bad", Sign: "✕"},
	"unknown": {Word: "Unknown", Class: "warn", Sign: "?"}, "": {Word: "Not verified", Class: "warn", Sign: "?"},
}

// compose judges what was read.
func compose(f *found, verified *verifier.Report, opt Options) *view {
	v := &view{found: f, Options: opt, Verified: verified, Verdict: verdicts[""], Number: map[string]int{}}
	if verified != nil {
		v.Verdict = verdicts[verified.Verdict()]
	}
	v.Remarks = remarks(f, verified)
	lanes, zone := by(f.Read["lanes"], "job"), location(f.Database.ScheduleZone)
	for _, row := range f.jobs {
		j := job{row, f.Database.Now, calendar.Parse(row.Schedules, zone), only(lanes[row.Name])}
		v.Jobs = append(v.Jobs, j)
	}
	v.addPolicies()
	for i := range v.Policies {
		p := &v.Policies[i]
		p.ID = fmt.Sprintf("p%d", i+1)
		v.Number[p.Is().Class]++
		v.Reports = v.Reports || p.Report
		if p.Is().Class == "bad" && i < mostNamed {
			v.Worst = append(v.Worst, *p)
			v.Verdict.Class, v.Verdict.Sign = states[0].Class, states[0].Sign
		}
	}
	var wanting []string
	for _, t := range f.Read["tables"] {
		if statement, ok := t["vacuum"].(string); ok {
			wanting = append(wanting, statement)
		}
	}
	v.Vacuum = strings.Join(wanting, "\n")
	return v
}

// addPolicies judges the policies, the worst first.
func (v *view) addPolicies() {
	days, runs, tables := by(v.Read["days"], "policy"), by(v.Read["recent"], "policy"), by(v.Read["tables"], "name")
	for _, p := range v.policies {
		s := subject{policyRow: p, backlog: v.backlog[p.Name], now: v.Database.Now, adopted: v.Database.AdoptedAt,
			Lines: explain.Read(p.Words),
			Strip: only(days[p.Name]), Runs: runs[p.Name], Table: only(tables[p.Table])}
		for _, j := range v.Jobs {
			if slices.Contains(j.Policies, p.Name) {
				s.jobs = append(s.jobs, j)
			}
		}
		if v.Verified != nil {
			for _, x := range v.Verified.Findings {
				if x.Policy == p.Name && x.Suppressed == nil && x.Severity == diag.Drift {
					s.Findings = append(s.Findings, x)
					s.overdue = s.overdue || x.Group == conformance
				}
			}
		}
		s.rank = s.judge()
		v.Policies = append(v.Policies, s)
	}
	slices.SortStableFunc(v.Policies, func(a, b subject) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.since(), a.since()),
			cmp.Compare(b.Due, a.Due), cmp.Compare(a.Name, b.Name))
	})
}

// by groups rows by the text in a column.
func by(list []row, column string) map[string][]row {
	groups := map[string][]row{}
	for _, r := range list {
		key := r[column].(string)
		groups[key] = append(groups[key], r)
	}
	return groups
}

// only is the row of a group that has no more than one.
func only(group []row) row {
	if len(group) == 0 {
		return nil
	}
	return group[0]
}
