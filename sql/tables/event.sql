-- event is an outbox. A policy with "emit" inserts a row for each event. A report that alerts
-- inserts one row. The insert is in the transaction that causes the event. take_events() deletes
-- and returns rows.
-- run_id: the run that wrote the row, NULL if no run did
CREATE TABLE IF NOT EXISTS retention.event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id bigint, policy text NOT NULL, event text NOT NULL,
    payload jsonb NOT NULL DEFAULT '{}', at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);
CREATE INDEX IF NOT EXISTS event_at ON retention.event (at);
CREATE INDEX IF NOT EXISTS event_name ON retention.event (event, id);
CREATE INDEX IF NOT EXISTS event_policy ON retention.event (policy, id);
