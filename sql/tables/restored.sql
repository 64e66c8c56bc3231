-- restored has one row for each call of restore(): who restored which run, and how many rows. The
-- call has no row in the run log. When the run is purged from the run log, the row is purged with
-- it.
CREATE TABLE IF NOT EXISTS retention.restored (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, policy text NOT NULL, run_id bigint NOT NULL,
    restored bigint NOT NULL, refused bigint NOT NULL, hold_until timestamptz,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(), role text NOT NULL DEFAULT session_user
);
