package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/report"
)

// view is what the template shows: what was read, and what is made of it.
type view struct {
	*found
	Options
	Verified *Verification
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
var verdicts = map[string]state{
	"conforms": {Word: "Conforms", Class: "ok", Sign: "✓"}, "drift": {Word: "Drift", Class: "bad", Sign: "✕"},
	"unknown": {Word: "Unknown", Class: "warn", Sign: "?"}, "": {Word: "Not verified", Class: "warn", Sign: "?"},
}

// compose judges what was read.
func compose(f *found, verified *Verification, opt Options) *view {
	v := &view{found: f, Options: opt, Verified: verified, Verdict: verdicts[""], Number: map[string]int{}}
	if verified != nil {
		v.Verdict = verdicts[verified.Verdict]
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
		v.Number[p.Is.Class]++
		v.Reports = v.Reports || p.Report
		if p.Is.Class == "bad" && i < mostNamed {
			v.Worst = append(v.Worst, *p)
			v.Verdict.Class, v.Verdict.Sign = failing.Class, failing.Sign
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
		s.Is = s.judge()
		v.Policies = append(v.Policies, s)
	}
	slices.SortStableFunc(v.Policies, func(a, b subject) int {
		return cmp.Or(cmp.Compare(a.Is.Rank, b.Is.Rank), cmp.Compare(b.since(), a.since()),
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
