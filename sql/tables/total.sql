-- total has, for metrics, the counters of each policy since it was installed and the result of its
-- last run. Unlike the run log, it is never purged.
-- There is one row for each policy, job and scope, as _scope_text() writes the scope. Job '' has
-- the calls by hand. If such a call has the scope of a job, it updates the results in that job's
-- row.
-- caught_up_at: all rows that were due at this time have been taken
-- rows_left: how many due rows the last run left. If counting them took too long, it is more.
-- empty_in_a_row: how many runs in a row ended "more" and took no row
-- missed_run: the job's last call, if it could not begin
-- refused_run: the last run that left rows because of an error
CREATE TABLE IF NOT EXISTS retention.total (
    policy text NOT NULL, job text NOT NULL DEFAULT '', scope text NOT NULL DEFAULT '',
    runs bigint NOT NULL DEFAULT 0, failed bigint NOT NULL DEFAULT 0,
    scanned bigint NOT NULL DEFAULT 0, taken bigint NOT NULL DEFAULT 0, refused bigint NOT NULL DEFAULT 0,
    related jsonb NOT NULL DEFAULT '{}', cascaded jsonb NOT NULL DEFAULT '{}',
    last_run bigint, success_run bigint, missed_run bigint, refused_run bigint,
    failed_in_a_row integer NOT NULL DEFAULT 0, empty_in_a_row integer NOT NULL DEFAULT 0,
    last_success_at timestamptz, caught_up_at timestamptz, rows_left bigint, PRIMARY KEY (policy, job, scope)
);
