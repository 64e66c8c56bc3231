-- What each policy has done since it was installed. Counters for metrics: the run log is purged, these are not. What
-- was due at caught_up_at has gone, all of it; rows_left is by the last run.
CREATE TABLE IF NOT EXISTS retention.total (
    policy text PRIMARY KEY, runs bigint NOT NULL DEFAULT 0, failed bigint NOT NULL DEFAULT 0,
    scanned bigint NOT NULL DEFAULT 0, taken bigint NOT NULL DEFAULT 0, refused bigint NOT NULL DEFAULT 0,
    related jsonb NOT NULL DEFAULT '{}', cascaded jsonb NOT NULL DEFAULT '{}',
    failed_in_a_row integer NOT NULL DEFAULT 0, last_success_at timestamptz, caught_up_at timestamptz, rows_left bigint
);
