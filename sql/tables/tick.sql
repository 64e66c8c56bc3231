-- tick has one row for each job that run_if_due() called and that had nothing to do. Such a call
-- writes no row into the run log.
-- policies: the policies and their order at that time
-- ticks: how many such calls there were
-- at: when the last of them began. At that time, no row of these policies was due.
CREATE TABLE IF NOT EXISTS retention.tick (
    job text PRIMARY KEY, policies text[] NOT NULL, ticks bigint NOT NULL DEFAULT 1, at timestamptz NOT NULL
);
