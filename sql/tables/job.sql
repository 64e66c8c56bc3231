-- A job is a schedule and the ordered policies that it runs; written by migrations.
CREATE TABLE IF NOT EXISTS retention.job (
    name text PRIMARY KEY,
    description text NOT NULL DEFAULT '',
    schedules text[] NOT NULL,
    policies text[] NOT NULL
);
REVOKE ALL ON retention.job FROM PUBLIC;
GRANT SELECT ON retention.job TO retention_runner, retention_operator, retention_viewer;
