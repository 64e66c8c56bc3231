package htmlreport

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/report"
)

// view is what the template shows.
type view struct {
	Database                     database
	Version, Unverified, Summary string
	Verdict                      state
	Headline                     string
	Worst                        []policyView // those that do not do their work, the first of them
	Unread                       []string
	Policies                     []policyView
	Axis                         axis
	Jobs                         []jobView
	Overlaps                     []overlapRow
	Graph                        *graph
	Tables                       []tableView
	Remarks                      []report.Finding
	Verified                     bool
	Holds                        []holdRow
	Changes                      []changeRow
	Most                         int // of the lists of people
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
	Keys                     string // where deletes lead to from here, and what keeps them
}

// compose judges what was read.
func compose(f *found, verified *Verification, opt Options) *view {
	v := &view{Database: f.Database, Version: opt.Version, Unverified: opt.Unverified,
		Unread: f.Unread, Verified: verified != nil,
		Overlaps: f.Overlaps, Holds: f.Holds, Changes: f.Changes, Remarks: remarks(f, verified), Most: peopleLimit}
	jobs := v.addJobs(f)
	v.addPolicies(f, jobs, verified)
	v.addTables(f)
	v.Graph = drawGraph(f.Keys, v.Tables)
	v.decide(verified)
	return v
}

// mostNamed is how many policies the verdict names.
const mostNamed = 5

// conformance is the group of the checks of verify that look at rows.
const conformance = "conformance"

// decide says the verdict: that of verify, and how many policies somebody has to look after.
func (v *view) decide(verified *Verification) {
	var wrong, look int
	what := "policies"
	for _, p := range v.Policies {
		switch {
		case p.Is.Class == "bad":
			wrong++
			if len(v.Worst) < mostNamed {
				v.Worst = append(v.Worst, p)
			}
		case p.Is.Class == "warn":
			look++
		}
		if p.Report {
			what = "policies and reports"
		}
	}
	v.Verdict = state{Word: "Not verified", Class: "warn", Sign: "?"}
	if verified != nil {
		v.Summary = verified.Summary
		switch verified.Verdict {
		case "conforms":
			v.Verdict = state{Word: "Conforms", Class: "ok", Sign: "✓"}
		case "drift":
			v.Verdict = state{Word: "Drift", Class: "bad", Sign: "✕"}
		default:
			v.Verdict = state{Word: "Unknown", Class: "warn", Sign: "?"}
		}
	}
	switch {
	case len(v.Policies) == 0:
		v.Headline = "No policy is installed."
	case wrong > 0:
		v.Headline = fmt.Sprintf("%d of %d %s do not do their work", wrong, len(v.Policies), what)
		if wrong == 1 {
			v.Headline = fmt.Sprintf("1 of %d %s does not do its work", len(v.Policies), what)
		}
	case look == 0:
		v.Headline = fmt.Sprintf("All %d %s do their work", len(v.Policies), what)
	default:
		v.Headline = fmt.Sprintf("%d of %d %s do their work", len(v.Policies)-look, len(v.Policies), what)
	}
	if wrong > 0 && v.Verdict.Class != "bad" {
		v.Verdict.Class, v.Verdict.Sign = "bad", "✕"
	}
	if look > 0 && len(v.Policies) > 0 {
		v.Headline += fmt.Sprintf(", %d to look at", look)
	}
	if len(v.Policies) > 0 {
		v.Headline += "."
	}
}

func (v *view) addJobs(f *found) []job {
	zone, err := time.LoadLocation(f.Database.ScheduleZone)
	if err != nil {
		zone = time.UTC
	}
	lanes := by(f.Lanes, func(l laneRow) string { return l.Job })
	now := f.Database.Now
	v.Axis = drawAxis(now)
	var jobs []job
	for _, row := range f.Jobs {
		j := job{row, calendar.Parse(row.Schedules, zone)}
		jobs = append(jobs, j)
		starts := lanes[row.Name]
		shown := jobView{Name: row.Name, Runs: strings.Join(row.Policies, ", "), Starts: len(starts),
			Lane: drawLane(row.Name, starts, now)}
		var when []string
		for _, s := range row.Schedules {
			when = append(when, cmp.Or(calendar.Words(s), s))
		}
		shown.When = strings.Join(when, "; ")
		if len(starts) > 0 {
			var took []float64
			for _, s := range starts {
				took = append(took, s.To.Sub(s.From).Seconds())
			}
			slices.Sort(took)
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

func (v *view) addPolicies(f *found, jobs []job, verified *Verification) {
	days := by(f.Days, func(d dayRow) string { return d.Policy })
	runs := by(f.Runs, func(r runRow) string { return r.Policy })
	for _, row := range f.Policies {
		s := subject{policyRow: row, backlog: f.Backlog[row.Name], now: f.Database.Now, adopted: f.Database.AdoptedAt}
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
		if i := slices.IndexFunc(f.Tables, func(t tableRow) bool { return t.Name == row.Table }); i >= 0 {
			p.Stored = f.Tables[i].stored(s.now)
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

func (v *view) addTables(f *found) {
	led := map[string][]string{}
	taken := map[string]int64{}
	for _, d := range f.Days {
		if d.Table != "" {
			taken[d.Table] += d.Taken
		}
	}
	for _, k := range f.Keys {
		action := "on delete " + k.Action
		if k.Action == "keeps" {
			action = "keeps rows"
		}
		led[k.From] = append(led[k.From], k.To+" ("+action+")")
	}
	others := map[string]tableRow{}
	var wanting []string
	for _, t := range f.Tables {
		if t.Cascaded+t.Related > 0 {
			others[t.Name] = t
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
	names := slices.Collect(maps.Keys(led))
	names = slices.AppendSeq(slices.AppendSeq(names, maps.Keys(taken)), maps.Keys(others))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		other := others[name]
		v.Tables = append(v.Tables, tableView{name, taken[name], other.Cascaded, other.Related, strings.Join(led[name], ", ")})
	}
	slices.SortStableFunc(v.Tables, func(a, b tableView) int {
		return cmp.Or(-cmp.Compare(a.Taken, b.Taken), -cmp.Compare(a.Cascaded, b.Cascaded),
			-cmp.Compare(a.Related, b.Related))
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
