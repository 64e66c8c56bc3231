-- One row for each thing that a policy says happened ("emit"), or a report that alerts: an outbox for
-- files, webhooks and caches outside the database, written in the transaction in which it happened.
-- Consumers take rows away with take_events(), in the order of id; the NOTIFY on channel "pgretain" at
-- the end of a run is only the bell. run_id is NULL for what no run did. Purged after install.event_window.
CREATE TABLE IF NOT EXISTS retention.event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id bigint,
    policy text NOT NULL,
    event text NOT NULL,
    payload jsonb NOT NULL DEFAULT '{}',
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);
CREATE INDEX IF NOT EXISTS event_at ON retention.event (at);
CREATE INDEX IF NOT EXISTS event_policy ON retention.event (policy, id);
