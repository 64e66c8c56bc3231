-- report has one row for each run of a report.
-- rows: the rows of the report's query, as JSON objects in the query's order
-- alerts: how many of these rows meet the report's alert condition
CREATE TABLE IF NOT EXISTS retention.report (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, as_of timestamptz NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), run_id bigint NOT NULL, rows jsonb NOT NULL,
    alerts integer NOT NULL
);
CREATE INDEX IF NOT EXISTS report_name ON retention.report (name, id DESC);
