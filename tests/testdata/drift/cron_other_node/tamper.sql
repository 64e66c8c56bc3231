UPDATE cron.job SET nodename = 'elsewhere' WHERE jobname = 'retention.purge';
