-- Returns a finding if the runner may not read the jobs of schema cron in this database.
-- $1: the runner
SELECT 1 AS place, 'unknown' AS severity,
       format('could not check the jobs in pg_cron, in database "%s"', current_database()) AS message,
       format('Role "%s" has no USAGE on schema cron, or no SELECT on cron.job.', $1::text) AS detail,
       'Have a DBA run what "pgretain bootstrap" prints.' AS hint
WHERE NOT retention._cron_seen()
