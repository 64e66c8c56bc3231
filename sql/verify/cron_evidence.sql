-- Returns whether each scheduled job has begun a run in time, and whether pg_cron reaches the
-- database whatever host and port a job has. The latter is so if pg_cron uses background workers.
-- If that setting cannot be read, jobs that ran in time show it.
SELECT retention._jobs_in_time(),
       coalesce(retention._cron_setting('use_background_workers') = 'on', retention._jobs_in_time())
