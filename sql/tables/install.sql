-- install has one row: what the migrations installed, and in which database. In any other database,
-- such as a restored backup, no run starts before adopt() is called.
-- cron_database: the database whose pg_cron starts the jobs, NULL if it is this one or there is
--   none
-- runtime_build: a fingerprint of the runtime, which tells apart two builds of one version
-- server: the result of _server() when the install was written or adopted
CREATE TABLE IF NOT EXISTS retention.install (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), runtime_version text NOT NULL,
    runtime_build text NOT NULL, search_path text NOT NULL, time_zone text NOT NULL, scheduler text NOT NULL,
    cron_database text, protect text[] NOT NULL, trust text[] NOT NULL, log_window interval NOT NULL DEFAULT '90 days',
    cron_log_window interval NOT NULL DEFAULT '14 days', event_window interval NOT NULL DEFAULT '30 days',
    -- The value of default_text_search_config in the session that installed. Expressions of
    -- policies use it.
    text_search_config text NOT NULL DEFAULT pg_catalog.current_setting('default_text_search_config'),
    report_window interval NOT NULL DEFAULT '1 year', claim_window interval NOT NULL DEFAULT '7 days',
    system_identifier bigint NOT NULL, database_name text NOT NULL, server jsonb,
    -- The state that the last applied migration names in its second line.
    state text,
    -- True if each batch writes a logical decoding message with its policy and run.
    logical_messages boolean,
    adopted_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), adopted_by text NOT NULL DEFAULT session_user
);
GRANT USAGE ON SCHEMA retention TO retention_worker, retention_runner, retention_operator, retention_viewer;
