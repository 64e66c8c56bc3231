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

// schema is the SQL of all tables of scenarios with their rows.
func schema(all []*scenario) string {
	var sql strings.Builder
	sql.WriteString("SET TimeZone = 'UTC'; CREATE SCHEMA app;\n")
	for _, s := range all {
		for _, t := range s.family.tables() {
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

// install makes a database with the tables and policies of scenarios.
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

// compare runs the policy of a scenario as often as that says, and is where the database and the
// model differ.
func (s *scenario) compare(t testing.TB, in *kit.Installed) string {
	t.Helper()
	if s.changes != nil {
		return s.resumed(t, in)
	}
	m := &model{scenario: s, data: s.data.clone()}
	for _, c := range s.calls {
		m.asOf, m.scope = c.at, c.narrows()
		may, must := m.stopped()
		before := m.data.clone()
		want := m.called(c)
		got := s.runOnce(t, in, c)
		if allowed := c.allowed(s.policy); allowed && (must || may && got.State == byClock) {
			m.data = before
			want = outcome{State: byClock, Rows: m.rows()}
		}
		if want.Taken == s.policy.budget && got.State == "more" {
			want.State = "more" // the budget is spent, to the row
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Sprintf("%s (-model +database):\n%s", c, diff)
		}
	}
	return ""
}

// byClock is the state of a run that its clock stops.
const byClock = "tripped by clock"

// runOnce is a preview, a run, and what is in the tables then.
func (s *scenario) runOnce(t testing.TB, in *kit.Installed, c call) outcome {
	t.Helper()
	var o outcome
	at, scope := c.at.Format(time.RFC3339Nano), c.argument(s.policy)
	var stopped *string
	var kept, byNull map[string]int
	if !c.allowed(s.policy) {
		return s.refusals(t, in, c)
	}
	one(t, in,
		"SELECT due, kept, kept_null, stopped_by FROM retention.preview($1, $2::text::timestamptz, scope => "+
			"$3::text::jsonb)",
		[]any{s.name, at, scope}, &o.Due, &kept, &byNull, &stopped)
	o.KeptByNull = positive(byNull)
	s.call(t, in, c)
	if stopped != nil {
		var by *string
		one(t, in, "SELECT state, tripped_by FROM retention.run WHERE policy = $1 ORDER BY id DESC LIMIT 1",
			[]any{s.name}, &o.State, &by)
		if o.State != "tripped" || by == nil || *by != "clock" {
			t.Fatalf("the preview of %s is stopped by %s, and the run ends %s", s.name, *stopped, o.State)
		}
		return outcome{State: byClock, Rows: s.read(t, in)}
	}
	var message string
	var keptInRun map[string]int
	one(t, in,
		`SELECT state, taken, refused, kept, concat_ws(' ', sqlstate, message, note) FROM retention.run WHERE policy = $1 ORDER BY id DESC LIMIT 1`,
		[]any{s.name}, &o.State, &o.Taken, &o.Refused, &keptInRun, &message)
	if o.State == "failed" && !s.policy.whole && o.Refused == 0 {
		o.State += ": " + message
	}
	o.Kept = positive(keptInRun)
	if o.Taken == 0 && o.State == "done" && len(o.Kept) == 0 || s.policy.budget > 0 && o.State != "tripped" {
		// A run that finds nothing to take may end before it has seen what is kept; one that goes
		// on, or whose budget is spent, has seen a part.
		o.Kept = positive(kept)
	}
	o.Rows = s.read(t, in)
	return o
}

// call runs the policy; batch by batch where something is done to its table after each that changes
// no row.
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
	one(t, in.Runner(), `SELECT s.run_id, s.going FROM retention._begin(
		($1, $2::text::timestamptz, NULL, NULL, NULL, $3::text::jsonb, false, NULL)) s`,
		[]any{s.name, at, scope}, &run, &going)
	for n := 0; going; n++ {
		if n < 3 {
			in.Exec(t, s.between[n%len(s.between)])
		}
		one(t, in.Runner(), "SELECT s.going FROM retention._step($1) s", []any{run}, &going)
	}
}

// read is what database.lines says of all tables.
func (s *scenario) read(t testing.TB, in *kit.Installed) map[string][]string {
	t.Helper()
	var queries []string
	for _, t := range s.family.tables() {
		queries = append(queries, t.query())
	}
	var keys []string
	for _, f := range (emission{}).yamlOf(s.family).(obj)[0].value.(obj)[1].value.(obj) {
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

func one(t testing.TB, q pgtest.Querier, sql string, args []any, into ...any) {
	t.Helper()
	rows, err := q.Query(t.Context(), sql, args...)
	if err == nil {
		_, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) {
			return struct{}{},
				row.Scan(into...)
		})
	}
	if err != nil {
		t.Fatalf("%s %v: %v", sql, args, err)
	}
}
