-- as runner
-- cron.schedule does not switch a job on again that somebody switched off: such a job is made anew.
SELECT cron.unschedule(j.jobid) FROM cron.job j
WHERE j.jobname = 'retention.notes#3' AND j.username = current_user AND NOT j.active;
SELECT cron.schedule('retention.notes#3', '30 seconds', 'CALL retention.run_job(''notes'')');

-- to drop it
SELECT cron.unschedule(j.jobid) FROM cron.job j WHERE j.jobname = 'retention.notes#3' AND j.username = current_user;
