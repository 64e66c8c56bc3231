-- The indexes that migrations built, as PostgreSQL printed them right after: what the verifier compares with.
CREATE TABLE IF NOT EXISTS retention.index_definition (
    schema_name text NOT NULL, index_name text NOT NULL, definition text NOT NULL,
    built_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), PRIMARY KEY (schema_name, index_name)
);
