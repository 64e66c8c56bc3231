package examples

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// report returns the rows of the last execution of a report.
func (e *example) report(t *testing.T, name string) []map[string]any {
	t.Helper()
	return pgtest.Value[[]map[string]any](t, e.conn,
		"SELECT rows FROM retention.report WHERE name = $1 ORDER BY id DESC LIMIT 1", name)
}

// reports checks that the statistics equal the document's query, that aggressive settings raise an
// alert, and that nothing else changes.
func (e *example) reports(t *testing.T) {
	for _, asOf := range instants {
		e.fillMutualAid(t, asOf)
		before := e.content(t)
		e.runJob(t, "decay_report", asOf)
		e.wantStatistics(t, asOf)
		e.wantAggressiveSettings(t)
		e.onlyChanged(t, before, "retention.event")
	}
	e.fill(t, "INSERT INTO communities.communities VALUES (gen_random_uuid(), 'alone')", instants[0])
	e.runJob(t, "decay_report", instants[0])
	if rows := e.report(t, "decay_statistics"); len(rows) != 0 {
		t.Errorf("a community without members: %v", rows)
	}
	if n := pgtest.Value[int](t, e.conn, "SELECT count(*) FROM retention.event"); n != 0 {
		t.Errorf("%d events where nothing is aggressive", n)
	}
}

func (e *example) wantStatistics(t *testing.T, asOf string) {
	t.Helper()
	type row struct {
		Name   string
		Months *float64
	}
	want := collect[row](t, e, withAsOf(`
		SELECT c.name,
			AVG(EXTRACT(EPOCH FROM (:as_of - ts.last_activity_at)) / (30.44 * 24 * 60 * 60))::float8
				as avg_months_inactive
		FROM communities.communities c JOIN reputation.trust_scores ts ON c.id = ts.community_id
			GROUP BY c.name ORDER BY avg_months_inactive DESC NULLS LAST, c.name`, asOf))
	got := e.report(t, "decay_statistics")
	if len(want) == 0 || len(got) != len(want) {
		t.Fatalf("the report has %d rows, want %d", len(got), len(want))
	}
	for i, w := range want {
		months, told := got[i]["avg_months_inactive"].(float64)
		if got[i]["community"] != w.Name || told != (w.Months != nil) || told && math.Abs(months-*w.Months) > 0.00501 {
			t.Errorf("row %d is %v, want %v", i, got[i], w)
		}
	}
}

// wantAggressiveSettings checks for communities 1 and 2, whose requests live for 25 and 30 days,
// and for communities whose karma halves in less than 6 months.
func (e *example) wantAggressiveSettings(t *testing.T) {
	t.Helper()
	var got []string
	for _, row := range e.report(t, "aggressive_settings") {
		id := fmt.Sprint(row["community_id"])
		got = append(got, id[len(id)-1:])
	}
	want := []string{"1", "2", "4", "7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("aggressive settings (-want +got):\n%s", diff)
	}
	alerts := pgtest.Column[string](t, e.conn,
		"SELECT policy || ' ' || (payload ->> 'alerts') FROM retention.event WHERE event = 'report_alert'")
	if diff := cmp.Diff([]string{"aggressive_settings 4"}, alerts); diff != "" {
		t.Error(diff)
	}
}
