// Package examples runs the examples as they are shipped: schema, policy and migrations of the
// directory, on a real server, against what the document of each system says in plain SQL.
package examples

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// example is one that is installed.
type example struct {
	*kit.Installed
	conn *pgx.Conn           // the superuser's
	hide map[string][]string // columns that no oracle can know, by table: keys from sequences, numbers of runs

	unforeseen bool // jobs are not previewed before they run
}

// shipped installs the example of that name.
func shipped(t *testing.T, name string) *example {
	t.Helper()
	in := kit.Shipped(t, directory(name))
	return &example{Installed: in, conn: in.Conn(t),
		hide: map[string][]string{"retention.event": {"id", "run_id", "at"}}}
}

func directory(name string) string { return filepath.Join("..", "..", "examples", name) }

// with is the same example for a subtest.
func (e *example) with(t *testing.T) *example {
	return &example{Installed: e.Installed.ForSubtest(t), conn: e.conn, hide: e.hide}
}

// says is a statement in which ":as_of" is the instant of the run.
func says(sql, asOf string) string {
	return strings.ReplaceAll(sql, ":as_of", "'"+asOf+"'::timestamptz")
}

// fill starts from these rows alone: all tables of the application and the run log are emptied.
func (e *example) fill(t *testing.T, sql, asOf string) {
	t.Helper()
	tables := slices.DeleteFunc(e.tables(t), func(table string) bool { return table == "retention.event" })
	pgtest.Exec(t, e.conn, "TRUNCATE "+strings.Join(tables, ", "))
	pgtest.Exec(t, e.conn, says(sql, asOf))
	e.forget(t)
}

// forget empties the run log: a run may go on where the last one ended.
func (e *example) forget(t *testing.T) {
	t.Helper()
	pgtest.Exec(t, e.conn, "DELETE FROM retention.run; DELETE FROM retention.event; DELETE FROM retention.hold")
}

// tables are those of the application, and the events.
func (e *example) tables(t *testing.T) []string {
	t.Helper()
	return pgtest.Column[string](t, e.conn, `
		SELECT format('%I.%I', n.nspname, c.relname)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname !~ '^pg_'
		  AND (n.nspname NOT IN ('information_schema', 'cron', 'retention') OR c.oid = to_regclass('retention.event'))
		ORDER BY 1`)
}

// content is every row of every table, without the hidden columns.
func (e *example) content(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range e.tables(t) {
		hide := append([]string{}, e.hide[table]...)
		all[table] = pgtest.Column[string](t, e.conn, "SELECT (to_jsonb(x.*) - $1::text[])::text FROM "+
			table+" x ORDER BY 1", hide)
	}
	return all
}

// step is what the document says that a policy does, in plain SQL. The first statement takes the
// policy's own rows.
type step struct {
	policy string
	sql    []string
}

// after is the content once the steps have run, one after the other, and how many rows each took.
// All of it is rolled back.
func (e *example) after(t *testing.T, asOf string, steps []step) (map[string][]string, map[string]int64) {
	t.Helper()
	taken := map[string]int64{}
	pgtest.Exec(t, e.conn, "BEGIN; SET LOCAL TimeZone = 'UTC'")
	for _, s := range steps {
		for i, sql := range s.sql {
			rows := pgtest.Exec(t, e.conn, says(sql, asOf))
			if i == 0 {
				taken[s.policy] = rows
			}
		}
	}
	want := e.content(t)
	pgtest.Exec(t, e.conn, "ROLLBACK")
	return want, taken
}

// job runs a job at an instant and compares every table with what the document's statements leave;
// the same job again changes nothing. It answers how many rows each policy took.
func (e *example) job(t *testing.T, job, asOf string, steps []step) map[string]int64 {
	t.Helper()
	want, taken := e.after(t, asOf, steps)
	e.runJob(t, job, asOf)
	if diff := cmp.Diff(want, e.content(t)); diff != "" {
		t.Errorf("job %s: rows differ (-want +got):\n%s", job, diff)
	}
	for _, s := range steps {
		if o := e.Last(s.policy); o.State != "done" || o.Taken != taken[s.policy] || o.Refused+o.Contended != 0 {
			t.Errorf("job %s: %s took %d rows, want %d: %+v", job, s.policy, o.Taken, taken[s.policy], o)
		}
	}
	e.runJob(t, job, asOf)
	for _, s := range steps {
		if o := e.Last(s.policy); o.State != "done" || o.Taken != 0 {
			t.Errorf("job %s: %s took %d rows the second time: %+v", job, s.policy, o.Taken, o)
		}
	}
	if diff := cmp.Diff(want, e.content(t)); diff != "" {
		t.Errorf("job %s: rows differ after the second run (-want +got):\n%s", job, diff)
	}
	return taken
}

// runJob calls a job as the runner. What preview_job foresees must be what its runs then do, and
// change nothing.
func (e *example) runJob(t *testing.T, job, asOf string) {
	t.Helper()
	const columns = `format('%s', (policy, state, taken, kept, related, cascaded))`
	var foreseen []string
	if !e.unforeseen {
		before := e.content(t)
		foreseen = pgtest.Column[string](t, e.Runner(), "SELECT "+
			columns+" FROM retention.preview_job($1, $2) WITH ORDINALITY p ORDER BY p.ordinality", job, asOf)
		if diff := cmp.Diff(before, e.content(t)); diff != "" {
			t.Errorf("the preview of job %s changed rows (-want +got):\n%s", job, diff)
		}
	}
	last := pgtest.Value[int64](t, e.Runner(), "SELECT coalesce(max(id), 0) FROM retention.run")
	if outcome, err := e.Call("CALL retention.run_job($1, $2)", job, asOf); err != nil {
		t.Fatalf("job %s: %v\n%s", job, err, outcome)
	}
	done := pgtest.Column[string](t, e.Runner(), "SELECT "+columns+" FROM retention.run WHERE id > $1 ORDER BY id",
		last)
	if diff := cmp.Diff(done, foreseen); diff != "" && !e.unforeseen {
		t.Errorf("the preview of job %s differs from its runs (-run +preview):\n%s", job, diff)
	}
}

// everywhere calls test at several instants and batch sizes: at the first instant with each size,
// at each of the others with one of them, since an instant decides on rows and a size on how many
// are taken at once.
func (e *example) everywhere(t *testing.T, instants []string, test func(*testing.T, *example, string)) {
	for i, asOf := range instants {
		for _, rows := range [][]string{{"1", "3", "1000"}, {"3"}, {"1000"}}[min(i, 2)] {
			t.Run(asOf+" by "+rows, func(t *testing.T) {
				own := e.with(t)
				own.unforeseen = i > 0 || rows != "1000"
				pgtest.Exec(t, e.conn, "UPDATE retention.policy SET batch_rows = $1::int", rows)
				test(t, own, asOf)
			})
		}
	}
}
