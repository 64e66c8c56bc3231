-- Rows that no policy may take, whatever else is true. key holds the primary key as text, in the
-- order of its columns. With by_column the hold is on every row that has by_value in that column, now
-- or later; key shows the value. key_columns are the columns of key, NULL for a hold by a column; row_seen says whether
-- the row was there when the hold was placed: only then can it be missing.
-- Nobody writes here but place_hold and release_hold.
CREATE TABLE IF NOT EXISTS retention.hold (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL,
    key text[] NOT NULL,
    by_column text,
    by_value jsonb CHECK ((by_value IS NULL) = (by_column IS NULL)),
    reason text NOT NULL,
    until timestamptz,
    placed_by text NOT NULL DEFAULT session_user,
    placed_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    released_by text,
    released_at timestamptz,
    release_reason text,
    row_seen boolean NOT NULL DEFAULT true,
    key_columns text[]
);
CREATE INDEX IF NOT EXISTS hold_in_force ON retention.hold (table_name, key)
    WHERE released_at IS NULL;
CREATE INDEX IF NOT EXISTS hold_by_owner ON retention.hold (table_name, by_column, by_value)
    WHERE released_at IS NULL AND by_column IS NOT NULL;
REVOKE ALL ON retention.hold FROM PUBLIC;
GRANT SELECT ON retention.hold TO retention_runner, retention_operator, retention_viewer;
