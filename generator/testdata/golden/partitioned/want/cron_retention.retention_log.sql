-- as runner
-- One statement and nothing else, because the procedure commits. cron.schedule does not switch a
-- job on again that somebody switched off: such a job is made anew.
SELECT cron.unschedule(j.jobid) FROM cron.job j
WHERE j.jobname = 'retention.retention_log' AND j.username = current_user AND NOT j.active;
SELECT cron.schedule('retention.retention_log', '23 3 * * *', 'CALL retention.run_job(''retention_log'')');

-- to drop it
SELECT cron.unschedule(j.jobid) FROM cron.job j
WHERE j.jobname = 'retention.retention_log' AND j.username = current_user;
