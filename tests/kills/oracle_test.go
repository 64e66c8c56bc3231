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
	CREATE TABLE offer (id int PRIMARY KEY, expires_at timestamptz NOT NULL, expired boolean NOT NULL,
		changes int NOT NULL);
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
  offer: {table: offer, where: NOT expired, due: {expires: {column: expires_at}},
    then: [update: {set: {expired: true, changes: changes + 1}}]}
  event:
    table: event
    due: {position: {column: seq, up_to: "SELECT 1750", watermark: {table: mark, column: seq}}}
    then: [insert: {into: sums, key: {kind: kind}, add: {n: "count(*)", total: "sum(v)"}}]
  word: {table: word, due: {age: {column: at, older_than: 7 days}},
    then: [emit: {event: gone, payload: {id: id}}, delete]}
jobs: {both: {schedule: "@yearly", run: [hit, note]}}`

// names has the policies; each has a table of the same name. calls has the procedure calls that
// sessions execute at once.
var (
	names = []string{"aged", "item", "hit", "note", "offer", "event", "word"}
	calls = []string{"run('aged'", "run('item'", "run_job('both'", "run('offer'", "run('event'", "run('word'"}
)

// fill starts a round. It inserts 2,000 rows into each table, seven of eight of them due, and
// copies all tables to schema initial.
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
	DROP SCHEMA IF EXISTS initial CASCADE; CREATE SCHEMA initial;
	CREATE TABLE initial.aged AS TABLE aged;
	CREATE TABLE initial.item AS TABLE item;
	CREATE TABLE initial.part AS TABLE part;
	CREATE TABLE initial.hit AS TABLE hit;
	CREATE TABLE initial.daily AS TABLE daily;
	CREATE TABLE initial.note AS TABLE note;
	CREATE TABLE initial.offer AS TABLE offer;
	CREATE TABLE initial.event AS TABLE event;
	CREATE TABLE initial.word AS TABLE word;
	CREATE TABLE initial.run AS SELECT coalesce(max(id), 0) AS last FROM retention.run`

// due is a view with number and time of the rows that fill inserts.
const due = `CREATE VIEW due AS SELECT i, timestamptz '2024-01-01 00:00+00' + i * interval '2 hours' AS at
	FROM generate_series(1, 2000) i`

// expected compares each table after a round with plain SQL over the copies. isOld is the condition
// for rows older than a week. A hold on part 64 keeps item 33, and a hold on row 17 of aged keeps
// that row.
const isOld = "at < timestamptz '2024-06-01 00:00+00' - interval '7 days'"

const takenItems = "SELECT i.* FROM initial.item i WHERE " + isOld + ` AND i.id <> 33
	AND NOT EXISTS (SELECT FROM pin WHERE pin.item_id = i.id)`

var expected = map[string]struct{ got, want string }{
	"aged": {"TABLE aged", "SELECT * FROM initial.aged WHERE (" + isOld + ") IS NOT TRUE OR id = 17"},
	"item": {"TABLE item", "TABLE initial.item EXCEPT ALL (" + takenItems + ")"},
	"part": {"TABLE part", "SELECT p.* FROM initial.part p WHERE p.item_id NOT IN (SELECT g.id FROM (" +
		takenItems + ") g)"},
	"item_old": {"SELECT id, at, body FROM item_old", takenItems},
	"hit":      {"TABLE hit", "SELECT * FROM initial.hit WHERE NOT (" + isOld + ")"},
	"daily": {"TABLE daily",
		`SELECT day, sum(n)::bigint, sum(total)::bigint FROM (TABLE initial.daily
		UNION ALL SELECT (at AT TIME ZONE 'UTC')::date, 1, v FROM initial.hit WHERE ` + isOld + ") x GROUP BY day"},
	"note": {"TABLE note",
		`SELECT n.* FROM initial.note n WHERE (SELECT count(*) FROM initial.note o WHERE o.owner = n.owner
			AND o.id > n.id) < 10`},
	"offer": {"TABLE offer",
		`SELECT id, expires_at, expired OR expires_at < '2024-06-01 00:00+00',
		(NOT expired AND expires_at < '2024-06-01 00:00+00')::int FROM initial.offer`},
	"event": {"TABLE event", "TABLE initial.event"},
	"mark":  {"TABLE mark", "SELECT 1, 1750"},
	"sums": {"TABLE sums",
		"SELECT kind, count(*), sum(v) FROM initial.event WHERE seq > 100 AND seq <= 1750 GROUP BY kind"},
	"word": {"TABLE word", "SELECT * FROM initial.word WHERE NOT (" + isOld + ")"},
	"events": {"SELECT policy, event, (payload ->> 'id')::int FROM retention.event",
		"SELECT 'word', 'gone', id FROM initial.word WHERE " + isOld},
	"taken rows in the log": {`SELECT policy, sum(taken)::bigint FROM retention.run
			WHERE id > (SELECT last FROM initial.run)
			AND policy IN ('aged', 'item', 'hit', 'note', 'word') GROUP BY policy`,
		`SELECT 'aged', (SELECT count(*) FROM initial.aged) - (SELECT count(*) FROM aged) 
		UNION ALL SELECT 'item', (SELECT count(*) FROM initial.item) - (SELECT count(*) FROM item)
		UNION ALL SELECT 'hit', (SELECT count(*) FROM initial.hit) - (SELECT count(*) FROM hit)
		UNION ALL SELECT 'note', (SELECT count(*) FROM initial.note) - (SELECT count(*) FROM note)
		UNION ALL SELECT 'word', (SELECT count(*) FROM initial.word) - (SELECT count(*) FROM word)`},
	"changed rows in the log": {`SELECT policy, sum(taken)::bigint FROM retention.run
			WHERE id > (SELECT last FROM initial.run)
			AND policy IN ('offer', 'event') GROUP BY policy`,
		"SELECT 'offer', (SELECT sum(changes) FROM offer)::bigint UNION ALL SELECT 'event', 1650"},
	"runs that have not ended": {`SELECT id, state FROM retention.run
		WHERE state NOT IN ('done', 'failed', 'stopped', 'abandoned', 'busy', 'more')`,
		"SELECT 0::bigint, '' WHERE false"},
	"remaining locks": {"SELECT locktype FROM pg_locks WHERE locktype = 'advisory'", "SELECT '' WHERE false"},
}

// differences returns the tables that differ from expected, with the numbers of missing and
// unexpected rows.
func differences(t testing.TB, in *kit.Installed) []string {
	t.Helper()
	var found []string
	conn := in.Conn(t) // a kill may have ended the earlier session
	for name, w := range expected {
		got := pgtest.Value[string](t, conn, fmt.Sprintf(`WITH got AS (%s), want AS (%s)
			SELECT (SELECT count(*) FROM (TABLE want EXCEPT ALL TABLE got) x) || ' missing, ' ||
			       (SELECT count(*) FROM (TABLE got EXCEPT ALL TABLE want) x) || ' unexpected'`, w.got, w.want))
		if got != "0 missing, 0 unexpected" {
			found = append(found, name+": "+got)
		}
	}
	return found
}

// statements executes several statements, each in its own transaction.
func statements(t testing.TB, in *kit.Installed, sql string) {
	t.Helper()
	conn := in.Conn(t)
	for _, s := range strings.Split(sql, ";") {
		pgtest.Exec(t, conn, s)
	}
}
