-- The runner's jobs whose last attempts failed, by pg_cron's own account: name, what it says of the last,
-- when that was, how many in a row, and when the first of these was.
SELECT a.jobname, a.message, a.at, a.failed, a.since FROM retention._cron_attempts() a ORDER BY 1
