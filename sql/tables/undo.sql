-- What an update with "undo" wrote, one row per row that it changed, so that restore() can tell
-- whether somebody has changed the row since. key holds the primary key as text, in the order of its
-- columns, as in hold; written the columns of "set" as jsonb, as the update left them; step is the
-- update's place in "then". Goes when the run is restored, or purged from the log.
CREATE TABLE IF NOT EXISTS retention.undo (
    run_id bigint NOT NULL,
    policy text NOT NULL,
    step integer NOT NULL DEFAULT 1,
    key text[] NOT NULL,
    written jsonb NOT NULL,
    PRIMARY KEY (run_id, step, key)
);
