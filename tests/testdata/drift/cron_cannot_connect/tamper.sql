-- pg_cron failed twice to log in for one job. A failure before a success, and failures of runs that the run log
-- knows are none of its business.
CREATE TABLE cron.job_run_details (
    jobid bigint, runid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, database text, username text DEFAULT 'retention_runner',
    command text, status text, return_message text, start_time timestamptz, end_time timestamptz
);
ALTER TABLE cron.job_run_details ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_runs ON cron.job_run_details USING (username = current_user);
GRANT SELECT ON cron.job_run_details TO PUBLIC;
DELETE FROM retention.run WHERE job = 'nightly';
INSERT INTO cron.job_run_details (jobid, status, return_message, start_time, end_time)
SELECT j.jobid, x.status, x.message, now() - x.ago * interval '1 minute', now() - x.ago * interval '1 minute'
FROM cron.job j
JOIN (VALUES (1, 'retention.nightly', 20, 'succeeded', 'CALL'), (2, 'retention.nightly', 15, 'failed', 'connection failed'), (3, 'retention.nightly', 5, 'failed', 'connection failed'),
             (4, 'retention.purge', 20, 'failed', 'ERROR: deadlock detected'), (5, 'retention.purge', 15, 'failed', 'ERROR: deadlock detected')) x (n, name, ago, status, message)
  ON x.name = j.jobname
ORDER BY x.n;
