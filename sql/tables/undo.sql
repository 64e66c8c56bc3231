-- What an update with "undo" wrote, one row per changed row, so that restore() can tell whether it was changed since:
-- key is the primary key as text, written the columns of "set". Goes when the run is restored or purged.
CREATE TABLE IF NOT EXISTS retention.undo (
    run_id bigint NOT NULL, policy text NOT NULL, step integer NOT NULL DEFAULT 1, key text[] NOT NULL,
    written jsonb NOT NULL, PRIMARY KEY (run_id, step, key)
);
