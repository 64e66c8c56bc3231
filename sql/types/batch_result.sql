-- batch_result is the result of _batch: what one batch did.
-- outcome: "some"; "last" when no row behind "position" is due; "locked" when the table could not
-- be locked.
-- scanned, taken: rows of the policy that the batch read, and that it took.
-- kept: rows that it left, by what kept them. contended: rows that other sessions had locked.
-- related: rows of other tables that its steps changed, by table. "position": where the next batch
-- starts.
-- passed: the one row that the batch skipped, as its table's OID and its ctid.
CREATE TYPE retention.batch_result AS (
    outcome text, scanned bigint, taken bigint, kept jsonb, contended bigint, related jsonb, "position" jsonb,
    passed text
);
