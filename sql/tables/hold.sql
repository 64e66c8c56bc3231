-- hold has the holds. A hold keeps the rows of a table that have the values of match in columns. No
-- policy may take such a row until the hold is released or expires. A hold also keeps rows that are
-- inserted later.
-- rel: the table's OID, or the OID of its root if the table is partitioned
-- match: the values by column, as their types print them
-- row_seen: a row with these values existed when the hold was placed
-- A run trips if the OID of the table (rel), the numbers of the columns (attnums) or the types of
-- the columns have changed.
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
