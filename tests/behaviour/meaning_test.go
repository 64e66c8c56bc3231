package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestZoneOfExpressions: days, casts and texts of intervals in expressions are those of the
// install, whatever the session that calls has. The oracle reads them in the same zone.
func TestZoneOfExpressions(t *testing.T) {
	const schema = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, day date, note text)"
	const data = "INSERT INTO m SELECT i, :as_of - i * interval '50 minutes' FROM generate_series(0, 60) i"
	for _, zone := range []string{"America/New_York", "Asia/Kolkata"} {
		t.Run(zone, suite{zone: zone, scenarios: []scenario{
			{name: "a day of the zone", schema: schema, data: data,
				rule: `{table: "@.m", where: "at::date < as_of::date AND date_trunc('day', at) < as_of - interval '1 day'", then: [delete]}`,
				goes: "SELECT * FROM m WHERE (at AT TIME ZONE '" + zone + "')::date < (:as_of AT TIME ZONE '" + zone + "')::date AND date_trunc('day', at, '" + zone + "') < :as_of - interval '1 day'"},
			{name: "a text of the zone", schema: schema, data: data,
				rule:   `{table: "@.m", where: "note IS NULL", then: [{update: {set: {note: "at::text || ' ' || interval '36 hours'::text", day: "at"}}}]}`,
				goes:   "SELECT m.* FROM m",
				leaves: map[string]string{"m": "SELECT id, at, (at AT TIME ZONE '" + zone + "')::date, at::text || ' 36:00:00' FROM m"}},
		}}.run)
	}
}

// TestNothingRelated: a step on related rows that matches none is no error.
func TestNothingRelated(t *testing.T) {
	const schema = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE r (id int PRIMARY KEY, m_id int); CREATE TABLE old (LIKE r)"
	suite{scenarios: []scenario{{
		name: "none", schema: schema, data: "INSERT INTO m SELECT i, :as_of - i * interval '1 day' FROM generate_series(1, 20) i; INSERT INTO r SELECT i, 100 FROM generate_series(1, 5) i",
		rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [{delete: {table: "@.r", as: a, where: "a.m_id = t.id"}}, {update: {table: "@.r", as: b, where: "b.m_id = t.id", set: {m_id: null}}},
			{archive: {table: "@.r", as: c, where: "c.m_id = t.id", into: "@.old"}}, delete]}`,
		goes: "SELECT * FROM m WHERE at < :as_of - interval '7 days'", unforeseen: "which step 2 writes",
	}}}.run(t)
}

const numbered = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, n int); INSERT INTO m SELECT i, '" + noon + "'::timestamptz - i * interval '1 day', i % 3 FROM generate_series(1, 20) i; CREATE TABLE r (id int PRIMARY KEY, m_id int); INSERT INTO r SELECT i, i % 10 FROM generate_series(1, 40) i;"

// TestEvents: one event for each row of the batch, or each related row, in the batch's transaction.
func TestEvents(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, numbered, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [
		{emit: {event: note.gone, payload: {id: id, "as-of": as_of, why: run.reason, nothing: null}}},
		{emit: {table: r, as: x, where: "x.m_id = t.id", event: tag_gone, payload: {id: x.id}}}, delete]}}`)
	in.SetBatch(3)
	if o := in.Done("p", noon); o.Taken != 13 || o.Related["retention.event"] != 13+8 {
		t.Errorf("%+v", o)
	}
	wanted := pgtest.Column[string](t, in, `SELECT x::text FROM (SELECT 'note.gone', jsonb_build_object('id', i, 'as-of', '`+noon+`'::timestamptz, 'why', NULL, 'nothing', NULL) FROM generate_series(8, 20) i
		UNION ALL SELECT 'tag_gone', jsonb_build_object('id', id) FROM r WHERE m_id IN (8, 9)) x ORDER BY 1`)
	if diff := cmp.Diff(wanted, in.Rows("SELECT event, payload FROM retention.event WHERE policy = 'p' AND run_id = (SELECT max(id) FROM retention.run)")); diff != "" {
		t.Errorf("events differ (-want +got):\n%s", diff)
	}
}

// TestExpressionFails: a row for which an expression fails is refused, and what its batch did of it, events included, is
// undone; the others go.
func TestExpressionFails(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, numbered, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [
		{emit: {event: gone, payload: {id: id}}}, {update: {set: {n: "12 / (id - 9)"}}}, delete]}}`)
	in.SetBatch(3)
	if o := in.Done("p", noon); o.Refused != 1 || o.Taken != 12 {
		t.Errorf("%+v", o)
	}
	if left := pgtest.Column[int](t, in, "SELECT id FROM m WHERE id >= 8"); len(left) != 1 || left[0] != 9 {
		t.Errorf("%v are left", left)
	}
	if events := pgtest.Value[int64](t, in, "SELECT count(*) FROM retention.event WHERE payload ->> 'id' <> '9'"); events != 12 {
		t.Errorf("%d events written", events)
	}
}

// TestLaterPolicySeesTheEarlier: what one policy of a job commits, the next one judges.
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
	// 8 to 20 are old: of the rows of r those of 8, 9 and of the 0 that never was go with them.
	got := in.Rows("SELECT policy, state, taken FROM retention.run")
	if diff := cmp.Diff([]string{"(aged,done,13)", "(newest,done,4)", "(orphans,done,12)"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestScopeOfARank: a scope narrows what is taken, by a job or a call, and not what is counted.
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
	// 1, 2 and 3 have the first places: of 3, 6, 9, ... only 3 stays.
	if diff := cmp.Diff(pgtest.Column[string](t, in, "SELECT i::text FROM generate_series(1, 20) i WHERE i % 3 > 0 OR i = 3 ORDER BY 1"), pgtest.Column[string](t, in, "SELECT id::text FROM m ORDER BY 1")); diff != "" {
		t.Error(diff)
	}
	if _, err := in.Call("CALL retention.run_job('one', $1)", noon); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pgtest.Column[string](t, in, "SELECT i::text FROM generate_series(1, 20) i WHERE i IN (1, 3) OR i % 3 = 2 ORDER BY 1"), pgtest.Column[string](t, in, "SELECT id::text FROM m ORDER BY 1")); diff != "" {
		t.Error(diff)
	}
}

// TestScopeThatNoRowHas: a value is not cut off to the length or precision of the column, where it would be another one.
func TestScopeThatNoRowHas(t *testing.T) {
	t.Parallel()
	for typ, values := range map[string][2]string{ // one of the row, and one that no row can have
		"varchar(3)": {"abc", "abcd"}, "char(3)": {"abc", "abcd"}, "bit(3)": {"101", "1011"}, "numeric(6,1)": {"1.5", "1.46"}, "short": {"abc", "abcd"},
		"timestamptz(0)": {"2024-01-01 00:00:01+00", "2024-01-01 00:00:00.7+00"}, "interval hour": {"1:00", "1:20"}, "pair": {"(1,)", "(,)"},
	} {
		in := kit.Install(t, "CREATE DOMAIN short AS varchar(3); CREATE TYPE pair AS (a int, b int); CREATE TABLE m (id int PRIMARY KEY, v "+typ+"); INSERT INTO m VALUES (1, '"+values[0]+"')",
			`policies: {p: {table: m, where: "true", scope: [v], then: [delete]}}`)
		for want, value := range []string{values[1], values[0]} {
			if _, err := in.Call("CALL retention.run('p', $1, scope => jsonb_build_object('v', $2::text))", noon, value); err != nil {
				t.Errorf("%s %s: %v", typ, value, err)
			}
			if o := in.Last("p"); o.Taken != int64(want) {
				t.Errorf("%s %s: took %d, want %d", typ, value, o.Taken, want)
			}
		}
	}
}

// TestStrictJob: in a strict job a policy runs only after those before it are done.
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
			t.Errorf("%s: %+v", want.job, o)
		}
		if n := pgtest.Value[int64](t, in, "SELECT count(*) FROM r"); n != want.left {
			t.Errorf("%s: %d rows are left, want %d", want.job, n, want.left)
		}
	}
}
