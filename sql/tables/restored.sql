-- One row for each call of restore(): who brought back what a run took. Not in the run log, where it
-- would look like a run. Purged with it.
CREATE TABLE IF NOT EXISTS retention.restored (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, policy text NOT NULL, run_id bigint NOT NULL,
    restored bigint NOT NULL, refused bigint NOT NULL, hold_until timestamptz,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), role text NOT NULL DEFAULT session_user
);
