-- Everything that a snapshot must get right at once. Table "root" is what the policy names.
CREATE EXTENSION citext;
CREATE SCHEMA app;
CREATE SCHEMA "Hostile ""Schema"" ü";
CREATE SCHEMA retention;

CREATE TABLE app.owner (id bigint PRIMARY KEY, region text NOT NULL, UNIQUE (id, region));

CREATE TABLE app.root (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    parent_id  bigint REFERENCES app.root ON DELETE SET NULL,
    owner_id   bigint NOT NULL,
    region     text NOT NULL DEFAULT 'eu',
    label      citext,
    amount     numeric(10, 2) DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    since      timestamptz DEFAULT '2026-01-01 00:00:00+00',
    doubled    numeric GENERATED ALWAYS AS (amount * 2) STORED,
    dropped    int,
    tags       text[],
    CONSTRAINT root_owner FOREIGN KEY (owner_id, region) REFERENCES app.owner (id, region)
        ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED
);
ALTER TABLE app.root DROP COLUMN dropped;
ALTER TABLE app.root ENABLE ROW LEVEL SECURITY;
CREATE INDEX root_age ON app.root (created_at DESC, id) INCLUDE (label);
CREATE INDEX root_expression ON app.root (lower(region), parent_id NULLS FIRST) WHERE label = 'x' AND since > '2026-01-01 00:00:00+00';
CREATE INDEX root_tags ON app.root USING gin (tags);
CREATE INDEX root_ours ON app.root (created_at);
COMMENT ON INDEX app.root_ours IS 'pgretain: policy root_age';

CREATE FUNCTION app.veto() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN old; END';
CREATE TRIGGER root_veto BEFORE DELETE OR UPDATE ON app.root FOR EACH ROW EXECUTE FUNCTION app.veto();
CREATE TRIGGER root_off BEFORE DELETE ON app.root FOR EACH ROW EXECUTE FUNCTION app.veto();
ALTER TABLE app.root DISABLE TRIGGER root_off;
CREATE TRIGGER root_insert BEFORE INSERT ON app.root FOR EACH ROW EXECUTE FUNCTION app.veto();
CREATE TRIGGER root_statement AFTER DELETE ON app.root FOR EACH STATEMENT EXECUTE FUNCTION app.veto();

-- The five actions; each child has a child of its own, to see how far the snapshot goes.
CREATE TABLE app.child_cascade   (id int PRIMARY KEY, root_id bigint REFERENCES app.root ON DELETE CASCADE);
CREATE TABLE app.child_set_null  (id int PRIMARY KEY, root_id bigint REFERENCES app.root ON DELETE SET NULL);
CREATE TABLE app.child_default   (id int PRIMARY KEY, root_id bigint REFERENCES app.root ON DELETE SET DEFAULT);
CREATE TABLE app.child_restrict  (id int PRIMARY KEY, root_id bigint REFERENCES app.root ON DELETE RESTRICT);
CREATE TABLE app.child_no_action (id int PRIMARY KEY, root_id bigint REFERENCES app.root);
CREATE TABLE app.grand_cascade   (id int REFERENCES app.child_cascade ON DELETE CASCADE);
CREATE TABLE app.grand_set_null  (id int REFERENCES app.child_set_null);
CREATE TABLE app.grand_default   (id int REFERENCES app.child_default);
CREATE TABLE app.grand_restrict  (id int REFERENCES app.child_restrict);
CREATE TABLE app.grand_no_action (id int REFERENCES app.child_no_action);

-- Not reached: another table of the owner's, and one of ours.
CREATE TABLE app.sibling (id bigint REFERENCES app.owner ON DELETE CASCADE);
CREATE TABLE retention.note (root_id bigint REFERENCES app.root ON DELETE CASCADE);

-- A partitioned table that references one and is referenced by another.
CREATE TABLE app.event (
    at timestamptz NOT NULL, id bigint NOT NULL, owner_id bigint REFERENCES app.owner, PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE TABLE app.event_2 PARTITION OF app.event FOR VALUES FROM ('2026-02-01 00:00:00+00') TO ('2026-03-01 00:00:00+00');
CREATE TABLE app.event_1 PARTITION OF app.event FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-02-01 00:00:00+00');
CREATE TABLE app.detail (
    at timestamptz, id bigint, FOREIGN KEY (at, id) REFERENCES app.event ON DELETE CASCADE
) PARTITION BY RANGE (at);
CREATE TABLE app.detail_1 PARTITION OF app.detail FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-02-01 00:00:00+00');
CREATE INDEX event_ours ON app.event (owner_id);
COMMENT ON INDEX app.event_ours IS 'pgretain';

-- Plain inheritance.
CREATE TABLE app.base (id int PRIMARY KEY, at date);
CREATE TABLE app.derived (extra text) INHERITS (app.base);

-- Names: quotes, spaces, unicode, a keyword, 63 bytes, and a dot where a separator could be.
CREATE TABLE "Hostile ""Schema"" ü"."select ""from"" where; --" (
    "Größe in m²" int PRIMARY KEY,
    "a.b" timestamptz,
    "x23456789_123456789_123456789_123456789_123456789_123456789_123" text
);
CREATE INDEX "i ""ü""" ON "Hostile ""Schema"" ü"."select ""from"" where; --" ("a.b");
CREATE SCHEMA "a.b";
CREATE SCHEMA a;
CREATE TABLE "a.b".c (x int);
CREATE TABLE a."b.c" (y int);

CREATE VIEW app.seen AS SELECT id, created_at FROM app.root;
CREATE TABLE public.root (id int);
