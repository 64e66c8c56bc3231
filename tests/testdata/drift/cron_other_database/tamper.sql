UPDATE cron.job SET database = 'elsewhere' WHERE jobname = 'retention.purge';
