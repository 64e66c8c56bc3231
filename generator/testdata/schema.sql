-- The tables of the cases under golden and invalid, each of which holds a snapshot of those that it names;
-- catalog.json is a snapshot of most of them, for the examples in docs/checks.
CREATE SCHEMA app;
CREATE TABLE app.note (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id bigint NOT NULL,
    kind text NOT NULL,
    state text,
    score double precision,
    starred boolean NOT NULL DEFAULT false,
    tag text,
    made_at timestamptz NOT NULL,
    seen_at timestamptz,
    expires_at timestamptz
);
CREATE TABLE app.review (note_id bigint NOT NULL, open boolean NOT NULL);
CREATE TABLE app.owner (id bigint PRIMARY KEY, enabled boolean NOT NULL, days integer);
CREATE TABLE app.config (kind text PRIMARY KEY, days integer, kept boolean);
CREATE TABLE app.loan (id bigint PRIMARY KEY, note_id bigint, used_at timestamptz);
CREATE TABLE app.loan_log (id bigint, note_id bigint, used_at date);

-- One column for every type that a clock may have.
CREATE TABLE app.clocks (
    id bigint PRIMARY KEY,
    "at" timestamp,
    day date,
    epoch_s_int integer,
    epoch_s_numeric numeric,
    epoch_s_float double precision,
    epoch_ms_big bigint,
    epoch_ms_numeric numeric(20, 3),
    epoch_ms_float double precision,
    key_uuid uuid,
    key_text text,
    key_char character(36),
    ulid_uuid uuid,
    ulid_text varchar(26),
    snow bigint,
    read_at timestamptz,
    edited_at timestamptz
);

-- Foreign keys, two deep, to itself, SET NULL, and two columns wide.
CREATE TABLE app.item (
    id bigint PRIMARY KEY,
    parent_id bigint REFERENCES app.item ON DELETE CASCADE,
    blob_id bigint,
    labels text[],
    at timestamptz NOT NULL
);
CREATE TABLE app.blob (id bigint PRIMARY KEY, at timestamptz);
CREATE TABLE app.tag_link (
    item_id bigint REFERENCES app.item ON DELETE CASCADE,
    tag text,
    PRIMARY KEY (item_id, tag)
);
CREATE TABLE app.tag_vote (
    id bigint PRIMARY KEY,
    item_id bigint,
    tag text,
    FOREIGN KEY (item_id, tag) REFERENCES app.tag_link ON DELETE CASCADE
);
CREATE TABLE app.mention (id bigint PRIMARY KEY, item_id bigint REFERENCES app.item ON DELETE SET NULL);
CREATE TABLE app.receipt (id bigint PRIMARY KEY, blob_id bigint REFERENCES app.blob ON DELETE RESTRICT);
CREATE TABLE app.copy (id bigint PRIMARY KEY, blob_id bigint REFERENCES app.blob ON DELETE CASCADE);

-- Partitions, of two levels.
CREATE TABLE app.event (
    id bigint NOT NULL,
    at timestamptz NOT NULL,
    body text,
    PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
CREATE TABLE app.event_2024 PARTITION OF app.event FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE app.event_2025 PARTITION OF app.event FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')
    PARTITION BY HASH (id);
CREATE TABLE app.event_2025_0 PARTITION OF app.event_2025 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE app.event_2025_1 PARTITION OF app.event_2025 FOR VALUES WITH (MODULUS 2, REMAINDER 1);

-- Indexes that serve already, or do not.
CREATE TABLE app.served (id bigint PRIMARY KEY, at timestamptz NOT NULL, owner_id bigint NOT NULL);
CREATE INDEX served_at ON app.served (at, id);
CREATE INDEX served_owner ON app.served (owner_id DESC, at, id);
CREATE TABLE app.not_served (id bigint PRIMARY KEY, at timestamptz, state text, owner_id bigint);
CREATE INDEX not_served_partial ON app.not_served (at, id) WHERE state = 'done';
CREATE INDEX not_served_desc ON app.not_served (at DESC NULLS LAST, id);
CREATE INDEX not_served_hash ON app.not_served USING hash (at);
CREATE INDEX not_served_lower ON app.not_served (lower(state), id);

-- Names that are legal and hostile.
CREATE SCHEMA "Se""lect";
CREATE TABLE "Se""lect"."order by. $function$ {{ .Tag }}" (
    "user" bigint,
    "a "".quoted"" column" timestamptz NOT NULL,
    "größe'; DROP TABLE x; --" text,
    "数据" integer,
    "a.b" text,
    "{{ . }}" boolean,
    "0123456789012345678901234567890123456789012345678901234567890ab" text NOT NULL,
    PRIMARY KEY ("user", "a.b")
);
CREATE TABLE "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" (
    "end" bigint PRIMARY KEY,
    "t" timestamptz NOT NULL,
    "batch" bigint REFERENCES "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" ON DELETE SET NULL
);
CREATE TABLE "Se""lect".child (
    "primary" bigint PRIMARY KEY,
    "user" bigint,
    "a.b" text,
    FOREIGN KEY ("user", "a.b") REFERENCES "Se""lect"."order by. $function$ {{ .Tag }}" ON DELETE CASCADE
);

-- What cannot be purged row by row.
CREATE TABLE app.no_key (at timestamptz NOT NULL);
CREATE VIEW app.note_view AS SELECT id, made_at FROM app.note;
CREATE TABLE app.parent (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.heir (PRIMARY KEY (id)) INHERITS (app.parent);
CREATE TABLE app.taken (id bigint PRIMARY KEY, v_as_of timestamptz NOT NULL);

-- What steps write to.
CREATE TABLE app.daily (
    day date,
    owner_id bigint,
    n bigint NOT NULL DEFAULT 0,
    top double precision,
    last_kind text,
    at timestamptz,
    PRIMARY KEY (day, owner_id)
);
CREATE TABLE app.transfer (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner_id bigint, n bigint, at timestamptz);
CREATE TABLE app.attic (kind text, body jsonb, transfer_id bigint, reason text);
CREATE TABLE app.rolled (what text PRIMARY KEY, id bigint NOT NULL);

-- For the functions of applications.
CREATE TABLE app.claimed (
    hash varchar(66) PRIMARY KEY,
    note text,
    made_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE TABLE app.marker (id text PRIMARY KEY, at bigint, hash text);
CREATE TABLE app.tracked (slug text PRIMARY KEY, name text NOT NULL, reads bigint NOT NULL DEFAULT 0, read_at timestamptz NOT NULL);
CREATE TABLE app.catalogue (slug text PRIMARY KEY, name text NOT NULL);
CREATE TABLE app.claimed_badly (
    id bigint PRIMARY KEY,
    hash text,
    source text NOT NULL,
    tags text[] UNIQUE,
    half text GENERATED ALWAYS AS (left(hash, 4)) STORED,
    expires_at timestamptz,
    made_id uuid
);
CREATE UNIQUE INDEX ON app.claimed_badly (hash) WHERE source = 'a';

-- A namesake of a function of PostgreSQL's.
CREATE FUNCTION app.lower(text) RETURNS text LANGUAGE sql STABLE AS 'SELECT pg_catalog.lower($1)';

-- A trigger that is asked before each row goes.
CREATE TABLE app.guarded (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE FUNCTION app.guard_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$;
CREATE TRIGGER guard_row BEFORE DELETE ON app.guarded FOR EACH ROW EXECUTE FUNCTION app.guard_row();

-- A table whose row security hides rows from the worker.
CREATE TABLE app.secret (id bigint PRIMARY KEY, at timestamptz NOT NULL);
ALTER TABLE app.secret ENABLE ROW LEVEL SECURITY;

-- What each_shop stands for.
CREATE SCHEMA shop_anna;
CREATE TABLE shop_anna.item (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE INDEX item_at ON shop_anna.item (at, id);
CREATE TABLE shop_anna.sold (item_id bigint PRIMARY KEY REFERENCES shop_anna.item, at timestamptz NOT NULL);

-- Columns that can hold only some texts.
CREATE TYPE app.task_state AS ENUM ('open', 'running', 'done', 'failed');
CREATE TABLE app.task (
    id bigint PRIMARY KEY,
    state app.task_state NOT NULL,
    outcome text CHECK (outcome IN ('kept', 'dropped')),
    at timestamptz NOT NULL
);
