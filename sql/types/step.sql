-- step is the result of _begin and _step, for the driver: the run, and whether it goes on. The
-- driver calls the next step at wake_at, not earlier.
CREATE TYPE retention.step AS (
    run_id bigint, going boolean, wake_at timestamptz
);
