-- The same of jobs in a database that is not ours, among the newest 20000 attempts. $1: how their names begin. A job that
-- cannot connect leaves a trace here only.
WITH ended AS MATERIALIZED (
    SELECT * FROM (SELECT d.jobid, d.runid, d.status, d.return_message, d.start_time, d.end_time
                   FROM cron.job_run_details d ORDER BY d.runid DESC LIMIT 20000) x
    WHERE x.status IN ('failed', 'succeeded')
)
SELECT coalesce(jsonb_agg(to_jsonb(x)), '[]')::text
FROM (SELECT j.jobname::text AS name, coalesce((array_agg(e.return_message ORDER BY e.runid DESC))[1], '') AS message,
             (array_agg(coalesce(e.end_time, e.start_time) ORDER BY e.runid DESC))[1] AS at,
             count(*) AS failed, min(coalesce(e.start_time, e.end_time)) AS since
      FROM cron.job j JOIN ended e ON e.jobid = j.jobid
      WHERE starts_with(j.jobname::text, $1) AND e.status = 'failed'
        AND e.runid > coalesce((SELECT max(s.runid) FROM ended s WHERE s.jobid = j.jobid AND s.status = 'succeeded'), 0)
      GROUP BY j.jobname) x
