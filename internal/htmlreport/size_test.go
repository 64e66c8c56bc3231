package htmlreport

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgretain/tests/browser"
)

// TestSize holds that the report on a hundred policies has less than 500 KB, also where each has had a bad month.
func TestSize(t *testing.T) {
	t.Parallel()
	text := badMonth(t, 100)
	if n := len(text); n > 500_000 || strings.Count(text, `<tr id="p`) != 100 {
		t.Errorf("the report has %d bytes and %d policies", n, strings.Count(text, `<tr id="p`))
	}
	t.Run("browser", func(t *testing.T) { browser.Check(t, Mark+"\n"+badMonth(t, 10)) }) // which goes from row to row by the keyboard
}

// badMonth is a report on so many policies.
func badMonth(t *testing.T, policies int) string {
	t.Helper()
	now := time.Date(2026, 11, 25, 6, 0, 0, 0, time.UTC)
	f := &found{Database: database{Name: "shop", Now: now, Zone: "UTC", ScheduleZone: "UTC"}, Backlog: map[string]backlog{}}
	for i := range policies {
		name := fmt.Sprintf("policy_of_middling_length_%03d", i)
		f.Policies = append(f.Policies, policyRow{Name: name, Table: "public." + name, Words: strings.Repeat("deletes   rows of a table with a name of some length\n", 11),
			InstalledAt: now, State: "done", Started: &now, Success: &now})
		overdue := 3 * time.Hour
		f.Backlog[name] = backlog{Due: 412, Overdue: &overdue}
		f.Tables = append(f.Tables, tableRow{Name: "public." + name, Size: "1234 MB", Live: 1e7, Dead: 1e6, Vacuumed: &now, Vacuum: "VACUUM (ANALYZE) public." + name + ";"})
		for ago := range Days {
			left := int64(ago * 1000)
			f.Days = append(f.Days, dayRow{name, "public." + name, ago, 24, int64(ago % 2), 1, 0, int64(ago * 12345), &left})
		}
		for run := range recentRuns {
			f.Runs = append(f.Runs, runRow{name, int64(1000000 + run), now, 12.5, "failed", 412, "retention_runner", strings.Repeat("long ", 200)})
		}
		if i%5 == 0 {
			f.Jobs = append(f.Jobs, jobRow{"job_" + name, []string{"*/5 * * * *"}, []string{name}, now})
			for at := now.Add(-24 * time.Hour); at.Before(now); at = at.Add(5 * time.Minute) {
				f.Lanes = append(f.Lanes, laneRow{"job_" + name, at, at.Add(20 * time.Second), false, false})
			}
		}
	}
	var text bytes.Buffer
	if err := page.Execute(&text, compose(f, nil, Options{})); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestGraph: each table is drawn once, also in circles, and keys that keep rows are not drawn.
func TestGraph(t *testing.T) {
	t.Parallel()
	g := drawGraph([]keyRow{{"a", "b", "cascade"}, {"b", "c", "cascade"}, {"c", "b", "set null"}, {"a", "c", "cascade"}, {"a", "d", "keeps"},
		{"a", "a", "cascade"}, {"x", "y", "cascade"}, {"y", "x", "cascade"}}, []tableView{{Name: "b", Taken: 1, Cascaded: 2000}})
	var names []string
	for _, n := range g.Nodes {
		names = append(names, fmt.Sprintf("%s %d %d %s", n.Name, n.X/columnStep, n.Y/rowStep, n.Rows))
	}
	want := "a 0 0 none in 30 days, b 1 0 1 taken, 2,000 by key, c 2 0 none in 30 days, x 0 1 none in 30 days, y 1 1 none in 30 days"
	if got := strings.Join(names, ", "); got != want || len(g.Edges) != 6 || !g.Nodes[0].Self || g.Nodes[1].Self {
		t.Errorf("%s, %d keys", got, len(g.Edges))
	}
	if drawGraph([]keyRow{{"a", "b", "keeps"}}, nil) != nil {
		t.Error("a graph without a key that changes rows")
	}
	var wide []keyRow
	for i := range 2 * mostNodes {
		wide = append(wide, keyRow{"a", fmt.Sprintf("b%03d", i), "cascade"})
	}
	if g := drawGraph(wide, nil); len(g.Nodes) != mostNodes || g.Left != mostNodes+1 || len(g.Edges) != mostNodes-1 {
		t.Errorf("%d tables are drawn, %d left out, %d keys", len(g.Nodes), g.Left, len(g.Edges))
	}
}
