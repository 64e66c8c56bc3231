package kit

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// Effect is a row of retention.blast_radius. Rows is nil if the preview does not know the number.
type Effect struct {
	Effect, Table, Path string
	Rows                *int64
	Note                string
}

// prediction is the result of the preview before a run, with the rows of all tables at that moment.
type prediction struct {
	effects []Effect
	before  map[string]map[string]string // table name -> primary key -> digest of the row
}

// contents returns two columns: the name of a table, and a query for the primary key and a digest
// of each of its rows. It covers the application's tables and the runtime's table event. The query
// is plain SQL and uses no function of pgretain. Without a primary key, the key is '#', the digest
// of the row, and a number for equal rows.
const contents = `
	SELECT n.nspname || '.' || c.relname,
	       format('SELECT %s, md5(t.*::text) FROM %I.%I t', coalesce(
	           (SELECT 'concat_ws('','', ' || string_agg(format('t.%I', a.attname), ', ' ORDER BY u.i) || ')'
	            FROM pg_index x, unnest(x.indkey) WITH ORDINALITY u (n, i), pg_attribute a
	            WHERE x.indrelid = c.oid AND x.indisprimary AND a.attrelid = c.oid AND a.attnum = u.n),
	           '''#'' || md5(t.*::text) || row_number() OVER (PARTITION BY t.*::text)'), n.nspname, c.relname)
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
	  AND (n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'cron', $1)
	       OR n.nspname = $1 AND c.relname = 'event')
	  AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)
	ORDER BY 1`

func (in *Installed) contents(t testing.TB) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	rows, _ := in.Query(t.Context(), contents, in.File.Install.Schema) // CollectRows returns the error
	type table struct{ Name, Query string }
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		rows, _ := in.Query(t.Context(), table.Query)
		digests := map[string]string{}
		var key, row string
		_, err := pgx.ForEachRow(rows, []any{&key, &row}, func() error {
			digests[key] = row
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", table.Query, err)
		}
		all[table.Name] = digests
	}
	return all
}

// BlastRadius calls retention.blast_radius as a viewer, in a read-only transaction.
func (in *Installed) BlastRadius(t testing.TB, policy, asOf string, scope *string) ([]Effect, error) {
	t.Helper()
	in.Viewer()
	rows, _ := in.viewer.Query(t.Context(), `
		SELECT effect, table_name, coalesce(path, ''), rows, coalesce(note, '')
		FROM `+in.schema()+`.blast_radius($1, $2::text::timestamptz, scope => $3::text::jsonb)`, policy, asOf, scope)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Effect])
}

// Viewer returns a session with the viewer's rights in which all transactions are read-only. The
// first call opens it.
func (in *Installed) Viewer() *pgx.Conn {
	in.t.Helper()
	if in.viewer == nil {
		in.viewer = in.as(in.t, in.File.Install.Roles.Viewer)
		pgtest.Exec(in.t, in.viewer, "SET default_transaction_read_only = on")
	}
	return in.viewer
}

// CheckPreview compares the effects of a run with what the preview predicted before it. It calls
// the parameter "run" to run the policy. For some effects, the preview does not know the number of
// rows. CheckPreview does not compare these effects, and returns their notes. If the run does not
// end "done", it compares nothing.
func (in *Installed) CheckPreview(t testing.TB, policy, asOf string, scope *string, run func()) (unknown []string) {
	t.Helper()
	effects, err := in.BlastRadius(t, policy, asOf, scope)
	f := prediction{effects, in.contents(t)}
	run()
	o := in.Last(policy)
	if o.State != "done" {
		return nil
	}
	if err != nil {
		t.Errorf("the preview of %s failed: %v", policy, err)
		return nil
	}
	f.compare(t, policy, in.contents(t))
	for _, e := range effects {
		_, bounded := e.bound()
		if e.Rows == nil && !bounded && !strings.Contains(e.Note, "position that a run has reached") {
			unknown = append(unknown, e.Note)
		}
	}
	return unknown
}

var atMost = regexp.MustCompile(`^([0-9]+) as things are: at most this many[^;]*$`)

// bound returns the greatest number of rows that an insert can write, if the preview gives only
// this limit.
func (e Effect) bound() (int64, bool) {
	found := atMost.FindStringSubmatch(e.Note)
	if found == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	return n, err == nil
}

// change counts the rows of a table that were removed, changed and added.
type change struct{ removed, changed, added int64 }

func changeOf(before, after map[string]string) change {
	var c change
	for key, row := range before {
		now, found := after[key]
		switch {
		case !found:
			c.removed++
		case now != row:
			c.changed++
		}
	}
	for key := range after {
		if _, found := before[key]; !found {
			c.added++
		}
	}
	return c
}

// keyless corrects a change of a table without a primary key. In such a table, a changed row looks
// like one removed row and one added row. So up to predicted.changed of these pairs count as
// changed rows.
func (c change) keyless(predicted change) change {
	both := min(c.removed, c.added, predicted.changed)
	return change{c.removed - both, both, c.added - both}
}

func (f prediction) compare(t testing.TB, policy string, after map[string]map[string]string) {
	t.Helper()
	otherTables := false // the run may also change tables that the preview does not list
	for _, e := range f.effects {
		otherTables = otherTables || slices.Contains([]string{"sql", "detach", "drop", "drop table"}, e.Effect) ||
			strings.Contains(e.Note, "trigger")
	}
	for table, before := range f.before {
		rows, exists := after[table]
		got := changeOf(before, rows)
		want, more, known, changedIsMost := f.predicted(table)
		if slices.ContainsFunc(slices.Collect(maps.Keys(rows)),
			func(key string) bool { return strings.HasPrefix(key, "#") }) {
			got = got.keyless(want)
		}
		switch {
		case !known || otherTables && want == (change{}) || !exists:
			continue
		case want.removed != got.removed || got.added < want.added || got.added > want.added+more ||
			got.changed > want.changed+more || !changedIsMost && got.changed != want.changed:
			t.Errorf("policy %s, table %s: the preview predicted %+v, the run did %+v\n%s", policy, table, want, got, f)
		}
	}
}

// predicted returns what the preview predicts for a table.
//
//   - more is how many further rows may be added or changed, by inserts that have only a bound.
//   - known is false if the preview does not know a number.
//   - changedIsMost reports that c.changed is an upper bound. A row may be changed twice, or changed
//     and then taken, and an insert may update an existing row.
func (f prediction) predicted(table string) (c change, more int64, known, changedIsMost bool) {
	known = true
	updates := 0
	for _, e := range f.effects {
		if e.Table != table || e.Effect == "blocked" || e.Effect == "refused" {
			continue
		}
		if n, bounded := e.bound(); e.Rows == nil && bounded {
			more += n
			changedIsMost = true
			continue
		} else if e.Rows == nil {
			return c, 0, false, false
		}
		switch e.Effect {
		case "delete", "cascade":
			c.removed += *e.Rows
		case "insert", "archive":
			c.added += *e.Rows
			changedIsMost = true
		default:
			c.changed += *e.Rows
			updates++
		}
	}
	return c, more, known, changedIsMost || updates > 1 || c.removed > 0
}

func (f prediction) String() string {
	lines := make([]string, len(f.effects))
	for i, e := range f.effects {
		rows := "unknown"
		if e.Rows != nil {
			rows = fmt.Sprint(*e.Rows)
		}
		lines[i] = strings.TrimSpace(fmt.Sprintf("  %s %s %s %s %s", e.Effect, e.Table, rows, e.Path, e.Note))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
