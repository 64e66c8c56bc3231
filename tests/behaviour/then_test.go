package behaviour

import "testing"

func TestJoins(t *testing.T) {
	const schema = `CREATE TABLE owner (id int PRIMARY KEY, status text, days int, note text);
		CREATE TABLE link (m_id int, days int);
		CREATE TABLE m (id int PRIMARY KEY, owner_id int, status text, at timestamptz NOT NULL)`
	const data = `INSERT INTO owner VALUES (1, 'open', 5), (2, 'closed', NULL), (3, NULL, 20);
		INSERT INTO m SELECT i, nullif(i % 5, 0), CASE WHEN i % 3 > 0 THEN 'open' END, :as_of - i * interval '1 day' FROM generate_series(1, 40) i;
		INSERT INTO link SELECT i % 20, i FROM generate_series(1, 60) i WHERE i % 4 > 0`
	const old = "m.at < :as_of - interval '7 days'"
	suite{scenarios: []scenario{
		{name: "table", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = owner_id"}}, where: "o.status = 'closed'", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE owner_id = 2 AND " + old},
		{name: "none leaves NULLs", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, where: "o.id IS NULL", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE (owner_id IS NULL OR owner_id > 3) AND " + old},
		{name: "a bare name is the row's", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, keep: {open: "status = 'open'", theirs: "o.status = 'open'"}, due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE false"},
		{name: "lateral", schema: schema, data: data,
			rule: `{table: "@.m", join: {l: "SELECT max(x.days) AS days, count(*) AS n FROM @.link x WHERE x.m_id = t.id"}, where: "l.n = 0 OR l.days > 50", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE (id NOT IN (SELECT m_id FROM link) OR (SELECT max(days) FROM link WHERE m_id = m.id) > 50) AND " + old},
		{name: "query", schema: schema, data: data,
			rule: `{table: "@.m", join: {c: {query: "SELECT status, max(days) AS days, count(*) AS n FROM @.owner WHERE as_of > '2000-01-01' GROUP BY status", where: "c.status = t.status"}}, where: "c.days = 5", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE status = 'open' AND " + old},
		{name: "one reads the one above", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}, l: "SELECT count(*) AS n FROM @.link x WHERE x.m_id = t.id AND x.days > o.days"}, where: "l.n > 0", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id WHERE EXISTS (SELECT FROM link WHERE m_id = m.id AND link.days > o.days) AND " + old},
		{name: "tiers by a join", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {age: {column: at, older_than: [{when: "o.days > 10", then: 20 days}, {when: "o.id IS NULL", then: null}, {else: 7 days}]}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE owner_id = 3 AND at < :as_of - interval '20 days' OR owner_id IN (1, 2) AND " + old},
		{name: "clock of a join", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {expires: {expression: "(at + make_interval(days => o.days))::timestamptz"}}, then: [delete]}`,
			goes: "SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id WHERE at + days * interval '1 day' < :as_of"},
		{name: "guard of a join beside a rank", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {beyond: {first: 2, per: [owner_id], order: "id"}}, keep: {theirs: "o.days > 10", newest: {first: 1, order: "id DESC"}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE owner_id = 1 AND id > 6 OR FALSE", kept: nil},
	}}.run(t)
}

func TestDelete(t *testing.T) {
	const schema = notes
	const family = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, blob_id int, tags int[], name text);
		CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
		CREATE TABLE grandchild (id int PRIMARY KEY, child_id int REFERENCES child ON DELETE CASCADE);
		CREATE TABLE pointer (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE SET NULL)`
	const familyData = `INSERT INTO m SELECT i, :as_of - i * interval '1 day', i / 3, ARRAY[i, i + 1], 'n' || i FROM generate_series(1, 20) i;
		INSERT INTO child SELECT i, i / 2 + 1 FROM generate_series(1, 35) i;
		INSERT INTO grandchild SELECT i, i / 2 + 1 FROM generate_series(1, 60) i;
		INSERT INTO pointer SELECT i, i FROM generate_series(1, 20) i`
	const shared = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, blob_id int, tags int[], name text);
		CREATE TABLE blob (id int PRIMARY KEY, name text)`
	const sharedData = `INSERT INTO blob SELECT i, 'n' || i FROM generate_series(0, 30) i;
		INSERT INTO m SELECT i, :as_of - i * interval '1 day', i / 3, CASE WHEN i % 5 > 0 THEN ARRAY[i, i + 1] END, CASE WHEN i % 4 > 0 THEN 'n' || i END FROM generate_series(1, 20) i`
	age := func(then string) string {
		return `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [` + then + `]}`
	}
	suite{scenarios: []scenario{
		{name: "where", schema: schema, data: notesData, rule: age(`delete: {where: "kind = 'a'"}`),
			goes: "SELECT * FROM m WHERE kind = 'a' AND " + aged, kept: map[string]int64{"passed": 54}},
		{name: "where with a guard", schema: schema, data: notesData,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {starred: flag}, then: [delete: {where: "kind = 'a'"}]}`,
			goes: "SELECT * FROM m WHERE flag = false AND kind = 'a' AND " + aged, kept: map[string]int64{"starred": 54, "passed": 18}},
		{name: "cascades", schema: family, data: familyData, rule: age(`delete: {cascades: ["@.child", "@.grandchild", "@.pointer"]}`),
			goes: "SELECT * FROM m WHERE id > 7",
			leaves: map[string]string{"child": "SELECT * FROM child WHERE m_id <= 7", "grandchild": "SELECT * FROM grandchild WHERE child_id IN (SELECT id FROM child WHERE m_id <= 7)",
				"pointer": "SELECT id, CASE WHEN m_id <= 7 THEN m_id END FROM pointer"},
			cascaded: map[string]int64{"@.child": 22, "@.grandchild": 35, "@.pointer": 13}},
		{name: "cascades into itself", schema: "CREATE TABLE m (id int PRIMARY KEY, parent int REFERENCES m ON DELETE SET NULL, at timestamptz NOT NULL)",
			data: "INSERT INTO m SELECT i, nullif(i / 2, 0), :as_of - i * interval '1 day' FROM generate_series(1, 30) i",
			rule: age(`delete: {cascades: ["@.m"]}`),
			goes: "SELECT * FROM m WHERE id > 7"},
		{name: "a tree that cascades into itself", schema: "CREATE TABLE m (id int PRIMARY KEY, parent int REFERENCES m ON DELETE CASCADE, at timestamptz NOT NULL)",
			data:     "INSERT INTO m SELECT i, nullif(i / 2, 0), :as_of - (30 - i) * interval '1 day' FROM generate_series(1, 3) i; INSERT INTO m SELECT 10 + i, 3, :as_of FROM generate_series(1, 4) i",
			rule:     age(`delete: {where: "id = 3", cascades: ["@.m"]}`),
			goes:     "SELECT * FROM m WHERE id = 3",
			leaves:   map[string]string{"m": "SELECT * FROM m WHERE id < 3"},
			cascaded: map[string]int64{"@.m": 4}},
		{name: "a shared child goes with its last parent", schema: shared, data: sharedData,
			rule: age(`delete, delete: {table: "@.blob", as: b, where: "b.id = t.blob_id AND NOT EXISTS (SELECT FROM @.m x WHERE x.blob_id = b.id)"}`),
			goes: "SELECT * FROM m WHERE id > 7", leaves: map[string]string{"blob": "SELECT * FROM blob WHERE id <= 2 OR id > 6"}, related: map[string]int64{"@.blob": 4}},
		{name: "before, the parents are still there", schema: shared, data: sharedData,
			rule: age(`delete: {table: "@.blob", as: b, where: "b.id = t.blob_id AND NOT EXISTS (SELECT FROM @.m x WHERE x.blob_id = b.id)"}, delete`),
			goes: "SELECT * FROM m WHERE id > 7"},
		{name: "each related row once", schema: shared, data: sharedData,
			rule: age(`delete: {table: "@.blob", as: b, where: "b.id = t.blob_id"}, delete`),
			goes: "SELECT * FROM m WHERE id > 7", leaves: map[string]string{"blob": "SELECT * FROM blob WHERE id < 2 OR id > 6"}, related: map[string]int64{"@.blob": 5}},
		{name: "arrays and texts of rows that are gone", schema: shared, data: sharedData,
			rule: age(`delete, delete: {table: "@.blob", as: b, where: "b.id = ANY (t.tags) OR b.name = t.name"}`),
			goes: "SELECT * FROM m WHERE id > 7", leaves: map[string]string{"blob": "SELECT * FROM blob WHERE id NOT IN (SELECT unnest(tags) FROM m WHERE id > 7) AND name NOT IN (SELECT name FROM m WHERE id > 7 AND name IS NOT NULL)"}, related: map[string]int64{"@.blob": 13}},
		{name: "a bare name in a sub-select of a step", schema: shared, data: sharedData,
			rule: age(`delete, delete: {table: "@.blob", as: b, where: "b.id IN (SELECT blob_id + 10)"}`),
			goes: "SELECT * FROM m WHERE id > 7", leaves: map[string]string{"blob": "SELECT * FROM blob WHERE id NOT BETWEEN 12 AND 16"}, related: map[string]int64{"@.blob": 5}},
		{name: "a related step without t", schema: shared, data: sharedData,
			rule: age(`delete, delete: {table: "@.blob", as: b, where: "b.name = 'n3'"}`),
			goes: "SELECT * FROM m WHERE id > 7", leaves: map[string]string{"blob": "SELECT * FROM blob WHERE id <> 3"}, related: map[string]int64{"@.blob": 1}},
		{name: "only kept rows: related rows stay", schema: shared, data: sharedData,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {all: true}, then: [delete, delete: {table: "@.blob", as: b, where: "b.name = 'n3'"}]}`,
			goes: "SELECT * FROM m WHERE false"},
		{name: "after a rank", schema: shared, data: sharedData,
			rule: `{table: "@.m", due: {beyond: {first: 2, per: [blob_id], order: "id"}}, then: [delete, delete: {table: "@.blob", as: b, where: "b.id = t.id"}]}`,
			goes: "SELECT * FROM m WHERE id % 3 = 2 AND id > 3", leaves: map[string]string{"blob": "SELECT * FROM blob WHERE id NOT IN (5, 8, 11, 14, 17, 20)"}, related: map[string]int64{"@.blob": 6}},
	}}.run(t)
}
