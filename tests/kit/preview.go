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

// Effect is a row of retention.blast_radius, nil where it says unknown.
type Effect struct {
	Effect, Table, Path string
	Rows                *int64
	Note                string
}

// prediction is what the preview said before a run, and what all tables held then.
type prediction struct {
	effects []Effect
	before  map[string]map[string]string // table, key, row
}

// contents are the rows of all tables of the application, and the events, by their primary key:
// plain SQL that nothing of pgretain has a part in. A table without a key has its rows as text,
// numbered where they are equal.
const contents = `
	SELECT n.nspname || '.' || c.relname,
	       format('SELECT %s, md5(t.*::text) FROM %I.%I t', coalesce(
	           (SELECT 'concat_ws('','', ' || string_agg(format('t.%I', a.attname), ', ' ORDER BY u.i) || ')'
	            FROM pg_index x, unnest(x.indkey) WITH ORDINALITY u (n, i), pg_attribute a
	            WHERE x.indrelid = c.oid AND x.indisprimary AND a.attrelid = c.oid AND a.attnum = u.n),
	           '''#'' || md5(t.*::text) || row_number() OVER (PARTITION BY t.*::text)'), n.nspname, c.relname)
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
	  AND (n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'cron', $1) OR n.nspname = $1 AND c.relname = 'event')
	  AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)
	ORDER BY 1`

func (in *Installed) contents(t testing.TB) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	rows, _ := in.Query(t.Context(), contents, in.File.Install.Schema) // rows give the same error
	type table struct{ Name, Query string }
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		rows, _ := in.Query(t.Context(), table.Query)
		held := map[string]string{}
		var key, row string
		if _, err := pgx.ForEachRow(rows, []any{&key, &row}, func() error { held[key] = row; return nil }); err != nil {
			t.Fatalf("%s: %v", table.Query, err)
		}
		all[table.Name] = held
	}
	return all
}

// Effects asks retention.blast_radius as a viewer, in a read-only transaction.
func (in *Installed) BlastRadius(t testing.TB, policy, asOf string, scope *string) ([]Effect, error) {
	t.Helper()
	in.Viewer()
	rows, _ := in.viewer.Query(t.Context(), "SELECT effect, table_name, coalesce(path, ''), rows, coalesce(note, "+
		"'') FROM "+
		in.schema()+".blast_radius($1, $2::text::timestamptz, scope => $3::text::jsonb)", policy, asOf, scope)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Effect])
}

// Viewer is a session of a viewer's in which all transactions are read-only, opened at the first
// use.
func (in *Installed) Viewer() *pgx.Conn {
	in.t.Helper()
	if in.viewer == nil {
		in.viewer = in.as(in.t, in.File.Install.Roles.Viewer)
		pgtest.Exec(in.t, in.viewer, "SET default_transaction_read_only = on")
	}
	return in.viewer
}

// Foreseen holds a run to what the preview said before it: run runs the policy. What the preview
// says is not known is not compared: it answers why. A run that ends otherwise than done is not
// compared.
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
		if _, bound := e.most(); e.Rows == nil && !bound && !strings.Contains(e.Note, "how far a run has come") {
			unknown = append(unknown, e.Note)
		}
	}
	return unknown
}

var atMost = regexp.MustCompile(`^([0-9]+) as things are: so many at most[^;]*$`)

// most is a bound, where the preview says no more of an insert.
func (e Effect) most() (int64, bool) {
	found := atMost.FindStringSubmatch(e.Note)
	if found == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(found[1], 10, 64)
	return n, err == nil
}

// change is what became of a table's rows.
type change struct{ gone, changed, added int64 }

func changeOf(before, after map[string]string) change {
	var c change
	for key, row := range before {
		now, there := after[key]
		switch {
		case !there:
			c.gone++
		case now != row:
			c.changed++
		}
	}
	for key := range after {
		if _, there := before[key]; !there {
			c.added++
		}
	}
	return c
}

// keyless is a change of a table without a primary key, where a row that changes goes and comes.
func (c change) keyless(said change) change {
	both := min(c.gone, c.added, said.changed)
	return change{c.gone - both, both, c.added - both}
}

func (f prediction) compare(t testing.TB, policy string, after map[string]map[string]string) {
	t.Helper()
	blind := false
	for _, e := range f.effects {
		blind = blind || slices.Contains([]string{"sql", "detach", "drop", "drop table"}, e.Effect) ||
			strings.Contains(e.Note, "trigger")
	}
	for table, before := range f.before {
		held, there := after[table]
		real := changeOf(before, held)
		said, bound, known, vague := f.said(table)
		if slices.ContainsFunc(slices.Collect(maps.Keys(held)),
			func(key string) bool { return strings.HasPrefix(key, "#") }) {
			real = real.keyless(said)
		}
		switch {
		case !known || blind && said == (change{}) || !there:
			continue
		case said.gone != real.gone || real.added < said.added || real.added > said.added+bound ||
			real.changed > said.changed+bound || !vague && real.changed != said.changed:
			t.Errorf("policy %s, table %s: the preview said %+v, the run did %+v\n%s", policy, table, said, real, f)
		}
	}
}

// said is what the preview says of a table, bound how many rows more may be added or changed. known
// is false where a number is not; vague says that changed is the most that can be, because rows are
// added up, changed twice, or changed and taken.
func (f prediction) said(table string) (c change, bound int64, known, vague bool) {
	known = true
	updates := 0
	for _, e := range f.effects {
		if e.Table != table || e.Effect == "blocked" || e.Effect == "refused" {
			continue
		}
		if n, most := e.most(); e.Rows == nil && most {
			bound += n
			vague = true
			continue
		} else if e.Rows == nil {
			return c, 0, false, false
		}
		switch e.Effect {
		case "delete", "cascade":
			c.gone += *e.Rows
		case "insert", "archive":
			c.added += *e.Rows
			vague = true
		default:
			c.changed += *e.Rows
			updates++
		}
	}
	return c, bound, known, vague || updates > 1 || c.gone > 0
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
