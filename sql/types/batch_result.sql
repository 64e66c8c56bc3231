-- What a batch did. outcome: some | last (nothing due is left behind the position) | locked (the table was not to be
-- had). passed: the row that was passed by, as table and place.
CREATE TYPE retention.batch_result AS (
    outcome text, scanned bigint, taken bigint, kept jsonb, contended bigint, related jsonb, "position" jsonb,
    passed text
);
