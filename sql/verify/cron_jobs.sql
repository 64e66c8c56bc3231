-- The runner's pg_cron jobs, as JSON, through a function of the runner: row security hides them from everybody else.
SELECT coalesce(jsonb_agg(to_jsonb(x)), '[]')::text
FROM (SELECT j.jobname AS name, j.schedule, j.command,
             j.database || CASE WHEN pg_is_in_recovery() OR j.port = current_setting('port')::integer
                                    AND (j.host IN (retention._cron_setting('host'), 'localhost') OR starts_with(j.host, '/'))
                                THEN '' ELSE format(' on %s:%s', j.host, j.port) END AS database, j.username AS user, j.active
      FROM retention._cron_jobs() j) x
