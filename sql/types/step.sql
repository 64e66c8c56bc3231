-- What _begin and _step tell the driver: which run, whether to go on, and when (never before wake_at).
CREATE TYPE retention.step AS (
    run_id bigint, going boolean, wake_at timestamptz
);
