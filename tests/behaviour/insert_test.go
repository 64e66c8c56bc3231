package behaviour

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const writeSchema = `CREATE TABLE m (id int PRIMARY KEY, owner_id int, kind text, score numeric, tags text[],
		at timestamptz NOT NULL);
	CREATE TABLE r (id int PRIMARY KEY, m_id int, body text)`

const writeData = `INSERT INTO m SELECT i, i % 4, nullif('k' || i % 3, 'k2'), i * 1.5,
			CASE WHEN i % 5 > 0 THEN ARRAY['x', i::text] END, :as_of - i * interval '6 hours'
		FROM generate_series(1, 60) i;
	INSERT INTO r SELECT i, i % 70, 'b' || i FROM generate_series(1, 100) i`

const writeOld = "at < :as_of - interval '7 days'"

func TestInserts(t *testing.T) {
	const due = `due: {age: {column: at, older_than: 7 days}}`
	const goes = "SELECT m.* FROM m WHERE " + writeOld
	suite{scenarios: []scenario{
		{
			name: "one row each",
			schema: writeSchema + `;
				CREATE TABLE led (m_id int, kind text, at timestamptz, label text NOT NULL DEFAULT 'd')`,
			data: writeData,
			rule: `{table: "@.m", ` + due + `, then: [{insert: {into: "@.led",
				set: {m_id: id, kind: kind, at: as_of}, where: "score > 60"}}, delete]}`,
			goes:    goes,
			related: map[string]int64{"@.led": 20},
			leaves:  map[string]string{"led": "SELECT id, kind, :as_of, 'd' FROM m WHERE score > 60 AND " + writeOld},
		},
		{
			name: "roll-up",
			schema: writeSchema + `;
				CREATE TABLE day (day date, owner_id int, n bigint NOT NULL DEFAULT 0, total numeric, top numeric,
					low numeric, last_kind text, at timestamptz, PRIMARY KEY (day, owner_id))`,
			data: writeData + `;
				INSERT INTO day VALUES ((:as_of - interval '8 days')::date, 1, 5, NULL, NULL, 1, 'z', NULL),
					('2020-01-01', 1, 1, 1, 1, 1, 'kept', NULL)`,
			rule: `{table: "@.m", ` + due + `, then: [{insert: {into: "@.day",
				key: {day: "t.at::date", owner_id: owner_id}, add: {n: "count(*)", total: sum(score)},
				max: {top: max(score)}, min: {low: min(score)}, set: {last_kind: kind, at: as_of}}}, delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"day": `SELECT coalesce(g.day, d.day), coalesce(g.owner_id, d.owner_id),
					coalesce(d.n, 0) + coalesce(g.n, 0),
					CASE WHEN g.day IS NULL THEN d.total ELSE coalesce(d.total, 0) + g.total END,
					greatest(d.top, g.top), least(d.low, g.low),
					CASE WHEN g.day IS NULL THEN d.last_kind ELSE g.kind END,
					CASE WHEN g.day IS NULL THEN d.at ELSE :as_of END
				FROM day d FULL JOIN (
					SELECT at::date AS day, owner_id, count(*) AS n, sum(score) AS total, max(score) AS top,
						min(score) AS low, (array_agg(kind ORDER BY at DESC, id DESC))[1] AS kind
					FROM m WHERE ` + writeOld + ` GROUP BY 1, 2
				) g USING (day, owner_id)`,
			},
		},
		{
			name:   "the newest wins",
			schema: writeSchema + "; CREATE TABLE best (kind text PRIMARY KEY, id int, tags text[])",
			data:   writeData + "; INSERT INTO best VALUES ('k0', -1, NULL), ('other', -2, NULL)",
			rule: `{table: "@.m", ` + due + `, then: [{insert: {into: "@.best",
				key: {kind: "coalesce(kind, 'none')"}, set: {id: id, tags: tags}, where: "score > 50"}}, delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"best": `SELECT DISTINCT ON (kind) kind, id, tags
					FROM (SELECT coalesce(kind, 'none') AS kind, id, tags, at FROM m
						WHERE score > 50 AND ` + writeOld + `
						UNION ALL SELECT kind, id, tags, '-infinity' FROM best) x
					ORDER BY kind, at DESC, id DESC`,
			},
		},
		{
			name:   "rows without an instant go last, by their key",
			schema: "CREATE TABLE m (id int PRIMARY KEY, c uuid); CREATE TABLE best (one int PRIMARY KEY, id int)",
			data: `INSERT INTO m VALUES (0, '00000001-0000-4000-8000-000000000000'),
					(1, '0000000b-0000-4000-8000-000000000000'), (2, '00000008-0000-4000-8000-000000000000');
				INSERT INTO m SELECT i, format('017f22e2-79b%s-7cc3-98c4-dc0c0c07398f', i)::uuid
					FROM generate_series(3, 5) i;
				INSERT INTO m VALUES (6, '018e942a-8b80-7cc3-98c4-dc0c0c07398f')`,
			rule: `{table: "@.m", due: {age: {column: c, encoding: uuidv7, older_than: 1 day, nulls: due}},
				keep: {least: {first: 1, order: id}},
				then: [{insert: {into: "@.best", key: {one: "1"}, set: {id: id}}}, delete]}`,
			goes:      "SELECT * FROM m WHERE id BETWEEN 1 AND 5",
			uncounted: true,
			leaves:    map[string]string{"best": "SELECT 1, 2"},
		},
		{
			name: "past the first ones of a group",
			schema: `CREATE TABLE m (id int PRIMARY KEY, g int NOT NULL);
				CREATE TABLE gone (g int PRIMARY KEY, label text)`,
			data: `INSERT INTO m SELECT i, i % 7 FROM generate_series(1, 60) i;
				INSERT INTO gone VALUES (3, 'x'), (9, 'y')`,
			rule: `{table: "@.m", due: {beyond: {first: 5, per: [g], order: "id DESC"}},
				then: [{insert: {into: "@.gone", key: {g: g}, set: {label: "'of ' || g"}}}, delete]}`,
			goes:      "SELECT m.* FROM m WHERE (SELECT count(*) FROM m n WHERE n.g = m.g AND n.id > m.id) >= 5",
			uncounted: true,
			leaves: map[string]string{
				"gone": "SELECT g, 'of ' || g FROM m GROUP BY g HAVING count(*) > 5 UNION SELECT 9, 'y'",
			},
		},
		{
			name:   "the newest of related rows",
			schema: writeSchema + "; CREATE TABLE best (par int PRIMARY KEY, id int, body text)",
			data:   writeData,
			rule: `{table: "@.m", ` + due + `, then: [{insert: {table: "@.r", as: r, where: "r.m_id = t.id",
				into: "@.best", key: {par: "r.id % 3"}, set: {id: r.id, body: r.body}}}, delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"best": `SELECT DISTINCT ON (1) r.id % 3, r.id, r.body FROM r JOIN m ON m.id = r.m_id
					WHERE m.` + writeOld + " ORDER BY 1, m.at DESC, m.id DESC, r.id DESC",
			},
		},
		{
			name: "tombstones",
			schema: writeSchema + `;
				CREATE TABLE tomb (owner_id int, kind text NOT NULL, PRIMARY KEY (owner_id, kind))`,
			data: writeData + "; INSERT INTO tomb VALUES (1, 'k1')",
			rule: `{table: "@.m", ` + due + `, then: [{insert: {into: "@.tomb",
				key: {owner_id: owner_id, kind: "coalesce(kind, '-')"}}}, delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"tomb": `SELECT owner_id, kind FROM tomb
					UNION SELECT owner_id, coalesce(kind, '-') FROM m WHERE ` + writeOld,
			},
		},
		{
			name: "from related rows",
			schema: writeSchema + `;
				CREATE TABLE led (r_id int, m_id int, kind text);
				CREATE TABLE cnt (one int PRIMARY KEY, n int NOT NULL)`,
			data: writeData,
			rule: `{table: "@.m", ` + due + `, then: [{insert: {table: "@.r", as: r, where: "r.m_id = t.id",
				into: "@.led", set: {r_id: r.id, m_id: t.id, kind: kind}}},
				{insert: {table: "@.r", as: r, where: "r.m_id = t.id OR r.m_id = t.id + 1", into: "@.cnt",
				key: {one: 1}, add: {n: "count(*)"}}},
				{delete: {table: "@.r", as: r, where: "r.m_id = t.id OR r.m_id = t.id + 1"}}, delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"led": "SELECT r.id, m.id, m.kind FROM r JOIN m ON m.id = r.m_id WHERE " + writeOld,
				"cnt": `SELECT 1, count(*)::int FROM r
					WHERE EXISTS (SELECT FROM m WHERE (r.m_id = m.id OR r.m_id = m.id + 1) AND ` + writeOld + ")",
				"r": `SELECT * FROM r WHERE NOT EXISTS (SELECT FROM m WHERE (r.m_id = m.id OR r.m_id = m.id + 1)
					AND ` + writeOld + ")",
			},
		},
		{
			name:       "a statement",
			unforeseen: "contains the SQL statement",
			schema:     writeSchema + "; CREATE TABLE led (id int, n bigint)",
			data:       writeData,
			rule: `{table: "@.m", ` + due + `, then: [
				{sql: "INSERT INTO @.led SELECT b.id, (SELECT count(*) FROM @.r x WHERE x.m_id = b.id)
					FROM batch b WHERE b.at < as_of AND run.id > 0"},
				{sql: "WITH gone AS (DELETE FROM @.r x USING batch b WHERE x.m_id = b.id RETURNING x.id)
					SELECT count(*) FROM gone"},
				delete]}`,
			goes:    goes,
			related: map[string]int64{"@.led": 32},
			leaves: map[string]string{
				"led": "SELECT m.id, (SELECT count(*) FROM r WHERE m_id = m.id) FROM m WHERE " + writeOld,
				"r":   "SELECT * FROM r WHERE NOT EXISTS (SELECT FROM m WHERE m.id = r.m_id AND " + writeOld + ")",
			},
		},
	}}.run(t)
}

func TestArchives(t *testing.T) {
	const due = `due: {age: {column: at, older_than: 7 days}}`
	const goes = "SELECT m.* FROM m WHERE " + writeOld
	gone := "SELECT * FROM r WHERE NOT EXISTS (SELECT FROM m WHERE m.id = r.m_id AND " + writeOld + ")"
	suite{scenarios: []scenario{
		{
			name: "columns",
			schema: writeSchema + `;
				CREATE TABLE old (reason text, at timestamptz, tags text[], score numeric, kind text, owner_id int,
					id int PRIMARY KEY, run_id bigint NOT NULL,
					late boolean GENERATED ALWAYS AS (score > 70) STORED)`,
			data: writeData,
			rule: `{table: "@.m", ` + due + `, then: [{archive: {into: "@.old",
				set: {run_id: run.id * 0, reason: "coalesce(run.reason, 'expired')"}}}, delete]}`,
			goes:    goes,
			related: map[string]int64{"@.old": 32},
			leaves: map[string]string{
				"old": `SELECT 'expired', at, tags, score, kind, owner_id, id, 0::bigint, score > 70 FROM m
					WHERE ` + writeOld,
			},
		},
		{
			name:   "documents, related rows first",
			schema: writeSchema + "; CREATE TABLE attic (kind text, body jsonb, at timestamptz)",
			data:   writeData,
			rule: `{table: "@.m", ` + due + `, then: [{archive: {table: "@.r", as: r, where: "r.m_id = t.id",
				into: "@.attic", document: body, set: {kind: "'r of ' || t.id", at: as_of}}},
				{delete: {table: "@.r", as: r, where: "r.m_id = t.id"}},
				{archive: {into: "@.attic", document: body,
				set: {kind: "'m'", at: as_of, body: "to_jsonb(t.*) || jsonb_build_object('final', score * 2)"}}},
				delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"r": gone,
				"attic": `SELECT 'm' AS kind, to_jsonb(m.*) || jsonb_build_object('final', score * 2) AS body,
					:as_of FROM m WHERE ` + writeOld + ` UNION ALL SELECT 'r of ' || m.id, to_jsonb(r.*), :as_of FROM r
					JOIN m ON m.id = r.m_id WHERE ` + writeOld,
			},
		},
		{name: "keep what is there", schema: writeSchema + "; CREATE TABLE old (LIKE m INCLUDING ALL)",
			data: writeData + "; INSERT INTO old (id, at) SELECT i, 'epoch' FROM generate_series(50, 65) i",
			rule: `{table: "@.m", ` + due + `, then: [{archive: {into: "@.old", existing: keep}}, delete]}`,
			goes: goes, uncounted: true,
			leaves: map[string]string{
				"old": "SELECT * FROM m WHERE " + writeOld + " AND id < 50 UNION ALL SELECT * FROM old",
			}},
		{name: "replace what is there", schema: writeSchema + "; CREATE TABLE old (LIKE m INCLUDING ALL)",
			data: writeData + "; INSERT INTO old (id, at) SELECT i, 'epoch' FROM generate_series(50, 65) i",
			rule: `{table: "@.m", ` + due + `, then: [{archive: {into: "@.old", existing: replace}}, delete]}`,
			goes: goes, uncounted: true,
			leaves: map[string]string{
				"old": "SELECT * FROM m WHERE " + writeOld + " UNION ALL SELECT * FROM old WHERE id > 60",
			}},
		{
			name: "under other names",
			schema: writeSchema + `; CREATE TABLE old (id text DEFAULT 'own', reason text, "When" timestamptz,
					owner_id text[], tags int, kind numeric, score text,
				m_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY) PARTITION BY RANGE (m_id); CREATE TABLE old_1
					PARTITION OF old FOR VALUES FROM (0) TO (50); CREATE TABLE old_2 PARTITION OF old DEFAULT`,
			data: writeData,
			rule: `{table: "@.m", ` + due + `, then: [{archive: {into: "@.old",
				columns: {m_id: id, "\"When\"": at, owner_id: tags, tags: owner_id, kind: score, score: kind},
				set: {reason: "'old'"}}}, delete]}`,
			goes:    goes,
			related: map[string]int64{"@.old": 32},
			leaves: map[string]string{
				"old": "SELECT 'own', 'old', at, tags, owner_id, score, kind, id FROM m WHERE " + writeOld,
			},
		},
		{
			name: "under another key, which keeps what is there",
			schema: writeSchema + `;
				CREATE TABLE old (LIKE m, m_id int PRIMARY KEY, born timestamptz);
				ALTER TABLE old ALTER at DROP NOT NULL`,
			data: writeData + "; INSERT INTO old (id, m_id) SELECT 0, i FROM generate_series(50, 65) i",
			rule: `{table: "@.m", ` + due + `, then: [{archive: {into: "@.old", columns: {m_id: id, born: at},
				set: {id: "7"}, existing: keep}}, delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"old": "SELECT 7, owner_id, kind, score, tags, NULL::timestamptz, id, at FROM m WHERE " + writeOld +
					" AND id < 50 UNION ALL SELECT * FROM old",
			},
		},
		{
			name: "under another key, which replaces what is there",
			schema: writeSchema + `;
				CREATE TABLE old (m_id int PRIMARY KEY, owner_id int, kind text, score numeric, tags text[],
					at timestamptz)`,
			data: writeData + "; INSERT INTO old (m_id) SELECT i FROM generate_series(50, 65) i",
			rule: `{table: "@.m", ` + due + `, then: [{archive: {into: "@.old", columns: {m_id: id},
				existing: replace}}, delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"old": "SELECT * FROM m WHERE " + writeOld + " UNION ALL SELECT * FROM old WHERE m_id > 60",
			},
		},
		{
			name:   "related rows under other names",
			schema: writeSchema + "; CREATE TABLE old (m_id int, id text, of int)",
			data:   writeData,
			rule: `{table: "@.m", ` + due + `, then: [{archive: {table: "@.r", as: r, where: "r.m_id = t.id",
				into: "@.old", columns: {of: m_id, m_id: id, id: body}}},
				{delete: {table: "@.r", as: r, where: "r.m_id = t.id"}}, delete]}`,
			goes:      goes,
			uncounted: true,
			leaves: map[string]string{
				"r":   gone,
				"old": "SELECT r.id, r.body, r.m_id FROM r JOIN m ON m.id = r.m_id WHERE " + writeOld,
			},
		},
		{
			name:   "made by the step under other names",
			schema: writeSchema,
			data:   writeData,
			rule: `{table: "@.m", ` + due + `, then: [{archive: {into: "@.made", create: true,
				columns: {"\"M id\"": id, kind: at, at: kind}, set: {late: "score > 70"}}}, delete]}`,
			goes:    goes,
			related: map[string]int64{"@.made": 32},
			leaves: map[string]string{
				"made": `SELECT id AS "M id", owner_id, kind AS at, score, tags, at AS kind, score > 70 FROM m
					WHERE ` + writeOld,
			},
		},
		{
			name:   "made by the step",
			schema: writeSchema,
			data:   writeData,
			rule: `{table: "@.m", ` + due + `, then: [{archive: {into: "@.made", create: true,
				set: {run_id: run.id * 0, at2: as_of}}}, delete]}`,
			goes:    goes,
			related: map[string]int64{"@.made": 32},
			leaves:  map[string]string{"made": "SELECT m.*, 0::bigint, :as_of FROM m WHERE " + writeOld},
		},
	}}.run(t)
}

// TestHeaders checks a step that inserts one header row for each group of a batch. Every archived
// row must refer to the header of its own group and batch.
func TestHeaders(t *testing.T) {
	t.Parallel()
	const schema = writeSchema + `; CREATE TABLE moved (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			owner_id int, n bigint, newest int);
		CREATE TABLE old (LIKE m INCLUDING ALL, moved_id bigint REFERENCES moved)`
	in := kit.Install(t, schema, `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [
		{insert: {into: moved, as: h, per: {owner_id: "nullif(owner_id, 3)"}, set: {n: "count(*)", newest: id}}},
		{archive: {into: old, set: {moved_id: h.id}}}, delete]}}`)
	for _, rows := range []int{1, 3, 1000} {
		in.Exec(t, "TRUNCATE m, r, moved, old")
		in.Exec(t, strings.ReplaceAll(writeData, ":as_of", "'"+noon+"'::timestamptz"))
		in.SetBatch(rows)
		if o := in.Done("p", noon); o.Taken != 32 || o.Related["public.old"] != 32 {
			t.Errorf("batches of %d: %+v", rows, o)
		}
		wrong := pgtest.Value[int64](t, in, `SELECT count(*) FROM old o JOIN moved h ON h.id = o.moved_id
			WHERE h.owner_id IS DISTINCT FROM nullif(o.owner_id, 3)`)
		apart := pgtest.Value[int64](t, in, `SELECT count(*) FROM moved h
			WHERE h.n <> (SELECT count(*) FROM old o WHERE o.moved_id = h.id)
			   OR h.newest <> (SELECT o.id FROM old o WHERE o.moved_id = h.id ORDER BY o.at DESC LIMIT 1)`)
		under := pgtest.Value[int64](t, in, `SELECT count(moved_id) FROM old`)
		if wrong != 0 || apart != 0 || under != 32 {
			t.Errorf("batches of %d: %d rows under the wrong header, %d headers with other numbers, %d rows under one",
				rows, wrong, apart, under)
		}
	}
}

// A group with a NULL key adds to the existing row if the unique index is NULLS NOT DISTINCT.
func TestInsertsOfANullGroup(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, g int, h text);
		CREATE TABLE sums (g int, h text, n bigint, UNIQUE NULLS NOT DISTINCT (h, g));
		INSERT INTO m SELECT i, nullif(i % 3, 0), CASE WHEN i % 2 = 0 THEN 'x' END FROM generate_series(1, 60) i;
		INSERT INTO sums VALUES (NULL, NULL, 5), (NULL, 'y', 7)`,
		`policies: {p: {table: m, where: "true",
			then: [{insert: {into: sums, key: {g: g, h: h}, add: {n: "count(*)"}}}, delete]}}`)
	in.SetBatch(7)
	in.Done("p", noon)
	if diff := cmp.Diff([]string{"(,,15)", "(,x,10)", "(,y,7)", "(1,,10)", "(1,x,10)", "(2,,10)", "(2,x,10)"},
		in.Rows("SELECT * FROM sums")); diff != "" {
		t.Errorf("rows of sums (-want +got):\n%s", diff)
	}
}

// The generator refuses to archive a column into another type if PostgreSQL can change a value in
// the assignment without an error. It accepts all other types. The field "value" is a value of the
// first type that would change, if there is one.
func TestArchiveHoldsAllValues(t *testing.T) {
	t.Parallel()
	const yaml = `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
		then: [archive: {into: old}, delete]}}`
	db, in := pgtest.Database(t), kit.Prepare(t, "SELECT", yaml)
	for _, c := range []struct{ from, to, value string }{
		{"numeric(12,4)", "numeric(12,2)", "1.2345"}, {"numeric(12,2)", "numeric(14,4)", "1.25"}, {"numeric(12,2)",
			"numeric", "1.25"},
		{"numeric", "numeric(30,9)", "1.0000000001"}, {"numeric", "bigint", "1.5"}, {"numeric", "double precision",
			"0.12345678901234567890"},
		{"double precision", "real", "0.1"}, {"double precision", "numeric", "0.30000000000000004"}, {"real",
			"double precision", "0.5"},
		{"bigint", "double precision", "9007199254740993"}, {"integer", "real", "16777217"}, {"integer", "bigint",
			"7"}, {"integer", "numeric", "7"},
		{"bigint", "integer", "9007199254740993"}, {"real", "integer", "1.5"},
		{"timestamptz", "date", "2024-01-01 12:00+00"}, {"timestamptz", "timestamptz(0)",
			"2024-01-01 12:00:00.5+00"}, {"timestamptz(0)", "timestamptz", "2024-01-01 12:00+00"},
		{"timestamp", "timestamp(3)", "2024-01-01 12:00:00.00005"}, {"timestamp", "date", "2024-01-01 12:00"}, {"date",
			"timestamp", "2024-01-01"},
		{"time", "time(1)", "12:00:00.25"}, {"interval", "interval hour", "90 minutes"}, {"interval", "interval(0)",
			"0.25 s"}, {"interval(0)", "interval", "1 s"},
		{"text", "varchar(3)", "abcd"}, {"varchar(9)", "text", "abc "}, {"text", "name",
			"x23456789012345678901234567890123456789012345678901234567890123456789"},
		{"text", "character(4)", "ab "}, {"text", `"char"`, "ab"}, {"numeric(6,3)[]", "numeric(6,1)[]",
			"{1.234}"}, {"uuid", "text", "00000000-0000-0000-0000-000000000001"},
	} {
		var changed bool
		conn := db.Conn(t)
		pgtest.Exec(t, conn, fmt.Sprintf(`CREATE TEMP TABLE a (v %s);
			CREATE TEMP TABLE b (v %s);
			INSERT INTO a VALUES ('%s')`, c.from, c.to, c.value))
		if _, err := conn.Exec(t.Context(), "INSERT INTO b SELECT v FROM a"); err == nil {
			changed = pgtest.Value[bool](t, conn, fmt.Sprintf("SELECT a.v::text <> b.v::%s::text FROM a, b", c.from))
		}
		in.Exec(t, fmt.Sprintf(`DROP TABLE IF EXISTS m, old;
			CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL, v %s);
			CREATE TABLE old (id bigint, at timestamptz, v %s)`, c.from, c.to))
		_, list := in.Compile(t, yaml)
		if refused := len(list) > 0 && list[0].Code.String() == "P066"; refused != changed || !refused &&
			len(list) > 0 {
			t.Errorf("%s into %s: refused %v, %s changes: %v; %v", c.from, c.to, refused, c.value, changed, list)
		}
	}
}

// eventPolicies has two policies that emit an event for each taken row, a third one that finds no
// rows, and a job of all three.
const eventPolicies = `
policies:
  late:
    table: m
    due: {age: {column: at, older_than: 15 days}}
    batch: {rows: 2}
    then: [delete, {emit: {event: gone, payload: {id: id}}}]
  rest:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then: [delete, {emit: {event: left, payload: {id: id}}}]
  none: {table: m, where: id < 0, then: [delete, {emit: {event: never, payload: {id: id}}}]}
jobs: {nightly: {schedule: "@daily", run: [late, rest, none]}}`

// notifications returns the notifications that a session receives before the one with the payload
// "end".
func notifications(t *testing.T, in *kit.Installed, listener *pgx.Conn) []map[string]any {
	t.Helper()
	in.Exec(t, "SELECT pg_notify('pgretain', '\"end\"')")
	ctx, cancel := context.WithTimeout(t.Context(), pgtest.MaxWait)
	defer cancel()
	var received []map[string]any
	for {
		n, err := listener.WaitForNotification(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if n.Payload == `"end"` {
			return received
		}
		payload := map[string]any{}
		if err := json.Unmarshal([]byte(n.Payload), &payload); err != nil || n.Channel != "pgretain" {
			t.Fatalf("the payload %s of a notification: %v", n.Payload, err)
		}
		received = append(received, payload)
	}
}

// The runtime sends one NOTIFY for each run that wrote events, and no NOTIFY for other runs.
func TestOneNotifyPerRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, eventPolicies)
	listener := in.Conn(t)
	pgtest.Exec(t, listener, "LISTEN pgretain")
	if _, err := in.Call("CALL retention.run_job('nightly', $1)", noon); err != nil {
		t.Fatal(err)
	}
	got := notifications(t, in, listener)
	want := []map[string]any{{"policy": "late", "run": 1.0, "events": 5.0},
		{"policy": "rest", "run": 2.0, "events": 8.0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	in.Exec(t, "INSERT INTO m VALUES (99, '2024-01-01')")
	in.Done("rest", noon)
	got = notifications(t, in, listener)
	if diff := cmp.Diff([]map[string]any{{"policy": "rest", "run": 4.0, "events": 1.0}}, got); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	if waiting := in.Rows(`SELECT labels ->> 'policy', value FROM retention.metrics
		WHERE name = 'retention_events_waiting'`); strings.Join(waiting, " ") != "(late,5) (rest,9)" {
		t.Errorf("metrics: %v", waiting)
	}
}

// A NOTIFY that fails, at once or at COMMIT, changes no run and stops no policy. The call raises
// the error of the NOTIFY after all runs have ended.
func TestFailedNotify(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ fault, code string }{
		"at once": {"REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC", "42501"},
		"at the commit": {
			fault: `CREATE FUNCTION public.late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				RAISE 'too many notifications in the NOTIFY queue';
			END $$;
			CREATE CONSTRAINT TRIGGER late AFTER INSERT ON retention.setting_change DEFERRABLE INITIALLY DEFERRED
				FOR EACH ROW EXECUTE FUNCTION public.late();
			CREATE OR REPLACE FUNCTION retention._notify(p_runs bigint[],
				p_full double precision DEFAULT pg_catalog.pg_notification_queue_usage())
			RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
				INSERT INTO retention.setting_change (policy, name) VALUES ('x', 'x');
			END $$`,
			code: "P0001",
		},
	} {
		in := kit.Install(t, plain, eventPolicies)
		in.Exec(t, c.fault)
		_, err := in.Call("CALL retention.run_job('nightly', $1)", noon)
		if (err == nil) != (c.code == "") || err != nil && err.Code != c.code {
			t.Errorf("%s: the call raised %v, want SQLSTATE %s", name, err, c.code)
		}
		got := in.Rows("SELECT policy, state, taken FROM retention.run WHERE taken > 0")
		want := []string{`(late,done,5)`, `(rest,done,8)`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: runs:\n%s", name, diff)
		}
		if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.event"); n != 13 {
			t.Errorf("%s: %d events", name, n)
		}
	}
}

// The runtime sends no NOTIFY if the notification queue of the server is more than half full.
func TestNotifyWithAFullQueue(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, eventPolicies)
	in.Done("late", noon)
	listener := in.Conn(t)
	pgtest.Exec(t, listener, "LISTEN pgretain")
	for usage, sent := range map[float64]int{0.5: 1, 0.51: 0} {
		// a session notifies only about its own runs
		pgtest.Exec(t, in.Runner(), "SELECT retention._notify(ARRAY[1], $1)", usage)
		if received := notifications(t, in, listener); len(received) != sent {
			t.Errorf("%v: received %v", usage, received)
		}
	}
}

// take_events returns each event once, the oldest first. After a rollback it returns the events
// again. Two consumers do not wait for each other.
func TestTakeEvents(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, eventPolicies)
	if _, err := in.Call("CALL retention.run_job('nightly', $1)", noon); err != nil {
		t.Fatal(err)
	}
	written := pgtest.Column[string](t, in, "SELECT policy || (payload ->> 'id') FROM retention.event ORDER BY id")
	if len(written) != 13 || !strings.HasPrefix(written[4], "late") || !strings.HasPrefix(written[5], "rest") {
		t.Fatalf("events %v, want 13: first those of late, then those of rest", written)
	}
	consumers := []*pgx.Conn{in.Conn(t), in.Conn(t)}
	take := func(consumer int, arguments string) []string {
		t.Helper()
		return pgtest.Column[string](t, consumers[consumer],
			"SELECT policy || (payload ->> 'id') FROM retention.take_events("+arguments+")")
	}
	for _, c := range consumers {
		pgtest.Exec(t, c, "SET SESSION AUTHORIZATION retention_operator; SET lock_timeout = '3min'; BEGIN")
	}
	for _, c := range []struct {
		consumer  int
		arguments string
		want      []string
	}{{0, "3", written[:3]}, {1, "4", written[3:7]}, {0, "p_policy => 'late'", []string{}},
		{0, "1, 'rest'", written[7:8]}, {0, "0", []string{}},
		{0, "p_event => 'gone'", []string{}}, {0, "2, p_event => 'left'", written[8:10]}, {0, "1, 'rest', 'left'",
			written[10:11]}, {0, "9, 'rest', 'gone'", []string{}}} {
		if diff := cmp.Diff(c.want, take(c.consumer, c.arguments)); diff != "" {
			t.Errorf("take_events(%s) (-want +got):\n%s", c.arguments, diff)
		}
	}
	pgtest.Exec(t, consumers[0], "ROLLBACK")
	pgtest.Exec(t, consumers[1], "COMMIT")
	if diff := cmp.Diff(append(append([]string{}, written[:3]...), written[7:]...), take(0, "")); diff != "" {
		t.Errorf("after the rollback (-want +got):\n%s", diff)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.event"); n != 0 {
		t.Errorf("%d events are left", n)
	}
	if _, err := in.Runner().Exec(t.Context(), "SELECT retention.take_events()"); err == nil {
		t.Error("the runner could call take_events")
	}
}
