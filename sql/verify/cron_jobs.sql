-- The runner's pg_cron jobs, through a function of the runner: row security hides them from
-- everybody else.
SELECT j.jobname, j.schedule, j.command, j.database, j.username, j.active
FROM retention._cron_jobs() j ORDER BY 1
