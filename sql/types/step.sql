-- step is the result of _begin and _step, for the driver.
-- going: true if the run goes on
-- wake_at: the time before which the driver must not call the next step
CREATE TYPE retention.step AS (
    run_id bigint, going boolean, wake_at timestamptz
);
