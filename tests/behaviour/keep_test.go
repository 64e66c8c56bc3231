package behaviour

import (
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// notes is a table for conditions: all combinations of few values, half of the rows due.
const (
	notes     = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, kind text, score numeric, flag boolean)"
	notesData = `INSERT INTO m
		SELECT row_number() OVER (), :as_of - d, k, s, f
		FROM unnest(ARRAY['6 days', '7 days', '7 days 00:00:00.000001', '8 days', '30 days']::interval[]) d,
			unnest(ARRAY['a', 'b', NULL]) k, unnest(ARRAY[1, 2, NULL]) s, unnest(ARRAY[true, false, NULL]) f;`
	aged = "at < :as_of - interval '7 days'"
)

func TestWhere(t *testing.T) {
	rule := func(where, due string) string {
		return `{table: "@.m", where: ` + where + `, ` + due + `then: [delete]}`
	}
	const age = "due: {age: {column: at, older_than: 7 days}}, "
	suite{scenarios: []scenario{
		{name: "simple", schema: notes, data: notesData, rule: rule(`"kind = 'a'"`, age), goes: "SELECT * FROM m WHERE kind = 'a' AND " + aged},
		{name: "boolean column", schema: notes, data: notesData, rule: rule(`flag`, age), goes: "SELECT * FROM m WHERE flag AND " + aged},
		{name: "is null", schema: notes, data: notesData, rule: rule(`"kind IS NULL OR t.score > 1"`, age), goes: "SELECT * FROM m WHERE (kind IS NULL OR score > 1) AND " + aged},
		{name: "not", schema: notes, data: notesData, rule: rule(`"NOT (kind = 'a' AND flag)"`, age), goes: "SELECT * FROM m WHERE NOT (kind = 'a' AND flag) AND " + aged},
		{name: "a function", schema: notes, data: notesData, rule: rule(`"upper(kind) = 'A' AND length(kind || 'x') = 2"`, age), goes: "SELECT * FROM m WHERE kind = 'a' AND " + aged},
		{name: "a function that may do anything", schema: notes + "; CREATE FUNCTION odd(int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT $1 % 2 = 1'", data: notesData,
			rule: rule(`"@.odd(id)"`, age), goes: "SELECT * FROM m WHERE id % 2 = 1 AND " + aged},
		{name: "as_of", schema: notes, data: notesData, rule: rule(`"at < as_of - interval '8 days' OR t.at >= as_of - interval '7 days'"`, ""), goes: "SELECT * FROM m WHERE at < :as_of - interval '8 days' OR at >= :as_of - interval '7 days'"},
		{name: "without due", schema: notes, data: notesData, rule: rule(`"score >= 2"`, ""), goes: "SELECT * FROM m WHERE score >= 2"},
		{name: "everything", schema: notes, data: notesData, rule: rule("true", ""), goes: "SELECT * FROM m"},
		{name: "nothing", schema: notes, data: notesData, rule: rule("false", ""), goes: "SELECT * FROM m WHERE false"},
		{name: "neither", schema: notes, data: notesData, rule: rule("null", ""), goes: "SELECT * FROM m WHERE false"},
		{name: "another table", schema: notes + "; CREATE TABLE closed (kind text, id int)", data: notesData + "INSERT INTO closed VALUES ('b', 9), ('b', 8), ('z', 7)",
			rule: rule(`"EXISTS (SELECT FROM @.closed x WHERE x.kind = t.kind)"`, age), goes: "SELECT * FROM m WHERE kind = 'b' AND " + aged},
		{name: "not in, with a NULL", schema: notes + "; CREATE TABLE open (kind text)", data: notesData + "INSERT INTO open VALUES ('b'), (NULL)",
			rule: rule(`"kind NOT IN (SELECT kind FROM @.open)"`, age), goes: "SELECT * FROM m WHERE false"},
		{name: "its own table", unforeseen: "later batches may judge otherwise", schema: notes, data: notesData,
			rule: rule(`"score < (SELECT max(x.score) FROM @.m x WHERE x.kind = t.kind)"`, age), goes: "SELECT * FROM m WHERE score = 1 AND kind IS NOT NULL AND " + aged},
		{name: "any of two clocks", schema: "CREATE TABLE m (id int PRIMARY KEY, a timestamptz, b date)",
			data: "INSERT INTO m SELECT i, CASE WHEN i % 4 > 0 THEN :as_of - (i % 11) * interval '1 day' END, CASE WHEN i % 5 > 0 THEN '2024-03-31'::date - i % 13 END FROM generate_series(1, 150) i",
			rule: `{table: "@.m", where: "id % 2 = 0", due: {any: [{age: {column: a, older_than: 7 days}}, {expires: {column: b, grace: 9 days, nulls: due}}]}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE id % 2 = 0 AND (a < :as_of - interval '7 days' OR b < '2024-03-22' OR b IS NULL)"},
	}}.run(t)
}

func TestGuards(t *testing.T) {
	rule := func(keep string) string {
		return `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {` + keep + `}, then: [delete]}`
	}
	const cases = "; CREATE TABLE open_case (m_id int, closed boolean)"
	const casesData = notesData + "INSERT INTO open_case SELECT i, CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END FROM generate_series(1, 200, 2) i"
	suite{scenarios: []scenario{
		{name: "true, false and NULL", schema: notes, data: notesData, rule: rule(`starred: flag`),
			goes: "SELECT * FROM m WHERE flag = false AND " + aged, kept: map[string]int64{"starred": 54}},
		{name: "two guards, counted under the first", schema: notes, data: notesData, rule: rule(`high: "score > 1", starred: flag`),
			goes: "SELECT * FROM m WHERE flag = false AND score = 1 AND " + aged, kept: map[string]int64{"high": 54, "starred": 18}},
		{name: "the other way round", schema: notes, data: notesData, rule: rule(`starred: flag, high: "score > 1"`),
			goes: "SELECT * FROM m WHERE flag = false AND score = 1 AND " + aged, kept: map[string]int64{"high": 18, "starred": 54}},
		{name: "exists", schema: notes + cases, data: casesData, rule: rule(`open: "EXISTS (SELECT FROM @.open_case c WHERE c.m_id = t.id AND NOT closed)"`),
			goes: "SELECT * FROM m WHERE NOT (id % 6 = 1) AND " + aged},
		{name: "a bare name of the row in a sub-select", schema: notes + cases, data: casesData, rule: rule(`open: "EXISTS (SELECT FROM @.open_case c WHERE c.m_id = id)"`),
			goes: "SELECT * FROM m WHERE id % 2 = 0 AND " + aged},
		{name: "no row is NULL and keeps", schema: notes + cases, data: casesData, rule: rule(`open: "(SELECT closed FROM @.open_case c WHERE c.m_id = t.id)"`),
			goes: "SELECT * FROM m WHERE id % 6 = 1 AND " + aged},
		{name: "constants", schema: notes, data: notesData, rule: rule(`never: false, always: null`), goes: "SELECT * FROM m WHERE false", kept: map[string]int64{"always": 81}},
		{name: "as_of", schema: notes, data: notesData, rule: rule(`ancient: "at < as_of - interval '8 days'"`),
			goes: "SELECT * FROM m WHERE at >= :as_of - interval '8 days' AND " + aged},
		{name: "newest of its kind", schema: notes, data: notesData, rule: rule(`newest: {first: 1, per: [kind], order: "at DESC, id DESC"}, few: {first: 2, order: score DESC}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND id <> (SELECT id FROM m x WHERE x.kind IS NOT DISTINCT FROM m.kind ORDER BY at DESC, id DESC LIMIT 1)
				AND id NOT IN (SELECT id FROM m WHERE score = 2 ORDER BY id DESC LIMIT 2)`},
		{name: "among", schema: notes, data: notesData, rule: rule(`last_good: {first: 2, per: [kind, score], among: flag, order: "at"}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND NOT (flag IS TRUE AND
				(SELECT count(*) FROM m x WHERE x.flag AND x.kind IS NOT DISTINCT FROM m.kind AND x.score IS NOT DISTINCT FROM m.score AND (x.at, x.id) < (m.at, m.id)) < 2)`},
		{name: "ties", schema: notes, data: notesData, rule: rule(`oldest: {first: 1, per: [kind], order: "at", with_ties: true}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND at > (SELECT min(at) FROM m)`},
		{name: "thinning", schema: "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, sensor int)",
			data: "INSERT INTO m SELECT i, :as_of - interval '6 days' - (i / 2) * interval '5 hours', nullif(i % 3, 0) FROM generate_series(1, 60) i",
			rule: rule(`one_a_day: {first: 1, per: [sensor, "date_trunc('day', at)"], order: "at DESC"}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND EXISTS (SELECT FROM m x WHERE x.sensor IS NOT DISTINCT FROM m.sensor
				AND to_char(x.at, 'YYYYMMDD') = to_char(m.at, 'YYYYMMDD') AND (x.at > m.at OR x.at = m.at AND x.id > m.id))`},
		{name: "no place without a first item", schema: notes, data: notesData, rule: rule(`best: {first: 3, per: [kind], order: "score DESC NULLS LAST, at"}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND (score IS NULL OR
				(SELECT count(*) FROM m x WHERE x.kind IS NOT DISTINCT FROM m.kind AND (x.score > m.score OR x.score = m.score AND (x.at, x.id) < (m.at, m.id))) >= 3)`},
		{name: "a rank reads a guard", schema: notes, data: notesData, rule: rule(`starred: flag, newest: {first: 2, per: [kind], among: "NOT keep.starred", order: "at, id"}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND flag = false AND
				(SELECT count(*) FROM m x WHERE x.flag = false AND x.kind IS NOT DISTINCT FROM m.kind AND (x.at, x.id) < (m.at, m.id)) >= 2`},
		{name: "a rank reads a rank", schema: notes, data: notesData, rule: rule(`top: {first: 2, order: "id"}, next: {first: 2, among: "NOT keep.top", order: id}`),
			goes: `SELECT * FROM m WHERE at < :as_of - interval '7 days' AND id > 4`},
	}}.run(t)
}

// TestKeptBecauseOfNull: preview tells apart what a guard keeps because it is true, and because it cannot say.
func TestKeptBecauseOfNull(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, state text, vip boolean);
		INSERT INTO m SELECT i, CASE WHEN i % 3 > 0 THEN 'open' END, CASE WHEN i % 4 > 1 THEN i % 4 = 3 END FROM generate_series(1, 24) i`,
		`policies: {p: {table: m, where: "id > 2", keep: {open: "state <> 'open'", vip: vip, even: "id % 2 = 0"}, then: [delete]}}`)
	got := pgtest.Value[string](t, in, "SELECT kept::text || ' ' || kept_null::text FROM retention.preview('p')")
	want := pgtest.Value[string](t, in, `SELECT jsonb_build_object('open', count(*) FILTER (WHERE state IS NULL), 'vip', count(*) FILTER (WHERE state IS NOT NULL AND vip IS NOT FALSE), 'even', count(*) FILTER (WHERE state IS NOT NULL AND NOT vip AND id % 2 = 0))::text || ' ' ||
		jsonb_build_object('open', count(*) FILTER (WHERE state IS NULL), 'vip', count(*) FILTER (WHERE state IS NOT NULL AND vip IS NULL))::text FROM m WHERE id > 2`)
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
