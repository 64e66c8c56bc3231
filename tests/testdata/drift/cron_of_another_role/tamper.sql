UPDATE cron.job SET username = 'postgres' WHERE jobname = 'retention.purge';
