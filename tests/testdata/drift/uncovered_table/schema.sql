CREATE SCHEMA app;
CREATE SCHEMA parts;
CREATE SCHEMA elsewhere;
CREATE TABLE app.kind (id bigint PRIMARY KEY);
CREATE TABLE app.ledger (id bigint PRIMARY KEY);
CREATE TABLE app.item (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.old_item (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.part (id bigint PRIMARY KEY, item_id bigint NOT NULL REFERENCES app.item ON DELETE CASCADE);
CREATE TABLE app.reply (id bigint PRIMARY KEY, item_id bigint NOT NULL REFERENCES app.item ON DELETE CASCADE);
CREATE INDEX ON app.part (item_id);
CREATE INDEX ON app.reply (item_id);
CREATE TABLE app.event (seq bigint PRIMARY KEY);
CREATE TABLE app.month (id bigint, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE parts.month_1 PARTITION OF app.month FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE app.month_2 PARTITION OF app.month FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE app.detached (name text PRIMARY KEY, drop_after timestamptz NOT NULL);
CREATE TABLE app.days (at timestamptz NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE app.days_1 PARTITION OF app.days FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
-- Not covered by what policies do: archives and roll-ups that nobody purges, a pointer that is set to
-- NULL, rows that are only read.
CREATE TABLE app.old_part (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body jsonb);
CREATE TABLE app.daily (day bigint PRIMARY KEY, n bigint NOT NULL);
CREATE TABLE app.pointer (id bigint PRIMARY KEY, item_id bigint REFERENCES app.item ON DELETE SET NULL);
CREATE INDEX ON app.pointer (item_id);
