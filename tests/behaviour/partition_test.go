package behaviour

import "testing"

// Every partition has a row at (0,1), (0,2) and so on: a row found by its ctid alone would be
// another one.
func TestPartitions(t *testing.T) {
	const parts = `CREATE TABLE m (id int, at timestamptz NOT NULL, g int, keep_it boolean, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01 00:00+00') TO ('2024-02-01 00:00+00');
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01 00:00+00') TO ('2024-03-01 00:00+00');
		CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-03-01 00:00+00') TO ('2024-03-20 00:00+00');
		CREATE TABLE m_4 (g int, keep_it boolean, junk text, id int NOT NULL, at timestamptz NOT NULL);
		ALTER TABLE m_4 DROP COLUMN junk;
		ALTER TABLE m ATTACH PARTITION m_4 FOR VALUES FROM ('2024-03-20 00:00+00') TO ('2024-04-01 00:00+00');
		CREATE TABLE m_rest PARTITION OF m DEFAULT`
	const sub = `CREATE TABLE m (id int, at timestamptz NOT NULL, g int NOT NULL, keep_it boolean, PRIMARY KEY (id, at, g)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01 00:00+00') TO ('2024-03-01 00:00+00') PARTITION BY LIST (g);
		CREATE TABLE m_1_a PARTITION OF m_1 FOR VALUES IN (0, 1);
		CREATE TABLE m_1_b PARTITION OF m_1 DEFAULT;
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-03-01 00:00+00') TO ('2025-01-01 00:00+00');
		CREATE TABLE m_rest PARTITION OF m DEFAULT`
	const data = "INSERT INTO m SELECT i, '2023-12-01 00:00+00'::timestamptz + i * interval '3 days', i % 4, i % 3 = 0 FROM generate_series(1, 45) i; INSERT INTO m SELECT i, '2024-03-24 12:00+00'::timestamptz + (i - 102) * interval '1 us', i % 4, false FROM generate_series(101, 103) i"
	const old = "at < '2024-03-24 12:00+00'"
	suite{scenarios: []scenario{
		{name: "in one statement", schema: parts, data: data, rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE " + old},
		{name: "locked first", schema: parts, data: data, rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {kept: keep_it}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE NOT keep_it AND " + old},
		{name: "by rank", schema: parts, data: data, rule: `{table: "@.m", due: {beyond: {first: 2, per: [g], order: "at DESC"}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE (SELECT count(*) FROM m x WHERE x.g = m.g AND x.at > m.at) >= 2"},
		{name: "kept by rank", schema: parts, data: data, rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {oldest: {first: 2, per: [g], order: at}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE (SELECT count(*) FROM m x WHERE x.g = m.g AND x.at < m.at) >= 2 AND " + old},
		{name: "where only", schema: parts, data: data, rule: `{table: "@.m", where: "keep_it", then: [delete]}`, goes: "SELECT * FROM m WHERE keep_it"},
		{name: "related", schema: parts + "; CREATE TABLE o (id int PRIMARY KEY)", data: data + "; INSERT INTO o SELECT generate_series(1, 110)",
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {kept: keep_it}, then: [delete, delete: {table: "@.o", as: o, where: "o.id = t.id"}]}`,
			goes: "SELECT * FROM m WHERE NOT keep_it AND " + old, leaves: map[string]string{"o": "SELECT * FROM o WHERE id NOT IN (SELECT id FROM m WHERE NOT keep_it AND " + old + ")"}, related: map[string]int64{"@.o": 27}},
		{name: "partitions of partitions", schema: sub, data: data, rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE " + old},
		{name: "partitions of partitions, locked first", unforeseen: "later batches may judge otherwise", schema: sub, data: data, rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {kept: keep_it, second: "EXISTS (SELECT FROM @.m x WHERE x.id = t.id AND x.g = 2)"}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE NOT keep_it AND g <> 2 AND " + old},
		{name: "partitions of partitions, by rank", schema: sub, data: data, rule: `{table: "@.m", due: {beyond: {first: 5, order: "at DESC"}}, keep: {kept: keep_it}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE NOT keep_it AND (SELECT count(*) FROM m x WHERE x.at > m.at) >= 5"},
	}}.run(t)
}
