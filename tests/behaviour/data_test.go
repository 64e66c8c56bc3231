package behaviour

import "testing"

// TestWindowsFromData: what comes from data is judged row by row, in the calendar of the install.
func TestWindowsFromData(t *testing.T) {
	const schema = `CREATE TABLE owner (id int PRIMARY KEY, days numeric, months int, keep interval, enabled boolean);
		CREATE TABLE m (id int PRIMARY KEY, owner_id int, days int, at timestamptz NOT NULL, ms bigint, day date)`
	const data = `INSERT INTO owner VALUES (1, 5, 1, '5 days', true), (2, NULL, NULL, NULL, true), (3, -1, -1, '-1 day', true), (4, 0, 0, '0', true), (5, 100, 4, '1 month 2 days 03:00', false), (6, 1.5, 2, '36 hours', true), (7, 99999999, 9999999, '9999 years', true), (8, -7, -2, NULL, true);
		INSERT INTO m SELECT o * 1000 + i, nullif(o, 9), nullif(i % 12, 11) - 1, :as_of - i * interval '1 day' - (i % 3 - 1) * interval '1 microsecond', (extract(epoch FROM :as_of - i * interval '1 day') * 1000)::bigint, (:as_of - i * interval '1 day')::date
			FROM generate_series(1, 9) o, unnest(ARRAY[0, 1, 2, 3, 4, 5, 6, 29, 30, 31, 48, 59, 60, 61, 90, 91, 100, 101, 122]) i`
	suite{zone: "America/New_York", scenarios: []scenario{
		{name: "days of the owner", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {age: {column: at, older_than: {days: o.days, else: 30, never: [-1], at_least: 3, at_most: 60}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m LEFT JOIN owner o ON o.id = m.owner_id WHERE CASE WHEN o.days IS NULL THEN at < :as_of - interval '30 days' WHEN o.days <= 0 OR o.days > 365000 THEN false
				WHEN o.days > 60 THEN at < :as_of - interval '60 days' WHEN o.days < 3 THEN at < :as_of - interval '3 days' ELSE at < :as_of - o.days::int * interval '1 day' END`},
		{name: "no else, no bounds", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id AND o.enabled"}}, due: {age: {column: at, older_than: {months: o.months}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id WHERE enabled AND months > 0 AND months <= 12000 AND at < :as_of - months * interval '1 month'`},
		{name: "zero", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {age: {column: at, inclusive: true, older_than: {days: o.days, at_least: 0}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id WHERE o.days >= 0 AND o.days <= 365000 AND at <= :as_of - floor(o.days)::int * interval '1 day' - (o.days - floor(o.days)) * interval '24 hours'`},
		{name: "an interval", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {age: {column: ms, encoding: epoch_ms, older_than: {interval: o.keep, else: 2 months, at_least: 2 days}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m LEFT JOIN owner o ON o.id = m.owner_id WHERE CASE WHEN o.keep IS NULL THEN to_timestamp(ms / 1000.0) < :as_of - interval '2 months' WHEN o.keep <= '0' OR o.keep > '1000 years' THEN false
				ELSE to_timestamp(ms / 1000.0) < least(:as_of - o.keep, :as_of - interval '2 days') END`},
		{name: "the row's own", schema: schema, data: data,
			rule: `{table: "@.m", due: {age: {column: day, older_than: {weeks: days, never: [3, 4], else: 1 month}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE day < CASE WHEN days IS NULL THEN :as_of - interval '1 month' WHEN days IN (3, 4) OR days <= 0 THEN NULL ELSE :as_of - days * interval '7 days' END::date`},
		{name: "in tiers", schema: schema, data: data,
			rule: `{table: "@.m", join: {w: "SELECT max(days) AS days FROM @.owner x WHERE x.id <= t.owner_id AND x.days < 1000"}, due: {age: {column: at, older_than: [{when: "owner_id < 3", then: {days: "w.days + 1"}}, {when: "owner_id = 3", then: null}, {when: "w.days > 99", then: 90 days}, {else: {days: days, at_most: 2}}]}}, then: [delete]}`,
			goes: `SELECT m.* FROM m, LATERAL (SELECT max(days) AS w FROM owner x WHERE x.id <= m.owner_id AND x.days < 1000) x WHERE at < CASE WHEN owner_id < 3 THEN :as_of - (w + 1)::int * interval '1 day' WHEN owner_id = 3 THEN NULL WHEN w > 99 THEN :as_of - interval '90 days'
				ELSE CASE WHEN days > 2 THEN :as_of - interval '2 days' WHEN days > 0 THEN :as_of - days * interval '1 day' END END`},
		{name: "read once", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {query: "SELECT id, days FROM @.owner WHERE as_of > '2000-01-01'", where: "o.id = t.owner_id"}}, due: {expires: {column: at, grace: {hours: "o.days * 24", at_least: 48 hours}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id WHERE o.days > 0 AND o.days <= 365000 AND at < :as_of - greatest(o.days * 24, 48)::float * interval '1 hour'`},
	}}.run(t)
}

func TestNumbersFromData(t *testing.T) {
	const schema = `CREATE TABLE owner (id int PRIMARY KEY, max_rows int, strict boolean);
		CREATE TABLE m (id int PRIMARY KEY, owner_id int, starred boolean, score int, at timestamptz NOT NULL)`
	const data = `INSERT INTO owner VALUES (1, 3, true), (2, NULL, true), (3, -1, false), (4, 0, false), (5, 100, true);
		INSERT INTO m SELECT i, nullif(i % 7, 6), i % 11 = 0, i % 4, :as_of - i * interval '1 day' FROM generate_series(1, 160) i`
	const ranked = `(SELECT m.*, row_number() OVER (PARTITION BY owner_id ORDER BY score DESC, id DESC) AS place FROM m)`
	suite{scenarios: []scenario{
		{name: "beyond", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {beyond: {first: {count: o.max_rows, else: 7, never: [-1], at_most: 10}, per: [owner_id], order: "score DESC, id DESC"}}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at FROM ` + ranked + ` x LEFT JOIN owner o ON o.id = x.owner_id WHERE CASE WHEN max_rows IS NULL THEN place > 7 WHEN max_rows > 0 THEN place > least(max_rows, 10) ELSE false END`},
		{name: "zero, and a sub-select", schema: schema, data: data,
			rule: `{table: "@.m", due: {beyond: {first: {count: "(SELECT max_rows FROM @.owner o WHERE o.id = t.owner_id)", at_least: 0}, per: [owner_id], order: "score DESC, id DESC"}}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at FROM ` + ranked + ` x JOIN owner o ON o.id = x.owner_id WHERE max_rows >= 0 AND place > max_rows`},
		{name: "a guard", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {age: {column: at, older_than: 10 days}}, keep: {some: {first: {count: o.max_rows, else: 2, at_least: 1}, per: [owner_id], among: "NOT starred", order: "score DESC, id DESC"}}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at FROM (SELECT m.*, row_number() OVER (PARTITION BY owner_id, starred ORDER BY score DESC, id DESC) AS place FROM m) x LEFT JOIN owner o ON o.id = x.owner_id
				WHERE at < :as_of - interval '10 days' AND (starred OR CASE WHEN max_rows IS NULL THEN place > 2 WHEN max_rows > 0 THEN place > max_rows ELSE false END)`},
		{name: "with ties", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, due: {beyond: {first: {count: o.max_rows, else: 9}, per: [owner_id], order: "score DESC", with_ties: true}}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at FROM (SELECT m.*, rank() OVER (PARTITION BY owner_id ORDER BY score DESC) AS place FROM m) x LEFT JOIN owner o ON o.id = x.owner_id WHERE CASE WHEN max_rows IS NULL THEN place > 9 WHEN max_rows > 0 THEN place > max_rows ELSE false END`},
		{name: "ranks read joins", schema: schema, data: data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}, w: "SELECT coalesce(o.max_rows, 0) AS n"}, where: "o.strict IS NOT FALSE", due: {beyond: {first: 4, per: ["coalesce(o.max_rows, -5)"], among: "NOT starred OR w.n = 3", order: "w.n, score DESC, id"}}, keep: {late: "o.max_rows = 100 AND score = 0"}, then: [delete]}`,
			goes: `SELECT x.id, x.owner_id, x.starred, x.score, x.at FROM (SELECT m.*, o.max_rows, row_number() OVER (PARTITION BY coalesce(o.max_rows, -5) ORDER BY coalesce(o.max_rows, 0), score DESC, m.id) AS place FROM m LEFT JOIN owner o ON o.id = m.owner_id WHERE o.strict IS NOT FALSE AND (NOT starred OR coalesce(o.max_rows, 0) = 3)) x
				WHERE place > 4 AND (max_rows = 100 AND score = 0) IS FALSE`},
	}}.run(t)
}

func TestCeilings(t *testing.T) {
	const schema = `CREATE TABLE shipper (name text PRIMARY KEY, done_ms bigint, done timestamptz, seq bigint);
		CREATE TABLE m (id int PRIMARY KEY, seq bigint, ms bigint, at timestamptz NOT NULL)`
	const data = `INSERT INTO shipper VALUES ('a', (extract(epoch FROM :as_of - interval '12 days') * 1000)::bigint, :as_of - interval '12 days', 30), ('b', (extract(epoch FROM :as_of - interval '9 days') * 1000)::bigint, NULL, 44);
		INSERT INTO m SELECT i, i / 3, (extract(epoch FROM :as_of - i * interval '6 hours') * 1000)::bigint, :as_of - i * interval '6 hours' FROM generate_series(1, 200) i`
	suite{scenarios: []scenario{
		{name: "inclusive, in the clock's type", schema: schema, data: data,
			rule: `{table: "@.m", due: {age: {column: ms, encoding: epoch_ms, older_than: 7 days, up_to: "SELECT min(done_ms) FROM @.shipper"}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE at < :as_of - interval '7 days' AND at <= :as_of - interval '12 days'`},
		{name: "NULL is nothing", schema: schema, data: data,
			rule: `{table: "@.m", due: {expires: {column: at, up_to: "SELECT done FROM @.shipper WHERE name = 'b'"}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE false`},
		{name: "a position", schema: schema, data: data,
			rule: `{table: "@.m", due: {position: {column: seq, up_to: "SELECT min(seq) FROM @.shipper"}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE seq <= 30`},
		{name: "is not rounded up", schema: schema, data: data,
			rule: `{table: "@.m", due: {position: {column: seq, up_to: "SELECT avg(seq) + 0.7 FROM @.shipper"}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE seq <= 37`},
		{name: "is not rounded to a second", schema: schema + "; ALTER TABLE m ADD s timestamptz(0)", data: data + "; UPDATE m SET s = :as_of - seq * interval '1 s'",
			rule: `{table: "@.m", due: {position: {column: s, up_to: "SELECT as_of - interval '6.4 s'"}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE seq >= 7`},
		{name: "a watermark moves", schema: schema + "; CREATE TABLE rolled (what text, seq bigint); CREATE TABLE sums (one int PRIMARY KEY, n bigint NOT NULL, total numeric)", data: data + "; INSERT INTO rolled VALUES ('m', 10), ('other', 5)",
			rule: `{table: "@.m", due: {position: {column: seq, up_to: "SELECT max(seq) FROM @.shipper", watermark: {table: "@.rolled", column: seq, where: "what = 'm'"}}}, then: [{insert: {into: "@.sums", key: {one: 1}, add: {n: "count(*)", total: sum(id)}}}]}`,
			goes: `SELECT m.* FROM m WHERE seq > 10 AND seq <= 44`, uncounted: true,
			leaves: map[string]string{"m": "SELECT * FROM m", "rolled": "SELECT what, CASE WHEN what = 'm' THEN 44 ELSE seq END FROM rolled", "sums": "SELECT 1, count(*), sum(id) FROM m WHERE seq > 10 AND seq <= 44"}},
		{name: "a watermark without a ceiling", schema: schema + "; CREATE TABLE rolled (seq bigint)", data: data + "; INSERT INTO rolled VALUES (-1)",
			rule: `{table: "@.m", where: "id % 2 = 0", due: {position: {column: seq, watermark: {table: "@.rolled", column: seq}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE id % 2 = 0`, leaves: map[string]string{"m": "SELECT * FROM m WHERE id % 2 > 0", "rolled": "SELECT max(seq) FROM m WHERE id % 2 = 0"}},
		{name: "no watermark, nothing", schema: schema + "; CREATE TABLE rolled (seq bigint)", data: data + "; INSERT INTO rolled VALUES (NULL)",
			rule: `{table: "@.m", due: {position: {column: seq, watermark: {table: "@.rolled", column: seq}}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE false`},
	}}.run(t)
}
