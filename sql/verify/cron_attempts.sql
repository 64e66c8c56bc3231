-- How pg_cron's last attempts of jobs ended that did not succeed. $1: how the jobs' names begin. A job
-- that cannot connect leaves a trace here only.
SELECT j.jobname::text, coalesce(d.return_message, ''), coalesce(d.end_time, d.start_time)
FROM cron.job j
CROSS JOIN LATERAL (SELECT * FROM cron.job_run_details x WHERE x.jobid = j.jobid
                    ORDER BY x.runid DESC LIMIT 1) d
WHERE starts_with(j.jobname::text, $1) AND d.status = 'failed'
ORDER BY 1
