-- Returns the runner's pg_cron jobs, and those whose last attempts failed, as one row of two JSON
-- arrays.
-- An attempt has message and at (of the last one), failed (how many in a row) and since (the time
-- of the first of these). It calls functions that the runner owns, because row security shows the
-- jobs to no other role.
SELECT (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'id', j.jobid, 'name', j.jobname, 'schedule', j.schedule, 'command', j.command, 'user', j.username,
                       'active', j.active,
                   'database', j.database || CASE
                       WHEN pg_is_in_recovery() OR j.port = current_setting('port')::integer
                            AND (j.host IN (retention._cron_setting('host'), 'localhost')
                                OR starts_with(j.host, '/')) THEN ''
                       ELSE format(' on %s:%s', j.host, j.port) END)), '[]') FROM retention._cron_jobs() j)::text,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'name', a.jobname, 'message', a.message, 'at', a.at, 'failed', a.failed, 'since', a.since)), '[]')
        FROM retention._cron_attempts() a)::text
