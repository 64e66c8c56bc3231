-- run is the run log. It has one row for each run. A run writes its row when it starts and once
-- more when it ends. A unique index prevents two runs of one table from having the state "running"
-- at the same time.
-- state: "abandoned" if the run's session no longer exists. Views show this state at once. The next
--   run of the table writes it.
--   "stopped" if the call was cancelled, by Ctrl-C or pg_cancel_backend()
-- tripped_by: what stopped a run that ended "tripped". _trip_hint() derives from it what the
--   operator can do.
-- scope, older_than: as given in the call, by the job or by set_window()
-- inputs: what the policy read at the start
-- start_position, end_position: [pass, position], NULL for the beginning
-- waited_s: how many seconds the run waited between batches
-- waited_for: what the run waited for last
CREATE TABLE IF NOT EXISTS retention.run (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, policy text NOT NULL, job text, table_name text NOT NULL,
    policy_hash text NOT NULL, as_of timestamptz NOT NULL, reason text, scope jsonb, older_than interval,
    inputs jsonb NOT NULL DEFAULT '{}', dry_run boolean NOT NULL DEFAULT false,
    state text NOT NULL CHECK (
        state IN ('running', 'done', 'more', 'tripped', 'paused', 'busy', 'failed', 'stopped', 'abandoned')),
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
-- A few policies may have most of the runs. With this estimate the planner finds the newest run of
-- a policy by the index on (policy, id). With the index on id, it would read the newer runs of all
-- other policies first.
ALTER TABLE retention.run ALTER COLUMN policy SET (n_distinct = -0.1);
CREATE INDEX IF NOT EXISTS run_dry ON retention.run (policy, id) WHERE dry_run;
CREATE INDEX IF NOT EXISTS run_ended_at ON retention.run (ended_at);
CREATE UNIQUE INDEX IF NOT EXISTS run_one_per_table ON retention.run (table_name) WHERE state = 'running';
