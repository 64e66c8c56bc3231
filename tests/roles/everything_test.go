package roles

// everything is a policy file for which the generator creates objects of every kind.
const everything = `version: 1
install: {search_path: [app]}
each: {each_shop: {schemas: "shop_*"}}
defaults: {breaker: {fraction: 1}}
policies:
  notes:
    table: app.note
    scope: [kind]
    due: {age: {column: at, older_than: {days: 30, at_least: 7}}}
    keep: {pinned: pinned}
    then:
      - archive: {into: app.note_old, create: true, set: {run_id: run.id}}
      - emit: {event: gone, payload: {id: id}}
      - delete
  marked:
    table: app.mark
    where: "NOT done"
    due: {age: {column: at, older_than: 30 days}}
    then: [{update: {set: {done: true}, undo: {done: false}}}]
  capped:
    table: app.cap
    join: {c: {query: "SELECT kind, n FROM app.config", where: c.kind = t.kind}}
    due: {beyond: {first: {count: c.n, else: 3}, per: [kind], order: id DESC}}
    then: [delete]
  plain:
    table: app.plain
    due: {age: {column: at, older_than: 30 days}}
    keep: {used: "EXISTS (SELECT FROM app.other o WHERE o.id = t.id)"}
    then: [delete]
  trades:
    table: app.trade
    due: {expires: {column: expires_at}}
    then: [delete]
    claim:
      key: hash
      ttl: {minutes: 15, at_least: 1}
      cursor: {table: app.marker, key: id, position: [at]}
      grant: [shop_app]
  tracked:
    table: app.tracked
    due: {age: {column: read_at, older_than: 30 days}}
    then: [delete]
    touch:
      key: slug
      set: {read_at: as_of}
      revive: {table: app.catalog, as: c, set: {slug: c.slug}, emit: revived}
      grant: [shop_app]
  events:
    partitions_of: app.event
    due: {age: {older_than: 3 months}}
    then: [drop]
  detached:
    table: app.detached
    due: {expires: {column: drop_after}}
    then: [{drop_table: name}, delete]
  sold:
    table: each_shop.sold
    due: {age: {column: at, older_than: 30 days}}
    keep: {used: "EXISTS (SELECT FROM each_shop.used u WHERE u.id = t.id)"}
    then: [delete]
reports:
  kinds: {query: "SELECT kind, count(*) AS n FROM app.note GROUP BY kind", alert: n > 1000}
jobs:
  nightly: {schedule: "0 1 * * *", run: [notes, marked, capped, plain, trades, tracked, events, detached, sold, kinds]}
`

const everythingSchema = `
	CREATE TABLE app.note (
		id bigint PRIMARY KEY, kind text NOT NULL, pinned boolean NOT NULL DEFAULT false, at timestamptz NOT NULL
	);
	CREATE TABLE app.mark (id bigint PRIMARY KEY, done boolean NOT NULL DEFAULT false, at timestamptz NOT NULL);
	CREATE TABLE app.cap (id bigint PRIMARY KEY, kind text NOT NULL);
	CREATE TABLE app.config (kind text PRIMARY KEY, n integer);
	CREATE TABLE app.plain (id bigint PRIMARY KEY, at timestamptz NOT NULL);
	CREATE TABLE app.trade (hash text PRIMARY KEY, expires_at timestamptz NOT NULL);
	CREATE TABLE app.marker (id text PRIMARY KEY, at bigint);
	CREATE TABLE app.tracked (slug text PRIMARY KEY, read_at timestamptz NOT NULL);
	CREATE TABLE app.catalog (slug text PRIMARY KEY);
	CREATE TABLE app.event (id bigint, at timestamptz NOT NULL) PARTITION BY RANGE (at);
	CREATE TABLE app.event_old PARTITION OF app.event FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
	CREATE TABLE app.event_new PARTITION OF app.event FOR VALUES FROM ('2020-02-01') TO ('2099-01-01');
	CREATE TABLE app.detached (name text PRIMARY KEY, drop_after timestamptz NOT NULL);
	CREATE TABLE shop_anna.sold (id bigint PRIMARY KEY, at timestamptz NOT NULL);
	CREATE INDEX ON shop_anna.sold (at, id);
	CREATE TABLE shop_anna.used (id bigint PRIMARY KEY);
	CREATE TABLE app.other (id bigint PRIMARY KEY);
	INSERT INTO app.note SELECT i, 'k', i = 60, now() - i * interval '1 day' FROM generate_series(1, 60) i;
	INSERT INTO app.mark SELECT i, false, now() - i * interval '1 day' FROM generate_series(1, 40) i;
	INSERT INTO app.cap SELECT i, 'k' FROM generate_series(1, 10) i;
	INSERT INTO app.plain SELECT i, now() - i * interval '1 day' FROM generate_series(1, 40) i`
