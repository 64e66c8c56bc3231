package kills

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const asOf = "2024-06-01 00:00+00"

const schema = `
	CREATE TABLE aged (id int PRIMARY KEY, at timestamptz, body text);
	CREATE TABLE item (id int PRIMARY KEY, at timestamptz NOT NULL, body text);
	CREATE TABLE part (id int PRIMARY KEY, item_id int NOT NULL REFERENCES item ON DELETE CASCADE);
	CREATE INDEX ON part (item_id);
	CREATE TABLE pin (item_id int PRIMARY KEY);
	CREATE TABLE item_old (LIKE item, run_id bigint NOT NULL);
	CREATE TABLE hit (id int PRIMARY KEY, at timestamptz NOT NULL, v int NOT NULL);
	CREATE TABLE daily (day date PRIMARY KEY, n bigint NOT NULL DEFAULT 0, total bigint NOT NULL DEFAULT 0);
	CREATE TABLE note (id int PRIMARY KEY, owner int NOT NULL);
	CREATE TABLE offer (id int PRIMARY KEY, expires_at timestamptz NOT NULL, expired boolean NOT NULL, changes int NOT NULL);
	CREATE TABLE event (seq int PRIMARY KEY, kind text NOT NULL, v int NOT NULL);
	CREATE TABLE mark (one int PRIMARY KEY, seq int NOT NULL);
	CREATE TABLE sums (kind text PRIMARY KEY, n bigint NOT NULL DEFAULT 0, total bigint NOT NULL DEFAULT 0);
	CREATE TABLE word (id int PRIMARY KEY, at timestamptz NOT NULL)`

const policies = `
policies:
  aged: {table: aged, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  item:
    table: item
    due: {age: {column: at, older_than: 7 days}}
    keep: {pinned: "EXISTS (SELECT FROM pin WHERE pin.item_id = t.id)"}
    then: [archive: {into: item_old, set: {run_id: run.id}}, delete: {cascades: [part]}]
  hit:
    table: hit
    due: {age: {column: at, older_than: 7 days}}
    then: [insert: {into: daily, key: {day: "t.at::date"}, add: {n: "count(*)", total: "sum(v)"}}, delete]
  note: {table: note, due: {beyond: {first: 10, per: [owner], order: id DESC}}, then: [delete]}
  offer: {table: offer, where: NOT expired, due: {expires: {column: expires_at}}, then: [update: {set: {expired: true, changes: changes + 1}}]}
  event:
    table: event
    due: {position: {column: seq, up_to: "SELECT 1750", watermark: {table: mark, column: seq}}}
    then: [insert: {into: sums, key: {kind: kind}, add: {n: "count(*)", total: "sum(v)"}}]
  word: {table: word, due: {age: {column: at, older_than: 7 days}}, then: [emit: {event: gone, payload: {id: id}}, delete]}
jobs: {both: {schedule: "@yearly", run: [hit, note]}}`

// names are the policies, each of a table of its name, and calls what sessions call at once.
var (
	names = []string{"aged", "item", "hit", "note", "offer", "event", "word"}
	calls = []string{"run('aged'", "run('item'", "run_job('both'", "run('offer'", "run('event'", "run('word'"}
)

// fill begins a round: 2,000 rows a table (seven in eight are due), and a copy of them in schema
// was.
const fill = `
	TRUNCATE aged, item, part, pin, item_old, hit, daily, note, offer, event, mark, sums, word, retention.event;
	INSERT INTO aged SELECT i, CASE WHEN i % 50 > 0 THEN at END, repeat('x', 100) FROM due;
	INSERT INTO item SELECT i, at, 'b' || i FROM due;
	INSERT INTO part SELECT i, 1 + i / 2 FROM due WHERE i < 2000;
	INSERT INTO pin SELECT i FROM due WHERE i % 13 = 0;
	INSERT INTO hit SELECT i, at, i FROM due;
	INSERT INTO daily VALUES ('2024-01-02', 5, 50);
	INSERT INTO note SELECT i, i % 25 FROM due;
	INSERT INTO offer SELECT i, at, i % 17 = 0, 0 FROM due;
	INSERT INTO event SELECT i, 'k' || i % 3, i FROM due;
	INSERT INTO mark VALUES (1, 100);
	INSERT INTO word SELECT i, at FROM due;
	DROP SCHEMA IF EXISTS was CASCADE; CREATE SCHEMA was;
	CREATE TABLE was.aged AS TABLE aged; CREATE TABLE was.item AS TABLE item; CREATE TABLE was.part AS TABLE part; CREATE TABLE was.hit AS TABLE hit;
	CREATE TABLE was.daily AS TABLE daily; CREATE TABLE was.note AS TABLE note; CREATE TABLE was.offer AS TABLE offer;
	CREATE TABLE was.event AS TABLE event; CREATE TABLE was.word AS TABLE word; CREATE TABLE was.run AS SELECT coalesce(max(id), 0) AS last FROM retention.run`

// due are the rows that fill spreads: number and instant.
const due = `CREATE VIEW due AS SELECT i, timestamptz '2024-01-01 00:00+00' + i * interval '2 hours' AS at FROM generate_series(1, 2000) i`

// What must be there after a round, by plain SQL over the copy; "old" is what a week of age makes
// due. Item 33 stays by a hold on part 64, and row 17 of aged by one of its own.
const old = "at < timestamptz '2024-06-01 00:00+00' - interval '7 days'"

const goingItem = "SELECT i.* FROM was.item i WHERE " + old + " AND i.id <> 33 AND NOT EXISTS (SELECT FROM pin " +
	"WHERE pin.item_id = i.id)"

var wanted = map[string]struct{ got, want string }{
	"aged": {"TABLE aged", "SELECT * FROM was.aged WHERE (" + old + ") IS NOT TRUE OR id = 17"},
	"item": {"TABLE item", "TABLE was.item EXCEPT ALL (" + goingItem + ")"},
	"part": {"TABLE part", "SELECT p.* FROM was.part p WHERE p.item_id NOT IN (SELECT g.id FROM (" +
		goingItem + ") g)"},
	"item_old": {"SELECT id, at, body FROM item_old", goingItem},
	"hit":      {"TABLE hit", "SELECT * FROM was.hit WHERE NOT (" + old + ")"},
	"daily": {"TABLE daily", `SELECT day, sum(n)::bigint, sum(total)::bigint FROM (TABLE was.daily
		UNION ALL SELECT (at AT TIME ZONE 'UTC')::date, 1, v FROM was.hit WHERE ` + old + ") x GROUP BY day"},
	"note": {"TABLE note", "SELECT n.* FROM was.note n WHERE (SELECT count(*) FROM was.note o WHERE o.owner = " +
		"n.owner AND o.id > n.id) < 10"},
	"offer": {"TABLE offer", "SELECT id, expires_at, expired OR expires_at < '2024-06-01 00:00+00', (NOT expired " +
		"AND expires_at < '2024-06-01 00:00+00')::int FROM was.offer"},
	"event": {"TABLE event", "TABLE was.event"},
	"mark":  {"TABLE mark", "SELECT 1, 1750"},
	"sums":  {"TABLE sums", "SELECT kind, count(*), sum(v) FROM was.event WHERE seq > 100 AND seq <= 1750 GROUP BY kind"},
	"word":  {"TABLE word", "SELECT * FROM was.word WHERE NOT (" + old + ")"},
	"events": {"SELECT policy, event, (payload ->> 'id')::int FROM retention.event",
		"SELECT 'word', 'gone', id FROM was.word WHERE " + old},
	"the log of what went": {`SELECT policy, sum(taken)::bigint FROM retention.run WHERE id > (SELECT last FROM was.run)
			AND policy IN ('aged', 'item', 'hit', 'note', 'word') GROUP BY policy`,
		`SELECT 'aged', (SELECT count(*) FROM was.aged) - (SELECT count(*) FROM aged) 
		UNION ALL SELECT 'item', (SELECT count(*) FROM was.item) - (SELECT count(*) FROM item)
		UNION ALL SELECT 'hit', (SELECT count(*) FROM was.hit) - (SELECT count(*) FROM hit)
		UNION ALL SELECT 'note', (SELECT count(*) FROM was.note) - (SELECT count(*) FROM note)
		UNION ALL SELECT 'word', (SELECT count(*) FROM was.word) - (SELECT count(*) FROM word)`},
	"the log of what changed": {`SELECT policy, sum(taken)::bigint FROM retention.run WHERE id > (SELECT last FROM was.run)
			AND policy IN ('offer', 'event') GROUP BY policy`,
		"SELECT 'offer', (SELECT sum(changes) FROM offer)::bigint UNION ALL SELECT 'event', 1650"},
	"runs without an end": {"SELECT id, state FROM retention.run WHERE state NOT IN ('done', 'failed', 'abandoned', " +
		"'busy', 'more')", "SELECT 0::bigint, '' WHERE false"},
	"locks left": {"SELECT locktype FROM pg_locks WHERE locktype = 'advisory'", "SELECT '' WHERE false"},
}

// differences are the tables that are not as they must be, with the number of rows lost and too
// many.
func differences(t testing.TB, in *kit.Installed) []string {
	t.Helper()
	var found []string
	conn := in.Conn(t) // a death may have taken the one of before
	for name, w := range wanted {
		got := pgtest.Value[string](t, conn, fmt.Sprintf(`WITH got AS (%s), want AS (%s)
			SELECT (SELECT count(*) FROM (TABLE want EXCEPT ALL TABLE got) x) || ' lost, ' ||
			       (SELECT count(*) FROM (TABLE got EXCEPT ALL TABLE want) x) || ' too many'`, w.got, w.want))
		if got != "0 lost, 0 too many" {
			found = append(found, name+": "+got)
		}
	}
	return found
}

// statements runs several, each in a transaction of its own.
func statements(t testing.TB, in *kit.Installed, sql string) {
	t.Helper()
	conn := in.Conn(t)
	for _, s := range strings.Split(sql, ";") {
		pgtest.Exec(t, conn, s)
	}
}
