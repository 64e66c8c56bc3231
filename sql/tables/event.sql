-- An outbox: one row for each thing that a policy says happened ("emit"), or a report that alerts, written in the same
-- transaction. take_events() takes rows away. run_id is NULL for what no run did.
CREATE TABLE IF NOT EXISTS retention.event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id bigint, policy text NOT NULL, event text NOT NULL,
    payload jsonb NOT NULL DEFAULT '{}', at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);
CREATE INDEX IF NOT EXISTS event_at ON retention.event (at);
CREATE INDEX IF NOT EXISTS event_name ON retention.event (event, id);
CREATE INDEX IF NOT EXISTS event_policy ON retention.event (policy, id);
