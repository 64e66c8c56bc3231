-- Returns the same row as query cron, if schema cron is in another database than the policy file's.
-- It is executed in that other database. It looks for failed attempts among the newest 20,000
-- attempts.
-- $1: the prefix of the names of this install's jobs
-- $2: the policy file's database
-- $3: whether pg_cron reaches the database whatever host and port a job has
-- A job belongs to this install if its name has the prefix and no dot after it. If the name of
-- another database begins with the same text and a dot, its jobs have a further dot.
-- The query also returns jobs with any name that call run, run_job or run_if_due in the policy
-- file's database.
WITH job AS (
    SELECT j.*, j.jobname::text AS name FROM cron.job j
    WHERE starts_with(j.jobname::text, $1) AND strpos(substr(j.jobname::text, length($1) + 1), '.') = 0
       OR j.database = $2 AND strpos(
           lower(regexp_replace(regexp_replace(replace(j.command, '"', ''), '\s+', ' ', 'g'), ' ?\. ?', '.', 'g')),
           lower(replace('call retention.run', '"', ''))) > 0
), ended AS MATERIALIZED (
    SELECT x.jobid, x.runid, x.status, x.return_message, coalesce(x.start_time, x.end_time) AS began,
           coalesce(x.end_time, x.start_time) AS at
    FROM (SELECT * FROM cron.job_run_details d ORDER BY d.runid DESC LIMIT 20000) x
    WHERE x.status IN ('failed', 'succeeded')
)
SELECT current_database()::text,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'id', j.jobid, 'name', j.name, 'schedule', j.schedule, 'command', j.command, 'user', j.username,
                       'active', j.active,
                   'database', j.database || CASE
                       WHEN pg_is_in_recovery() OR $3 OR j.nodeport = current_setting('port')::integer
                            AND (j.nodename = 'localhost' OR starts_with(j.nodename, '/')) THEN ''
                       ELSE format(' on %s:%s', j.nodename, j.nodeport) END)), '[]') FROM job j),
       (SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.name), '[]')
        FROM (SELECT j.name, coalesce((array_agg(e.return_message ORDER BY e.runid DESC))[1], '') AS message,
                     (array_agg(e.at ORDER BY e.runid DESC))[1] AS at, count(*) AS failed, min(e.began) AS since
              FROM job j JOIN ended e USING (jobid)
              WHERE e.status = 'failed' AND e.runid > coalesce(
                  (SELECT max(s.runid) FROM ended s WHERE s.jobid = j.jobid AND s.status = 'succeeded'), 0)
              GROUP BY 1) x)
