-- Rows that no policy may take, whatever else is true. key holds the primary key as text, in the
-- order of its columns. Nobody writes here but place_hold and release_hold.
CREATE TABLE IF NOT EXISTS retention.hold (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name text NOT NULL,
    key text[] NOT NULL,
    reason text NOT NULL,
    until timestamptz,
    placed_by text NOT NULL DEFAULT session_user,
    placed_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    released_by text,
    released_at timestamptz,
    release_reason text
);
CREATE INDEX IF NOT EXISTS hold_in_force ON retention.hold (table_name, key)
    WHERE released_at IS NULL;
REVOKE ALL ON retention.hold FROM PUBLIC;
GRANT SELECT ON retention.hold TO retention_runner, retention_operator, retention_viewer;
