UPDATE cron.job SET command = command || '; SELECT 1' WHERE jobname = 'retention.purge';
