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
)

// view is what the template shows: what was read, and what is made of it.
type view struct {
	*found
	Version, Unverified, Summary string
	Verdict                      state
	Headline                     string
	Worst                        []policyView // those that do not do their work, the first of them
	Policies                     []policyView
	Axis                         axis
	Jobs                         []jobView
	Graph                        *graph
	Tables                       []tableView
	Remarks                      []report.Finding
	Verified                     bool
}

type policyView struct {
	subject
	ID          string
	Is          state
	Does, DueBy string
	Lines       []explain.Line
	Strip       strip
	Curve       *curve
	Runs        []runRow
	Stored      string
}

type jobView struct {
	Name, When, Runs string
	Starts           int
	Median, Longest  string
	Next             string
	Lane             lane
}

type tableView struct {
	Name                     string
	Taken, Cascaded, Related int64
	Keys                     []string // where deletes lead to from here, and what keeps them
}

// compose judges what was read.
func compose(f *found, verified *Verification, opt Options) *view {
	v := &view{found: f, Version: opt.Version, Unverified: opt.Unverified, Verified: verified != nil, Remarks: remarks(f, verified)}
	v.addPolicies(v.addJobs(), verified)
	v.addTables()
	v.Graph = drawGraph(f.Keys, v.Tables)
	v.decide(verified)
	return v
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

// decide says the verdict: that of verify, and how many policies somebody has to look after.
func (v *view) decide(verified *Verification) {
	if verified == nil {
		verified = &Verification{}
	}
	v.Summary, v.Verdict = verified.Summary, verdicts[verified.Verdict]
	if len(v.Policies) == 0 {
		v.Headline = "No policy is installed."
		return
	}
	what, all := "policies", len(v.Policies)
	number := map[string]int{} // by class
	for _, p := range v.Policies {
		number[p.Is.Class]++
		if p.Is.Class == "bad" && len(v.Worst) < mostNamed {
			v.Worst = append(v.Worst, p)
		}
		if p.Report {
			what = "policies and reports"
		}
	}
	switch wrong, look := number["bad"], number["warn"]; {
	case wrong == 1:
		v.Headline = fmt.Sprintf("1 of %d %s does not do its work", all, what)
	case wrong > 0:
		v.Headline = fmt.Sprintf("%d of %d %s do not do their work", wrong, all, what)
	case look == 0:
		v.Headline = fmt.Sprintf("All %d %s do their work", all, what)
	default:
		v.Headline = fmt.Sprintf("%d of %d %s do their work", all-look, all, what)
	}
	if len(v.Worst) > 0 {
		v.Verdict.Class, v.Verdict.Sign = failing.Class, failing.Sign
	}
	if look := number["warn"]; look > 0 {
		v.Headline += fmt.Sprintf(", %d to look at", look)
	}
	v.Headline += "."
}

func (v *view) addJobs() []job {
	zone, err := time.LoadLocation(v.Database.ScheduleZone)
	if err != nil {
		zone = time.UTC
	}
	lanes := by(v.Lanes, func(l laneRow) string { return l.Job })
	now := v.Database.Now
	v.Axis = drawAxis(now)
	var jobs []job
	for _, row := range v.found.Jobs {
		j := job{row, calendar.Parse(row.Schedules, zone)}
		jobs = append(jobs, j)
		starts := lanes[row.Name]
		shown := jobView{Name: row.Name, Runs: strings.Join(row.Policies, ", "), Starts: len(starts), Lane: drawLane(row.Name, starts, now)}
		var when []string
		for _, s := range row.Schedules {
			when = append(when, cmp.Or(calendar.Words(s), s))
		}
		shown.When = strings.Join(when, "; ")
		var took []float64
		for _, s := range starts {
			took = append(took, s.To.Sub(s.From).Seconds())
		}
		if slices.Sort(took); len(took) > 0 {
			shown.Median, shown.Longest = explain.Seconds(took[(len(took)-1)/2]), explain.Seconds(took[len(took)-1])
		}
		if next := j.ticks.Next(now); !next.IsZero() {
			shown.Next = nearby(next.In(now.Location()), now)
		}
		v.Jobs = append(v.Jobs, shown)
	}
	return jobs
}

// nearby is an instant that is likely to be within a day.
func nearby(t, now time.Time) string {
	switch away := t.Sub(now).Abs(); {
	case away < 24*time.Hour:
		return t.Format("15:04")
	case away < 300*24*time.Hour:
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

func (v *view) addPolicies(jobs []job, verified *Verification) {
	days := by(v.Days, func(d dayRow) string { return d.Policy })
	runs := by(v.Runs, func(r runRow) string { return r.Policy })
	for _, row := range v.found.Policies {
		s := subject{policyRow: row, backlog: v.Backlog[row.Name], now: v.Database.Now, adopted: v.Database.AdoptedAt}
		for _, j := range jobs {
			if slices.Contains(j.Policies, row.Name) {
				s.jobs = append(s.jobs, j)
			}
		}
		if verified != nil {
			for _, x := range verified.Findings {
				if x.Policy == row.Name && x.Suppressed == nil && x.Severity == diag.Drift {
					s.Findings = append(s.Findings, x)
					s.overdue = s.overdue || x.Group == conformance
				}
			}
		}
		p := policyView{subject: s, Is: s.judge(), Lines: explain.Read(row.Words), Runs: runs[row.Name],
			Strip: drawStrip(days[row.Name], s.now), Curve: drawCurve(days[row.Name], s.backlog)}
		p.Does, p.DueBy = summary(p.Lines)
		if i := slices.IndexFunc(v.found.Tables, func(t tableRow) bool { return t.Name == row.Table }); i >= 0 {
			p.Stored = v.found.Tables[i].stored(s.now)
		}
		v.Policies = append(v.Policies, p)
	}
	slices.SortStableFunc(v.Policies, func(a, b policyView) int {
		return cmp.Or(cmp.Compare(a.Is.Rank, b.Is.Rank), -cmp.Compare(a.since(), b.since()),
			-cmp.Compare(a.Due, b.Due), cmp.Compare(a.Name, b.Name))
	})
	for i := range v.Policies {
		v.Policies[i].ID = fmt.Sprintf("p%d", i+1)
	}
}

func (b backlog) since() time.Duration {
	if b.Overdue == nil {
		return 0
	}
	return *b.Overdue
}

// addTables sums up what became of rows, by table.
func (v *view) addTables() {
	tables := map[string]*tableView{}
	of := func(name string) *tableView {
		if tables[name] == nil {
			tables[name] = &tableView{Name: name}
		}
		return tables[name]
	}
	for _, d := range v.Days {
		if d.Table != "" {
			of(d.Table).Taken += d.Taken
		}
	}
	for _, k := range v.Keys {
		action := "on delete " + k.Action
		if k.Action == "keeps" {
			action = "keeps rows"
		}
		of(k.From).Keys = append(of(k.From).Keys, k.To+" ("+action+")")
	}
	var wanting []string
	for _, t := range v.found.Tables {
		if t.Cascaded+t.Related > 0 {
			of(t.Name).Cascaded, of(t.Name).Related = t.Cascaded, t.Related
		}
		if t.Vacuum != "" {
			wanting = append(wanting, t.Vacuum)
		}
	}
	if len(wanting) > 0 {
		v.Remarks = append(v.Remarks, report.Finding{Diagnostic: diag.Diagnostic{Severity: diag.Warning,
			Message: "for a day autovacuum has not come to tables of which it waits for fewer dead rows",
			Hint:    strings.Join(wanting, "\n")}})
	}
	for _, t := range tables {
		v.Tables = append(v.Tables, *t)
	}
	slices.SortFunc(v.Tables, func(a, b tableView) int {
		return cmp.Or(-cmp.Compare(a.Taken, b.Taken), -cmp.Compare(a.Cascaded, b.Cascaded),
			-cmp.Compare(a.Related, b.Related), cmp.Compare(a.Name, b.Name))
	})
}

// stored says how large a table is, and how much of it is dead.
func (t tableRow) stored(now time.Time) string {
	if t.Size == "" {
		return ""
	}
	text := fmt.Sprintf("%s, %s rows, %s dead, ", t.Size, count(t.Live), count(t.Dead))
	if t.Vacuumed == nil {
		return text + "never vacuumed"
	}
	return text + "vacuumed " + nearby(t.Vacuumed.In(now.Location()), now)
}

// Limit is how many rows were accepted, "" where that is not said.
func (c changeRow) Limit() string {
	_, rows, _ := strings.Cut(c.Value, " ")
	return rows
}

func by[T any](list []T, key func(T) string) map[string][]T {
	groups := map[string][]T{}
	for _, x := range list {
		groups[key(x)] = append(groups[key(x)], x)
	}
	return groups
}
