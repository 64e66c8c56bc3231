INSERT INTO cron.job (jobname, schedule, command, username)
VALUES ('retention.old', '@daily', 'CALL retention.run_job(''old'')', 'retention_runner');
