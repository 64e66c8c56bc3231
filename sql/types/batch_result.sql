-- batch_result is the result of _batch: what one batch did.
-- outcome: "some", or "last" if no row after "position" is due, or "locked" if the table could not
--   be locked
-- scanned, taken: how many rows of the policy the batch read, and how many it took
-- kept: how many rows it left because of guards and the like, by what kept them
-- contended: how many rows other sessions had locked
-- related: how many rows of other tables its steps changed, by table
-- position: where the next batch starts
-- passed: the one row that the batch skipped, as its table's OID and its ctid
-- refused, undone: rows that steps refused, and what was undone, as _take_by_halves returns them
-- ms: how long finding, rechecking and taking the rows took
CREATE TYPE retention.batch_result AS (
    outcome text, scanned bigint, taken bigint, kept jsonb, contended bigint, related jsonb, "position" jsonb,
    passed text, refused jsonb, undone jsonb, ms double precision
);
