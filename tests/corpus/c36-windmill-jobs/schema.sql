-- Finished jobs and what is kept beside them, without foreign keys.
CREATE TABLE completed_job (
    id uuid PRIMARY KEY,
    workspace_id text NOT NULL,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    duration_ms bigint NOT NULL
);
CREATE TABLE job_stats (
    workspace_id text NOT NULL,
    job_id uuid NOT NULL,
    metric_id text NOT NULL,
    PRIMARY KEY (workspace_id, job_id, metric_id)
);
CREATE INDEX ON job_stats (job_id);
CREATE TABLE job_logs (
    job_id uuid PRIMARY KEY,
    logs text,
    log_file_index text[]
);
CREATE TABLE concurrency_key (
    job_id uuid PRIMARY KEY,
    key text NOT NULL,
    ended_at timestamptz
);
CREATE TABLE token (
    token text PRIMARY KEY,
    expiration timestamptz
);
CREATE TABLE resource (
    workspace_id text NOT NULL,
    path text NOT NULL,
    resource_type text NOT NULL,
    value jsonb,
    PRIMARY KEY (workspace_id, path)
);
CREATE TABLE metrics (
    id text NOT NULL,
    value jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (id, created_at)      -- a policy asks for a key
);
CREATE TABLE global_settings (
    name text PRIMARY KEY,
    value jsonb NOT NULL
);
