package behaviour

import "testing"

func TestUpdates(t *testing.T) {
	const schema = `CREATE TYPE state AS ENUM ('open', 'closed');
		CREATE TABLE owner (id int PRIMARY KEY, score numeric, days int);
		CREATE TABLE m (id int PRIMARY KEY, owner_id int, state state, expired boolean NOT NULL DEFAULT false, note text, doc json, tags text[],
			expires_at timestamptz, updated_at timestamptz NOT NULL DEFAULT '2020-01-01 00:00:00+00');
		CREATE TABLE r (id int PRIMARY KEY, m_id int, state text, by int)`
	const data = `INSERT INTO owner SELECT i, i * 1.5, i FROM generate_series(1, 3) i;
		INSERT INTO m (id, owner_id, state, note, doc, tags, expires_at) SELECT i, i % 5, CASE WHEN i % 2 = 0 THEN 'open'::state END, 'n' || i, '{"a":1}', CASE WHEN i % 4 > 0 THEN ARRAY['x', i::text] END,
			:as_of - (i - 10) * interval '1 hour' FROM generate_series(1, 30) i;
		INSERT INTO m (id) VALUES (99);
		INSERT INTO r SELECT i, i % 20, 'open', 0 FROM generate_series(1, 40) i`
	suite{scenarios: []scenario{
		{name: "mark", schema: schema, data: data,
			rule:   `{table: "@.m", where: "NOT expired", due: {expires: {column: expires_at, inclusive: true}}, then: [{update: {set: {expired: true, updated_at: as_of}}}]}`,
			goes:   "SELECT m.* FROM m WHERE expires_at <= :as_of",
			leaves: map[string]string{"m": "SELECT id, owner_id, state, expires_at <= :as_of IS TRUE, note, doc, tags, expires_at, CASE WHEN expires_at <= :as_of THEN :as_of ELSE updated_at END FROM m"}},
		{name: "the clock is rewritten", schema: schema, data: data,
			rule:   `{table: "@.m", due: {expires: {column: expires_at}}, then: [{update: {set: {expires_at: "as_of + interval '1 month'", note: "'rotated'"}}}]}`,
			goes:   "SELECT m.* FROM m WHERE expires_at < :as_of",
			leaves: map[string]string{"m": "SELECT id, owner_id, state, expired, CASE WHEN expires_at < :as_of THEN 'rotated' ELSE note END, doc, tags, CASE WHEN expires_at < :as_of THEN :as_of + interval '1 month' ELSE expires_at END, updated_at FROM m"}},
		{name: "the clock is rewritten, NULL is due", schema: schema, data: data,
			rule:   `{table: "@.m", due: {expires: {column: expires_at, nulls: due}}, then: [{update: {set: {expires_at: "as_of + interval '1 month'"}}}]}`,
			goes:   "SELECT m.* FROM m WHERE (expires_at < :as_of) IS NOT FALSE",
			leaves: map[string]string{"m": "SELECT id, owner_id, state, expired, note, doc, tags, CASE WHEN (expires_at < :as_of) IS NOT FALSE THEN :as_of + interval '1 month' ELSE expires_at END, updated_at FROM m"}},
		{name: "a value from a join", schema: schema, data: data,
			rule:   `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}, d: "SELECT o.score * 2 AS twice"}, where: "note IS DISTINCT FROM d.twice::text", then: [{update: {set: {note: "d.twice::text"}}}]}`,
			goes:   "SELECT m.* FROM m LEFT JOIN owner o ON o.id = m.owner_id WHERE note IS DISTINCT FROM (o.score * 2)::text",
			leaves: map[string]string{"m": "SELECT m.id, owner_id, state, expired, (o.score * 2)::text, doc, tags, expires_at, updated_at FROM m LEFT JOIN owner o ON o.id = m.owner_id"}},
		{name: "types", schema: schema, data: data,
			rule:   `{table: "@.m", where: "id % 3 = 0 AND state IS DISTINCT FROM 'closed'", then: [{update: {set: {state: "'closed'", doc: "'{}'", tags: "'{}'", note: null}}}]}`,
			goes:   "SELECT m.* FROM m WHERE id % 3 = 0",
			leaves: map[string]string{"m": "SELECT id, owner_id, CASE WHEN id % 3 = 0 THEN 'closed' ELSE state END, expired, CASE WHEN id % 3 > 0 THEN note END, CASE WHEN id % 3 = 0 THEN '{}' ELSE doc END, CASE WHEN id % 3 = 0 THEN '{}' ELSE tags END, expires_at, updated_at FROM m"}},
		{name: "what does not change is not written", schema: schema, data: data,
			rule:   `{table: "@.m", where: "owner_id = 1 AND (state IS NULL OR note <> 'n6')", then: [{update: {set: {state: "'open'", note: "'n6'"}}}]}`,
			goes:   "SELECT m.* FROM m WHERE owner_id = 1 AND (state IS NULL OR note <> 'n6')",
			leaves: map[string]string{"m": "SELECT id, owner_id, CASE WHEN owner_id = 1 THEN 'open' ELSE state END, expired, CASE WHEN owner_id = 1 THEN 'n6' ELSE note END, doc, tags, expires_at, updated_at FROM m"}},
		{name: "related rows too", schema: schema, data: data,
			rule:    `{table: "@.m", where: "state = 'open'", due: {expires: {column: expires_at}}, then: [{update: {set: {state: "'closed'"}}}, {update: {table: "@.r", as: r, where: "r.m_id = t.id", set: {state: "'gone'"}}}]}`,
			goes:    "SELECT m.* FROM m WHERE state = 'open' AND expires_at < :as_of",
			related: map[string]int64{"@.r": 8},
			leaves: map[string]string{"m": "SELECT id, owner_id, CASE WHEN state = 'open' AND expires_at < :as_of THEN 'closed' ELSE state END, expired, note, doc, tags, expires_at, updated_at FROM m",
				"r": "SELECT id, m_id, CASE WHEN m_id IN (SELECT id FROM m WHERE state = 'open' AND expires_at < :as_of) THEN 'gone' ELSE state END, by FROM r"}},
		{name: "a related row, by a query of the step", schema: schema, data: data,
			rule:    `{table: "@.m", where: "state = 'open'", due: {expires: {column: expires_at}}, then: [{update: {table: "@.r", as: r, where: "r.m_id = t.id", join: {o: {query: "SELECT id, max(days) AS days FROM @.owner GROUP BY id", where: "o.id = t.owner_id"}}, set: {by: o.days}}}, {update: {set: {state: "'closed'"}}}]}`,
			goes:    "SELECT m.* FROM m WHERE state = 'open' AND expires_at < :as_of",
			related: map[string]int64{"@.r": 8},
			leaves: map[string]string{"m": "SELECT id, owner_id, CASE WHEN state = 'open' AND expires_at < :as_of THEN 'closed' ELSE state END, expired, note, doc, tags, expires_at, updated_at FROM m",
				"r": "SELECT r.id, r.m_id, r.state, CASE WHEN m.id IS NULL THEN r.by ELSE (SELECT days FROM owner WHERE id = m.owner_id) END FROM r LEFT JOIN m ON m.id = r.m_id AND m.state = 'open' AND m.expires_at < :as_of"}},
		{name: "the first in the batch's order wins", schema: schema + "; CREATE TABLE once (id int PRIMARY KEY, by int)",
			data:    data + "; INSERT INTO once VALUES (1, NULL), (2, NULL)",
			rule:    `{table: "@.m", due: {expires: {column: expires_at}}, then: [{update: {table: "@.once", as: r, where: "r.id = 1 AND t.state = 'open' AND r.by IS NULL", set: {by: t.id}}}, delete]}`,
			goes:    "SELECT m.* FROM m WHERE expires_at < :as_of",
			related: map[string]int64{"@.once": 1},
			leaves:  map[string]string{"once": "SELECT id, CASE WHEN id = 1 THEN (SELECT m.id FROM m WHERE state = 'open' AND expires_at < :as_of ORDER BY expires_at, m.id LIMIT 1) END FROM once"}},
		{name: "pointers are repaired", schema: `CREATE TABLE m (id int PRIMARY KEY, previous_id int REFERENCES m, at timestamptz NOT NULL)`,
			data:   `INSERT INTO m SELECT i, nullif(i - 1, 0), :as_of - (20 - i) * interval '1 day' FROM generate_series(1, 20) i`,
			rule:   `{table: "@.m", due: {age: {column: at, older_than: 9 days}}, then: [{update: {table: "@.m", as: n, where: "n.previous_id = t.id", set: {previous_id: null}}}, delete]}`,
			goes:   "SELECT m.* FROM m WHERE at < :as_of - interval '9 days'",
			leaves: map[string]string{"m": "SELECT id, CASE WHEN id > 11 THEN previous_id END, at FROM m WHERE at >= :as_of - interval '9 days'"}, uncounted: true},
		{name: "update, then delete, with what was judged", schema: schema + "; CREATE TABLE log (id int, note text, tags text[], old_state state)", data: data,
			rule: `{table: "@.m", due: {expires: {column: expires_at}}, then: [{update: {set: {note: "'seen'", state: "'closed'"}}}, {insert: {into: "@.log", set: {id: id, note: note, tags: tags, old_state: state}}}, delete,
				{update: {table: "@.r", as: r, where: "r.m_id = t.id AND t.note LIKE 'n%'", set: {state: t.note}}}]}`,
			goes: "SELECT m.* FROM m WHERE expires_at < :as_of", uncounted: true,
			leaves: map[string]string{"log": "SELECT id, note, tags, state FROM m WHERE expires_at < :as_of",
				"r": "SELECT r.id, r.m_id, CASE WHEN m.expires_at < :as_of THEN m.note ELSE r.state END, by FROM r LEFT JOIN m ON m.id = r.m_id"}},
		{name: "all rows of the batch at once", unforeseen: "only a batch knows", schema: schema + "; CREATE TABLE c (id int PRIMARY KEY, ids int[] NOT NULL, n bigint NOT NULL)", data: data + "; INSERT INTO c SELECT i, ARRAY[i, i + 10, i + 20], 100 FROM generate_series(1, 9) i",
			rule: `{table: "@.m", due: {expires: {column: expires_at}}, then: [{update: {table: "@.c", as: c, where: "c.ids @> ARRAY[t.id]", set: {ids: "ARRAY(SELECT u.s FROM unnest(c.ids) u(s) WHERE NOT EXISTS (SELECT FROM batch b WHERE b.id = u.s))"}}},
				delete, {update: {table: "@.c", as: c, where: "c.id = t.id % 10", set: {n: "c.n - (SELECT count(*) FROM batch WHERE batch.id % 10 = c.id)"}}}]}`,
			goes: "SELECT m.* FROM m WHERE expires_at < :as_of", uncounted: true,
			leaves: map[string]string{"c": "SELECT id, ARRAY(SELECT x FROM unnest(ids) x WHERE x NOT IN (SELECT id FROM m WHERE expires_at < :as_of)), 100 - (SELECT count(*) FROM m WHERE expires_at < :as_of AND m.id % 10 = c.id) FROM c"}},
		{name: "where passes by", schema: schema, data: data,
			rule:   `{table: "@.m", where: "NOT expired", due: {expires: {column: expires_at}}, then: [{update: {where: "state = 'open'", set: {expired: true}}}]}`,
			goes:   "SELECT m.* FROM m WHERE expires_at < :as_of AND state = 'open'",
			leaves: map[string]string{"m": "SELECT id, owner_id, state, (expires_at < :as_of AND state = 'open') IS TRUE, note, doc, tags, expires_at, updated_at FROM m"}},
	}}.run(t)
}
