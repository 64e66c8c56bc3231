-- Jobs of pg_cron in a database that is not ours, by their names. $1: how ours begin.
SELECT j.jobname::text, j.schedule, j.command,
       j.database || CASE WHEN pg_is_in_recovery() OR (j.nodename = 'localhost' OR starts_with(j.nodename, '/')) AND j.nodeport = current_setting('port')::integer
                          THEN '' ELSE format(' on %s:%s', j.nodename, j.nodeport) END AS database, j.username, j.active
FROM cron.job j
WHERE starts_with(j.jobname::text, $1)
ORDER BY 1
