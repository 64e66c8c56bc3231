-- One row per batch, appended in its own transaction and never updated. Row 0 is the start; next_ says how the run goes
-- on; wrapped: the run has reached the end and goes on from the beginning up to its start_position. refused_rows (table
-- and place) may meet another pass. No foreign key: it would lock the run's row.
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
