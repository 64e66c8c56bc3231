-- run is the run log. It has one row for each run, written when the run starts and once more when
-- it ends. No two runs of one table have the state "running" at the same time: a unique index
-- refuses the second.
-- state "abandoned": the run's session is gone. Views show this state at once; the next run of the
-- table writes it.
-- tripped_by: what stopped a run that ended "tripped". _trip_hint derives from it what the operator
-- can do.
-- scope, older_than: as given in the call, by the job or by set_window(). inputs: what the policy
-- read at the start.
-- start_position, end_position: [pass, position]; NULL for the beginning.
-- waited_s: seconds that the run waited between batches. waited_for: what it waited for last.
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
-- Few policies may have most of the runs. With this estimate the planner uses the index on (policy,
-- id) to find the newest run of another policy. By the index on id it would read all runs of those
-- few.
ALTER TABLE retention.run ALTER COLUMN policy SET (n_distinct = -0.1);
CREATE INDEX IF NOT EXISTS run_dry ON retention.run (policy, id) WHERE dry_run;
CREATE INDEX IF NOT EXISTS run_ended_at ON retention.run (ended_at);
CREATE UNIQUE INDEX IF NOT EXISTS run_one_per_table ON retention.run (table_name) WHERE state = 'running';
