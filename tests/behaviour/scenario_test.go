// Package behaviour holds what policies mean, each against an oracle that is written down
// independently of the generated SQL.
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

// scenario is one policy on a table m, or another one named by table, with what must come of it.
// In all texts "@." is the scenario's own schema; in data and queries it heads the search_path, and
// ":as_of" is the instant of the run.
type scenario struct {
	name   string
	schema string // CREATE TABLE and the like
	data   string // fills the tables, which are empty
	rule   string // the policy in YAML
	asOf   string // default: the constant noon
	table  string // the policy's table where it is not m
	// The oracle: the rows of the policy's table that must go. Written by hand, from the
	// definition of the language.
	goes string
	// Rows that must be left in other tables, or in the policy's own one where foreign keys take
	// more than the policy; a table that is not named must not change.
	leaves map[string]string
	// What keeps the other due rows; nil: not compared.
	kept map[string]int64
	// What goes with the rows: related steps and foreign keys; nil: nothing.
	related, cascaded map[string]int64
	// How many related rows a run writes depends on the size of its batches: not compared.
	uncounted bool
	// The counters of foreign keys count a row for each change, and also rows of partitions: not
	// compared.
	uncascaded bool
	// Why the preview cannot know some numbers beforehand, a part of its note; "": it knows them
	// all.
	unforeseen string
}

// noon is the instant of most runs.
const noon = "2024-03-31 12:00:00+00"

// suite is scenarios that share a database, each in a schema of its own.
type suite struct {
	zone   string // default UTC
	before string // as the superuser
	path   string // install.search_path, default [public]
	// size of the small batches, default 1; what decides on a row only, and not on the next one, takes 3
	batch     int
	scenarios []scenario
}

// bench is a suite installed.
type bench struct {
	*kit.Installed
	conn       *pgx.Conn
	zone, path string
}

// inOne is a batch that has all rows of a scenario.
const inOne = 1000

// run installs the suite, and runs each scenario in small batches and in one, each from fresh data,
// and each again: a second run at the same instant changes nothing.
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
			own.scenario(t, fmt.Sprintf("s%d", i), c, s.batch)
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
		yaml += fmt.Sprintf("  p%s: %s\n", name, at(name, c.rule))
	}
	return strings.ReplaceAll(schemas, "@.", ""), yaml
}

func at(schema, text string) string { return strings.ReplaceAll(text, "@.", schema+".") }

func (b *bench) scenario(t *testing.T, name string, c scenario, batch int) {
	if c.table == "" {
		c.table = "m"
	}
	if c.asOf == "" {
		c.asOf = noon
	}
	pgtest.Exec(t, b.conn, "SET search_path = "+name+", "+b.path+"; SET TimeZone = '"+b.zone+"'")
	for _, rows := range []int{batch, inOne} {
		b.fill(t, name, c)
		b.once(t, "p"+name, c, rows)
		if t.Failed() {
			return
		}
	}
}

// fill starts from the scenario's data and an empty log: a run may go on where the last one ended.
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
		WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`)
}

func (b *bench) sql(c scenario, text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "@.", ""), ":as_of", "'"+c.asOf+"'::timestamptz")
}

func (b *bench) rows(t *testing.T, c scenario, query string) []string {
	t.Helper()
	return pgtest.Column[string](t, b.conn, "SELECT x::text FROM ("+b.sql(c, query)+") x ORDER BY 1")
}

// content is all tables; what stands in for a table of want comes from the oracle.
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

// once runs the policy, at one batch size, and looks at everything.
func (b *bench) once(t *testing.T, policy string, c scenario, rows int) {
	t.Helper()
	goes := b.rows(t, c, c.goes)
	b.SetBatch(rows * (1 + len(goes)/8)) // eight batches of one, or of a few: tests/model has as many as chance wants
	want := b.content(t, c, c.leaves)
	if _, told := c.leaves[c.table]; !told {
		want[c.table] = slices.DeleteFunc(want[c.table], func(row string) bool { return slices.Contains(goes, row) })
	}
	b.sameEverywhere(t, policy, c, goes)

	var o kit.Outcome
	run := func() { o = b.Run(policy, c.asOf) }
	if rows == inOne { // the preview knows no batches
		run()
	} else {
		for _, why := range b.CheckPreview(t, policy, c.asOf, nil, run) {
			if c.unforeseen == "" || !strings.Contains(why, c.unforeseen) {
				t.Errorf("the preview does not know, %s; want %q", why, c.unforeseen)
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
	b.sameCounts(t, c, o)
	if rows == inOne {
		b.forget(t) // else the next run may go on where this one ended
	}
	if again := b.Run(policy, c.asOf); again.State != "done" || again.Taken != 0 {
		t.Errorf("batches of %d: the next run took %d rows, ended %q (%v)", rows, again.Taken, again.State, again.Err)
	}
	if diff := cmp.Diff(want, b.content(t, c, nil)); diff != "" {
		t.Errorf("batches of %d: rows differ after the next run (-want +got):\n%s", rows, diff)
	}
}

// sameEverywhere: preview and the rows that people see say what the run will do.
func (b *bench) sameEverywhere(t *testing.T, policy string, c scenario, goes []string) {
	t.Helper()
	due, kept := b.Count(policy, c.asOf)
	if due != int64(len(goes)) {
		t.Errorf("preview says %d rows, want %d", due, len(goes))
	}
	if c.kept != nil && !maps.Equal(c.kept, kept) {
		t.Errorf("preview says %v are kept, want %v", kept, c.kept)
	}
	if diff := cmp.Diff(goes, b.rows(t, c, "SELECT (r.t).* FROM retention."+policy+"_rows(retention.scope_at('"+
		policy+"', :as_of)) r WHERE r.verdict IS NULL")); diff != "" {
		t.Errorf("%s_rows differs (-want +got):\n%s", policy, diff)
	}
}

// sameCounts compares the run log.
func (b *bench) sameCounts(t *testing.T, c scenario, o kit.Outcome) {
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

// inSchema puts the scenario's schema, that of policy ps1 being s1, in place of "@".
func inSchema(o kit.Outcome, counts map[string]int64) map[string]int64 {
	named := map[string]int64{}
	for table, n := range counts {
		named[at(o.Policy[1:], table)] = n
	}
	return named
}

func TestMain(m *testing.M) { pgtest.Main(m) }
