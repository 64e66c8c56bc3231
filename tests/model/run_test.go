package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// schema returns the SQL that creates and fills the tables of all scenarios.
func schema(all []*scenario) string {
	var sql strings.Builder
	sql.WriteString("SET TimeZone = 'UTC'; CREATE SCHEMA app;\n")
	for _, s := range all {
		for _, t := range s.tableSet.tables() {
			sql.WriteString(t.create())
			sql.WriteString(t.insert(s.data[t]))
		}
	}
	return sql.String()
}

func yaml(all []*scenario) string {
	text := fmt.Sprintf("version: 1\ninstall: {scheduler: none, time_zone: %s}\npolicies:\n", all[0].zone)
	jobs := ""
	for _, s := range all {
		text += s.policy.yaml()
		for _, j := range s.policy.jobs {
			jobs += j.yaml(s.policy)
		}
	}
	if jobs != "" {
		text += "jobs:\n" + jobs
	}
	return text
}

// install creates a database with the tables and policies of the scenarios.
func install(t testing.TB, all []*scenario) *kit.Installed {
	t.Helper()
	in := kit.Install(t, schema(all), yaml(all))
	in.Exec(t, "SET TimeZone = 'UTC'; SET DateStyle = ISO")
	var holds []string
	for _, s := range all {
		for _, h := range s.holds {
			holds = append(holds, fmt.Sprintf("SELECT retention.place_hold(%s, %s, 'model')",
				quote.Literal(h.table.ref()), quote.Literal(h.match())))
		}
	}
	if len(holds) > 0 {
		if err := in.Operator(strings.Join(holds, ";\n")); err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(holds, ";\n"))
		}
	}
	return in
}

// compare executes the runs of a scenario and returns the first difference between database and
// model, or "".
func (s *scenario) compare(t testing.TB, in *kit.Installed) string {
	t.Helper()
	if s.changes != nil {
		return s.resumed(t, in)
	}
	m := &model{scenario: s, data: s.data.clone()}
	for _, c := range s.calls {
		m.asOf, m.scope = c.at, c.rowScope()
		may, must := m.clockTrips()
		before := m.data.clone()
		want := m.outcomeOf(c)
		got := s.runOnce(t, in, c)
		if allowed := c.allowed(s.policy); allowed && (must || may && got.State == byClock) {
			m.data = before
			want = outcome{State: byClock, Rows: m.rows()}
		}
		if want.Taken == s.policy.budget && got.State == "more" {
			want.State = "more" // the last row used up the budget
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Sprintf("%s (-model +database):\n%s", c, diff)
		}
	}
	return ""
}

// byClock is the state of a run that trips because of its clock's values.
const byClock = "tripped by clock"

// runOnce makes a preview and a run, and returns their outcome with the content of all tables.
func (s *scenario) runOnce(t testing.TB, in *kit.Installed, c call) outcome {
	t.Helper()
	var o outcome
	at, scope := c.at.Format(time.RFC3339Nano), c.argument(s.policy)
	var stopped *string
	var kept, byNull map[string]int
	if !c.allowed(s.policy) {
		return s.refusedOutcome(t, in, c)
	}
	scanOne(t, in, `SELECT due, kept, kept_null, stopped_by
		FROM retention.preview($1, $2::text::timestamptz, scope => $3::text::jsonb)`,
		[]any{s.name, at, scope}, &o.Due, &kept, &byNull, &stopped)
	o.KeptByNull = positive(byNull)
	if (o.Due > 0 || len(kept) > 0) && in.Idle(t, s.name, at) {
		t.Fatalf("the probe of %s says that no row is due at %s, but %d rows are due and %v are kept", s.name, at,
			o.Due, kept)
	}
	s.call(t, in, c)
	if stopped != nil {
		var by *string
		scanOne(t, in, "SELECT state, tripped_by FROM retention.run WHERE policy = $1 ORDER BY id DESC LIMIT 1",
			[]any{s.name}, &o.State, &by)
		if o.State != "tripped" || by == nil || *by != "clock" {
			t.Fatalf("the preview of %s trips by %s, but the run ended %s", s.name, *stopped, o.State)
		}
		return outcome{State: byClock, Rows: s.read(t, in)}
	}
	var message string
	var keptInRun map[string]int
	scanOne(t, in,
		`SELECT state, taken, refused, kept, concat_ws(' ', sqlstate, message, note) FROM retention.run
		WHERE policy = $1 ORDER BY id DESC LIMIT 1`,
		[]any{s.name}, &o.State, &o.Taken, &o.Refused, &keptInRun, &message)
	if o.State == "failed" && !s.policy.whole && o.Refused == 0 {
		o.State += ": " + message
	}
	o.Kept = positive(keptInRun)
	if o.Taken == 0 && o.State == "done" && len(o.Kept) == 0 || s.policy.budget > 0 && o.State != "tripped" {
		// A run that takes nothing may end before it has counted all kept rows. A run that spends
		// its budget has counted only some of them.
		o.Kept = positive(kept)
	}
	o.Rows = s.read(t, in)
	return o
}

// call runs the policy. If the scenario has statements for the moments between batches, it executes
// the run batch by batch.
func (s *scenario) call(t testing.TB, in *kit.Installed, c call) {
	t.Helper()
	at, scope := c.at.Format(time.RFC3339Nano), c.argument(s.policy)
	if c.job != nil {
		_, _ = in.Call("CALL retention.run_job($1, $2::text::timestamptz)", c.job.name, at)
		return
	}
	if len(s.between) == 0 {
		_, _ = in.Call("CALL retention.run($1, $2::text::timestamptz, scope => $3::text::jsonb)", s.name, at, scope)
		return
	}
	var run int64
	going := true
	scanOne(t, in.Runner(), `SELECT s.run_id, s.going FROM retention._begin(
		($1, $2::text::timestamptz, NULL, NULL, NULL, $3::text::jsonb, false, NULL)) s`,
		[]any{s.name, at, scope}, &run, &going)
	for n := 0; going; n++ {
		if n < 3 {
			in.Exec(t, s.between[n%len(s.between)])
		}
		scanOne(t, in.Runner(), "SELECT s.going FROM retention._step($1) s", []any{run}, &going)
	}
}

// read returns the rows of all tables in the format of database.lines.
func (s *scenario) read(t testing.TB, in *kit.Installed) map[string][]string {
	t.Helper()
	var queries []string
	for _, t := range s.tableSet.tables() {
		queries = append(queries, t.query())
	}
	var keys []string
	for _, f := range (emitStep{}).yamlOf(s.tableSet).(obj)[0].value.(obj)[1].value.(obj) {
		keys = append(keys, "(payload ->> "+quote.Literal(f.key)+")")
	}
	queries = append(queries, "SELECT 'events: ' || "+strings.Join(keys,
		" || '/' || ")+" FROM retention.event WHERE policy = "+quote.Literal(s.name))
	rows := map[string][]string{}
	for _, line := range pgtest.Column[string](t, in, strings.Join(queries, "\nUNION ALL ")) {
		name, _, _ := strings.Cut(line, ": ")
		rows[name] = append(rows[name], line)
	}
	for _, lines := range rows {
		slices.Sort(lines)
	}
	return rows
}

func positive(counts map[string]int) map[string]int64 {
	found := map[string]int64{}
	for name, n := range counts {
		if n > 0 {
			found[name] = int64(n)
		}
	}
	return found
}

func scanOne(t testing.TB, q pgtest.Querier, sql string, args []any, into ...any) {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	if err == nil {
		_, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) {
			return struct{}{}, row.Scan(into...)
		})
	}
	if err != nil {
		t.Fatalf("%s %v: %v", sql, args, err)
	}
}
