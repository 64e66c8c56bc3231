-- What a batch function reads of its run. "position" is where the batch starts: the values of the
-- cursor columns as text, NULL at the beginning. "skip" passes the next row by without touching it;
-- "prove" goes through all statements with no row at all.
CREATE TYPE retention.batch_input AS (
    as_of timestamptz,
    run_id bigint,
    reason text,
    "position" jsonb,
    batch_rows integer,
    skip boolean,
    scope jsonb,
    older_than interval,
    inputs jsonb,
    prove boolean
);
