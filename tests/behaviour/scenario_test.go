// Package behaviour tests what policies mean. Each test compares a run with an oracle that is
// written independently of the generated SQL.
package behaviour

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// scenario is one policy with its data and the expected result of a run. In all texts "@." stands
// for the schema of the scenario. In data and in queries, search_path begins with this schema, and
// ":as_of" stands for the instant of the run.
type scenario struct {
	name   string
	schema string // statements that create the tables
	data   string // statements that fill the empty tables
	rule   string // the policy in YAML
	asOf   string // instant of the run; noon if empty
	table  string // the policy's table; m if empty
	// goes is the oracle: a query that returns the rows of the policy's table that the run must
	// take. It is written by hand from the definition of the policy language.
	goes string
	// leaves maps each other table that the run changes to a query. This query returns the rows
	// that the table must have after the run. A table that is not in the map must not change. The
	// policy's own table is in the map only if foreign keys take more of its rows than the policy.
	leaves map[string]string
	// kept is the number of due rows that each guard keeps. It is not compared if it is nil.
	kept map[string]int64
	// related and cascaded are the numbers of rows, by table, that related steps and foreign keys
	// change. nil means no rows.
	related, cascaded map[string]int64
	// uncounted is true if the number of related rows depends on the size of the batches. Then
	// related is not compared.
	uncounted bool
	// uncascaded is true if foreign keys count a row for each change, or count rows of partitions.
	// Then cascaded is not compared.
	uncascaded bool
	// unforeseen is a part of the note with which the preview says why it does not know some
	// numbers. It is empty if the preview knows all numbers.
	unforeseen string
}

// noon is the instant of most runs.
const noon = "2024-03-31 12:00:00+00"

// suite is a list of scenarios that share a database. Each scenario has its own schema.
type suite struct {
	zone   string // install.time_zone; UTC if empty
	before string // SQL that a superuser executes before the installation
	path   string // install.search_path; [public] if empty
	// batch is the number of rows in a small batch; 1 if it is zero. Suites whose scenarios
	// evaluate each row by itself use 3, because that is faster.
	batch     int
	scenarios []scenario
}

// bench is the database in which a suite is installed.
type bench struct {
	*kit.Installed
	conn       *pgx.Conn
	zone, path string
}

// oneBatch is a batch size larger than any scenario: one batch has all rows.
const oneBatch = 1000

// run installs the suite. It runs each scenario from fresh data, once with small batches and once
// with a single batch. A run is repeated at the same instant: the second run must change nothing.
// "make fire" repeats both runs. To save time, "make test" repeats the run with small batches for
// every other scenario, and the run with a single batch for the others.
func (s suite) run(t *testing.T) {
	t.Parallel()
	if s.zone == "" {
		s.zone = "UTC"
	}
	if s.path == "" {
		s.path = "[public]"
	}
	if s.batch == 0 {
		s.batch = 1
	}
	b := &bench{zone: s.zone, path: strings.Trim(s.path, "[]")}
	schemas, yaml := s.texts()
	b.Installed = kit.Install(t, schemas, yaml, kit.Before(s.before))
	b.conn = b.Conn(t)
	for i, c := range s.scenarios {
		t.Run(c.name, func(t *testing.T) {
			own := &bench{b.ForSubtest(t), b.conn, b.zone, b.path}
			own.scenario(t, fmt.Sprintf("s%d", i), c, pass{s.batch, kit.Fire() || i%2 == 0},
				pass{oneBatch, kit.Fire() || i%2 == 1})
		})
	}
}

func (s suite) texts() (schemas, yaml string) {
	yaml = fmt.Sprintf("version: 1\ninstall: {scheduler: none, time_zone: %s, search_path: %s}\npolicies:\n", s.zone,
		s.path)
	for i, c := range s.scenarios {
		name := fmt.Sprintf("s%d", i)
		schemas += fmt.Sprintf("CREATE SCHEMA %s; SET search_path = %s, public; %s; RESET search_path;\n", name, name,
			c.schema)
		yaml += fmt.Sprintf("  p%s: %s\n", name, withSchema(name, c.rule))
	}
	return strings.ReplaceAll(schemas, "@.", ""), yaml
}

func withSchema(schema, text string) string { return strings.ReplaceAll(text, "@.", schema+".") }

// pass is one of the runs of a scenario: the number of rows in its batches, and whether the run is
// repeated.
type pass struct {
	rows     int
	repeated bool
}

func (b *bench) scenario(t *testing.T, name string, c scenario, passes ...pass) {
	if c.table == "" {
		c.table = "m"
	}
	if c.asOf == "" {
		c.asOf = noon
	}
	pgtest.Exec(t, b.conn, "SET search_path = "+name+", "+b.path+"; SET TimeZone = '"+b.zone+"'")
	for _, p := range passes {
		b.fill(t, name, c)
		b.runOnce(t, "p"+name, c, p)
		if t.Failed() {
			return
		}
	}
}

// fill empties the tables, inserts the data of the scenario, and empties the run log. With an entry
// in the log, a run may continue where an earlier one ended.
func (b *bench) fill(t *testing.T, name string, c scenario) {
	t.Helper()
	for _, table := range b.tables(t) {
		pgtest.Exec(t, b.conn, "TRUNCATE "+quote.Qualified(name, table)+" CASCADE")
	}
	pgtest.Exec(t, b.conn, b.sql(c, c.data))
	b.forget(t)
}

func (b *bench) forget(t *testing.T) {
	t.Helper()
	pgtest.Exec(t, b.conn, "DELETE FROM retention.run")
}

func (b *bench) tables(t *testing.T) []string {
	t.Helper()
	return pgtest.Column[string](t, b.conn, `SELECT relname::text FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
		ORDER BY 1`)
}

func (b *bench) sql(c scenario, text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "@.", ""), ":as_of", "'"+c.asOf+"'::timestamptz")
}

func (b *bench) rows(t *testing.T, c scenario, query string) []string {
	t.Helper()
	return pgtest.Column[string](t, b.conn, "SELECT x::text FROM ("+b.sql(c, query)+") x ORDER BY 1")
}

// content returns the rows of all tables. For a table that is a key of "want", it returns the rows
// of the query in "want".
func (b *bench) content(t *testing.T, c scenario, want map[string]string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range b.tables(t) {
		query, ok := want[table]
		if !ok {
			query = "SELECT * FROM " + quote.Ident(table)
		}
		all[table] = b.rows(t, c, query)
	}
	return all
}

// batches returns the largest number of batches into which small batches divide the due rows. It
// is lower outside "make fire", to save time. tests/model tests random numbers of batches.
func batches() int {
	if kit.Fire() {
		return 8
	}
	return 4
}

// runOnce runs the policy with one batch size. It compares the tables, the counts in the run log,
// and a second run with the expected result. Before the run with small batches it also compares
// the preview, which does not depend on the size of a batch.
func (b *bench) runOnce(t *testing.T, policy string, c scenario, p pass) {
	t.Helper()
	goes, rows := b.rows(t, c, c.goes), p.rows
	b.SetBatch(rows * (1 + len(goes)/batches()))
	want := b.content(t, c, c.leaves)
	if _, named := c.leaves[c.table]; !named {
		want[c.table] = slices.DeleteFunc(want[c.table], func(row string) bool { return slices.Contains(goes, row) })
	}

	var o kit.Outcome
	run := func() { o = b.Run(policy, c.asOf) }
	if rows == oneBatch { // the preview does not know how rows are divided into batches
		run()
	} else {
		b.comparePreview(t, policy, c, goes)
		for _, why := range b.CheckPreview(t, policy, c.asOf, nil, run) {
			if c.unforeseen == "" || !strings.Contains(why, c.unforeseen) {
				t.Errorf("the preview has the note %q, want %q", why, c.unforeseen)
			}
		}
	}
	if o.State != "done" || o.Err != nil || o.Taken != int64(len(goes)) || o.Refused != 0 || o.Contended != 0 {
		t.Errorf("batches of %d: run ended %q (%v), took %d rows, want %d: %+v", rows, o.State, o.Err, o.Taken,
			len(goes), o)
	}
	if diff := cmp.Diff(want, b.content(t, c, nil)); diff != "" {
		t.Errorf("batches of %d: rows differ (-want +got):\n%s", rows, diff)
	}
	b.compareCounts(t, c, o)
	if !p.repeated {
		return
	}
	if rows == oneBatch {
		b.forget(t) // otherwise the next run may continue where this one ended
	}
	if again := b.Run(policy, c.asOf); again.State != "done" || again.Taken != 0 {
		t.Errorf("batches of %d: the second run took %d rows and ended %q (%v), want none and done", rows,
			again.Taken, again.State, again.Err)
	}
	if diff := cmp.Diff(want, b.content(t, c, nil)); diff != "" {
		t.Errorf("batches of %d: rows differ after the next run (-want +got):\n%s", rows, diff)
	}
}

// comparePreview checks that retention.preview and the function <policy>_rows return what the run
// will take.
func (b *bench) comparePreview(t *testing.T, policy string, c scenario, goes []string) {
	t.Helper()
	due, kept := b.Count(policy, c.asOf)
	if due != int64(len(goes)) {
		t.Errorf("preview says %d rows, want %d", due, len(goes))
	}
	if c.kept != nil && !maps.Equal(c.kept, kept) {
		t.Errorf("preview says %v are kept, want %v", kept, c.kept)
	}
	if diff := cmp.Diff(goes, b.rows(t, c, "SELECT (d.t).* FROM "+
		b.RowsCall(policy, "retention.scope_at('"+policy+"', :as_of)")+" WHERE d.verdict IS NULL")); diff != "" {
		t.Errorf("%s_rows differs (-want +got):\n%s", policy, diff)
	}
}

// compareCounts compares the counts of the run with those of the scenario.
func (b *bench) compareCounts(t *testing.T, c scenario, o kit.Outcome) {
	t.Helper()
	if c.kept != nil && !maps.Equal(c.kept, o.Kept) {
		t.Errorf("the run says %v were kept, want %v", o.Kept, c.kept)
	}
	if !c.uncounted && !maps.Equal(o.Related, inSchema(o, c.related)) {
		t.Errorf("the run says %v related rows, want %v", o.Related, c.related)
	}
	if !c.uncascaded && !maps.Equal(o.Cascaded, inSchema(o, c.cascaded)) {
		t.Errorf("the run says %v cascaded rows, want %v", o.Cascaded, c.cascaded)
	}
}

// inSchema replaces "@" in the names of tables by the schema of the scenario. The policy of schema
// s1 is called ps1.
func inSchema(o kit.Outcome, counts map[string]int64) map[string]int64 {
	named := map[string]int64{}
	for table, n := range counts {
		named[withSchema(o.Policy[1:], table)] = n
	}
	return named
}

func TestMain(m *testing.M) { pgtest.Main(m) }
