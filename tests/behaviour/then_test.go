package behaviour

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestJoins(t *testing.T) {
	const schema = `CREATE TABLE owner (id int PRIMARY KEY, status text, days int, note text);
		CREATE TABLE link (m_id int, days int);
		CREATE TABLE m (id int PRIMARY KEY, owner_id int, status text, at timestamptz NOT NULL)`
	const data = `INSERT INTO owner VALUES (1, 'open', 5), (2, 'closed', NULL), (3, NULL, 20);
		INSERT INTO m SELECT i, nullif(i % 5, 0), CASE WHEN i % 3 > 0 THEN 'open' END, :as_of - i * interval '1 day'
			FROM generate_series(1, 40) i;
		INSERT INTO link SELECT i % 20, i FROM generate_series(1, 60) i WHERE i % 4 > 0`
	const old = "m.at < :as_of - interval '7 days'"
	suite{scenarios: []scenario{
		{
			name:   "table",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = owner_id"}},
				where: "o.status = 'closed'", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE owner_id = 2 AND " + old,
		},
		{
			name:   "none leaves NULLs",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}}, where: "o.id IS NULL",
				due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE (owner_id IS NULL OR owner_id > 3) AND " + old,
		},
		{
			name:   "a bare name is the row's",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				keep: {open: "status = 'open'", theirs: "o.status = 'open'"},
				due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE false",
		},
		{
			name:   "lateral",
			schema: schema,
			data:   data,
			rule: `{table: "@.m",
				join: {l: "SELECT max(x.days) AS days, count(*) AS n FROM @.link x WHERE x.m_id = t.id"},
				where: "l.n = 0 OR l.days > 50", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE (id NOT IN (SELECT m_id FROM link) OR (SELECT max(days) FROM link
				WHERE m_id = m.id) > 50) AND ` + old,
		},
		{
			name:   "query",
			schema: schema,
			data:   data,
			rule: `{table: "@.m",
				join: {c: {query: "SELECT status, max(days) AS days, count(*) AS n FROM @.owner
				WHERE as_of > '2000-01-01' GROUP BY status",
				where: "c.status = t.status"}}, where: "c.days = 5", due: {age: {column: at, older_than: 7 days}},
				then: [delete]}`,
			goes: "SELECT m.* FROM m WHERE status = 'open' AND " + old,
		},
		{
			name:   "one reads the one above",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"},
				l: "SELECT count(*) AS n FROM @.link x WHERE x.m_id = t.id AND x.days > o.days"}, where: "l.n > 0",
				due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes: `SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id
				WHERE EXISTS (SELECT FROM link WHERE m_id = m.id AND link.days > o.days) AND ` + old,
		},
		{
			name:   "tiers by a join",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {age: {column: at, older_than: [{when: "o.days > 10", then: 20 days},
				{when: "o.id IS NULL", then: null}, {else: 7 days}]}}, then: [delete]}`,
			goes: `SELECT m.* FROM m WHERE owner_id = 3 AND at < :as_of - interval '20 days' OR owner_id IN (1, 2)
				AND ` + old,
		},
		{
			name:   "clock of a join",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {expires: {expression: "(at + make_interval(days => o.days))::timestamptz"}}, then: [delete]}`,
			goes: "SELECT m.* FROM m JOIN owner o ON o.id = m.owner_id WHERE at + days * interval '1 day' < :as_of",
		},
		{
			name:   "guard of a join beside a rank",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"}},
				due: {beyond: {first: 2, per: [owner_id], order: "id"}},
				keep: {theirs: "o.days > 10", newest: {first: 1, order: "id DESC"}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE owner_id = 1 AND id > 6 OR FALSE",
			kept: nil,
		},
	}}.run(t)
}

func TestDelete(t *testing.T) {
	const schema = notes
	const family = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, blob_id int, tags int[], name text);
		CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE);
		CREATE TABLE grandchild (id int PRIMARY KEY, child_id int REFERENCES child ON DELETE CASCADE);
		CREATE TABLE pointer (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE SET NULL)`
	const familyData = `INSERT INTO m SELECT i, :as_of - i * interval '1 day', i / 3, ARRAY[i, i + 1], 'n' || i
			FROM generate_series(1, 20) i;
		INSERT INTO child SELECT i, i / 2 + 1 FROM generate_series(1, 35) i;
		INSERT INTO grandchild SELECT i, i / 2 + 1 FROM generate_series(1, 60) i;
		INSERT INTO pointer SELECT i, i FROM generate_series(1, 20) i`
	const shared = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, blob_id int, tags int[], name text);
		CREATE TABLE blob (id int PRIMARY KEY, name text)`
	const sharedData = `INSERT INTO blob SELECT i, 'n' || i FROM generate_series(0, 30) i;
		INSERT INTO m SELECT i, :as_of - i * interval '1 day', i / 3, CASE WHEN i % 5 > 0 THEN ARRAY[i, i + 1] END,
			CASE WHEN i % 4 > 0 THEN 'n' || i END FROM generate_series(1, 20) i`
	age := func(then string) string {
		return `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [` + then + `]}`
	}
	suite{scenarios: []scenario{
		{
			name:   "where",
			schema: schema,
			data:   notesData,
			rule:   age(`delete: {where: "kind = 'a'"}`),
			goes:   "SELECT * FROM m WHERE kind = 'a' AND " + aged,
			kept:   map[string]int64{"passed": 54},
		},
		{
			name:   "where with a guard",
			schema: schema,
			data:   notesData,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {starred: flag},
				then: [delete: {where: "kind = 'a'"}]}`,
			goes: "SELECT * FROM m WHERE flag = false AND kind = 'a' AND " + aged,
			kept: map[string]int64{"starred": 54, "passed": 18},
		},
		{
			name:   "cascades",
			schema: family,
			data:   familyData,
			rule:   age(`delete: {cascades: ["@.child", "@.grandchild", "@.pointer"]}`),
			goes:   "SELECT * FROM m WHERE id > 7",
			leaves: map[string]string{
				"child":      "SELECT * FROM child WHERE m_id <= 7",
				"grandchild": "SELECT * FROM grandchild WHERE child_id IN (SELECT id FROM child WHERE m_id <= 7)",
				"pointer":    "SELECT id, CASE WHEN m_id <= 7 THEN m_id END FROM pointer",
			},
			cascaded: map[string]int64{"@.child": 22, "@.grandchild": 35, "@.pointer": 13},
		},
		{
			name: "cascades into itself",
			schema: `CREATE TABLE m (id int PRIMARY KEY, parent int REFERENCES m ON DELETE SET NULL,
				at timestamptz NOT NULL)`,
			data: `INSERT INTO m SELECT i, nullif(i / 2, 0), :as_of - i * interval '1 day'
				FROM generate_series(1, 30) i`,
			rule: age(`delete: {cascades: ["@.m"]}`),
			goes: "SELECT * FROM m WHERE id > 7",
		},
		{
			name: "a tree that cascades into itself",
			schema: `CREATE TABLE m (id int PRIMARY KEY, parent int REFERENCES m ON DELETE CASCADE,
				at timestamptz NOT NULL)`,
			data: `INSERT INTO m SELECT i, nullif(i / 2, 0), :as_of - (30 - i) * interval '1 day'
					FROM generate_series(1, 3) i;
				INSERT INTO m SELECT 10 + i, 3, :as_of FROM generate_series(1, 4) i`,
			rule:     age(`delete: {where: "id = 3", cascades: ["@.m"]}`),
			goes:     "SELECT * FROM m WHERE id = 3",
			leaves:   map[string]string{"m": "SELECT * FROM m WHERE id < 3"},
			cascaded: map[string]int64{"@.m": 4},
		},
		{
			name:   "a shared child goes with its last parent",
			schema: shared,
			data:   sharedData,
			rule: age(`delete, delete: {table: "@.blob", as: b,
				where: "b.id = t.blob_id AND NOT EXISTS (SELECT FROM @.m x WHERE x.blob_id = b.id)"}`),
			goes:    "SELECT * FROM m WHERE id > 7",
			leaves:  map[string]string{"blob": "SELECT * FROM blob WHERE id <= 2 OR id > 6"},
			related: map[string]int64{"@.blob": 4},
		},
		{
			name:   "before, the parents are still there",
			schema: shared,
			data:   sharedData,
			rule: age(`delete: {table: "@.blob", as: b,
				where: "b.id = t.blob_id AND NOT EXISTS (SELECT FROM @.m x WHERE x.blob_id = b.id)"}, delete`),
			goes: "SELECT * FROM m WHERE id > 7",
		},
		{
			name:    "each related row once",
			schema:  shared,
			data:    sharedData,
			rule:    age(`delete: {table: "@.blob", as: b, where: "b.id = t.blob_id"}, delete`),
			goes:    "SELECT * FROM m WHERE id > 7",
			leaves:  map[string]string{"blob": "SELECT * FROM blob WHERE id < 2 OR id > 6"},
			related: map[string]int64{"@.blob": 5},
		},
		{
			name:   "arrays and texts of rows that are gone",
			schema: shared,
			data:   sharedData,
			rule:   age(`delete, delete: {table: "@.blob", as: b, where: "b.id = ANY (t.tags) OR b.name = t.name"}`),
			goes:   "SELECT * FROM m WHERE id > 7",
			leaves: map[string]string{
				"blob": `SELECT * FROM blob WHERE id NOT IN (SELECT unnest(tags) FROM m WHERE id > 7)
					AND name NOT IN (SELECT name FROM m WHERE id > 7 AND name IS NOT NULL)`,
			},
			related: map[string]int64{"@.blob": 13},
		},
		{
			name:    "a bare name in a sub-select of a step",
			schema:  shared,
			data:    sharedData,
			rule:    age(`delete, delete: {table: "@.blob", as: b, where: "b.id IN (SELECT blob_id + 10)"}`),
			goes:    "SELECT * FROM m WHERE id > 7",
			leaves:  map[string]string{"blob": "SELECT * FROM blob WHERE id NOT BETWEEN 12 AND 16"},
			related: map[string]int64{"@.blob": 5},
		},
		{
			name:    "a related step without t",
			schema:  shared,
			data:    sharedData,
			rule:    age(`delete, delete: {table: "@.blob", as: b, where: "b.name = 'n3'"}`),
			goes:    "SELECT * FROM m WHERE id > 7",
			leaves:  map[string]string{"blob": "SELECT * FROM blob WHERE id <> 3"},
			related: map[string]int64{"@.blob": 1},
		},
		{
			name:   "only kept rows: related rows stay",
			schema: shared,
			data:   sharedData,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {all: true},
				then: [delete, delete: {table: "@.blob", as: b, where: "b.name = 'n3'"}]}`,
			goes: "SELECT * FROM m WHERE false",
		},
		{
			name:   "after a rank",
			schema: shared,
			data:   sharedData,
			rule: `{table: "@.m", due: {beyond: {first: 2, per: [blob_id], order: "id"}},
				then: [delete, delete: {table: "@.blob", as: b, where: "b.id = t.id"}]}`,
			goes:    "SELECT * FROM m WHERE id % 3 = 2 AND id > 3",
			leaves:  map[string]string{"blob": "SELECT * FROM blob WHERE id NOT IN (5, 8, 11, 14, 17, 20)"},
			related: map[string]int64{"@.blob": 6},
		},
	}}.run(t)
}

func TestUpdates(t *testing.T) {
	const schema = `CREATE TYPE state AS ENUM ('open', 'closed');
		CREATE TABLE owner (id int PRIMARY KEY, score numeric, days int);
		CREATE TABLE m (id int PRIMARY KEY, owner_id int, state state, expired boolean NOT NULL DEFAULT false,
			note text, doc json, tags text[],
			expires_at timestamptz, updated_at timestamptz NOT NULL DEFAULT '2020-01-01 00:00:00+00');
		CREATE TABLE r (id int PRIMARY KEY, m_id int, state text, by int)`
	const data = `INSERT INTO owner SELECT i, i * 1.5, i FROM generate_series(1, 3) i;
		INSERT INTO m (id, owner_id, state, note, doc, tags, expires_at)
			SELECT i, i % 5, CASE WHEN i % 2 = 0 THEN 'open'::state END, 'n' || i, '{"a":1}',
			CASE WHEN i % 4 > 0 THEN ARRAY['x', i::text] END,
			:as_of - (i - 10) * interval '1 hour' FROM generate_series(1, 30) i;
		INSERT INTO m (id) VALUES (99);
		INSERT INTO r SELECT i, i % 20, 'open', 0 FROM generate_series(1, 40) i`
	suite{scenarios: []scenario{
		{
			name:   "mark",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", where: "NOT expired", due: {expires: {column: expires_at, inclusive: true}},
				then: [{update: {set: {expired: true, updated_at: as_of}}}]}`,
			goes: "SELECT m.* FROM m WHERE expires_at <= :as_of",
			leaves: map[string]string{
				"m": `SELECT id, owner_id, state, expires_at <= :as_of IS TRUE, note, doc, tags, expires_at,
					CASE WHEN expires_at <= :as_of THEN :as_of ELSE updated_at END FROM m`,
			},
		},
		{
			name:   "the clock is rewritten",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {expires: {column: expires_at}},
				then: [{update: {set: {expires_at: "as_of + interval '1 month'", note: "'rotated'"}}}]}`,
			goes: "SELECT m.* FROM m WHERE expires_at < :as_of",
			leaves: map[string]string{
				"m": `SELECT id, owner_id, state, expired, CASE WHEN expires_at < :as_of THEN 'rotated'
					ELSE note END, doc, tags, CASE WHEN expires_at < :as_of THEN :as_of + interval '1 month'
					ELSE expires_at END, updated_at FROM m`,
			},
		},
		{
			name:   "the clock is rewritten, NULL is due",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {expires: {column: expires_at, nulls: due}},
				then: [{update: {set: {expires_at: "as_of + interval '1 month'"}}}]}`,
			goes: "SELECT m.* FROM m WHERE (expires_at < :as_of) IS NOT FALSE",
			leaves: map[string]string{
				"m": `SELECT id, owner_id, state, expired, note, doc, tags,
					CASE WHEN (expires_at < :as_of) IS NOT FALSE THEN :as_of + interval '1 month'
					ELSE expires_at END, updated_at FROM m`,
			},
		},
		{
			name:   "a value from a join",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", join: {o: {table: "@.owner", where: "o.id = t.owner_id"},
				d: "SELECT o.score * 2 AS twice"}, where: "note IS DISTINCT FROM d.twice::text",
				then: [{update: {set: {note: "d.twice::text"}}}]}`,
			goes: `SELECT m.* FROM m LEFT JOIN owner o ON o.id = m.owner_id
				WHERE note IS DISTINCT FROM (o.score * 2)::text`,
			leaves: map[string]string{
				"m": `SELECT m.id, owner_id, state, expired, (o.score * 2)::text, doc, tags, expires_at, updated_at
					FROM m LEFT JOIN owner o ON o.id = m.owner_id`,
			},
		},
		{
			name:   "types",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", where: "id % 3 = 0 AND state IS DISTINCT FROM 'closed'",
				then: [{update: {set: {state: "'closed'", doc: "'{}'", tags: "'{}'", note: null}}}]}`,
			goes: "SELECT m.* FROM m WHERE id % 3 = 0",
			leaves: map[string]string{
				"m": `SELECT id, owner_id, CASE WHEN id % 3 = 0 THEN 'closed'
					ELSE state END, expired, CASE WHEN id % 3 > 0 THEN note END, CASE WHEN id % 3 = 0 THEN '{}'
					ELSE doc END, CASE WHEN id % 3 = 0 THEN '{}' ELSE tags END, expires_at, updated_at FROM m`,
			},
		},
		{
			name:   "what does not change is not written",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", where: "owner_id = 1 AND (state IS NULL OR note <> 'n6')",
				then: [{update: {set: {state: "'open'", note: "'n6'"}}}]}`,
			goes: "SELECT m.* FROM m WHERE owner_id = 1 AND (state IS NULL OR note <> 'n6')",
			leaves: map[string]string{
				"m": `SELECT id, owner_id, CASE WHEN owner_id = 1 THEN 'open'
					ELSE state END, expired, CASE WHEN owner_id = 1 THEN 'n6' ELSE note END, doc, tags, expires_at,
					updated_at FROM m`,
			},
		},
		{
			name:   "related rows too",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", where: "state = 'open'", due: {expires: {column: expires_at}},
				then: [{update: {set: {state: "'closed'"}}},
				{update: {table: "@.r", as: r, where: "r.m_id = t.id", set: {state: "'gone'"}}}]}`,
			goes:    "SELECT m.* FROM m WHERE state = 'open' AND expires_at < :as_of",
			related: map[string]int64{"@.r": 8},
			leaves: map[string]string{
				"m": `SELECT id, owner_id, CASE WHEN state = 'open' AND expires_at < :as_of THEN 'closed'
					ELSE state END, expired, note, doc, tags, expires_at, updated_at FROM m`,
				"r": `SELECT id, m_id, CASE WHEN m_id IN (SELECT id FROM m WHERE state = 'open'
					AND expires_at < :as_of) THEN 'gone' ELSE state END, by FROM r`,
			},
		},
		{
			name:   "a related row, by a query of the step",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", where: "state = 'open'", due: {expires: {column: expires_at}},
				then: [{update: {table: "@.r", as: r, where: "r.m_id = t.id",
				join: {o: {query: "SELECT id, max(days) AS days FROM @.owner GROUP BY id",
				where: "o.id = t.owner_id"}}, set: {by: o.days}}}, {update: {set: {state: "'closed'"}}}]}`,
			goes:    "SELECT m.* FROM m WHERE state = 'open' AND expires_at < :as_of",
			related: map[string]int64{"@.r": 8},
			leaves: map[string]string{
				"m": `SELECT id, owner_id, CASE WHEN state = 'open' AND expires_at < :as_of THEN 'closed'
					ELSE state END, expired, note, doc, tags, expires_at, updated_at FROM m`,
				"r": `SELECT r.id, r.m_id, r.state, CASE WHEN m.id IS NULL THEN r.by ELSE (SELECT days FROM owner
					WHERE id = m.owner_id) END FROM r LEFT JOIN m ON m.id = r.m_id AND m.state = 'open'
					AND m.expires_at < :as_of`,
			},
		},
		{
			name:   "the first in the batch's order wins",
			schema: schema + "; CREATE TABLE once (id int PRIMARY KEY, by int)",
			data:   data + "; INSERT INTO once VALUES (1, NULL), (2, NULL)",
			rule: `{table: "@.m", due: {expires: {column: expires_at}},
				then: [{update: {table: "@.once", as: r, where: "r.id = 1 AND t.state = 'open' AND r.by IS NULL",
				set: {by: t.id}}}, delete]}`,
			goes:    "SELECT m.* FROM m WHERE expires_at < :as_of",
			related: map[string]int64{"@.once": 1},
			leaves: map[string]string{
				"once": `SELECT id, CASE WHEN id = 1 THEN (SELECT m.id FROM m WHERE state = 'open'
					AND expires_at < :as_of ORDER BY expires_at, m.id LIMIT 1) END FROM once`,
			},
		},
		{
			name:   "pointers are repaired",
			schema: `CREATE TABLE m (id int PRIMARY KEY, previous_id int REFERENCES m, at timestamptz NOT NULL)`,
			data: `INSERT INTO m SELECT i, nullif(i - 1, 0), :as_of - (20 - i) * interval '1 day'
				FROM generate_series(1, 20) i`,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 9 days}},
				then: [{update: {table: "@.m", as: n, where: "n.previous_id = t.id", set: {previous_id: null}}},
				delete]}`,
			goes: "SELECT m.* FROM m WHERE at < :as_of - interval '9 days'",
			leaves: map[string]string{
				"m": `SELECT id, CASE WHEN id > 11 THEN previous_id END, at FROM m
					WHERE at >= :as_of - interval '9 days'`,
			},
			uncounted: true,
		},
		{
			name:   "update, then delete, with what was judged",
			schema: schema + "; CREATE TABLE log (id int, note text, tags text[], old_state state)",
			data:   data,
			rule: `{table: "@.m", due: {expires: {column: expires_at}},
				then: [{update: {set: {note: "'seen'", state: "'closed'"}}},
				{insert: {into: "@.log", set: {id: id, note: note, tags: tags, old_state: state}}}, delete,
				{update: {table: "@.r", as: r, where: "r.m_id = t.id AND t.note LIKE 'n%'",
				set: {state: t.note}}}]}`,
			goes:      "SELECT m.* FROM m WHERE expires_at < :as_of",
			uncounted: true,
			leaves: map[string]string{
				"log": "SELECT id, note, tags, state FROM m WHERE expires_at < :as_of",
				"r": `SELECT r.id, r.m_id, CASE WHEN m.expires_at < :as_of THEN m.note ELSE r.state END, by
					FROM r LEFT JOIN m ON m.id = r.m_id`,
			},
		},
		{
			name:       "all rows of the batch at once",
			unforeseen: "exist only in a batch",
			schema:     schema + "; CREATE TABLE c (id int PRIMARY KEY, ids int[] NOT NULL, n bigint NOT NULL)",
			data:       data + "; INSERT INTO c SELECT i, ARRAY[i, i + 10, i + 20], 100 FROM generate_series(1, 9) i",
			rule: `{table: "@.m", due: {expires: {column: expires_at}},
				then: [{update: {table: "@.c", as: c, where: "c.ids @> ARRAY[t.id]",
				set: {ids: "ARRAY(SELECT u.s FROM unnest(c.ids) u(s)
				WHERE NOT EXISTS (SELECT FROM batch b WHERE b.id = u.s))"}}},
				delete, {update: {table: "@.c", as: c, where: "c.id = t.id % 10",
				set: {n: "c.n - (SELECT count(*) FROM batch WHERE batch.id % 10 = c.id)"}}}]}`,
			goes:      "SELECT m.* FROM m WHERE expires_at < :as_of",
			uncounted: true,
			leaves: map[string]string{
				"c": `SELECT id, ARRAY(SELECT x FROM unnest(ids) x
					WHERE x NOT IN (SELECT id FROM m WHERE expires_at < :as_of)), 100 - (SELECT count(*) FROM m
					WHERE expires_at < :as_of AND m.id % 10 = c.id) FROM c`,
			},
		},
		{
			name:   "where passes by",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", where: "NOT expired", due: {expires: {column: expires_at}},
				then: [{update: {where: "state = 'open'", set: {expired: true}}}]}`,
			goes: "SELECT m.* FROM m WHERE expires_at < :as_of AND state = 'open'",
			leaves: map[string]string{
				"m": `SELECT id, owner_id, state, (expires_at < :as_of AND state = 'open') IS TRUE, note, doc, tags,
					expires_at, updated_at FROM m`,
			},
		},
	}}.run(t)
}

// TestHoldBelowSelfReference holds row 3, which a delete of the due row 1 would reach by a cascade:
// 3 refers to 2, and 2 refers to 1. Rows 5 and 6 refer to each other and reach no held row. After
// the hold is released, a run takes rows 1, 2 and 3.
func TestHoldBelowSelfReference(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL,
			parent_id int REFERENCES m ON DELETE CASCADE);
		INSERT INTO m VALUES (1, '2024-01-01', NULL), (2, '2024-03-31', 1), (3, '2024-03-31', 2),
			(4, '2024-03-31', NULL),
			(5, '2024-01-01', NULL), (6, '2024-03-31', 5);
		UPDATE m SET parent_id = 6 WHERE id = 5`, `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then: [delete: {cascades: [m]}]
`)
	hold(t, in, "'m', '3', 'case 1'")
	due, _ := in.Count("p", noon)
	if o := in.Done("p", noon); o.Taken != 1 || o.Kept["hold"] != 1 || due != 1 {
		t.Errorf("with the hold: want 1 row due, 1 taken, 1 kept; got %d due and %+v", due, o)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4}, ids(t, in)); diff != "" {
		t.Errorf("with the hold, rows differ (-want +got):\n%s", diff)
	}
	if err := in.Operator("SELECT retention.release_hold(1, 'closed')"); err != nil {
		t.Fatal(err)
	}
	in.Done("p", noon)
	if diff := cmp.Diff([]int{4}, ids(t, in)); diff != "" {
		t.Errorf("after release, rows differ (-want +got):\n%s", diff)
	}
}

const ledger = `CREATE TABLE det (id int PRIMARY KEY, name text, drop_after timestamptz NOT NULL DEFAULT '2024-01-01');
	CREATE SCHEMA "Od d";`

// TestDropTable checks the step drop_table. A row that names something that must not be dropped
// stays and is refused. The run takes the other rows.
func TestDropTable(t *testing.T) {
	t.Parallel()
	type named struct {
		name, makes string // makes creates what the row names; nothing if empty
		dropped     bool   // the run drops the table and takes the row
		refused     bool   // the table and the row stay
	}
	rows := []named{
		{
			name:    "public.plain",
			makes:   "CREATE TABLE plain (id serial PRIMARY KEY); CREATE INDEX ON plain (id)",
			dropped: true,
		},
		{name: `"Od d"."Cap.1"`, makes: `CREATE TABLE "Od d"."Cap.1" (id int)`, dropped: true},
		{
			name: "public.parted",
			makes: `CREATE TABLE parted (id int) PARTITION BY RANGE (id);
				CREATE TABLE parted_1 PARTITION OF parted DEFAULT`,
			dropped: true,
		},
		{name: "public.never_there"},
		{name: "no_schema.at_all"},
		{name: "bare", makes: "CREATE TABLE bare (id int)", refused: true},
		{name: "public.Capital", makes: "CREATE TABLE capital (id int)", refused: true},
		{name: "public.capital; DROP TABLE det", refused: true},
		{name: "postgres.public.capital", refused: true},
		{name: "", refused: true},
		{
			name: "public.attached_1",
			makes: `CREATE TABLE attached (id int) PARTITION BY RANGE (id);
				CREATE TABLE attached_1 PARTITION OF attached FOR VALUES FROM (1) TO (2)`,
			refused: true,
		},
		{
			name:    "public.seen",
			makes:   "CREATE TABLE seen (id int); CREATE VIEW sees AS SELECT * FROM seen",
			refused: true,
		},
		{
			name: "public.referred",
			makes: `CREATE TABLE referred (id int PRIMARY KEY);
				CREATE TABLE refers (id int REFERENCES referred ON DELETE CASCADE)`,
			refused: true,
		},
		{
			name:    "public.inherited",
			makes:   "CREATE TABLE inherited (id int); CREATE TABLE heir () INHERITS (inherited)",
			refused: true,
		},
		{name: "public.sees", refused: true},
		{name: "public.a_sequence", makes: "CREATE SEQUENCE a_sequence", refused: true},
		{name: "public.det_pkey", refused: true},
		{name: "public.det", refused: true},
		{name: "public.other", makes: "CREATE TABLE other (id int PRIMARY KEY)", refused: true},
		{name: "public.kept", makes: "CREATE TABLE kept (id int PRIMARY KEY)", refused: true},
		{
			name: "public.kept_below",
			makes: `CREATE TABLE kept_below (id int) PARTITION BY RANGE (id);
				CREATE TABLE kept_leaf PARTITION OF kept_below DEFAULT`,
			refused: true,
		},
		// the rows of this table are rows of kept, which is protected
		{name: "public.kept_child", makes: "CREATE TABLE kept_child () INHERITS (kept)", refused: true},
		{name: "public.stranger", makes: "CREATE TABLE stranger (id int)", refused: true},
		{name: "pg_catalog.pg_class", refused: true},
		{name: "information_schema.sql_features", refused: true},
		{name: "retention.run", refused: true},
	}
	schema, insert := ledger, ""
	for i, r := range rows {
		schema += r.makes + ";"
		insert += fmt.Sprintf("INSERT INTO det VALUES (%d, nullif('%s', ''));", i,
			strings.ReplaceAll(r.name, "'", "''"))
	}
	in := kit.Install(t, schema, `
protect: [kept, kept_leaf]
policies:
  p: {table: det, due: {expires: {column: drop_after}}, then: [{drop_table: name}, delete]}
  o: {table: other, where: "id = 1", then: [delete]}
`)
	in.Exec(t, pgtest.MakeRole("kit_stranger")+"ALTER TABLE stranger OWNER TO kit_stranger;"+insert)
	foreseen := map[string]string{} // the reasons that the preview gives, by the name in the row
	for _, r := range rows {
		in.Exec(t, "TRUNCATE det; INSERT INTO det VALUES (1, nullif('"+strings.ReplaceAll(r.name, "'", "''")+"', ''))")
		list := pgtest.Column[string](t, in, `SELECT effect || ' ' || coalesce(note, '')
			FROM retention.blast_radius('p', $1) WHERE step = 1`, noon)
		switch {
		case r.refused && (len(list) != 1 || !strings.HasPrefix(list[0], "refused ")),
			r.dropped && (len(list) != 1 || !strings.HasPrefix(list[0], "drop table ")),
			!r.refused && !r.dropped && len(list) > 0:
			t.Errorf("%q: the preview has the effects %q, want refused %v, dropped %v", r.name, list, r.refused,
				r.dropped)
		case r.refused:
			foreseen[r.name] = strings.TrimPrefix(list[0], "refused ")
		}
	}
	for name, reason := range foreseen {
		in.Exec(t, "TRUNCATE det; INSERT INTO det VALUES (1, nullif('"+strings.ReplaceAll(name, "'", "''")+"', ''))")
		if o := in.Run("p", noon); o.State != "failed" || o.Refused != 1 || !strings.HasSuffix(o.Message, ": "+reason) {
			t.Errorf("%q: the run ended %s with %q, want failed with the reason of the preview, %q", name, o.State,
				o.Message, reason)
		}
	}
	in.Exec(t, "TRUNCATE det;"+insert)
	creates := regexp.MustCompile(`^CREATE [A-Z]+ ("Od d"."Cap.1"|\S+)`)
	for _, batch := range []int{1000, 1, 3} {
		in.SetBatch(batch)
		o := in.Run("p", noon)
		// Later runs find only refused rows. A run that finds due rows and takes none of them
		// fails.
		if state := map[bool]string{true: "done", false: "failed"}[batch == 1000]; o.State != state {
			t.Errorf("batches of %d: the run ended %s: %s, want %s", batch, o.State, o.Message, state)
		}
		left := pgtest.Column[int](t, in, "SELECT id FROM det ORDER BY id")
		want := map[string]int64{}
		for i, r := range rows {
			if slices.Contains(left, i) != r.refused {
				t.Errorf("%q: the row is left: %v, want %v", r.name, slices.Contains(left, i), r.refused)
			}
			if made := creates.FindStringSubmatch(r.makes); made != nil {
				exists := pgtest.Value[bool](t, in, "SELECT to_regclass($1) IS NOT NULL", made[1])
				if exists != r.refused {
					t.Errorf("%q: the table exists: %v, want %v", r.name, exists, r.refused)
				}
			}
			if batch == 1000 && r.dropped {
				want["tables dropped"]++
			} else if batch == 1000 && !r.refused {
				want["tables gone before"]++
			}
		}
		if !maps.Equal(want, o.Related) || o.Refused != 21 {
			t.Errorf("batches of %d: %+v, want %v and 21 refused", batch, o, want)
		}
	}
	if n := pgtest.Value[int](t, in, `SELECT count(*) FROM pg_class
		WHERE relname IN ('parted_1', 'refers', 'sees', 'heir', 'kept_leaf')`); n != 4 {
		t.Errorf("%d of the tables that hang on others are there, want 4", n)
	}
}

// TestDropTableHeld checks that a table with a held row is not dropped. The row that names the
// table counts as held.
func TestDropTableHeld(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, ledger+`CREATE TABLE one (id int PRIMARY KEY);
		CREATE TABLE two (id int PRIMARY KEY);
		GRANT SELECT ON one TO retention_worker;
		INSERT INTO one VALUES (7);
		INSERT INTO det VALUES (1, 'public.one'), (2, 'public.two')`,
		`policies: {p: {table: det, due: {expires: {column: drop_after}}, then: [{drop_table: t.name}, delete]}}
jobs: {j: {schedule: "0 1 * * *", run: [p]}}`)
	hold(t, in, "'one', '7', 'case 1'")
	list := blastRadius(t, in, "'p', '"+noon+"'")
	if want := []string{"1 drop table public.two ?", "2 delete public.det 1"}; !slices.Equal(list, want) {
		t.Errorf("preview says %q, want %q", list, want)
	}
	const counts = "SELECT concat(due, ' ', kept ->> 'hold') FROM retention.%s"
	for _, from := range []string{"preview('p', $1)", "preview_job('j', $1), LATERAL (SELECT taken) x (due)"} {
		if got := pgtest.Value[string](t, in, fmt.Sprintf(counts, from), noon); got != "1 1" {
			t.Errorf("%s says %q of rows due and held, want 1 1", from, got)
		}
	}
	if n := pgtest.Value[int](t, in, "SELECT retention._due_as_worker('p', $1, 10, true, NULL, NULL)", noon); n != 1 {
		t.Errorf("%d rows are counted for the breaker, want 1", n)
	}
	if why := pgtest.Value[string](t, in, `SELECT kept_by FROM retention.why('p', '{"id": 1}', $1)`,
		noon); why != "hold" {
		t.Errorf("the row is kept by %q, want hold", why)
	}
	if o := in.Done("p", noon); o.Taken != 1 || o.Kept["hold"] != 1 || o.Related["tables dropped"] != 1 {
		t.Errorf("want a run with taken 1, kept by hold 1, related rows of tables dropped 1; got %+v", o)
	}
	if exists := pgtest.Value[string](t, in, `SELECT concat(to_regclass('one'), ' ',
		to_regclass('two'))`); exists != "one " {
		t.Errorf("there are %q, want one ", exists)
	}
}

// TestDropTableOfADetachedPartition checks a hold that was placed while the table was a partition.
// The table with the held row is not dropped, even if the worker cannot read it.
func TestDropTableOfADetachedPartition(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hold, grant string
		dropped     int64
	}{
		"a row": {"'m', '{\"id\": 1, \"at\": \"2024-01-05\"}', 'case'",
			"GRANT SELECT ON m_1 TO retention_worker", 0},
		"an owner's":             {"'m', '{\"owner\": 1.50}', 'case'", "GRANT SELECT ON m_1 TO retention_worker", 0},
		"nobody may look":        {"'m', '{\"owner\": 1.50}', 'case'", "SELECT", 0},
		"a row elsewhere":        {"'m', '{\"owner\": 3}', 'case'", "GRANT SELECT ON m_1 TO retention_worker", 1},
		"of a table not like it": {"'det', '{\"name\": \"x\"}', 'case'", "SELECT", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE m (id int, at date NOT NULL, owner numeric,
					PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
				CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
				CREATE TABLE det (name text PRIMARY KEY, drop_after timestamptz NOT NULL);
				INSERT INTO m VALUES (1, '2024-01-05', 1.5), (2, '2024-01-06', 2);
				INSERT INTO det VALUES ('public.m_1', '2024-01-01')`,
				`policies: {p: {table: m, due: {age: {column: at, older_than: 100 years}}, then: [delete]},
					gone: {table: det, due: {expires: {column: drop_after}}, then: [{drop_table: name}, delete]}}`)
			hold(t, in, c.hold)
			in.Exec(t, "ALTER TABLE m DETACH PARTITION m_1; "+c.grant)
			if o := in.Done("gone", noon); o.Taken != c.dropped || o.Kept["hold"] != 1-c.dropped {
				t.Errorf("want a run with taken %d, kept by hold %d; got %+v", c.dropped, 1-c.dropped, o)
			}
			if exists := pgtest.Value[bool](t, in, "SELECT to_regclass('m_1') IS NULL"); exists != (c.dropped == 1) {
				t.Errorf("the table is dropped: %v, want %v", exists, c.dropped == 1)
			}
		})
	}
}

// TestDetachThenDropTable checks two policies. The first one detaches a partition and records it in
// a table; the second one drops it a week later.
func TestDetachThenDropTable(t *testing.T) {
	t.Parallel()
	schema := `CREATE TABLE m (id int, at date NOT NULL) PARTITION BY RANGE (at);
		CREATE TABLE "M 1" PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
		CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-03-01') TO ('2024-05-01');
		CREATE TABLE det (name text PRIMARY KEY, rows bigint, run bigint, drop_after timestamptz NOT NULL);
		INSERT INTO m VALUES (1, '2024-01-05'), (2, '2024-01-06'), (3, '2024-02-05')`
	in := kit.Install(t, schema, `
policies:
  out:
    partitions_of: m
    due: {age: {older_than: 1 month}}
    then:
      - insert: {into: det, set: {name: "format('%I.%I', t.schema, t.name)",
            rows: "(SELECT count(*) FROM partition)", run: run.id, drop_after: "as_of + interval '7 days'"}}
      - detach
      - emit: {event: detached, payload: {name: t.name, upper: upper}}
  gone: {table: det, due: {expires: {column: drop_after, inclusive: true}}, then: [{drop_table: name}, delete]}
`)
	const day = "2024-03-15 00:00:00+00"
	if o := in.Done("out", day); o.Taken != 1 || o.Related["public.det"] != 1 || o.Related["retention.event"] != 1 {
		t.Errorf("want a run with taken 1, related rows of public.det 1, related rows of retention.event 1; got %+v", o)
	}
	if got := in.Rows("SELECT name, rows, run, drop_after AT TIME ZONE 'UTC' FROM det"); !slices.Equal(got,
		[]string{`("public.""M 1""",2,1,"2024-03-22 00:00:00")`}) {
		t.Errorf("table det has %v, want partition M 1", got)
	}
	if got := in.Rows("SELECT event, payload FROM retention.event"); !slices.Equal(got,
		[]string{`(detached,"{""name"": ""M 1"", ""upper"": ""2024-02-01""}")`}) {
		t.Errorf("the events are %v, want one for partition M 1", got)
	}
	if n := pgtest.Value[int](t, in, `SELECT count(*) FROM "M 1"`); n != 2 {
		t.Errorf("%d rows in the detached partition, want 2", n)
	}
	if o := in.Done("gone", "2024-03-21 23:59:59+00"); o.Taken != 0 {
		t.Errorf("too early: want a run with taken 0; got %+v", o)
	}
	if o := in.Done("gone", "2024-03-22 00:00:00+00"); o.Taken != 1 || o.Related["tables dropped"] != 1 {
		t.Errorf("want a run with taken 1, related rows of tables dropped 1; got %+v", o)
	}
	if got := pgtest.Column[string](t, in, `SELECT relname::text FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
		ORDER BY 1`); !slices.Equal(got, []string{"det", "m_2", "m_3"}) {
		t.Errorf("tables that are left: %v, want det, m_2, m_3", got)
	}
}
