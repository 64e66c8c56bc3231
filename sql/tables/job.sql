-- job has the jobs: a schedule, and the policies and reports that it runs, in order.
-- every: the longest time between two ticks of the schedule.
-- strict: the job runs the next policy only if the one before ended "done".
-- cron_names: the names of the schedules in pg_cron of this database, of 63 bytes at most.
-- installed_at: when a migration installed the job. Its lateness counts from then on.
CREATE TABLE IF NOT EXISTS retention.job (
    name text PRIMARY KEY, description text NOT NULL DEFAULT '', schedules text[] NOT NULL,
    cron_names text[] NOT NULL DEFAULT '{}', every interval,
    policies text[] NOT NULL, strict boolean NOT NULL DEFAULT false, scope jsonb,
    installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
