-- undo has one row for each row that an update with "undo" changed. restore() uses it to determine
-- whether somebody changed the row again.
-- key: the primary key as text
-- written: the values that the update wrote, by column
-- restore() deletes the undo rows of the run that it restores. The purge of a run deletes them,
-- too.
CREATE TABLE IF NOT EXISTS retention.undo (
    run_id bigint NOT NULL, policy text NOT NULL, step integer NOT NULL DEFAULT 1, key text[] NOT NULL,
    written jsonb NOT NULL, PRIMARY KEY (run_id, step, key)
);
