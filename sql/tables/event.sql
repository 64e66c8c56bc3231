-- One row for each thing that a policy says happened ("emit"): an outbox for files, webhooks and
-- caches outside the database, read in the order of id. run_id is NULL for what no run did. Purged
-- with the run log.
CREATE TABLE IF NOT EXISTS retention.event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id bigint,
    policy text NOT NULL,
    event text NOT NULL,
    payload jsonb NOT NULL DEFAULT '{}',
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);
CREATE INDEX IF NOT EXISTS event_at ON retention.event (at);
REVOKE ALL ON retention.event FROM PUBLIC;
GRANT SELECT ON retention.event TO retention_runner, retention_operator, retention_viewer;
