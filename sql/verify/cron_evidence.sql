-- Returns whether each scheduled job has begun a run in time, and whether pg_cron reaches the
-- database whatever host and port a job has. The latter is so if pg_cron uses background workers.
-- If that setting cannot be read, jobs that ran in time show it. A missing table of the runtime has
-- a finding of its own, so it is no error here.
SELECT e.in_time, coalesce(retention._cron_setting('use_background_workers') = 'on', e.in_time)
FROM (SELECT CASE WHEN to_regclass('retention.total') IS NULL OR to_regclass('retention.run') IS NULL
                    OR to_regclass('retention.job') IS NULL THEN false
                  ELSE retention._jobs_in_time() END) e (in_time)
