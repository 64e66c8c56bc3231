-- batch has one row for each batch of a run. The transaction of the batch inserts the row, and
-- nothing updates it. Row 0 is the start of the run.
-- next_pass, next_position: where the next batch starts
-- next_rows: how many rows the next batch reads
-- wrapped: the run has reached the end, and continues from the beginning up to its start_position
-- refused_rows: rows (table and ctid) that the run skipped and that another pass may meet again
-- The table has no foreign key to run, because the key would lock the run's row.
CREATE TABLE IF NOT EXISTS retention.batch (
    run_id bigint NOT NULL, n integer NOT NULL, at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    ms double precision NOT NULL DEFAULT 0,
    mode text NOT NULL CHECK (mode IN ('start', 'range', 'locked', 'undone')),
    scanned bigint NOT NULL DEFAULT 0, taken bigint NOT NULL DEFAULT 0, kept jsonb NOT NULL DEFAULT '{}',
    contended bigint NOT NULL DEFAULT 0, refused bigint NOT NULL DEFAULT 0, related jsonb NOT NULL DEFAULT '{}',
    cascaded jsonb NOT NULL DEFAULT '{}', sqlstate text, message text, total_taken bigint NOT NULL DEFAULT 0,
    total_refused bigint NOT NULL DEFAULT 0, next_pass integer NOT NULL, next_position jsonb,
    next_rows integer NOT NULL, wrapped boolean NOT NULL DEFAULT false, refused_rows text[], PRIMARY KEY (run_id, n)
);
