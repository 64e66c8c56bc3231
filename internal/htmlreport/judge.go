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

// state is the state of a policy in the report.
type state struct {
	Word, Class, Sign string // Class is bad, warn or ok; Sign is a symbol with the same meaning
	is                func(subject) bool
}

// states lists the states, the worst first. A policy has the first state that applies.
var states = []state{
	{"failing", "bad", "✕", func(s subject) bool { return s.State == "failed" || s.State == "abandoned" }},
	{"tripped", "bad", "✕", func(s subject) bool { return s.State == "tripped" }},
	{"behind", "bad", "▲", func(s subject) bool { return s.Paused == "" && s.isBehind() }},
	{"late", "bad", "▲", func(s subject) bool { return s.Paused == "" && s.State != "running" && s.isLate() }},
	{"paused", "warn", "‖", func(s subject) bool { return s.Paused != "" }},
	{"unknown", "warn", "?", func(s subject) bool { return s.Unknown != "" }},
	{"drift", "warn", "≠", func(s subject) bool { return len(s.Findings) > 0 }},
	{"look", "warn", "!", func(s subject) bool { return s.Refused > 0 }},
	{"stopped", "warn", "■", func(s subject) bool { return s.State == "stopped" }},
	{"no schedule", "warn", "–", func(s subject) bool { return len(s.jobs) == 0 }},
	{"not yet run", "ok", "…", func(s subject) bool { return s.State == "" }},
	{"running", "ok", "▶", func(s subject) bool { return s.State == "running" }},
	{"fine", "ok", "✓", func(subject) bool { return true }},
}

// subject is the data of one policy in the report.
type subject struct {
	policyRow
	backlog
	ID           string // id of the policy's section in the page
	rank         int    // index of the policy's state in states
	jobs         []job
	Findings     []report.Finding // drift that verify found
	overdue      bool             // verify found rows that should have been taken
	now          time.Time
	adopted      time.Time // when the database was adopted
	Lines        []explain.Line
	Strip, Table row // rows for the days and for the tables
	Runs         []row
}

// job is a job with its start times.
type job struct {
	jobRow
	now   time.Time
	ticks calendar.Ticks
	Lane  row // row of the chart of jobs
}

// When returns the schedules of the job.
func (j job) When() string {
	return strings.Join(j.Schedules, "; ")
}

// Next returns when the job starts next, or the zero time for never.
func (j job) Next() time.Time { return j.ticks.Next(j.now).In(j.now.Location()) }

// Next returns when a job of the policy starts next.
func (s subject) Next() time.Time { return calendar.Earliest(s.jobs, job.Next) }

// Deadline returns the time by which rows that were due at the time "from" must be taken. It is the
// second start after "from" plus the time budget, so that one start may be missed. For a newer
// policy or job it counts from the first possible run. verify uses the same rule.
func (s subject) Deadline(from time.Time) time.Time {
	return calendar.Earliest(s.jobs, func(j job) time.Time {
		begun := slices.MaxFunc([]time.Time{from, s.InstalledAt, j.InstalledAt, s.adopted}, time.Time.Compare)
		return j.ticks.Deadline(begun, time.Duration(s.Budget*float64(time.Second)))
	})
}

// missed reports whether the deadline has passed.
func (s subject) missed(from time.Time) bool {
	end := s.Deadline(from)
	return !end.IsZero() && end.Before(s.now)
}

// InOrder returns the time of the last success. If no run has succeeded, it returns the time of the
// installation.
func (s subject) InOrder() time.Time {
	if s.Success != nil {
		return *s.Success
	}
	return s.InstalledAt
}

func (s subject) isLate() bool { return s.missed(s.InOrder()) }

// isBehind reports whether due rows should already have been taken. If the last run was in time and
// left no due row, the rows that are due at present became due by a condition or a rank, not by
// age. Then the policy is behind only if verify found overdue rows.
func (s subject) isBehind() bool {
	if s.Overdue == nil || !s.missed(s.DueSince()) {
		return false
	}
	return s.overdue || s.State != "done" || s.Refused > 0 || s.isLate()
}

// The method Is returns the state of the policy.
func (s subject) Is() state { return states[s.rank] }

// judge returns the index of the policy's state in states.
func (s subject) judge() int {
	return slices.IndexFunc(states, func(is state) bool { return is.is(s) })
}

// since returns how long a row has been due, or 0 if it did not become due by time.
func (b backlog) since() time.Duration {
	if b.Overdue == nil {
		return 0
	}
	return *b.Overdue
}

// DueSince returns the latest time at which the first due row can have become due.
func (s subject) DueSince() time.Time { return s.now.Add(-*s.Overdue) }

// Dated returns a time with its age in words.
func (s subject) Dated(t time.Time) string { return at(t) + " (" + ago(s.now.Sub(t)) + " ago)" }

// told lists the keys of the lines that a summary uses. They say what a policy does, with which
// rows, and when.
var told = strings.Fields("deletes updates changes reads drops detaches asks where due or")

// Summary describes the policy in one sentence.
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
	diag.Warning: "warn", diag.Unknown: "warn", diag.Undecided: "ok", diag.Info: "ok"}

// remarks lists the findings of verify, without suppressed ones. Without verify it lists the
// messages of the runtime.
func remarks(f *found, v *verifier.Report) (list []report.Finding) {
	if v == nil {
		for _, h := range f.Read["health"] {
			list = append(list, report.Finding{Diagnostic: diag.Diagnostic{Severity: diag.Severity(h["severity"].(string)),
				Policy: h["policy"].(string), Message: h["problem"].(string), Hint: h["hint"].(string)}})
		}
		return list
	}
	for _, severity := range []diag.Severity{diag.Drift, diag.Unknown, diag.Undecided, diag.Info} {
		for _, x := range v.Findings {
			if x.Suppressed == nil && x.Severity == severity {
				list = append(list, x)
			}
		}
	}
	return list
}

// view is the data of the template: the data from the database, and values that are computed from
// it.
type view struct {
	*found
	Options
	Verified *verifier.Report
	Verdict  state
	Number   map[string]int // number of policies by the class of their state
	Reports  bool           // the list of policies includes reports
	Worst    []subject      // the first of the policies in a bad state
	Policies []subject
	Jobs     []job
	Remarks  []report.Finding
	Vacuum   string // statements to execute for tables that need VACUUM
}

// mostNamed is the maximum number of policies that the verdict names.
const mostNamed = 5

// conformance is the group of the checks of verify that read rows.
const conformance = "conformance"

// verdicts maps the verdicts of verify to states. Verdict "" means that verify did not run.
var verdicts = map[verifier.Verdict]state{
	"conforms": {Word: "Conforms", Class: "ok", Sign: "✓"}, "drift": {Word: "Drift", Class: "bad", Sign: "✕"},
	"unknown": {Word: "Unknown", Class: "warn", Sign: "?"}, "": {Word: "Not verified", Class: "warn", Sign: "?"},
}

// compose computes the view from what was read.
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

// addPolicies adds the policies with their states, the worst first.
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

// only returns the row of a group that has at most one row.
func only(group []row) row {
	if len(group) == 0 {
		return nil
	}
	return group[0]
}
