-- Jobs of pg_cron in a database that is not ours, as JSON. $1: how the names of ours begin; those of an install whose
-- database's name begins as ours does are left out: names of jobs have no dots.
SELECT coalesce(jsonb_agg(to_jsonb(x)), '[]')::text
FROM (SELECT j.jobname::text AS name, j.schedule, j.command,
             j.database || CASE WHEN pg_is_in_recovery() OR (j.nodename = 'localhost' OR starts_with(j.nodename, '/')) AND j.nodeport = current_setting('port')::integer
                                THEN '' ELSE format(' on %s:%s', j.nodename, j.nodeport) END AS database, j.username AS user, j.active
      FROM cron.job j
      WHERE starts_with(j.jobname::text, $1) AND strpos(substr(j.jobname::text, length($1) + 1), '.') = 0) x
