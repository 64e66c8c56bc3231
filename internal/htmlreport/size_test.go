package htmlreport

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgretain/tests/browser"
)

// TestSize checks that a report on 100 policies has less than 500 KB, even if each policy had many
// failed runs. A browser must be able to use the report by keyboard alone.
func TestSize(t *testing.T) {
	t.Parallel()
	text := badMonth(t, 100)
	if n := len(text); n > 500_000 || strings.Count(text, `<tr id="p`) != 100 {
		t.Errorf("the report has %d bytes and %d policies", n, strings.Count(text, `<tr id="p`))
	}
	// checks the keyboard, among others
	t.Run("browser", func(t *testing.T) { browser.Check(t, badMonth(t, 10)) })
}

// badMonth returns a report on policies that each failed on 15 of the last 30 days.
func badMonth(t *testing.T, policies int) string {
	t.Helper()
	now := time.Date(2026, 11, 25, 6, 0, 0, 0, time.UTC)
	f := &found{Database: database{Name: "shop", Now: now, Zone: "UTC", ScheduleZone: "UTC"},
		backlog: map[string]backlog{}, Read: map[string][]row{}}
	add := func(query string, r row) { f.Read[query] = append(f.Read[query], r) }
	for i := range policies {
		name := fmt.Sprintf("policy_of_middling_length_%03d", i)
		f.policies = append(f.policies, policyRow{Name: name, Table: "public." + name,
			Words: "deletes   rows of a table with a name of some length\n" +
				strings.Repeat("keeps     rows of a table with a name of some length\n", 10),
			InstalledAt: now, State: "done", Started: &now, Success: &now})
		overdue := 3 * time.Hour
		f.backlog[name] = backlog{Due: 412, Overdue: &overdue}
		add("tables", row{"name": "public." + name, "taken": int64(12345), "cascaded": int64(0), "related": int64(0),
			"keys": nil, "size": "1234 MB", "live": int64(1e7), "dead": int64(1e6), "vacuumed": now,
			"vacuum": "VACUUM (ANALYZE) public." + name + ";"})
		add("days", row{"policy": name, "runs": int64(720), "days": int64(30), "taken": int64(12345),
			"bad":      strings.Repeat("12 Oct, ", 15),
			"ran":      strings.Repeat("M123 21v-12", 30),
			"wrong":    strings.Repeat("M123 1l4 4m0-4l-4 4", 15),
			"rest":     strings.Repeat("M123 3h4", 15),
			"remained": int64(12345),
			"area":     "M4 58" + strings.Repeat("L123 45", 30)})
		for run := range 3 {
			add("recent", row{"policy": name, "id": int64(1000000 + run), "started_at": now, "took": 12.5,
				"state": "failed", "taken": int64(412), "role": "retention_runner",
				"message": strings.Repeat("long ", 200)})
		}
		if i%5 == 0 {
			f.jobs = append(f.jobs, jobRow{"job_" + name, []string{"*/5 * * * *"}, []string{name}, now})
			add("lanes", row{"job": "job_" + name, "starts": int64(288), "median": 12.5, "longest": 20.0,
				"bad": int64(0), "busy": int64(0), "well": strings.Repeat("M123 9h1", 288),
				"wrong": nil, "taken": nil})
		}
	}
	var text bytes.Buffer
	if err := page.Execute(&text, compose(f, nil, Options{})); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
