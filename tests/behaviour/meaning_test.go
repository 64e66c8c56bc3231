package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestZoneOfExpressions checks that dates, casts and texts in expressions use the time zone of the
// install. The oracle converts explicitly to this zone.
func TestZoneOfExpressions(t *testing.T) {
	const schema = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, day date, note text)"
	const data = "INSERT INTO m SELECT i, :as_of - i * interval '50 minutes' FROM generate_series(0, 60) i"
	for _, zone := range []string{"America/New_York", "Asia/Kolkata"} {
		t.Run(zone, suite{zone: zone, scenarios: []scenario{
			{
				name:   "a day of the zone",
				schema: schema,
				data:   data,
				rule: `{table: "@.m",
					where: "at::date < as_of::date AND date_trunc('day', at) < as_of - interval '1 day'",
					then: [delete]}`,
				goes: "SELECT * FROM m WHERE (at AT TIME ZONE '" + zone + "')::date < (:as_of AT TIME ZONE '" +
					zone + "')::date AND date_trunc('day', at, '" + zone + "') < :as_of - interval '1 day'",
			},
			{
				name:   "a text of the zone",
				schema: schema,
				data:   data,
				rule: `{table: "@.m", where: "note IS NULL",
					then: [{update: {set: {note: "at::text || ' ' || interval '36 hours'::text", day: "at"}}}]}`,
				goes: "SELECT m.* FROM m",
				leaves: map[string]string{
					"m": "SELECT id, at, (at AT TIME ZONE '" + zone + "')::date, at::text || ' 36:00:00' FROM m",
				},
			},
		}}.run)
	}
}

// TestNoRelatedRows checks that a step on related rows does not fail if it matches no row.
func TestNoRelatedRows(t *testing.T) {
	const schema = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE r (id int PRIMARY KEY, m_id int);
		CREATE TABLE old (LIKE r)`
	suite{
		scenarios: []scenario{
			{
				name:   "none",
				schema: schema,
				data: `INSERT INTO m SELECT i, :as_of - i * interval '1 day' FROM generate_series(1, 20) i;
					INSERT INTO r SELECT i, 100 FROM generate_series(1, 5) i`,
				rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}},
					then: [{delete: {table: "@.r", as: a, where: "a.m_id = t.id"}},
					{update: {table: "@.r", as: b, where: "b.m_id = t.id", set: {m_id: null}}},
					{archive: {table: "@.r", as: c, where: "c.m_id = t.id", into: "@.old"}}, delete]}`,
				goes:       "SELECT * FROM m WHERE at < :as_of - interval '7 days'",
				unforeseen: "which step 2 writes",
			},
		},
	}.run(t)
}

const numbered = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, n int); INSERT INTO m SELECT i, '" +
	noon + `'::timestamptz - i * interval '1 day', i % 3 FROM generate_series(1, 20) i;
	CREATE TABLE r (id int PRIMARY KEY, m_id int);
	INSERT INTO r SELECT i, i % 10 FROM generate_series(1, 40) i;`

// TestEvents checks that an emit step writes one event for each row of the batch or each related
// row.
func TestEvents(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, numbered, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [
		{emit: {event: note.gone, payload: {id: id, "as-of": as_of, why: run.reason, nothing: null}}},
		{emit: {table: r, as: x, where: "x.m_id = t.id", event: tag_gone, payload: {id: x.id}}}, delete]}}`)
	in.SetBatch(3)
	if o := in.Done("p", noon); o.Taken != 13 || o.Related["retention.event"] != 13+8 {
		t.Errorf("want a run with taken 13; got %+v", o)
	}
	wanted := pgtest.Column[string](t, in, `SELECT x::text
		FROM (SELECT 'note.gone', jsonb_build_object('id', i, 'as-of', '`+noon+`'::timestamptz, 'why', NULL,
		'nothing', NULL) FROM generate_series(8, 20) i
		UNION ALL SELECT 'tag_gone', jsonb_build_object('id', id) FROM r WHERE m_id IN (8, 9)) x ORDER BY 1`)
	if diff := cmp.Diff(wanted,
		in.Rows(`SELECT event, payload FROM retention.event
			WHERE policy = 'p' AND run_id = (SELECT max(id) FROM retention.run)`)); diff != "" {
		t.Errorf("events differ (-want +got):\n%s", diff)
	}
}

// TestExpressionFails checks that a run refuses a row whose expression raises an error. The steps
// before it are undone for that row, events included. The run takes the other rows.
func TestExpressionFails(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, numbered, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [
		{emit: {event: gone, payload: {id: id}}}, {update: {set: {n: "12 / (id - 9)"}}}, delete]}}`)
	in.SetBatch(3)
	if o := in.Done("p", noon); o.Refused != 1 || o.Taken != 12 {
		t.Errorf("want a run with refused 1, taken 12; got %+v", o)
	}
	if left := pgtest.Column[int](t, in, "SELECT id FROM m WHERE id >= 8"); len(left) != 1 || left[0] != 9 {
		t.Errorf("rows %v are left, want only row 9 of the old ones", left)
	}
	if events := pgtest.Value[int64](t, in, `SELECT count(*) FROM retention.event
		WHERE payload ->> 'id' <> '9'`); events != 12 {
		t.Errorf("%d events written, want 12", events)
	}
}

// TestLaterPolicySeesTheEarlier checks that a policy of a job sees what earlier policies committed.
func TestLaterPolicySeesTheEarlier(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, numbered, `
policies:
  aged: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  orphans: {table: r, where: "NOT EXISTS (SELECT FROM m WHERE m.id = m_id)", then: [delete]}
  newest: {table: m, due: {beyond: {first: 3, order: at DESC}}, then: [delete]}
jobs: {nightly: {schedule: "@daily", run: [aged, orphans, newest]}}`)
	if _, err := in.Call("CALL retention.run_job('nightly', $1)", noon); err != nil {
		t.Fatal(err)
	}
	// Rows 8 to 20 are old. Without them, r has 12 orphans: 4 rows each for m_id 8, 9 and 0. There
	// was never a row 0.
	got := in.Rows("SELECT policy, state, taken FROM retention.run")
	if diff := cmp.Diff([]string{"(aged,done,13)", "(newest,done,4)", "(orphans,done,12)"}, got); diff != "" {
		t.Errorf("runs differ (-want +got):\n%s", diff)
	}
}

// TestScopeOfARank checks that a scope limits which rows a run takes, but not which rows it ranks.
// The scope comes from a job or from a call.
func TestScopeOfARank(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, numbered, `
policies:
  newest: {table: m, scope: [n, id], due: {beyond: {first: 3, order: at DESC}}, then: [delete]}
  aged: {table: m, scope: [n], due: {age: {column: at, older_than: 15 days}}, then: [delete]}
jobs: {one: {schedule: "@daily", run: [newest, aged], scope: {n: 1}}}`)
	in.SetBatch(3)
	if _, err := in.Call("CALL retention.run('newest', $1, scope => '{\"n\": 0}')", noon); err != nil {
		t.Fatal(err)
	}
	// Rows 1, 2 and 3 have the first three places. Of 3, 6, 9, ... only 3 stays.
	if diff := cmp.Diff(pgtest.Column[string](t, in, `SELECT i::text FROM generate_series(1, 20) i
		WHERE i % 3 > 0 OR i = 3 ORDER BY 1`),
		pgtest.Column[string](t, in, "SELECT id::text FROM m ORDER BY 1")); diff != "" {
		t.Errorf("after the call with scope n = 0, rows differ (-want +got):\n%s", diff)
	}
	if _, err := in.Call("CALL retention.run_job('one', $1)", noon); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pgtest.Column[string](t, in, `SELECT i::text FROM generate_series(1, 20) i
		WHERE i IN (1, 3) OR i % 3 = 2 ORDER BY 1`),
		pgtest.Column[string](t, in, "SELECT id::text FROM m ORDER BY 1")); diff != "" {
		t.Errorf("after the job with scope n = 1, rows differ (-want +got):\n%s", diff)
	}
}

// TestScopeThatNoRowHas checks that a scope value is not shortened to the column's length or
// precision. The shortened value would match other rows.
func TestScopeThatNoRowHas(t *testing.T) {
	t.Parallel()
	for typ, values := range map[string][2]string{ // by type: the value of the row, and a value that no row can have
		"varchar(3)": {"abc", "abcd"}, "char(3)": {"abc", "abcd"}, "bit(3)": {"101", "1011"}, "numeric(6,1)": {"1.5",
			"1.46"}, "short": {"abc", "abcd"},
		"timestamptz(0)": {"2024-01-01 00:00:01+00", "2024-01-01 00:00:00.7+00"}, "interval hour": {"1:00",
			"1:20"}, "pair": {"(1,)", "(,)"},
	} {
		in := kit.Install(t, `CREATE DOMAIN short AS varchar(3);
			CREATE TYPE pair AS (a int, b int);
			CREATE TABLE m (id int PRIMARY KEY, v `+typ+"); INSERT INTO m VALUES (1, '"+values[0]+"')",
			`policies: {p: {table: m, where: "true", scope: [v], then: [delete]}}`)
		for want, value := range []string{values[1], values[0]} {
			if _, err := in.Call("CALL retention.run('p', $1, scope => jsonb_build_object('v', $2::text))", noon,
				value); err != nil {
				t.Errorf("a run with scope value %s of type %s failed: %v", value, typ, err)
			}
			if o := in.Last("p"); o.Taken != int64(want) {
				t.Errorf("%s %s: took %d, want %d", typ, value, o.Taken, want)
			}
		}
	}
}

// TestStrictJob checks that a strict job runs a policy only if the policies before it ended "done".
func TestStrictJob(t *testing.T) {
	t.Parallel()
	const yaml = `
policies:
  some: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete], budget: {rows: 2}}
  others: {table: r, where: "true", then: [delete]}
jobs:
  strict: {schedule: "@daily", run: [some, others], strict: true}
  loose: {schedule: "@daily", run: [some, others]}`
	in := kit.Install(t, numbered, yaml)
	for _, want := range []struct {
		job  string
		left int64
	}{{"strict", 40}, {"loose", 0}} {
		_, _ = in.Call("CALL retention.run_job($2, $1)", noon, want.job)
		if o := in.Last("some"); o.State != "more" || o.Taken != 2 {
			t.Errorf("%s: want a run with state more, taken 2; got %+v", want.job, o)
		}
		if n := pgtest.Value[int64](t, in, "SELECT count(*) FROM r"); n != want.left {
			t.Errorf("%s: %d rows are left, want %d", want.job, n, want.left)
		}
	}
}

// TestSnowflakeLongAgo checks a cutoff before the epoch of the IDs. No ID is older than such a
// cutoff. The computed ID must not overflow into the range of valid IDs.
func TestSnowflakeLongAgo(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE o (id int PRIMARY KEY, keep_days int);
		INSERT INTO o VALUES (1, 30), (2, 36500), (3, 1);
		CREATE TABLE m (id bigint PRIMARY KEY, o_id int REFERENCES o);
		CREATE TABLE n (id bigint PRIMARY KEY);`, `
policies:
  p:
    table: m
    join: {o: {table: o, where: "o.id = t.o_id"}}
    due: {age: {column: id, encoding: {snowflake: {shift: 22, epoch: 1288834974657}},
          older_than: {days: "o.keep_days"}}}
    then: [delete]
  q:
    table: n
    due: {age: {column: id, encoding: {snowflake: {shift: 22, epoch: 1288834974657}}, older_than: 100 years}}
    then: [delete]
`)
	in.Exec(t, `INSERT INTO m
			SELECT ((extract(epoch FROM timestamptz '2024-03-29 00:00+00') * 1000)::bigint - 1288834974657) << 22 |
			i, i FROM generate_series(1, 3) i;
		INSERT INTO n SELECT id FROM m;
		INSERT INTO n VALUES (0), (-1), (-9223372036854775808)`)
	if o := in.Done("p", noon); o.Taken != 1 ||
		pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE o_id IN (1, 2)") != 2 {
		t.Errorf("of a day, a month and a century: want a run with taken 1; got %+v", o)
	}
	if o := in.Done("q", noon); o.Taken != 0 {
		t.Errorf("older than a century: want a run with taken 0; got %+v", o)
	}
}

// TestSessionSettingsDoNotChangeMeaning checks that settings of the calling session do not change
// which rows a policy takes.
func TestSessionSettingsDoNotChangeMeaning(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE EXTENSION pg_trgm;
		CREATE DOMAIN key AS int;
		CREATE TABLE m (id key PRIMARY KEY, at timestamptz NOT NULL, note text, tags text[]);
		CREATE TABLE tag (id int, words text[], pad text DEFAULT repeat('x', 200));
		CREATE INDEX ON tag USING gin (words) WITH (fastupdate = off)`, `
policies:
  p:
    table: m
    where: >-
      note LIKE 'a\_b' OR note = NULL OR tags = '{NULL}' OR at < '2023-01-01 02:00 IST'
      OR note % 'some words' OR note ~ '^[xs]'
    due: {age: {column: at, older_than: 7 days}}
    keep:
      xml: >-
        note LIKE 'x%' AND xmlelement(name x, note::bytea)::text = '<x>eDE=</x>'
        AND xmlparse(CONTENT 'a')::text::xml IS NOT NULL
      name: "note LIKE 'x%' AND quote_ident(note) = 'x2'"
      tag: "EXISTS (SELECT FROM tag x WHERE x.words @> ARRAY[t.note] AND x.id = 2999)"
    then: [delete]
`)
	in.Exec(t, `INSERT INTO m VALUES (1, '2024-01-01', 'a_b', NULL), (2, '2024-01-01', 'axb', NULL),
			(3, '2024-01-01', NULL, NULL),
		(4, '2024-01-01', 'c', ARRAY['NULL']), (5, '2024-01-01', 'd', ARRAY[NULL]),
		(6, '2022-12-31 23:00+00', 'e', NULL), (7, '2022-12-31 20:00+00', 'f', NULL),
			(8, '2024-01-01', 'some word', NULL),
		(9, '2024-01-01', 'x1', NULL), (10, '2024-01-01', 'x2', NULL), (11, '2024-01-01', 's', NULL),
			(12, '2024-01-01', 'x3', NULL);
		INSERT INTO tag SELECT i, '{s}' FROM generate_series(1, 3000) i;
		ANALYZE tag`)
	want := pgtest.Column[int](t, in, `SELECT id FROM m WHERE id > 8 AND id < 12 OR (note LIKE 'a\_b' OR note = NULL
		OR tags = '{NULL}' OR at < '2023-01-01 02:00 IST' OR note % 'some words' OR note ~ '^[xs]') IS NOT TRUE
		ORDER BY 1`)
	other := `SET standard_conforming_strings = off;
		SET escape_string_warning = off;
		SET transform_null_equals = on;
		SET array_nulls = off;
		SET timezone_abbreviations = 'India';
		SET pg_trgm.similarity_threshold = 0.99;
		SET gin_fuzzy_search_limit = 1;
		SET xmlbinary = hex;
		SET xmloption = document;
		SET quote_all_identifiers = on`
	pgtest.Exec(t, in.Runner(), other)
	viewer := in.Viewer()
	pgtest.Exec(t, viewer, other)
	if due := pgtest.Value[int](t, viewer, "SELECT due FROM retention.preview('p', '"+noon+"')"); due != 12-len(want) {
		t.Errorf("preview says %d of 12 rows, want all but %v", due, want)
	}
	in.Done("p", noon)
	if left := pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY 1"); !slices.Equal(want, left) {
		t.Errorf("%v are left, want %v", left, want)
	}
}

// TestJoinOfRowsIsRefused checks that the migration refuses a join with a column of a composite
// type. unnest would split such values into columns.
func TestJoinOfRowsIsRefused(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"ROW(t.id + 10, t.id + 20)::pair", "ROW(t.id + 10, t.id + 20)::few"} {
		yaml := `
policies:
  p:
    table: m
    join: {l: "SELECT ` + value + ` AS pr, t.id + 30 AS v"}
    due: {age: {column: at, older_than: 7 days}}
    then: [delete, {delete: {table: blob, as: b, where: "l.pr IS NOT NULL AND b.id = l.v"}}]
`
		in := kit.Prepare(t, `CREATE TYPE pair AS (a int, b int); CREATE DOMAIN few AS pair;
			CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE blob (id int PRIMARY KEY)`, yaml)
		_, err := in.TryMigrate(t, yaml)
		if list := install.Diagnostics(err); err == nil || !strings.Contains(list[0].Message, "is an array or a row") {
			t.Errorf("join with %s: the migration ended with %v, want a refusal", value, err)
		}
	}
}

const ruled = rowsOfM + `
	CREATE TABLE r (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
	CREATE TABLE s (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE SET NULL);
	CREATE TABLE n (id int PRIMARY KEY, x int);
	CREATE TABLE attic (id int, at timestamptz, run_id bigint);
	CREATE TABLE ledger (id int PRIMARY KEY);
	INSERT INTO r SELECT id, id FROM m;
	INSERT INTO s SELECT id, id FROM m;
	INSERT INTO n SELECT id FROM m;
	INSERT INTO ledger SELECT id FROM m`

const ruledPolicy = `
protect: [ledger]
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then:
      - update: {table: n, as: n, where: "n.id = t.id", set: {x: "1"}}
      - archive: {into: attic, set: {run_id: run.id}}
      - delete: {cascades: [r, s]}
`

// TestRules checks rules that somebody creates on the tables. A run trips if a rule changes what
// the policy's statements do. Rules for other events or tables, and rules that do nothing, stop no
// run.
func TestRules(t *testing.T) {
	t.Parallel()
	const ledger = " DO ALSO DELETE FROM ledger"
	for name, c := range map[string]struct {
		rule string
		trip bool
	}{
		"own delete":     {"ON DELETE TO m" + ledger, true},
		"instead":        {"ON DELETE TO m DO INSTEAD NOTHING", true},
		"cascade":        {"ON DELETE TO r" + ledger, true},
		"set null":       {"ON UPDATE TO s" + ledger, true},
		"related update": {"ON UPDATE TO n" + ledger, true},
		"archive":        {"ON INSERT TO attic DO INSTEAD NOTHING", true},
		"another event":  {"ON INSERT TO m" + ledger, false},
		"of no delete":   {"ON DELETE TO n" + ledger, false},
		"does nothing":   {"ON DELETE TO m DO ALSO NOTHING", false},
		"another table":  {"ON DELETE TO ledger DO INSTEAD NOTHING", false},
		"disabled":       {"ON DELETE TO m" + ledger + "; ALTER TABLE m DISABLE RULE a", false},
		"for replicas":   {"ON DELETE TO m" + ledger + "; ALTER TABLE m ENABLE REPLICA RULE a", false},
		"always":         {"ON DELETE TO m" + ledger + "; ALTER TABLE m ENABLE ALWAYS RULE a", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, ruled, ruledPolicy)
			in.Exec(t, "SET ROLE "+kit.Migrator+"; CREATE RULE a AS "+c.rule+"; RESET ROLE")
			want := []string{"(1)", "(2)", "(3)"}
			o := in.Run("p", noon)
			if c.trip && (o.State != "tripped" || !strings.Contains(o.Message, `rule "a" on table`)) || !c.trip &&
				o.State != "done" {
				t.Errorf("the run ended %s: %q; want a trip: %v", o.State, o.Message, c.trip)
			}
			if diff := cmp.Diff(want, in.Rows("SELECT * FROM ledger")); diff != "" {
				t.Errorf("protected rows (-want +got):\n%s", diff)
			}
			if !c.trip {
				want = nil
			}
			if diff := cmp.Diff(want, in.Rows("SELECT id FROM m")); len(want) != 0 && diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestInheritanceAddedLater checks that a run trips if a table later inherits from a table of the
// policy. This applies to tables from which steps take rows, and to tables that steps update.
func TestInheritanceAddedLater(t *testing.T) {
	t.Parallel()
	for table, trip := range map[string]bool{"m": true, "n": true, "r": false, "attic": false} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, ruled, ruledPolicy)
			in.Exec(t, "SET ROLE "+kit.Migrator+"; CREATE TABLE fresh () INHERITS ("+table+"); RESET ROLE")
			if table == "m" {
				in.Exec(t, "INSERT INTO fresh SELECT 100 + i, '2024-03-31 11:00+00' FROM generate_series(1, 5) i")
			}
			before := in.Rows("SELECT * FROM fresh")
			o := in.Run("p", noon)
			if trip &&
				(o.State != "tripped" ||
					!strings.Contains(o.Message, `table "public.fresh" inherits from "public.`+table)) ||
				!trip && o.State != "done" {
				t.Errorf("the run ended %s: %q; want a trip: %v", o.State, o.Message, trip)
			}
			if diff := cmp.Diff(before, in.Rows("SELECT * FROM fresh")); diff != "" {
				t.Errorf("rows of the child (-before +after):\n%s", diff)
			}
		})
	}
}

// TestRelatedInheritsRefused checks that steps on related rows are refused if other tables inherit
// from the related table: its primary key is not unique then.
func TestRelatedInheritsRefused(t *testing.T) {
	t.Parallel()
	for _, step := range []string{`update: {table: n, as: n, where: "n.id = t.id", set: {x: "t.id"}}`,
		`delete: {table: n, as: n, where: "n.id = t.id"}`} {
		yaml := "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [{" + step +
			"}, delete: {cascades: [r, s]}]}}"
		in := kit.Prepare(t, ruled+"; CREATE TABLE n_old () INHERITS (n)", yaml)
		_, list := in.Compile(t, yaml)
		if len(list) != 1 || list[0].Code.String() != "P053" || !strings.Contains(list[0].Message, "public.n_old") {
			t.Errorf("%s: got the diagnostics %v, want P053 for public.n_old", step, list)
		}
	}
}
