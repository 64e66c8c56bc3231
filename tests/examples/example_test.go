// Package examples runs the shipped schemas, policies and migrations of the examples on a real
// server. It compares the result with plain SQL that the document of each example describes.
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

// example is an installed example.
type example struct {
	*kit.Installed
	conn *pgx.Conn           // session of the superuser
	hide map[string][]string // columns that the tests do not compare, by table: keys from sequences and IDs of runs

	skipPreview bool // runJob makes no preview
}

// shipped installs the example called name.
func shipped(t *testing.T, name string) *example {
	t.Helper()
	in := kit.Shipped(t, directory(name))
	return &example{Installed: in, conn: in.Conn(t),
		hide: map[string][]string{"retention.event": {"id", "run_id", "at"}}}
}

func directory(name string) string { return filepath.Join("..", "..", "examples", name) }

// forSubtest returns the same example for a subtest.
func (e *example) forSubtest(t *testing.T) *example {
	return &example{Installed: e.Installed.ForSubtest(t), conn: e.conn, hide: e.hide}
}

// withAsOf replaces ":as_of" in a statement by the as_of of the run.
func withAsOf(sql, asOf string) string {
	return strings.ReplaceAll(sql, ":as_of", "'"+asOf+"'::timestamptz")
}

// fill empties all tables of the application and the run log, and then executes sql.
func (e *example) fill(t *testing.T, sql, asOf string) {
	t.Helper()
	tables := slices.DeleteFunc(e.tables(t), func(table string) bool { return table == "retention.event" })
	pgtest.Exec(t, e.conn, "TRUNCATE "+strings.Join(tables, ", "))
	pgtest.Exec(t, e.conn, withAsOf(sql, asOf))
	e.clearLog(t)
}

// clearLog empties the run log, events and holds, because a run may continue where the last run
// ended.
func (e *example) clearLog(t *testing.T) {
	t.Helper()
	pgtest.Exec(t, e.conn, "DELETE FROM retention.run; DELETE FROM retention.event; DELETE FROM retention.hold")
}

// tables returns the names of the application's tables and of the event table.
func (e *example) tables(t *testing.T) []string {
	t.Helper()
	return pgtest.Column[string](t, e.conn, `
		SELECT format('%I.%I', n.nspname, c.relname)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname !~ '^pg_'
		  AND (n.nspname NOT IN ('information_schema', 'cron', 'retention') OR c.oid = to_regclass('retention.event'))
		ORDER BY 1`)
}

// content returns all rows of all tables, without the hidden columns.
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

// step is what a policy does, as plain SQL of the document. The number of rows of the first
// statement is the number of taken rows.
type step struct {
	policy string
	sql    []string
}

// expectedAfter returns the content after the steps, and the number of rows that each step took. It
// rolls the steps back.
func (e *example) expectedAfter(t *testing.T, asOf string, steps []step) (map[string][]string, map[string]int64) {
	t.Helper()
	taken := map[string]int64{}
	pgtest.Exec(t, e.conn, "BEGIN; SET LOCAL TimeZone = 'UTC'")
	for _, s := range steps {
		for i, sql := range s.sql {
			rows := pgtest.Exec(t, e.conn, withAsOf(sql, asOf))
			if i == 0 {
				taken[s.policy] = rows
			}
		}
	}
	want := e.content(t)
	pgtest.Exec(t, e.conn, "ROLLBACK")
	return want, taken
}

// job runs a job and compares every table with the result of the steps. It runs the job again,
// which must change nothing. It returns the number of rows that each policy took.
func (e *example) job(t *testing.T, job, asOf string, steps []step) map[string]int64 {
	t.Helper()
	want, taken := e.expectedAfter(t, asOf, steps)
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

// runJob calls a job as the runner. The result of preview_job must equal that of the runs, and the
// preview must change nothing.
func (e *example) runJob(t *testing.T, job, asOf string) {
	t.Helper()
	const columns = `format('%s', (policy, state, taken, kept, related, cascaded))`
	var previewed []string
	if !e.skipPreview {
		// A step that adds up rows writes one row for each group in each batch. Only batches of a
		// fixed size make this count the same in the preview and in the runs.
		pgtest.Exec(t, e.conn, "UPDATE retention.policy SET batch_time_ms = NULL")
		before := e.content(t)
		previewed = pgtest.Column[string](t, e.Runner(), "SELECT "+
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
	if diff := cmp.Diff(done, previewed); diff != "" && !e.skipPreview {
		t.Errorf("the preview of job %s differs from its runs (-run +preview):\n%s", job, diff)
	}
}

// atInstantsAndSizes calls test at several times and batch sizes. At the first time it uses each
// size, at the others one size, since the time determines the rows and the size only their batches.
func (e *example) atInstantsAndSizes(t *testing.T, instants []string, test func(*testing.T, *example, string)) {
	for i, asOf := range instants {
		for _, rows := range [][]string{{"1", "3", "1000"}, {"3"}, {"1000"}}[min(i, 2)] {
			t.Run(asOf+" by "+rows, func(t *testing.T) {
				own := e.forSubtest(t)
				own.skipPreview = i > 0 || rows != "1000"
				pgtest.Exec(t, e.conn, "UPDATE retention.policy SET batch_rows = $1::int", rows)
				test(t, own, asOf)
			})
		}
	}
}
