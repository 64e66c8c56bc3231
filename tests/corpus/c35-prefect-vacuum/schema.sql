-- Runs of workflows, what they logged and made, and the events of everything. Only task runs have
-- a foreign key.
CREATE TABLE flow_run (
    id uuid PRIMARY KEY,
    parent_task_run_id uuid,
    state_type text NOT NULL,
    end_time timestamptz
);
CREATE TABLE task_run (
    id uuid PRIMARY KEY,
    flow_run_id uuid REFERENCES flow_run ON DELETE CASCADE
);
CREATE INDEX ON task_run (flow_run_id);
CREATE TABLE log (
    id uuid PRIMARY KEY,
    flow_run_id uuid,
    message text NOT NULL
);
CREATE TABLE artifact (
    id uuid PRIMARY KEY,
    key text,
    created timestamptz NOT NULL,
    flow_run_id uuid,
    type text,
    data jsonb
);
CREATE INDEX ON artifact (key, created);
CREATE TABLE artifact_collection (
    id uuid PRIMARY KEY,
    key text NOT NULL UNIQUE,
    latest_id uuid NOT NULL,
    flow_run_id uuid,
    type text,
    data jsonb
);
CREATE TABLE events (
    id uuid PRIMARY KEY,
    event text NOT NULL,
    occurred timestamptz NOT NULL
);
CREATE TABLE event_resources (
    id uuid PRIMARY KEY,
    event_id uuid NOT NULL,
    occurred timestamptz NOT NULL,
    resource_id text NOT NULL
);
CREATE INDEX ON event_resources (event_id);
