-- as runner
-- cron.schedule does not switch a job on again that somebody switched off: such a job is made anew.
SELECT cron.unschedule(j.jobid) FROM cron.job j
WHERE j.jobname = 'keeper.notes' AND j.username = current_user AND NOT j.active;
SELECT cron.schedule('keeper.notes', '0 3 * * *', 'CALL keeper.run_job(''notes'')');

-- to drop it
SELECT cron.unschedule(j.jobid) FROM cron.job j WHERE j.jobname = 'keeper.notes' AND j.username = current_user;
