UPDATE cron.job SET nodeport = 1 WHERE jobname = 'retention.purge';
