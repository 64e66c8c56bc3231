-- hold has the holds: rows that no policy may take until the hold is released or expires. A hold
-- keeps the rows of a table that have the values of match in columns, rows that are inserted later
-- included.
-- rel is the table's OID, the root's for a partitioned table. match has each value as its type
-- prints it.
-- A run trips if the table's OID (rel), the columns' numbers (attnums) or their types have changed.
-- row_seen: a row with these values existed when the hold was placed.
CREATE TABLE IF NOT EXISTS retention.hold (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, table_name text NOT NULL, rel oid NOT NULL,
    columns text[] NOT NULL, attnums smallint[] NOT NULL, types text[] NOT NULL, match jsonb NOT NULL,
    reason text NOT NULL, until timestamptz, placed_by text NOT NULL DEFAULT session_user,
    placed_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), released_by text, released_at timestamptz,
    release_reason text, row_seen boolean NOT NULL DEFAULT true
);
CREATE INDEX IF NOT EXISTS hold_kind ON retention.hold
    (table_name COLLATE "C", rel, columns COLLATE "C", attnums, types COLLATE "C", until DESC)
        WHERE released_at IS NULL;
CREATE INDEX IF NOT EXISTS hold_value ON retention.hold USING hash ((match ->> columns[1])) WHERE released_at IS NULL;
