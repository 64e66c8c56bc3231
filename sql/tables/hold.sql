-- Rows that no policy may take, whatever else is true: those of a table (its root, where it is partitioned) that
-- have certain values in certain columns, now or later. match has the values, {column: text}, as their types print
-- them; they are compared as values. rel, attnums and types say what table and columns these were when the hold was
-- placed: where they are others now, nobody can tell what is held, and runs trip. row_seen says whether there was such
-- a row. Nobody writes here but place_hold, release_hold, restore and adopt.
CREATE TABLE IF NOT EXISTS retention.hold (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL,
    rel oid NOT NULL,
    columns text[] NOT NULL,
    attnums smallint[] NOT NULL,
    types text[] NOT NULL,
    match jsonb NOT NULL,
    reason text NOT NULL,
    until timestamptz,
    placed_by text NOT NULL DEFAULT session_user,
    placed_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    released_by text,
    released_at timestamptz,
    release_reason text,
    row_seen boolean NOT NULL DEFAULT true
);
CREATE INDEX IF NOT EXISTS hold_in_force ON retention.hold (rel)
    WHERE released_at IS NULL;
