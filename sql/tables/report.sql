-- What reports answered, a row per run: rows are JSON objects in the order of its query, alerts how many met its alert.
CREATE TABLE IF NOT EXISTS retention.report (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, as_of timestamptz NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), run_id bigint NOT NULL, rows jsonb NOT NULL,
    alerts integer NOT NULL
);
CREATE INDEX IF NOT EXISTS report_name ON retention.report (name, id DESC);
