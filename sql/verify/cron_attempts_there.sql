-- Jobs of pg_cron in a database that is not ours whose last attempts failed. $1: how their names begin. One
-- row per job: its name, what pg_cron says of the last attempt, when that was, how many failed in a row
-- among the newest 20000 attempts, and when the first of these was. A job that cannot connect leaves a
-- trace here only.
WITH ended AS MATERIALIZED (
    SELECT * FROM (SELECT d.jobid, d.runid, d.status, d.return_message, d.start_time, d.end_time
                   FROM cron.job_run_details d ORDER BY d.runid DESC LIMIT 20000) x
    WHERE x.status IN ('failed', 'succeeded')
)
SELECT j.jobname::text, coalesce((array_agg(e.return_message ORDER BY e.runid DESC))[1], ''),
       (array_agg(coalesce(e.end_time, e.start_time) ORDER BY e.runid DESC))[1],
       count(*), min(coalesce(e.start_time, e.end_time))
FROM cron.job j JOIN ended e ON e.jobid = j.jobid
WHERE starts_with(j.jobname::text, $1) AND e.status = 'failed'
  AND e.runid > coalesce((SELECT max(s.runid) FROM ended s WHERE s.jobid = j.jobid AND s.status = 'succeeded'), 0)
GROUP BY j.jobname
ORDER BY 1
