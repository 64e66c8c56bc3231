-- The run log: a row per run, written when it starts and when it ends. abandoned: the backend is gone (views show it,
-- the next run writes it). scope and older_than were given at run time, inputs is what the policy read at the start;
-- waited_for is what it waited for last before a batch, waited_s seconds in all. start_position and end_position are
-- [pass, position], NULL for the beginning. tripped_by is what stopped a run that ended "tripped": the way out follows
-- from it (_trip_hint). Each table has one run at a time.
CREATE TABLE IF NOT EXISTS retention.run (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, policy text NOT NULL, job text, table_name text NOT NULL,
    policy_hash text NOT NULL, as_of timestamptz NOT NULL, reason text, scope jsonb, older_than interval,
    inputs jsonb NOT NULL DEFAULT '{}', dry_run boolean NOT NULL DEFAULT false,
    state text NOT NULL CHECK (
        state IN ('running', 'done', 'more', 'tripped', 'paused', 'busy', 'failed', 'abandoned')),
    tripped_by text CHECK (tripped_by IN ('breaker', 'catalog', 'trust', 'hold', 'clock')),
    CONSTRAINT run_tripped_check CHECK ((state = 'tripped') = (tripped_by IS NOT NULL)),
    started_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), ended_at timestamptz,
    pid integer NOT NULL DEFAULT pg_catalog.pg_backend_pid(), role text NOT NULL DEFAULT session_user,
    due bigint, breaker_limit bigint, scanned bigint NOT NULL DEFAULT 0,
    taken bigint NOT NULL DEFAULT 0, kept jsonb NOT NULL DEFAULT '{}', contended bigint NOT NULL DEFAULT 0,
    refused bigint NOT NULL DEFAULT 0, related jsonb NOT NULL DEFAULT '{}', cascaded jsonb NOT NULL DEFAULT '{}',
    batches integer NOT NULL DEFAULT 0, start_position jsonb, end_position jsonb,
    sqlstate text, message text, note text, waited_s integer NOT NULL DEFAULT 0, waited_for text
);
CREATE INDEX IF NOT EXISTS run_policy ON retention.run (policy, id DESC);
-- Few policies have most of the runs. The planner is not to look for the newest of another one by its number alone,
-- which reads all of theirs.
ALTER TABLE retention.run ALTER COLUMN policy SET (n_distinct = -0.1);
CREATE INDEX IF NOT EXISTS run_dry ON retention.run (policy, id) WHERE dry_run;
CREATE INDEX IF NOT EXISTS run_ended_at ON retention.run (ended_at);
CREATE UNIQUE INDEX IF NOT EXISTS run_one_per_table ON retention.run (table_name) WHERE state = 'running';
