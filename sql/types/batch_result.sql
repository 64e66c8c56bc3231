-- What a batch function did. outcome: "some" (there may be more), "last" (nothing due is left
-- behind the new position) or "locked" (the table itself could not be locked in time, nothing was
-- touched).
CREATE TYPE retention.batch_result AS (
    outcome text,
    scanned bigint,
    taken bigint,
    kept jsonb,
    contended bigint,
    related jsonb,
    "position" jsonb
);
