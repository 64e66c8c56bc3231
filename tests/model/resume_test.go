package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgretain/internal/quote"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// change is a statement that is executed between two runs of a job.
type change struct {
	sql  string
	hold bool         // the operator executes it; otherwise the owner of the tables does
	do   func(*model) // applies the same change to the model
}

func (c change) String() string { return strings.TrimSpace(c.sql) }

// resume replaces the calls by runs of a job with a small budget, and adds changes between those
// runs.
func (a *author) resume() {
	p := a.policy
	p.jobs = []job{{name: p.name + "_resumed"}}
	p.batch, p.budget, p.breakerRows = a.IntN(4), 1+a.IntN(3), 0
	a.calls, a.between = []call{{at: a.calls[0].at, job: &p.jobs[0]}}, nil
	own := *a.scenario
	m := &model{scenario: &own, data: a.data.clone(), asOf: a.calls[0].at}
	for range 3 + a.IntN(6) {
		a.changes = append(a.changes, a.distinguishingChange(m))
	}
}

// takesAndKeeps reports whether a run takes at least n rows, and guards and holds keep at least n
// rows.
func (s *scenario) takesAndKeeps(n int) bool {
	m := &model{scenario: s, data: s.data, start: s.data, asOf: s.calls[0].at}
	j := m.evaluate()
	kept := int64(0)
	for _, count := range j.kept {
		kept += count
	}
	return len(j.takes) >= n && kept >= int64(n)
}

// distinguishingChange applies a random change to the model and returns it. It tries ten times to
// find a change after which a run takes other rows.
func (a *author) distinguishingChange(m *model) change {
	m.start = m.data.clone()
	before := fmt.Sprint(m.evaluate().takes)
	for n := 0; ; n++ {
		c := a.change(len(a.data[a.tableSet.item]) + len(a.changes))
		own := *m.scenario
		after := &model{scenario: &own, data: m.data.clone(), asOf: m.asOf}
		c.do(after)
		after.start = after.data.clone()
		if n == 10 || fmt.Sprint(after.evaluate().takes) != before {
			*m = *after
			return c
		}
	}
}

// change returns a random change of a row that guards or windows read, of a row of the policy's
// table, or of holds. It may also insert a row of the policy's table, whose key number makes
// unique.
func (a *author) change(number int) change {
	f := a.tableSet
	some := func(t *table) row { return a.data[t][a.IntN(len(a.data[t]))] }
	set := func(t *table, r row, name string, v value) change {
		return change{
			sql: fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s",
				t.ref(), quote.Ident(name), literal(v, t.column(name).kind), t.isKey(r)),
			do: func(m *model) {
				for _, x := range m.data[t] {
					if t.compareKeys(x, r) == 0 {
						x[name] = v
					}
				}
			},
		}
	}
	switch n := a.IntN(10); {
	case n < 2 && len(a.data[f.sign]) > 0:
		r := some(f.sign)
		return change{sql: fmt.Sprintf("DELETE FROM %s WHERE %s", f.sign.ref(), f.sign.isKey(r)), do: func(m *model) {
			m.data[f.sign] = slices.DeleteFunc(m.data[f.sign],
				func(x row) bool { return f.sign.compareKeys(x, r) == 0 })
		}}
	case n < 4 && len(a.data[f.sign]) > 0:
		return set(f.sign, some(f.sign), "open", a.maybe(a.oneIn(2)))
	case n < 5:
		return set(f.owner, some(f.owner), pick(a.dice, "days", "top"), a.small())
	case n < 6:
		return set(f.item, some(f.item), a.col("n"), a.small())
	case n < 7:
		return set(f.item, some(f.item), a.col("flag"), a.maybe(a.oneIn(2)))
	case n < 8:
		r := a.itemRow(number)
		return change{sql: f.item.insert([]row{r}), do: func(m *model) {
			m.data[f.item] = append(m.data[f.item], r.clone())
		}}
	case n < 9:
		return f.release()
	}
	r := some(f.item)
	h := hold{table: f.item, columns: f.item.key}
	for _, name := range h.columns {
		h.values = append(h.values, r[name])
	}
	return change{
		sql: fmt.Sprintf("SELECT retention.place_hold(%s, %s, 'model')", quote.Literal(h.table.ref()),
			quote.Literal(h.match())),
		hold: true, do: func(m *model) { m.holds = append(slices.Clone(m.holds), h) },
	}
}

// release returns the change that releases all holds on the policy's tables.
func (f *tableSet) release() change {
	var names []string
	for _, t := range f.tables() {
		for _, t := range t.withAncestors() {
			names = append(names, quote.Literal("app."+t.name))
		}
	}
	return change{
		sql: fmt.Sprintf("SELECT retention.release_hold(h.id, 'model') FROM retention.hold h "+
			"WHERE h.released_at IS NULL AND h.table_name IN (%s)", strings.Join(names, ", ")),
		hold: true, do: func(m *model) { m.holds = nil },
	}
}

// isKey returns the SQL condition for the row with the key of r.
func (t *table) isKey(r row) string {
	var all []string
	for _, name := range t.key {
		all = append(all, quote.Ident(name)+" = "+literal(r[name], t.column(name).kind))
	}
	return strings.Join(all, " AND ")
}

// takeable returns the rows that a run must take, and the number of due rows that the database
// refuses.
func (m *model) takeable() (rows []dueRow, refused int) {
	m.start = m.data.clone()
	for _, j := range m.evaluate().takes {
		alone := *m
		alone.data = m.data.clone()
		if alone.do([]dueRow{j}) == nil {
			rows = append(rows, j)
		} else {
			refused++
		}
	}
	return rows, refused
}

// resumed runs the job before and after each change, and then until it ends "done". It returns the
// first difference between model and database.
func (s *scenario) resumed(t testing.TB, in *kit.Installed) string {
	t.Helper()
	own := *s
	m := &model{scenario: &own, data: s.data.clone(), asOf: s.calls[0].at}
	run := func(n int) (ended bool, diff string) {
		if ended, diff = m.resume(t, in); diff != "" {
			diff = fmt.Sprintf("run %d (-model +database):\n+ %s", n, diff)
		}
		return ended, diff
	}
	for i, c := range s.changes {
		if _, diff := run(i + 1); diff != "" {
			return diff
		}
		if c.do(m); !c.hold {
			in.Exec(t, c.sql)
		} else if err := in.Operator(c.sql); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
	}
	for n := len(s.changes) + 1; ; n++ { // ends, because each run that ends "more" takes rows
		if ended, diff := run(n); ended || diff != "" {
			return diff
		}
	}
}

// resume runs the job once, and removes the rows that the run took from the model. It reports
// whether the job has finished, and how the run is wrong. A wrong run takes a row that the model
// keeps, leaves a row that the model takes, or ends "more" before its budget is spent.
func (m *model) resume(t testing.TB, in *kit.Installed) (ended bool, diff string) {
	t.Helper()
	due, refused := m.takeable()
	_, _ = in.Call("CALL retention.run_job($1, $2::text::timestamptz)", m.calls[0].job.name,
		m.asOf.Format(time.RFC3339Nano))
	var state, message string
	scanOne(t, in, `SELECT state, concat_ws(' ', sqlstate, message) FROM retention.run WHERE policy = $1
		ORDER BY id DESC LIMIT 1`, []any{m.name}, &state, &message)
	there := pgtest.Column[string](t, in, m.tableSet.item.query())
	var gone []dueRow
	for _, r := range m.data[m.tableSet.item] {
		if slices.Contains(there, database{m.tableSet.item: {r}}.lines(m.tableSet.item)[0]) {
			continue
		}
		i := slices.IndexFunc(due, func(j dueRow) bool { return m.tableSet.item.compareKeys(j.row, r) == 0 })
		if i < 0 {
			return false, fmt.Sprintf("the run took row %v, which the model keeps", r)
		}
		gone = append(gone, due[i])
	}
	if err := m.do(gone); err != nil {
		return false, "the run took rows that the model refuses together"
	}
	left, _ := m.takeable()
	switch {
	case state == "more" && len(gone) == m.policy.budget:
		return false, ""
	case state == "done", state == "failed" && len(gone) == 0 && refused > 0:
		if len(left) > 0 {
			return false, fmt.Sprintf("the run ended %s and left row %v, which the model takes", state, left[0].row)
		}
		return true, ""
	}
	return false, fmt.Sprintf("the run ended %s after %d rows: %s", state, len(gone), message)
}

// TestResumedRunsAreCompared checks that the comparison notices changes between runs that the model
// does not get. At least one run must start in the middle.
func TestResumedRunsAreCompared(t *testing.T) {
	t.Parallel()
	all := slices.DeleteFunc(scenarios(t, 1), func(s *scenario) bool { return s.changes == nil })
	in := install(t, all)
	noticed := 0
	for _, s := range all {
		for i := range s.changes {
			s.changes[i].do = func(*model) {}
		}
		if s.compare(t, in) != "" {
			noticed++
		}
	}
	var resumed int
	scanOne(t, in, "SELECT count(*) FROM retention.run WHERE start_position IS NOT NULL", nil, &resumed)
	if noticed == 0 || resumed == 0 {
		t.Errorf("of %d policies with changes the comparison noticed %d, and %d runs started in the middle; "+
			"want at least 1 each", len(all), noticed, resumed)
	}
}
