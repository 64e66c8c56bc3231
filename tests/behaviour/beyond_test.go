package behaviour

import "testing"

func TestBeyond(t *testing.T) {
	// Groups of 0 to 5 rows, one of them NULL; scores tie.
	const schema = "CREATE TABLE m (id int PRIMARY KEY, g int, h text, score int, at timestamptz NOT NULL, flag boolean)"
	const data = `INSERT INTO m SELECT row_number() OVER (), nullif(g, 4), CASE WHEN i % 2 = 0 THEN 'x' END, nullif((i * 7 + g) % 4, 3), :as_of - (g * 5 + i) * interval '1 day', CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END
		FROM generate_series(1, 6) g, generate_series(1, 5) i WHERE i <= g OR g = 4`
	rule := func(rank, more string) string {
		return `{table: "@.m", due: {beyond: {` + rank + `}}, ` + more + `then: [delete]}`
	}
	// place is the oracle: how many rows come before.
	place := func(group, among, before string) string {
		return "(SELECT count(*) FROM m x WHERE " + group + " AND " + among + " AND (" + before + "))"
	}
	const same = "x.g IS NOT DISTINCT FROM m.g"
	suite{scenarios: []scenario{
		{name: "one per group", schema: schema, data: data, rule: rule(`first: 1, per: [g], order: "at DESC"`, ""),
			goes: "SELECT * FROM m WHERE " + place(same, "true", "x.at > m.at OR x.at = m.at AND x.id > m.id") + " >= 1"},
		{name: "three per group", schema: schema, data: data, rule: rule(`first: 3, per: [g], order: "at DESC, id DESC"`, ""),
			goes: "SELECT * FROM m WHERE " + place(same, "true", "x.at > m.at") + " >= 3"},
		{name: "no group", schema: schema, data: data, rule: rule(`first: 3, order: "at"`, ""),
			goes: "SELECT * FROM m WHERE " + place("true", "true", "x.at < m.at OR x.at = m.at AND x.id < m.id") + " >= 3"},
		{name: "fewer than first", schema: schema, data: data, rule: rule(`first: 100, order: "at"`, ""), goes: "SELECT * FROM m WHERE false"},
		{name: "exactly first", schema: "CREATE TABLE m (id int PRIMARY KEY, g int NOT NULL)", data: "INSERT INTO m SELECT g * 10 + i, g FROM generate_series(1, 5) g, generate_series(1, g) i",
			rule: rule(`first: 3, per: [g], order: id DESC`, ""), goes: "SELECT * FROM m WHERE id IN (41, 51, 52)"},
		{name: "two columns, one NULL", schema: schema, data: data, rule: rule(`first: 1, per: [g, h], order: "id"`, ""),
			goes: "SELECT * FROM m WHERE " + place(same+" AND x.h IS NOT DISTINCT FROM m.h", "true", "x.id < m.id") + " >= 1"},
		{name: "an expression", schema: schema, data: data, rule: rule(`first: 2, per: ["g % 2", "coalesce(h, '')"], order: "id"`, ""),
			goes: "SELECT * FROM m WHERE " + place("x.g % 2 IS NOT DISTINCT FROM m.g % 2 AND coalesce(x.h, '') = coalesce(m.h, '')", "true", "x.id < m.id") + " >= 2"},
		{name: "a row of NULLs is not NULL", schema: "CREATE TYPE pair AS (a int, b int); CREATE TABLE m (id int PRIMARY KEY, g pair)", data: "INSERT INTO m SELECT i, CASE i % 3 WHEN 0 THEN ROW(NULL, NULL)::pair WHEN 1 THEN ROW(1, NULL)::pair END FROM generate_series(1, 12) i",
			rule: rule(`first: 2, per: [g], order: "id"`, ""), goes: "SELECT * FROM m WHERE id > 6"},
		{name: "a row with NULLs has a place", schema: "CREATE TYPE pair AS (a int, b int); CREATE TABLE m (id int PRIMARY KEY, o pair)", data: "INSERT INTO m VALUES (1, '(1,1)'), (2, '(1,)'), (3, '(,)'), (4, NULL), (5, '(0,0)')",
			rule: `{table: "@.m", where: "true", keep: {best: {first: 2, order: "o DESC"}}, then: [delete]}`, goes: "SELECT * FROM m WHERE id IN (1, 4, 5)"},
		{name: "ties by the key, downwards", schema: schema, data: data, rule: rule(`first: 2, per: [g], order: "score DESC"`, ""),
			goes: "SELECT * FROM m WHERE score IS NOT NULL AND " + place(same, "x.score IS NOT NULL", "x.score > m.score OR x.score = m.score AND x.id > m.id") + " >= 2"},
		{name: "ties by the key, upwards", schema: schema, data: data, rule: rule(`first: 2, per: [g], order: "score"`, ""),
			goes: "SELECT * FROM m WHERE score IS NOT NULL AND " + place(same, "x.score IS NOT NULL", "x.score < m.score OR x.score = m.score AND x.id < m.id") + " >= 2"},
		{name: "with ties", schema: schema, data: data, rule: rule(`first: 2, per: [g], order: "score DESC", with_ties: true`, ""),
			goes: "SELECT * FROM m WHERE score IS NOT NULL AND " + place(same, "x.score IS NOT NULL", "x.score > m.score") + " >= 2"},
		{name: "with ties, no group, guarded", schema: schema, data: data, rule: rule(`first: 2, order: "score DESC, h", with_ties: true`, "keep: {starred: flag}, "),
			goes: "SELECT * FROM m WHERE flag = false AND score IS NOT NULL AND " + place("true", "x.score IS NOT NULL", "x.score > m.score OR x.score = m.score AND (x.h < m.h OR x.h IS NOT NULL AND m.h IS NULL)") + " >= 2"},
		{name: "with ties, many of them, guarded", schema: schema, data: "INSERT INTO m SELECT i, 1, NULL, (i * 7 % 40) / 10, :as_of, i % 3 = 0 FROM generate_series(1, 40) i", rule: rule(`first: 2, per: ["g + 1"], order: "-score", with_ties: true`, "keep: {starred: flag}, "),
			goes: "SELECT * FROM m WHERE score < 3 AND NOT flag"},
		{name: "second item NULLS FIRST", schema: schema, data: data, rule: rule(`first: 2, order: "g DESC, h NULLS FIRST, score DESC NULLS LAST, id"`, ""),
			goes: `SELECT * FROM m WHERE g IS NOT NULL AND id NOT IN (SELECT id FROM m WHERE g IS NOT NULL ORDER BY g DESC, h IS NOT NULL, h, score IS NULL, score DESC, id LIMIT 2)`},
		{name: "first item NULLS FIRST has no place all the same", schema: schema, data: data, rule: rule(`first: 2, order: "score DESC NULLS FIRST, at DESC"`, ""),
			goes: `SELECT * FROM m WHERE score IS NOT NULL AND id NOT IN (SELECT id FROM m WHERE score IS NOT NULL ORDER BY score DESC, at DESC, id DESC LIMIT 2)`},
		{name: "order by an expression", schema: schema, data: data, rule: rule(`first: 2, per: [g], order: "-score, abs(id - 7)"`, ""),
			goes: "SELECT * FROM m WHERE score IS NOT NULL AND id NOT IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY score DESC, abs(id - 7), id) AS n FROM m WHERE score IS NOT NULL) x WHERE n <= 2)"},
		{name: "among", schema: schema, data: data, rule: rule(`first: 1, per: [g], order: "at DESC", among: "flag"`, ""),
			goes: "SELECT * FROM m WHERE flag AND " + place(same, "x.flag", "x.at > m.at") + " >= 1"},
		{name: "where takes no place", schema: schema, data: data, rule: `{table: "@.m", where: "h = 'x'", due: {beyond: {first: 1, per: [g], order: "at DESC"}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE h = 'x' AND " + place(same, "x.h = 'x'", "x.at > m.at") + " >= 1"},
		{name: "where over a table", schema: schema + "; CREATE TABLE o (g int)", data: data + "; INSERT INTO o VALUES (2), (5)", rule: `{table: "@.m", where: "g IN (SELECT g FROM @.o)", due: {beyond: {first: 1, per: [g], order: "at DESC"}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE g IN (2, 5) AND " + place(same, "true", "x.at > m.at") + " >= 1"},
		{name: "what a guard keeps takes a place", schema: schema, data: data, rule: rule(`first: 2, per: [g], order: "at DESC"`, "keep: {starred: flag}, "),
			goes: "SELECT * FROM m WHERE flag = false AND " + place(same, "true", "x.at > m.at") + " >= 2"},
		{name: "kept once: due by age and by rank", schema: schema, data: data, rule: `{table: "@.m", due: {any: [{beyond: {first: 1, per: [g], order: "at DESC"}}, {age: {column: at, older_than: 9 days}}, {age: {column: at, older_than: 99 hours}}]}, keep: {starred: flag, x: "h = 'x' AND flag IS FALSE"}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE false", kept: map[string]int64{"starred": 12, "x": 9}},
		{name: "kept once: due by age and by an age and a rank", schema: schema, data: data, rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 9 days}, beyond: {first: 2, per: [g], order: "at DESC"}}, {age: {column: at, older_than: 30 days, nulls: due}}]}, keep: {all: "id > 0"}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE false", kept: map[string]int64{"all": 12}},
		{name: "guarded rows first", schema: schema, data: data, rule: rule(`first: 2, per: [g], order: "keep.starred DESC, id DESC"`, `keep: {starred: "coalesce(flag, false)"}, `),
			goes: "SELECT * FROM m WHERE coalesce(flag, false) = false AND " + place(same, "true", "coalesce(x.flag, false) AND NOT coalesce(m.flag, false) OR coalesce(x.flag, false) = coalesce(m.flag, false) AND x.id > m.id") + " >= 2"},
		{name: "guarded rows have no place", schema: schema, data: data, rule: rule(`first: 1, per: [g], among: "NOT keep.starred", order: "id DESC"`, `keep: {starred: flag}, `),
			goes: "SELECT * FROM m WHERE flag = false AND " + place(same, "x.flag = false", "x.id > m.id") + " >= 1"},
		{name: "a rank reads a rank within its groups", schema: schema + "; ALTER TABLE m ALTER at SET NOT NULL, ADD k int NOT NULL DEFAULT 0", data: data + "; UPDATE m SET k = id % 3", rule: rule(`first: 2, per: [k], order: "keep.best DESC, id DESC"`, `keep: {best: {first: 1, per: [h, k], order: "at"}, old: {first: 1, per: [k], order: "keep.best, id"}}, `),
			goes: `WITH b AS (SELECT *, row_number() OVER (PARTITION BY h, k ORDER BY at, id) = 1 AS best FROM m), o AS (SELECT *, row_number() OVER (PARTITION BY k ORDER BY best, id) = 1 AS old, row_number() OVER (PARTITION BY k ORDER BY best DESC, id DESC) AS place FROM b)
				SELECT m.* FROM m JOIN o USING (id) WHERE place > 2 AND NOT best AND NOT old`},
		{name: "a rank reads a rank", schema: schema, data: data, rule: rule(`first: 3, per: [g], order: "keep.best DESC, id DESC"`, `keep: {best: {first: 1, per: [g], order: "at"}}, `),
			goes: `SELECT * FROM m WHERE id NOT IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY g ORDER BY best DESC, id DESC) AS n
				FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY at, id) = 1 AS best FROM m) y) x WHERE n <= 3)
				AND id NOT IN (SELECT DISTINCT ON (g) id FROM m ORDER BY g, at, id)`},
		{name: "and an age", schema: schema, data: data, rule: `{table: "@.m", due: {beyond: {first: 1, per: [g], order: "at DESC"}, age: {column: at, older_than: 20 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE at < :as_of - interval '20 days' AND " + place(same, "true", "x.at > m.at") + " >= 1"},
		{name: "and an age, NULL due", schema: "CREATE TABLE m (id int PRIMARY KEY, g int, at timestamptz)", data: "INSERT INTO m SELECT i, i % 3, CASE WHEN i % 4 > 0 THEN :as_of - i * interval '1 day' END FROM generate_series(1, 30) i",
			rule: `{table: "@.m", due: {beyond: {first: 4, per: [g], order: "id DESC"}, age: {column: at, older_than: 10 days, nulls: due}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE (at IS NULL OR at < :as_of - interval '10 days') AND " + place("x.g = m.g", "true", "x.id > m.id") + " >= 4"},
		{name: "or an age", schema: schema, data: data, rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 20 days}}, {beyond: {first: 2, per: [g], order: "at DESC"}}]}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE at < :as_of - interval '20 days' OR " + place(same, "true", "x.at > m.at") + " >= 2"},
		{name: "an age and a rank, or an age", schema: schema, data: data, rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 17 days}}, {age: {column: at, older_than: 8 days}, beyond: {first: 2, per: [g], order: "at"}}]}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE at < :as_of - interval '17 days' OR at < :as_of - interval '8 days' AND " + place(same, "true", "x.at < m.at") + " >= 2"},
		{name: "an expiry by NULL and a rank, or an age", schema: schema + "; ALTER TABLE m ADD gone date", data: data + "; UPDATE m SET gone = :as_of - id * interval '1 day' WHERE id % 4 > 0", rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 17 days}}, {expires: {column: gone, nulls: due}, beyond: {first: 1, per: [g], order: "at"}}]}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE at < :as_of - interval '17 days' OR (gone < :as_of::date OR gone IS NULL) AND " + place(same, "true", "x.at < m.at") + " >= 1"},
		{name: "or an age, oldest first", schema: schema, data: data, rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 20 days}}, {beyond: {first: 2, per: [g], order: "at"}}]}, keep: {starred: flag}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE flag = false AND (at < :as_of - interval '20 days' OR " + place(same, "true", "x.at < m.at") + " >= 2)"},
		{name: "empty", schema: schema, data: "", rule: rule(`first: 1, order: "at"`, ""), goes: "SELECT * FROM m"},
		{name: "composite key", schema: "CREATE TABLE m (a text, b int, at date NOT NULL, PRIMARY KEY (a, b))",
			data: "INSERT INTO m SELECT chr(97 + i % 4), i, '2024-01-01' FROM generate_series(1, 25) i", rule: rule(`first: 3, order: "at DESC"`, ""),
			goes: "SELECT * FROM m WHERE (a, b) NOT IN (SELECT a, b FROM m ORDER BY a DESC, b DESC LIMIT 3)"},
		{name: "composite key, a part in the order", schema: "CREATE TABLE m (a text, b int, at date NOT NULL, PRIMARY KEY (a, b))",
			data: "INSERT INTO m SELECT chr(97 + i % 4), i, '2024-01-01' FROM generate_series(1, 25) i", rule: rule(`first: 3, per: [at], order: "b DESC, at"`, ""),
			goes: "SELECT * FROM m WHERE b <= 22"},
		{name: "groups of many types", schema: "CREATE TABLE m (id int PRIMARY KEY, a numeric, b float8, c timestamptz, d char(5), e uuid, f int[], g bytea)",
			data: `INSERT INTO m SELECT i, CASE WHEN i % 2 = 0 THEN 1.0 ELSE 1.00 END, CASE WHEN i % 3 = 0 THEN '-0' ELSE 0 END::float8, '2024-11-03 05:30+00', 'a"', NULL, ARRAY[1, NULL], '\x00ff' FROM generate_series(1, 12) i;
				INSERT INTO m SELECT 100 + i, 0.1, 0.1, '2024-11-03 06:30:00.000001+00', E'\\{''', md5('')::uuid, '{}', '' FROM generate_series(1, 4) i`,
			rule: rule(`first: 3, per: [a, b, c, d, e, f, g], order: "id"`, ""), goes: "SELECT * FROM m WHERE id BETWEEN 4 AND 12 OR id = 104"},
	}}.run(t)
}
