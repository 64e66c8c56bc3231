-- What a batch function did. outcome: "some" (there may be more), "last" (nothing due is left
-- behind the new position) or "locked" (the table itself could not be locked in time, nothing was
-- touched). passed: the row that was passed by without touching it, as table and place.
CREATE TYPE retention.batch_result AS (
    outcome text,
    scanned bigint,
    taken bigint,
    kept jsonb,
    contended bigint,
    related jsonb,
    "position" jsonb,
    passed text
);
