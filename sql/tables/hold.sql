-- Rows that no policy may take: those of a table (its root) with certain values in certain columns, now or later. match
-- has them as their types print them; runs trip where rel, attnums or types are others now.
CREATE TABLE IF NOT EXISTS retention.hold (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, table_name text NOT NULL, rel oid NOT NULL,
    columns text[] NOT NULL, attnums smallint[] NOT NULL, types text[] NOT NULL, match jsonb NOT NULL,
    reason text NOT NULL, until timestamptz, placed_by text NOT NULL DEFAULT session_user,
    placed_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), released_by text, released_at timestamptz,
    release_reason text, row_seen boolean NOT NULL DEFAULT true
);
CREATE INDEX IF NOT EXISTS hold_kind ON retention.hold
    (table_name COLLATE "C", rel, columns COLLATE "C", attnums, types COLLATE "C", until DESC) WHERE released_at IS NULL;
CREATE INDEX IF NOT EXISTS hold_value ON retention.hold USING hash ((match ->> columns[1])) WHERE released_at IS NULL;
