-- as runner
-- cron.schedule does not switch a job on again that somebody switched off: such a job is made anew.
SELECT cron.unschedule(j.jobid) FROM cron.job j
WHERE j.jobname = 'retention.often' AND j.username = current_user AND NOT j.active;
SELECT cron.schedule('retention.often', '*/5 * * * *', 'CALL retention.run_job(''often'')');

-- to drop it
SELECT cron.unschedule(j.jobid) FROM cron.job j WHERE j.jobname = 'retention.often' AND j.username = current_user;
