-- Returns one row: the name of this database, and two JSON arrays: the runner's pg_cron jobs, and
-- the failed attempts of those jobs whose last attempt failed.
-- Keys of a failed attempt:
-- - name: the job
-- - message, at: the message and time of the last attempt
-- - failed: how many attempts in a row failed
-- - since: the time of the first of these
-- $1: whether pg_cron reaches the database whatever host and port a job has
-- The query calls functions that the runner owns, because row security shows the jobs to no other
-- role.
SELECT current_database()::text,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'id', j.jobid, 'name', j.jobname, 'schedule', j.schedule, 'command', j.command, 'user', j.username,
                       'active', j.active,
                   'database', j.database || CASE
                       WHEN pg_is_in_recovery() OR $1 OR j.port = current_setting('port')::integer
                            AND (j.host IN (retention._cron_setting('host'), 'localhost')
                                OR starts_with(j.host, '/')) THEN ''
                       ELSE format(' on %s:%s', j.host, j.port) END)), '[]')
        FROM retention._cron_jobs() j),
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'name', a.jobname, 'message', a.message, 'at', a.at, 'failed', a.failed, 'since', a.since)
               ORDER BY a.jobname), '[]')
        FROM retention._cron_attempts() a)
