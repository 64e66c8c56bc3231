-- The runner's pg_cron jobs, through a function of the runner: row security hides them from
-- everybody else.
SELECT j.jobname, j.schedule, j.command,
       j.database || CASE WHEN pg_is_in_recovery() OR j.port = current_setting('port')::integer
                              AND (j.host IN (retention._cron_setting('host'), 'localhost') OR starts_with(j.host, '/'))
                          THEN '' ELSE format(' on %s:%s', j.host, j.port) END AS database, j.username, j.active
FROM retention._cron_jobs() j ORDER BY 1
