-- job has the jobs: a schedule, and the policies and reports that the job runs, in order.
-- every: the longest time between two ticks of the schedule
-- strict: true if the job runs the next policy only after the one before ended "done"
-- cron_names: the names of the schedules in pg_cron of this database, each at most 63 bytes long
-- installed_at: when a migration installed the job. The job cannot be late before that time.
CREATE TABLE IF NOT EXISTS retention.job (
    name text PRIMARY KEY, description text NOT NULL DEFAULT '', schedules text[] NOT NULL,
    cron_names text[] NOT NULL DEFAULT '{}', every interval,
    policies text[] NOT NULL, strict boolean NOT NULL DEFAULT false, scope jsonb,
    installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
