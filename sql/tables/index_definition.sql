-- index_definition has the indexes that migrations built, and the definition that PostgreSQL
-- printed right after it built the index. "pgretain verify" compares this definition with the
-- present one.
CREATE TABLE IF NOT EXISTS retention.index_definition (
    schema_name text NOT NULL, index_name text NOT NULL, definition text NOT NULL,
    built_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), PRIMARY KEY (schema_name, index_name)
);
