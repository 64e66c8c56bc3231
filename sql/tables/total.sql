-- What each policy has done since it was installed, a row for each job and its scope (as _scope_text() writes it); job
-- '' has the calls of people. Counters for metrics: the run log is purged, these are not. Then how the last run of the
-- job stands: a call of a person with the scope of a job writes that there. What was due at caught_up_at has gone, all
-- of it; rows_left is by the last run. empty_in_a_row counts runs that ended "more" and took nothing; missed_run is the
-- last call of the job, where it could not begin; refused_run left rows that an error kept.
CREATE TABLE IF NOT EXISTS retention.total (
    policy text NOT NULL, job text NOT NULL DEFAULT '', scope text NOT NULL DEFAULT '',
    runs bigint NOT NULL DEFAULT 0, failed bigint NOT NULL DEFAULT 0,
    scanned bigint NOT NULL DEFAULT 0, taken bigint NOT NULL DEFAULT 0, refused bigint NOT NULL DEFAULT 0,
    related jsonb NOT NULL DEFAULT '{}', cascaded jsonb NOT NULL DEFAULT '{}',
    last_run bigint, success_run bigint, missed_run bigint, refused_run bigint,
    failed_in_a_row integer NOT NULL DEFAULT 0, empty_in_a_row integer NOT NULL DEFAULT 0,
    last_success_at timestamptz, caught_up_at timestamptz, rows_left bigint, PRIMARY KEY (policy, job, scope)
);
