-- undo has one row for each row that an update with "undo" changed. By it restore() sees whether
-- the row was changed again.
-- key: the primary key as text. written: the values that the update wrote, by column.
-- restore() of the run deletes the row, and so does the purge of the run.
CREATE TABLE IF NOT EXISTS retention.undo (
    run_id bigint NOT NULL, policy text NOT NULL, step integer NOT NULL DEFAULT 1, key text[] NOT NULL,
    written jsonb NOT NULL, PRIMARY KEY (run_id, step, key)
);
